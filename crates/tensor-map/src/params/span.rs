use crate::{Dims, MAX_RANK, Tensor};

impl Tensor {
    /// The coordinates, innermost first, of the first element that does not lie in `room_bytes`
    /// from the tensor's address; none when all do.
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
        if rank == 0 || self.span_bytes() <= room_bytes {
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
                let last = self.dims.at(dim).saturating_sub(1);
                let next = (spare / stride).saturating_add(1);
                let coordinate = if next < last { next } else { last };
                coordinates.put(dim, coordinate);
                room_bits = room_bits.saturating_sub(coordinate.saturating_mul(stride));
            }
        }
        Some(coordinates)
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
            let steps = self.dims.at(inner).saturating_sub(1);
            reach = reach.saturating_add(steps.saturating_mul(self.stride_bits(inner)));
            inner += 1;
        }
        reach
    }
}

#[cfg(test)]
mod tests {
    use crate::{DataType, TensorMap};

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
