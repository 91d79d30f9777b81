use std::ops::Range;

use bytemuck::{AnyBitPattern, NoUninit, Zeroable};
use tensor_map::{Params, TensorMap};

use crate::Launch;

/// Bytes that a job uploads before its launches and reads back after them.
///
/// The device memory is aligned to [`Buffer::ALIGN_BYTES`], or is a variable of the module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buffer {
    name: String,
    bytes: Vec<u8>,
    maps: Vec<PlacedMap>,
    pointers: Vec<PlacedPointer>,
    variable: Option<String>,
    /// The index of the variable's module in the job.
    module: usize,
    /// True if the variable starts with its initial value from the module.
    is_initial: bool,
}

/// The address of a buffer, stored in a buffer instead of a kernel parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlacedPointer {
    /// The offset of the address in its buffer.
    pub at_bytes: usize,
    /// The index of the job's buffer that it points into.
    pub index: usize,
    /// The offset that it points to.
    pub offset_bytes: u64,
}

/// A pointer or a tensor map that replaces bytes of a buffer after the addresses of all buffers are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patch {
    at_bytes: usize,
    bytes: Vec<u8>,
    before: Vec<u8>,
}

impl Patch {
    fn range(&self) -> Range<usize> {
        self.at_bytes..self.at_bytes.saturating_add(self.bytes.len())
    }

    /// Writes the patch, unless the buffer is too short, which the launch check reports.
    pub fn apply(&mut self, bytes: &mut [u8]) {
        if let Some(there) = bytes.get_mut(self.range()) {
            self.before = there.to_vec();
            there.copy_from_slice(&self.bytes);
        }
    }

    /// Restores the original bytes, if the patch is unmodified.
    pub fn undo(&self, bytes: &mut [u8]) {
        if let Some(there) = bytes.get_mut(self.range())
            && *there == self.bytes
        {
            there.copy_from_slice(&self.before);
        }
    }
}

/// A tensor map stored in a buffer instead of a kernel parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlacedMap {
    /// The offset in the buffer, a multiple of 64.
    pub at_bytes: usize,
    /// The parameters from which the map is encoded.
    pub params: Params,
    /// The index of the job's buffer that holds the tensor.
    pub index: usize,
    /// The offset in that buffer where the tensor begins.
    pub offset_bytes: u64,
}

/// The error of reading a buffer as elements whose size does not divide the buffer's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "buffer `{buffer}` has {len_bytes} bytes, which must be a multiple of the element size, {element_bytes} bytes"
)]
pub struct PartialElement {
    /// The name of the buffer in the job.
    pub buffer: String,
    /// The length of the buffer in bytes.
    pub len_bytes: usize,
    /// The size of an element in bytes.
    pub element_bytes: usize,
}

impl Buffer {
    /// Alignment of every buffer on the device, in bytes.
    pub const ALIGN_BYTES: u64 = 256;

    /// Creates a buffer with these elements.
    pub fn new<T: NoUninit>(name: &str, elements: &[T]) -> Self {
        Self::of_bytes(name, bytemuck::cast_slice(elements).to_vec())
    }

    /// Creates a buffer from these bytes without copying them.
    pub fn of_bytes(name: &str, bytes: Vec<u8>) -> Self {
        Self {
            name: name.to_owned(),
            bytes,
            maps: Vec::new(),
            pointers: Vec::new(),
            variable: None,
            module: 0,
            is_initial: false,
        }
    }

    /// Creates a buffer of `len_elems` elements of type `T`, all bytes zero.
    pub fn zeroed<T: Zeroable>(name: &str, len_elems: usize) -> Self {
        Self::of_bytes(name, vec![0; len_elems.saturating_mul(size_of::<T>())])
    }

