use bytemuck::{AnyBitPattern, NoUninit, Zeroable};

/// Bytes that a job uploads before its launches and reads back after them.
///
/// On the device they begin at a multiple of [`Buffer::ALIGN_BYTES`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buffer {
    name: String,
    bytes: Vec<u8>,
}

/// A buffer was to be read as elements of a size that does not divide its own.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "buffer `{buffer}` has {len_bytes} bytes, which is no whole number of elements of {element_bytes} bytes"
)]
pub struct PartialElement {
    /// The buffer's name.
    pub buffer: String,
    /// Its length in bytes.
    pub len_bytes: usize,
    /// The size of an element in bytes.
    pub element_bytes: usize,
}

impl Buffer {
    /// Alignment of every buffer on the device, in bytes.
    pub const ALIGN_BYTES: u64 = 256;

    /// A buffer of these elements.
    pub fn new<T: NoUninit>(name: &str, elements: &[T]) -> Self {
        Self {
            name: name.to_owned(),
            bytes: bytemuck::cast_slice(elements).to_vec(),
        }
    }

    /// A buffer of `len_elems` elements of the type `T`, all bytes zero.
    pub fn zeroed<T: Zeroable>(name: &str, len_elems: usize) -> Self {
        Self {
            name: name.to_owned(),
            bytes: vec![0; len_elems.saturating_mul(size_of::<T>())],
        }
    }

    /// What it is called in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Its bytes, to change them.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }

    /// A copy of its elements.
    pub fn to_vec<T: AnyBitPattern + NoUninit>(&self) -> Result<Vec<T>, PartialElement> {
        let (len_bytes, element_bytes) = (self.bytes.len(), size_of::<T>());
        if element_bytes == 0 || !len_bytes.is_multiple_of(element_bytes) {
            return Err(PartialElement {
                buffer: self.name.clone(),
                len_bytes,
                element_bytes,
            });
        }
        let mut elements = vec![T::zeroed(); len_bytes / element_bytes];
        bytemuck::cast_slice_mut::<T, u8>(&mut elements).copy_from_slice(&self.bytes);
        Ok(elements)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_come_back() {
        let buffer = Buffer::new("x", &[1.5_f32, -2.0]);
        assert_eq!(buffer.to_vec::<f32>(), Ok(vec![1.5, -2.0]));
        assert_eq!(buffer.to_vec::<u64>().map(|elements| elements.len()), Ok(1));
        assert_eq!(Buffer::zeroed::<u16>("z", 3).bytes(), [0; 6]);
    }

    #[test]
    fn part_of_an_element_is_refused() {
        let error = Buffer::new("x", &[1_u8; 6]).to_vec::<u32>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "buffer `x` has 6 bytes, which is no whole number of elements of 4 bytes"
        );
        assert!(Buffer::new("x", &[1_u8]).to_vec::<()>().is_err());
    }
}
