use std::marker::PhantomData;

use bytemuck::Pod;

use crate::Buffer;

/// A part of a buffer that can be passed to a kernel's pointer.
#[derive(Clone, Copy, Debug)]
pub struct Slice<'buffer, T> {
    address: u64,
    len_elems: usize,
    device: u64,
    buffer: PhantomData<&'buffer T>,
}

impl<T> Slice<'_, T> {
    /// Returns the address of the first element.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// Returns the unique number of the device, as in [`Argument::OnDevice`](tma_launch::Argument::OnDevice).
    pub fn device_id(&self) -> u64 {
        self.device
    }

    /// Returns the length in elements.
    pub fn len_elems(&self) -> usize {
        self.len_elems
    }

    /// Returns the same memory for kernels of a device with access to it.
    pub(crate) fn on(self, device: u64) -> Self {
        Self { device, ..self }
    }

    /// Returns the part that begins `offset_elems` elements later.
    ///
    /// # Panics
    /// The slice has fewer elements.
    #[must_use]
    #[track_caller]
    pub fn at(&self, offset_elems: usize) -> Self {
        let len_elems = self.len_elems.checked_sub(offset_elems);
        let Some(len_elems) = len_elems else {
            panic!(
                "element offset {offset_elems} must be at most the length {0}",
                self.len_elems
            )
        };
        Self {
            address: self.address + (offset_elems * size_of::<T>()) as u64,
            len_elems,
            device: self.device,
            buffer: PhantomData,
        }
    }

    /// Returns the first `len_elems` elements.
    ///
    /// # Panics
    /// The slice has fewer elements.
    #[must_use]
    #[track_caller]
    pub fn first(&self, len_elems: usize) -> Self {
        assert!(
            len_elems <= self.len_elems,
            "{len_elems} elements must be at most the length {}",
            self.len_elems
        );
        Self {
            len_elems,
            ..self.at(0)
        }
    }
}

impl<T: Pod> Buffer<T> {
    /// Returns the part that begins at element `offset_elems`.
    ///
    /// # Panics
    /// The buffer has fewer elements.
    #[track_caller]
    pub fn at(&self, offset_elems: usize) -> Slice<'_, T> {
        let whole = Slice {
            address: self.address(),
            len_elems: self.len_elems(),
            device: self.device_id(),
            buffer: PhantomData,
        };
        whole.at(offset_elems)
    }

    /// Returns the whole slice as bytes.
    pub fn bytes(&self) -> Slice<'_, u8> {
        Slice {
            address: self.address(),
            len_elems: self.len_bytes(),
            device: self.device_id(),
            buffer: PhantomData,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::Device;

    #[test]
    #[should_panic(expected = "element offset 5 must be at most the length 4")]
    fn parts_lie_in_their_buffer() {
        let buffer = Device::emulator(0).upload(&[0_u16; 4]).unwrap();
        assert_eq!(buffer.at(4).len_elems(), 0);
        let _ = buffer.at(1).at(4 - 1).at(0).at(0);
        let _ = buffer.at(5);
    }

    #[test]
    #[should_panic(expected = "3 elements must be at most the length 2")]
    fn parts_have_no_more_elements_than_their_buffer() {
        let buffer = Device::emulator(0).upload(&[0_u16; 4]).unwrap();
        let part = buffer.at(1).first(2);
        assert_eq!(
            (part.address(), part.len_elems()),
            (buffer.address() + 2, 2)
        );
        let _ = part.first(3);
    }
}
