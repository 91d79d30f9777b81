use bytemuck::{AnyBitPattern, NoUninit, Zeroable};
use tensor_map::{Params, TensorMap};

/// Bytes that a job uploads before its launches and reads back after them.
///
/// On the device they begin at a multiple of [`Buffer::ALIGN_BYTES`], or lie in a variable of the
/// module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buffer {
    name: String,
    bytes: Vec<u8>,
    maps: Vec<PlacedMap>,
    variable: Option<String>,
}

/// A tensor map that lies in a buffer and not among a kernel's parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlacedMap {
    /// Where in the buffer: a multiple of 64.
    pub at_bytes: usize,
    /// The map's parameters.
    pub params: Params,
    /// The index of the job's buffer that holds the tensor.
    pub index: usize,
    /// Where in that buffer the tensor begins.
    pub offset_bytes: u64,
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
            maps: Vec::new(),
            variable: None,
        }
    }

    /// A buffer of these bytes, which are not copied.
    pub fn of_bytes(name: &str, bytes: Vec<u8>) -> Self {
        Self {
            name: name.to_owned(),
            bytes,
            maps: Vec::new(),
            variable: None,
        }
    }

    /// A buffer of `len_elems` elements of the type `T`, all bytes zero.
    pub fn zeroed<T: Zeroable>(name: &str, len_elems: usize) -> Self {
        Self {
            name: name.to_owned(),
            bytes: vec![0; len_elems.saturating_mul(size_of::<T>())],
            maps: Vec::new(),
            variable: None,
        }
    }

    /// A buffer of tensor maps, one after the other, each of the tensor at the start of one of the
    /// job's buffers.
    pub fn tensor_maps<P: Into<Params>>(
        name: &str,
        maps: impl IntoIterator<Item = (P, usize)>,
    ) -> Self {
        let maps = maps.into_iter().enumerate();
        let place = |(position, (params, index)): (usize, (P, usize))| PlacedMap {
            at_bytes: position * TensorMap::BYTES,
            params: params.into(),
            index,
            offset_bytes: 0,
        };
        let maps: Vec<_> = maps.map(place).collect();
        Self {
            name: name.to_owned(),
            bytes: vec![0; maps.len() * TensorMap::BYTES],
            maps,
            variable: None,
        }
    }

    /// Writes a tensor map over 128 of its bytes when it is uploaded.
    #[must_use]
    pub fn with_tensor_map(mut self, map: PlacedMap) -> Self {
        self.maps.push(map);
        self
    }

    /// Puts it into the variable of this name in the module, in constant or global memory, which
    /// has as many bytes. What kernels write there is not read back.
    #[doc(alias = "cudaMemcpyToSymbol")]
    #[must_use]
    pub fn in_variable(mut self, variable: &str) -> Self {
        self.variable = Some(variable.to_owned());
        self
    }

    /// The tensor maps that are written over its bytes.
    pub fn placed_maps(&self) -> &[PlacedMap] {
        &self.maps
    }

    /// The variable that it lies in.
    pub fn variable(&self) -> Option<&str> {
        self.variable.as_deref()
    }

    /// Its bytes with the tensor maps in them, once it is known where the tensors lie.
    ///
    /// # Errors
    /// Any error of `map_of`. A map that does not lie in the buffer is left out: the check before a
    /// launch names it.
    pub fn bytes_with_maps<E>(
        &self,
        mut map_of: impl FnMut(&PlacedMap) -> Result<TensorMap, E>,
    ) -> Result<Vec<u8>, E> {
        let mut bytes = self.bytes.clone();
        for placed in &self.maps {
            let end = placed.at_bytes.saturating_add(TensorMap::BYTES);
            if let Some(room) = bytes.get_mut(placed.at_bytes..end) {
                room.copy_from_slice(&map_of(placed)?.to_bytes());
            }
        }
        Ok(bytes)
    }

    /// The name in messages.
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

    /// Takes its bytes: it has none until it [gets them](Self::set_bytes) back.
    #[must_use]
    pub fn take_bytes(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.bytes)
    }

    /// Gives it other bytes.
    pub fn set_bytes(&mut self, bytes: Vec<u8>) {
        self.bytes = bytes;
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
    fn maps_are_written_where_they_were_put() {
        let params = TensorMap::tiled_of::<f32>(&[64]).box_dims(&[64]);
        let buffer = Buffer::tensor_maps("maps", [(params, 1), (params, 2)]);
        let address = |map: &PlacedMap| {
            let built = params.build(map.index as u64 * 0x1000);
            built.map_err(Box::new)
        };
        let bytes = buffer.bytes_with_maps(address).unwrap();
        let second = TensorMap::from_bytes(bytes[128..].try_into().unwrap());
        assert_eq!(bytes.len(), 256);
        assert_eq!(second, params.build(0x2000).unwrap());
        let far = PlacedMap {
            at_bytes: usize::MAX,
            ..buffer.placed_maps()[0]
        };
        let buffer = Buffer::zeroed::<u8>("short", 64).with_tensor_map(far);
        assert_eq!(buffer.bytes_with_maps(address).unwrap(), [0; 64]);
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
