use std::marker::PhantomData;

use tensor_map::Params;

use crate::{Argument, MapArgument, Pointer, Region};

/// A reference to elements of type `T` in a buffer of a job, as an argument of a kernel's pointer.
#[derive(Debug)]
pub struct BufferRef<T> {
    index: usize,
    offset_elems: u64,
    elements: PhantomData<fn() -> T>,
}

impl<T> BufferRef<T> {
    /// Refers to the elements from the start of the job's buffer `index`.
    pub const fn new(index: usize) -> Self {
        Self {
            index,
            offset_elems: 0,
            elements: PhantomData,
        }
    }

    /// Refers to the elements that begin `elems` elements later.
    #[must_use]
    pub const fn skip(self, elems: u64) -> Self {
        Self {
            offset_elems: self.offset_elems.saturating_add(elems),
            ..self
        }
    }
}

impl<T> Clone for BufferRef<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for BufferRef<T> {}

impl<T> Pointer<T> for BufferRef<T> {
    fn pointer(&self) -> Argument {
        Argument::Buffer {
            index: self.index,
            offset_bytes: self.offset_elems.saturating_mul(size_of::<T>() as u64),
        }
    }
}

/// A reference to a map of a tensor in a buffer of a job.
#[derive(Clone, Copy, Debug)]
pub struct MapRef {
    params: Params,
    index: usize,
    offset_bytes: u64,
}

impl MapRef {
    /// Refers to a map of the tensor at the start of the job's buffer `index`.
    pub fn new(params: impl Into<Params>, index: usize) -> Self {
        Self {
            params: params.into(),
            index,
            offset_bytes: 0,
        }
    }

    /// Refers to a map of the tensor that begins `bytes` bytes later.
    #[must_use]
    pub const fn skip(self, bytes: u64) -> Self {
        Self {
            offset_bytes: self.offset_bytes.saturating_add(bytes),
            ..self
        }
    }
}

impl MapArgument for MapRef {
    fn map(&self) -> Argument {
        Argument::TensorMap {
            params: Box::new(self.params),
            index: self.index,
            offset_bytes: self.offset_bytes,
        }
    }
}

/// The tensor of the map.
impl From<MapRef> for Region {
    fn from(map: MapRef) -> Self {
        Self::Tensor {
            params: Box::new(map.params),
            index: map.index,
            offset_bytes: map.offset_bytes,
        }
    }
}

#[cfg(test)]
mod tests {
    use tensor_map::TensorMap;

    use super::*;

    #[test]
    fn offsets_of_elements_become_bytes() {
        let expected = Argument::Buffer {
            index: 3,
            offset_bytes: 40,
        };
        assert_eq!(BufferRef::<u64>::new(3).skip(2).skip(3).pointer(), expected);
        let map = MapRef::new(TensorMap::tiled_of::<f32>(&[64]).box_dims(&[64]), 2);
        let Argument::TensorMap {
            index,
            offset_bytes,
            ..
        } = map.skip(256).map()
        else {
            panic!("no map");
        };
        assert_eq!((index, offset_bytes), (2, 256));
    }
}
