use crate::{DataType, Dims, Interleave, L2Promotion, OobFill, Swizzle};

/// The parameters that all maps share: a tensor in global memory, and how its elements travel.
///
/// A map checks the parameters when it is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tensor {
    /// The type of each element, which determines its size.
    #[doc(alias = "tensorDataType")]
    pub data_type: DataType,
    /// Length of each dimension in elements, innermost first.
    #[doc(alias = "globalDim")]
    pub dims: Dims<u64>,
    /// Bytes from one element to the next in dimensions 1 and up; one fewer than dimensions.
    #[doc(alias = "globalStrides")]
    pub strides_bytes: Dims<u64>,
    /// Take every n-th element of each dimension.
    #[doc(alias = "elementStrides")]
    pub element_strides: Dims<u32>,
    /// The layout of slices of channels in global memory.
    pub interleave: Interleave,
    /// The permutation of rows' pieces in shared memory.
    pub swizzle: Swizzle,
    /// The number of bytes that the L2 cache fetches at once.
    #[doc(alias = "l2Promotion")]
    pub l2_promotion: L2Promotion,
    /// The value that loads write for elements outside the tensor.
    #[doc(alias = "oobFill")]
    pub oob_fill: OobFill,
}

impl Tensor {
    /// Returns a tensor without padding.
    pub const fn packed(data_type: DataType, dims: Dims<u64>) -> Self {
        let mut tensor = Self {
            data_type,
            dims,
            strides_bytes: Dims::<u64>::filled(0, dims.given().saturating_sub(1)),
            element_strides: Dims::<u32>::filled(1, dims.given()),
            interleave: Interleave::None,
            swizzle: Swizzle::None,
            l2_promotion: L2Promotion::None,
            oob_fill: OobFill::Zeros,
        };
        tensor.pack();
        tensor
    }

    const fn pack(&mut self) {
        let mut stride = self.row_bytes();
        let mut dim = 1;
        while dim < self.dims.given() {
            self.strides_bytes.put(dim - 1, stride);
            stride = stride.saturating_mul(self.dims.at(dim));
            dim += 1;
        }
    }

    /// Returns the number of dimensions.
    pub const fn rank(&self) -> usize {
        self.dims.given()
    }

    /// Returns the number of bytes from one element of dimension 0 to the next: the element, or the slice where the
    /// tensor is interleaved. Types of 4 and 6 bits have no whole step, which counts as 0.
    pub const fn step_bytes(&self) -> u64 {
        match self.interleave.slice_bytes() {
            Some(bytes) => bytes,
            None if self.data_type.is_packed() => 0,
            None => self.data_type.bytes(),
        }
    }

    /// Returns the number of bytes of all of dimension 0.
    pub const fn row_bytes(&self) -> u64 {
        match self.interleave.slice_bytes() {
            Some(bytes) => self.dims.at(0).saturating_mul(bytes),
            None => self.data_type.global_bytes(self.dims.at(0)),
        }
    }

    /// Returns the number of bytes of global memory from the tensor's address to the end of its last element; 0 if some
    /// dimension is 0.
    pub const fn span_bytes(&self) -> u64 {
        let mut span = self.row_bytes();
        let mut dim = 1;
        while dim < self.rank() {
            let Some(steps) = self.dims.at(dim).checked_sub(1) else {
                return 0;
            };
            let reach = steps.saturating_mul(self.strides_bytes.at(dim - 1));
            span = span.saturating_add(reach);
            dim += 1;
        }
        if self.dims.at(0) == 0 { 0 } else { span }
    }

    /// Alignment that a box needs in shared memory, in bytes: 128, or the length after which the
    /// swizzle repeats if that is more.
    ///
    /// A box elsewhere is copied, but its swizzle begins in the middle of the pattern.
    pub const fn shared_align_bytes(&self) -> u64 {
        match self.swizzle.span_bytes() {
            Some(span) if span * 8 > 128 => span * 8,
            _ => 128,
        }
    }
}

