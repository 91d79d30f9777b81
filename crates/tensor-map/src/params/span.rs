use crate::{Dims, MAX_RANK, Tensor};

impl Tensor {
    /// Returns the bytes of global memory from the tensor's address to the end of its last element; 0 if some dimension is
    /// 0. An interleaved tensor, `NC/8HWC8` and the like, is given its channels, and a slice holds the channels that fit: 24
    /// of 2 bytes are in 3 slices of 16 bytes, where [`span_bytes`](Self::span_bytes) counts 24 slices, as the driver does.
    ///
    /// ```
    /// use tensor_map::{DataType, Interleave, TensorMap};
    ///
    /// let map = TensorMap::tiled(DataType::F16, &[5, 4, 24, 2]).strides_bytes(&[80, 320, 960]);
    /// let tensor = map.interleave(Interleave::B16).tensor;
    /// assert_eq!(tensor.memory_bytes(), 2 * (2 * 24 * 4 * 5));
    /// ```
    pub const fn memory_bytes(&self) -> u64 {
        if self.span_bytes() == 0 || self.interleave.slice_bytes().is_none() {
            return self.span_bytes();
        }
        self.reach_bits(self.rank()).div_ceil(8)
    }

    /// Returns the coordinates, innermost first, of the first element that is not in the first `room_bytes`
    /// bytes from the tensor's address; none when all are.
    ///
    /// First means in the order of the coordinates, the outermost counting most.
    ///
    /// ```
    /// use tensor_map::{DataType, TensorMap};
    ///
    /// let tensor = TensorMap::tiled(DataType::I32, &[4, 3]).strides_bytes(&[32]).tensor;
    /// assert_eq!(tensor.first_outside(32 + 32 + 16), None);
    /// assert_eq!(*tensor.first_outside(32 + 32 + 15).unwrap(), [3, 2]);
    /// ```
    pub const fn first_outside(&self, room_bytes: u64) -> Option<Dims<u64>> {
        let rank = if self.rank() < MAX_RANK {
            self.rank()
        } else {
            MAX_RANK
        };
        if rank == 0 || self.memory_bytes() <= room_bytes {
            return None;
        }
        let mut coordinates = Dims::<u64>::filled(0, rank);
        let mut room_bits = room_bytes.saturating_mul(8);
        // From the outermost dimension inwards: the smallest coordinate from which the last inner
        // element is outside.
        let mut dim = rank;
        while dim > 0 {
            dim -= 1;
            let stride = self.stride_bits(dim);
            if let Some(spare) = room_bits.checked_sub(self.reach_bits(dim))
                && stride > 0
            {
                let last = self.steps(dim);
                let next = (spare / stride).saturating_add(1);
                let coordinate = if next < last { next } else { last };
                coordinates.put(dim, coordinate);
                room_bits = room_bits.saturating_sub(coordinate.saturating_mul(stride));
            }
        }
        Some(coordinates)
    }

    /// The distance from the first to the last in a dimension: elements, or slices of channels.
    const fn steps(&self, dim: usize) -> u64 {
        let count = match self.interleave.slice_bytes() {
            Some(slice) if dim + 2 == self.rank() => {
                let bits = self
                    .dims
                    .at(dim)
                    .saturating_mul(self.data_type.global_bits());
                bits.div_ceil(slice * 8)
            }
            _ => self.dims.at(dim),
        };
        count.saturating_sub(1)
    }

    const fn stride_bits(&self, dim: usize) -> u64 {
        match (dim.checked_sub(1), self.interleave.slice_bytes()) {
            (Some(stride), _) => self.strides_bytes.at(stride).saturating_mul(8),
            (None, Some(slice)) => slice * 8,
            (None, None) => self.data_type.global_bits(),
        }
    }

    /// Bits from an element of dimension `dim` to the end of the last one inside of it.
    const fn reach_bits(&self, dim: usize) -> u64 {
        let mut reach = match self.interleave.slice_bytes() {
            Some(slice) => slice * 8,
            None => self.data_type.global_bits(),
        };
        let mut inner = 0;
        while inner < dim {
            let steps = self.steps(inner).saturating_mul(self.stride_bits(inner));
            reach = reach.saturating_add(steps);
            inner += 1;
        }
        reach
    }
}

#[cfg(test)]
mod tests {
    use crate::{DataType, Interleave, TensorMap};

    /// Against the bytes that a packed tensor of slices has.
    #[test]
    fn channels_lie_in_slices() {
        for (ty, interleave, channels, slices) in [
            (DataType::F16, Interleave::B16, 8, 1),
            (DataType::F16, Interleave::B16, 17, 3),
            (DataType::F16, Interleave::B16, 24, 3),
            (DataType::F16, Interleave::B32, 24, 2),
            (DataType::U8, Interleave::B16, 24, 2),
            (DataType::U8, Interleave::B32, 24, 1),
            (DataType::F32, Interleave::B32, 24, 3),
        ] {
            let slice = interleave.slice_bytes().unwrap();
            let (row, plane) = (5 * slice, 4 * 5 * slice);
            let map = TensorMap::tiled(ty, &[5, 4, channels, 2])
                .strides_bytes(&[row, plane, slices * plane])
                .interleave(interleave);
            let bytes = 2 * slices * plane;
            assert_eq!(map.tensor.memory_bytes(), bytes, "{ty:?} {channels}");
            assert_eq!(map.tensor.first_outside(bytes), None);
            let outside = map.tensor.first_outside(bytes - 1);
            assert_eq!(outside.as_deref(), Some(&[4, 3, slices - 1, 1][..]));
        }
    }

    /// Against a walk over all elements, for packed, padded and overlapping rows.
    #[test]
    fn agrees_with_a_walk() {
        for strides in [[12, 48], [16, 64], [32, 96], [8, 16], [0, 12], [16, 4]] {
            let tiled = TensorMap::tiled(DataType::I32, &[3, 4, 2]).strides_bytes(&strides);
            for room in 0..tiled.tensor.span_bytes() {
                let end = |c: &[u64; 3]| c[0] * 4 + c[1] * strides[0] + c[2] * strides[1] + 4;
                let walk = (0..2)
                    .flat_map(|z| (0..4).flat_map(move |y| (0..3).map(move |x| [x, y, z])))
                    .find(|coordinates| end(coordinates) > room);
                let found = tiled.tensor.first_outside(room);
                assert_eq!(
                    found.as_deref(),
                    walk.as_ref().map(|c| &c[..]),
                    "{strides:?} {room}"
                );
            }
        }
    }
}
