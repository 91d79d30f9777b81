use std::ops::Range;

use bytemuck::{AnyBitPattern, NoUninit, Zeroable};
use tensor_map::{Params, TensorMap};

use crate::Launch;

/// Bytes that a job uploads before its launches and reads back after them.
///
/// On the device they begin at a multiple of [`Buffer::ALIGN_BYTES`], or lie in a variable of the
/// module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buffer {
    name: String,
    bytes: Vec<u8>,
    maps: Vec<PlacedMap>,
    pointers: Vec<PlacedPointer>,
    variable: Option<String>,
    /// The number of the variable's module in the job.
    module: usize,
    /// The variable has what it holds in the module.
    is_initial: bool,
}

/// An address of a buffer that lies in a buffer and not among a kernel's parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlacedPointer {
    /// Where in the buffer.
    pub at_bytes: usize,
    /// The index of the job's buffer that it points into.
    pub index: usize,
    /// Where in that buffer it points.
    pub offset_bytes: u64,
}

/// A pointer or a tensor map that is written over bytes of a buffer once it is known where all buffers of the job
/// lie.
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

    /// Writes it over the bytes of its buffer; nothing where they are too few, which the check of a launch names.
    pub fn apply(&mut self, bytes: &mut [u8]) {
        if let Some(there) = bytes.get_mut(self.range()) {
            self.before = there.to_vec();
            there.copy_from_slice(&self.bytes);
        }
    }

    /// Puts back what was there before, where it is still there.
    pub fn undo(&self, bytes: &mut [u8]) {
        if let Some(there) = bytes.get_mut(self.range())
            && *there == self.bytes
        {
            there.copy_from_slice(&self.before);
        }
    }
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
        Self::of_bytes(name, bytemuck::cast_slice(elements).to_vec())
    }

    /// A buffer of these bytes, which are not copied.
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

    /// A buffer of `len_elems` elements of the type `T`, all bytes zero.
    pub fn zeroed<T: Zeroable>(name: &str, len_elems: usize) -> Self {
        Self::of_bytes(name, vec![0; len_elems.saturating_mul(size_of::<T>())])
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
        let bytes = vec![0; maps.len() * TensorMap::BYTES];
        Self {
            maps,
            ..Self::of_bytes(name, bytes)
        }
    }

    /// Writes a tensor map over 128 of its bytes when it is uploaded.
    #[must_use]
    pub fn with_tensor_map(mut self, map: PlacedMap) -> Self {
        self.maps.push(map);
        self
    }

    /// Writes the address of a buffer over 8 of its bytes when it is uploaded.
    #[must_use]
    pub fn with_pointer(mut self, pointer: PlacedPointer) -> Self {
        self.pointers.push(pointer);
        self
    }

    /// Puts it into the variable of this name in the module, in constant or global memory, which
    /// has as many bytes.
    #[doc(alias = "cudaMemcpyToSymbol")]
    #[must_use]
    pub fn in_variable(mut self, variable: &str) -> Self {
        self.variable = Some(variable.to_owned());
        self
    }

    /// It is the variable of this name in the module: its bytes are not written before the launches, only read
    /// after them.
    #[doc(alias = "cudaMemcpyFromSymbol")]
    #[must_use]
    pub fn of_variable(mut self, variable: &str) -> Self {
        self.is_initial = true;
        self.in_variable(variable)
    }

    /// Its variable is in the module of the job that has this number; in the first one, number 0, unless this is
    /// called.
    #[must_use]
    pub fn of_module(mut self, module: usize) -> Self {
        self.module = module;
        self
    }

    /// The tensor maps that are written over its bytes.
    pub fn placed_maps(&self) -> &[PlacedMap] {
        &self.maps
    }

    /// The addresses that are written over its bytes.
    pub fn placed_pointers(&self) -> &[PlacedPointer] {
        &self.pointers
    }

    /// The variable that it lies in.
    pub fn variable(&self) -> Option<&str> {
        self.variable.as_deref()
    }

    /// The number of the module that the variable is in.
    pub fn module(&self) -> usize {
        self.module
    }

    /// Returns whether it lies in this variable of a launch's module.
    pub(crate) fn is_variable(&self, name: &str, launch: &Launch) -> bool {
        self.variable() == Some(name) && self.module == launch.module
    }

    /// True if the variable that it lies in begins with what it holds in the module.
    pub fn is_initial(&self) -> bool {
        self.is_initial
    }

    /// Its pointers and tensor maps, once it is known where buffers lie.
    ///
    /// # Errors
    /// Any error of `address`, which gives the address of a buffer, and of `encode`, which gives the map of
    /// the tensor at an address.
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
    use tensor_map::Target;

    use super::*;

    #[test]
    fn elements_come_back() {
        let buffer = Buffer::new("x", &[1.5_f32, -2.0]);
        assert_eq!(buffer.to_vec::<f32>(), Ok(vec![1.5, -2.0]));
        assert_eq!(buffer.to_vec::<u64>().map(|elements| elements.len()), Ok(1));
        assert_eq!(Buffer::zeroed::<u16>("z", 3).bytes(), [0; 6]);
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
            "buffer `x` has 6 bytes, which is no whole number of elements of 4 bytes"
        );
        assert!(Buffer::new("x", &[1_u8]).to_vec::<()>().is_err());
    }
}