/// The methods that set the parameters of all maps.
macro_rules! tensor_setters {
    () => {
        /// Returns the number of bytes from one element to the next in dimensions 1 and up: one fewer than dimensions,
        /// innermost first. Without this the tensor has no padding.
        #[doc(alias = "globalStrides")]
        #[must_use]
        pub const fn strides_bytes(mut self, strides_bytes: &[u64]) -> Self {
            self.tensor.strides_bytes = Dims::<u64>::new(strides_bytes);
            self
        }

        /// Take every n-th element of each dimension. Without this, every one.
        ///
        /// In dimension 0 it is ignored unless the tensor is interleaved.
        #[doc(alias = "elementStrides")]
        #[doc(alias = "traversal stride")]
        #[must_use]
        pub const fn element_strides(mut self, element_strides: &[u32]) -> Self {
            self.tensor.element_strides = Dims::<u32>::new(element_strides);
            self
        }

        /// Global memory is laid out in slices of channels. This needs
        /// [`strides_bytes`](Self::strides_bytes), since the dimensions are others then.
        #[must_use]
        pub const fn interleave(mut self, interleave: Interleave) -> Self {
            self.tensor.interleave = interleave;
            self
        }

        /// Permute pieces of rows in shared memory.
        #[must_use]
        pub const fn swizzle(mut self, swizzle: Swizzle) -> Self {
            self.tensor.swizzle = swizzle;
            self
        }

        /// Fetch more bytes into the L2 cache than requested.
        #[doc(alias = "l2Promotion")]
        #[must_use]
        pub const fn l2_promotion(mut self, l2_promotion: L2Promotion) -> Self {
            self.tensor.l2_promotion = l2_promotion;
            self
        }

        /// Sets the value that loads write for elements outside the tensor.
        #[doc(alias = "oobFill")]
        #[must_use]
        pub const fn oob_fill(mut self, oob_fill: OobFill) -> Self {
            self.tensor.oob_fill = oob_fill;
            self
        }

        /// Returns the map, for a tensor at this address on an H100; see [`Params::build_for`].
        ///
        /// # Errors
        /// All rules that are broken.
        pub const fn build(&self, address: u64) -> Result<TensorMap, Violations> {
            self.params().build_for(address, Target::SM_90)
        }

        /// Returns the map, for a tensor at this address on a GPU of this target; see [`Params::build_for`].
        ///
        /// # Errors
        /// All rules that are broken.
        pub const fn build_for(
            &self,
            address: u64,
            target: Target,
        ) -> Result<TensorMap, Violations> {
            self.params().build_for(address, target)
        }
    };
}

pub(crate) use tensor_setters;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_strides_are_packed() {
        let tensor = Tensor::packed(DataType::F16, Dims::<u64>::new(&[32, 162, 94]));
        assert_eq!(*tensor.strides_bytes, [64, 64 * 162]);
        assert_eq!(tensor.span_bytes(), 32 * 162 * 94 * 2);
    }

    #[test]
    fn span_ends_with_the_last_element_not_the_last_stride() {
        let mut tensor = Tensor::packed(DataType::I32, Dims::<u64>::new(&[3, 4]));
        tensor.strides_bytes = Dims::<u64>::new(&[16]);
        assert_eq!(tensor.span_bytes(), 3 * 16 + 12);
    }

    #[test]
    fn boxes_are_aligned_to_where_the_swizzle_repeats() {
        let mut tensor = Tensor::packed(DataType::F16, Dims::<u64>::new(&[64]));
        for (swizzle, align_bytes) in [
            (Swizzle::None, 128),
            (Swizzle::B32, 256),
            (Swizzle::B64, 512),
            (Swizzle::B128, 1024),
        ] {
            tensor.swizzle = swizzle;
            assert_eq!(tensor.shared_align_bytes(), align_bytes, "{swizzle:?}");
        }
    }

    #[test]
    fn sums_that_overflow_saturate() {
        let tensor = Tensor::packed(DataType::F64, Dims::<u64>::new(&[u64::MAX; 5]));
        assert_eq!(*tensor.strides_bytes, [u64::MAX; 4]);
        assert_eq!(tensor.span_bytes(), u64::MAX);
    }
}
