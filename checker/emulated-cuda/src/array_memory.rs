//! The memory of arrays.

use tma_emulator::texture::{Format, Geometry, Image, TextureError};

use crate::{
    allocations::AllocationKind,
    arrays::Array,
    code::{Code, Result},
    context::Context,
    ffi::{FromC, Pointer},
};

/// Converts an address of the emulator.
fn device(address: u64) -> Pointer {
    // SAFETY: the address is in device memory, which only the emulator uses (1).
    unsafe { Pointer::from_c(address as *mut _) }
}

impl Context {
    /// Returns the error of a call that breaks a rule of textures, after reporting it.
    pub(crate) fn broken<T>(
        &mut self,
        result: std::result::Result<T, TextureError>,
        call: &str,
    ) -> Result<T> {
        result.map_err(|rule| self.rule(rule, call))
    }

    /// Returns the code for a rule of textures that a call breaks, after reporting it.
    pub(crate) fn rule(&mut self, rule: TextureError, call: &str) -> Code {
        let code = match rule {
            // The driver has no codes of its own for these rules.
            _ if !call.starts_with("cuda") => Code::INVALID_VALUE,
            TextureError::Channels(_) => Code::INVALID_CHANNELS,
            TextureError::LinearFilter => Code::INVALID_FILTER,
            TextureError::NormalizedRead(..) => Code::INVALID_NORM,
            _ => Code::INVALID_VALUE,
        };
        self.wrong(code, &format!("{call}: {rule}"))
    }

    /// Reports an unsupported feature.
    pub(crate) fn lacks(&mut self, name: &str) -> Code {
        self.report.unsupported(name);
        Code::NOT_SUPPORTED
    }

    /// Creates an array with this width, height and depth, 0 for a missing dimension.
    pub(crate) fn create_array(
        &mut self,
        format: Format,
        extents: [usize; 3],
        flags: u32,
        call: &str,
    ) -> Result<u64> {
        let Some((geometry, extents)) = Geometry::of_array(extents, flags) else {
            return Err(self.lacks(&format!("{call} with the flags {flags:#x}")));
        };
        let without_address = Image::array(0, format, geometry, extents);
        let bytes = self.broken(without_address, call)?.bytes();
        let address = self.allocate(bytes as usize, call)?;
        let image = self.broken(Image::array(address, format, geometry, extents), call)?;
        let handle = self.handle();
        self.arrays.insert(handle, Array { image, flags });
        Ok(handle)
    }

    /// Returns the array of a handle.
    pub(crate) fn array(&mut self, handle: u64, call: &str) -> Result<Array> {
        match self.arrays.get(&handle) {
            Some(array) => Ok(*array),
            None => {
                let what = format!("{call}: {handle:#x} is not an array, or was freed");
                Err(self.wrong(Code::INVALID_HANDLE, &what))
            }
        }
    }

    /// Frees an array; ignores a null pointer.
    pub(crate) fn free_array(&mut self, handle: u64, call: &str) -> Result {
        if handle == 0 {
            return Ok(());
        }
        let array = self.array(handle, call)?;
        self.arrays.remove(&handle);
        self.free(
            device(array.image.address()),
            &[AllocationKind::Device],
            call,
        )
    }

    /// Returns the start and the pitch of rows of an array, after checking a box: `bytes` bytes from a byte of a
    /// row on, and rows from a row of a layer on.
    pub(crate) fn rows_of_array(
        &mut self,
        handle: u64,
        [x_bytes, y, z]: [usize; 3],
        [width_bytes, rows]: [usize; 2],
        call: &str,
    ) -> Result<(Pointer, usize)> {
        let image = self.array(handle, call)?.image;
        let [_, height, depth] = image.extents().map(|extent| extent as usize);
        let row_bytes = image.row_bytes() as usize;
        let ends = [
            (x_bytes, width_bytes, row_bytes, "bytes of a row"),
            (y, rows, height, "rows"),
            (z, 1, depth, "layers"),
        ];
        for (start, count, there, of) in ends {
            if start.checked_add(count).is_none_or(|end| end > there) {
                let what =
                    format!("{call}: {count} from {start} on exceed the {there} {of} of the array");
                return Err(self.wrong(Code::INVALID_VALUE, &what));
            }
        }
        let start = (z * height + y) * row_bytes + x_bytes;
        Ok((device(image.address()).add(start), row_bytes))
    }

    /// Returns the address of a byte of a row, after checking a copy of bytes that continues row after row.
    pub(crate) fn bytes_of_array(
        &mut self,
        handle: u64,
        [x_bytes, y]: [usize; 2],
        bytes: usize,
        call: &str,
    ) -> Result<Pointer> {
        let image = self.array(handle, call)?.image;
        let there = image.bytes() as usize;
        let start = y
            .saturating_mul(image.row_bytes() as usize)
            .saturating_add(x_bytes);
        if start.checked_add(bytes).is_none_or(|end| end > there) {
            let what = format!(
                "{call}: {bytes} bytes from byte {start} on exceed the {there} bytes of the array"
            );
            return Err(self.wrong(Code::INVALID_VALUE, &what));
        }
        Ok(device(image.address()).add(start))
    }
}
