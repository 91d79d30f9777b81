//! The arguments of launches in the program's memory.

use std::ffi::c_void;

use crate::host;

/// The end of the list `extra`, and the keys in it (`CU_LAUNCH_PARAM_*`).
const END: u64 = 0;
const BUFFER: u64 = 1;
const BYTES: u64 = 2;

/// The values of a kernel's parameters, in memory of the program.
#[derive(Debug)]
pub(crate) enum Arguments {
    /// The address of a list of the addresses of the values.
    Each(u64),
    /// All values packed in the kernel's layout.
    Packed(Vec<u8>),
}

impl Arguments {
    /// # Safety
    /// 1. Both are valid arguments of `cuLaunchKernel`, and stay valid while the value exists.
    pub(crate) unsafe fn new(list: *mut *mut c_void, extra: *mut *mut c_void) -> Self {
        if !list.is_null() || extra.is_null() {
            return Self::Each(list as u64);
        }
        let (mut buffer, mut len) = (0, 0);
        for pair in 0.. {
            // SAFETY: the list continues up to its end marker (1).
            let entry = unsafe { extra.add(2 * pair) };
            // SAFETY: the pair begins with a key, and the list is readable (1).
            let key = unsafe { entry.read() } as u64;
            if key == END {
                break;
            }
            // SAFETY: a value follows each key except the end marker (1).
            let value = unsafe { entry.add(1) };
            // SAFETY: the value after the key is part of the readable list (1).
            let value = unsafe { value.read() } as u64;
            match key {
                BUFFER => buffer = value,
                BYTES => {
                    // SAFETY: the value is the address of a number (1).
                    len = unsafe { host::value(value as *const usize) }.unwrap_or_default();
                }
                _ => break,
            }
        }
        // SAFETY: the list guarantees this number of bytes (1).
        Self::Packed(unsafe { host::bytes(buffer, if buffer == 0 { 0 } else { len }) })
    }

    /// Returns the bytes of each parameter, given their offsets and sizes.
    pub(crate) fn read(&self, parameters: &[(usize, usize)]) -> Result<Vec<Vec<u8>>, String> {
        let one = |(index, (offset, bytes)): (usize, &(usize, usize))| match self {
            Self::Packed(all) => {
                let value = all.get(*offset..offset + bytes);
                Ok(value
                    .ok_or("the buffer of its arguments is too short")?
                    .to_vec())
            }
            Self::Each(0) => Err("its launch has no arguments".to_owned()),
            Self::Each(list) => {
                let entry = list + 8 * index as u64;
                // SAFETY: the list contains the address of each parameter's value (`new`, 1).
                let value = unsafe { host::value(entry as *const u64) };
                // SAFETY: the driver reads the same number of bytes there.
                Ok(unsafe { host::bytes(value.unwrap_or_default(), *bytes) })
            }
        };
        parameters.iter().enumerate().map(one).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_are_read() {
        let (a, b) = (7_u8, 0x0102_0304_0506_0708_u64);
        let mut list = [
            (&raw const a).cast_mut().cast(),
            (&raw const b).cast_mut().cast(),
        ];
        let parameters = [(0, 1), (8, 8)];
        let expected = vec![vec![7], b.to_le_bytes().to_vec()];
        // SAFETY: the list contains the addresses of two values (1).
        let each = unsafe { Arguments::new(list.as_mut_ptr(), std::ptr::null_mut()) };
        assert_eq!(each.read(&parameters), Ok(expected.clone()));

        let mut buffer = [0_u8; 16];
        buffer[0] = 7;
        buffer[8..].copy_from_slice(&b.to_le_bytes());
        let mut len = 16_usize;
        let mut extra = [
            std::ptr::without_provenance_mut(BUFFER as usize),
            buffer.as_mut_ptr().cast(),
            std::ptr::without_provenance_mut(BYTES as usize),
            (&raw mut len).cast(),
            std::ptr::null_mut(),
        ];
        // SAFETY: the list has an end marker, and the buffer has the given size (1).
        let packed = unsafe { Arguments::new(std::ptr::null_mut(), extra.as_mut_ptr()) };
        assert_eq!(packed.read(&parameters), Ok(expected));
        assert!(packed.read(&[(0, 1), (16, 1)]).is_err());
        assert_eq!(Arguments::Each(0).read(&[]), Ok(vec![]));
        assert!(Arguments::Each(0).read(&parameters).is_err());
    }
}