    /// Creates a buffer of consecutive tensor maps, each of the tensor at the start of one of the job's buffers.
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
        let bytes = vec![0; maps.len() * TensorMap::BYTES];
        Self {
            maps,
            ..Self::of_bytes(name, bytes)
        }
    }

    /// Replaces 128 bytes by a tensor map during the upload.
    #[must_use]
    pub fn with_tensor_map(mut self, map: PlacedMap) -> Self {
        self.maps.push(map);
        self
    }

    /// Replaces 8 bytes by the address of a buffer during the upload.
    #[must_use]
    pub fn with_pointer(mut self, pointer: PlacedPointer) -> Self {
        self.pointers.push(pointer);
        self
    }

    /// Stores the buffer in a variable of the module, in constant or global memory, which must have the same size.
    #[doc(alias = "cudaMemcpyToSymbol")]
    #[must_use]
    pub fn in_variable(mut self, variable: &str) -> Self {
        self.variable = Some(variable.to_owned());
        self
    }

    /// Makes the buffer a view of a variable of the module: its bytes are not written before the launches, only
    /// read after them.
    #[doc(alias = "cudaMemcpyFromSymbol")]
    #[must_use]
    pub fn of_variable(mut self, variable: &str) -> Self {
        self.is_initial = true;
        self.in_variable(variable)
    }

    /// Selects the job's module that contains the variable, by index. The default is the first module, index 0.
    #[must_use]
    pub fn of_module(mut self, module: usize) -> Self {
        self.module = module;
        self
    }

    /// Returns the tensor maps to place in the buffer.
    pub fn placed_maps(&self) -> &[PlacedMap] {
        &self.maps
    }

    /// Returns the addresses to place in the buffer.
    pub fn placed_pointers(&self) -> &[PlacedPointer] {
        &self.pointers
    }

    /// Returns the variable that holds the buffer.
    pub fn variable(&self) -> Option<&str> {
        self.variable.as_deref()
    }

    /// Returns the index of the variable's module.
    pub fn module(&self) -> usize {
        self.module
    }

    /// Returns whether the buffer is this variable of a launch's module.
    pub(crate) fn is_variable(&self, name: &str, launch: &Launch) -> bool {
        self.variable() == Some(name) && self.module == launch.module
    }

    /// Returns true if the variable starts with its initial value from the module.
    pub fn is_initial(&self) -> bool {
        self.is_initial
    }

    /// Returns the patches with the pointers and tensor maps, given the addresses of buffers.
    ///
    /// # Errors
    /// Any error of `address`, which returns the address of a buffer, and of `encode`, which returns the map of the
    /// tensor at an address.
    pub fn patches<E>(
        &self,
        mut address: impl FnMut(usize) -> Result<u64, E>,
        mut encode: impl FnMut(&Params, u64) -> Result<TensorMap, E>,
    ) -> Result<Vec<Patch>, E> {
        let mut patches = Vec::new();
        for map in &self.maps {
            let tensor = address(map.index)?.wrapping_add(map.offset_bytes);
            patches.push(Patch {
                at_bytes: map.at_bytes,
                bytes: encode(&map.params, tensor)?.to_bytes().to_vec(),
                before: Vec::new(),
            });
        }
        for pointer in &self.pointers {
            let to = address(pointer.index)?.wrapping_add(pointer.offset_bytes);
            patches.push(Patch {
                at_bytes: pointer.at_bytes,
                bytes: to.to_le_bytes().to_vec(),
                before: Vec::new(),
            });
        }
        Ok(patches)
    }

    /// Returns the name in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the contents of the buffer.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the bytes for modification.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }

    /// Takes the bytes, leaving none until they are [set](Self::set_bytes) again.
    #[must_use]
    pub fn take_bytes(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.bytes)
    }

    /// Replaces the contents of the buffer.
    pub fn set_bytes(&mut self, bytes: Vec<u8>) {
        self.bytes = bytes;
    }

    /// Returns a copy of the elements.
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
    use tensor_map::Target;

    use super::*;

    #[test]
    fn elements_come_back() {
        let buffer = Buffer::new("x", &[1.5_f32, -2.0]);
        assert_eq!(buffer.to_vec::<f32>(), Ok(vec![1.5, -2.0]));
        assert_eq!(buffer.to_vec::<u64>().map(|elements| elements.len()), Ok(1));
        assert_eq!(Buffer::zeroed::<u16>("z", 3).bytes(), [0; 6]);
        let mut taken = Buffer::new("x", &[1_u8, 2]);
        assert_eq!((taken.take_bytes(), taken.bytes()), (vec![1, 2], &[][..]));
        taken.set_bytes(vec![3]);
        assert_eq!(taken.bytes(), [3]);
    }

    #[test]
    fn variables_are_of_one_module() {
        let filled = Buffer::new("x", &[1_u32]).in_variable("v");
        assert!(
            !filled.is_initial() && Buffer::zeroed::<u32>("x", 1).of_variable("v").is_initial()
        );
        let launch = Launch::new("k", 1, 1);
        assert!(filled.is_variable("v", &launch) && !filled.is_variable("w", &launch));
        assert!(!filled.is_variable("v", &launch.clone().of_module(1)));
        let later = filled.of_module(1);
        assert!(!later.is_variable("v", &launch) && later.is_variable("v", &launch.of_module(1)));
    }

    #[test]
    fn maps_and_pointers_are_written_where_they_were_put() {
        let params = TensorMap::tiled_of::<f32>(&[64]).box_dims(&[64]);
        let pointer = PlacedPointer {
            at_bytes: 240,
            index: 3,
            offset_bytes: 4,
        };
        let buffer = Buffer::tensor_maps("maps", [(params, 1), (params, 2)]).with_pointer(pointer);
        let address = |index: usize| Ok::<_, Box<tensor_map::Violations>>(index as u64 * 0x1000);
        let encode =
            |params: &Params, address| params.build_for(address, Target::SM_90).map_err(Box::new);
        let mut patches = buffer.patches(address, encode).unwrap();
        let mut bytes = vec![7; 256];
        patches.iter_mut().for_each(|it| it.apply(&mut bytes));
        let first = TensorMap::from_bytes(bytes[..128].try_into().unwrap());
        assert_eq!(first, params.build(0x1000).unwrap());
        let second = params.build(0x2000).unwrap().to_bytes();
        assert_eq!(bytes[128..240], second[..112]);
        assert_eq!(bytes[240..248], 0x3004_u64.to_le_bytes());
        assert_eq!(bytes[248..], second[120..]);
        bytes[100] ^= 1;
        patches.iter().rev().for_each(|it| it.undo(&mut bytes));
        assert_eq!(
            (bytes[0], &bytes[128..]),
            (first.to_bytes()[0], &[7; 128][..])
        );
        let far = PlacedMap {
            at_bytes: usize::MAX,
            ..buffer.placed_maps()[0]
        };
        let buffer = Buffer::zeroed::<u8>("short", 64).with_tensor_map(far);
        let mut patches = buffer.patches(address, encode).unwrap();
        let mut bytes = vec![7; 64];
        patches.iter_mut().for_each(|it| it.apply(&mut bytes));
        patches.iter().for_each(|it| it.undo(&mut bytes));
        assert_eq!(bytes, [7; 64]);
    }

    #[test]
    fn part_of_an_element_is_refused() {
        let error = Buffer::new("x", &[1_u8; 6]).to_vec::<u32>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "buffer `x` has 6 bytes, which must be a multiple of the element size, 4 bytes"
        );
        assert!(Buffer::new("x", &[1_u8]).to_vec::<()>().is_err());
    }
}
