use core::fmt::{self, Display, Formatter};

use crate::{NotATensorMap, Target, TensorMap, encode::is_large, layout};

/// The distance from the global address that the hardware may cover when it determines which elements are out of
/// bounds.
///
/// Encoding resolves [`Auto`](Self::Auto). The class is the bit [`layout::LARGE_TENSOR`] of maps for compute capability
/// The class for compute capability 10.0 and later; earlier maps have none. The source is the header of CUDA 13.5 and
/// maps that drivers encode; a driver of 13.5 was not tested.
///
/// Source: `cuda.h` of CUDA 13.5, `CUtensorMapAllocClass`.
#[doc(alias = "CUtensorMapAllocClass")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AllocationClass {
    /// The class of the tensor's size: large from 128 KiB on.
    #[doc(alias = "CU_TENSOR_MAP_ALLOC_CLASS_AUTO")]
    Auto,
    /// A window of 4 KiB, safe for every allocation.
    #[doc(alias = "CU_TENSOR_MAP_ALLOC_CLASS_SMALL")]
    Small,
    /// A window of 128 KiB: that many bytes must be accessible from the global address on when the map is used.
    #[doc(alias = "CU_TENSOR_MAP_ALLOC_CLASS_LARGE")]
    Large,
}

impl Display for AllocationClass {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Auto => "auto",
            Self::Small => "small, a window of 4 KiB",
            Self::Large => "large, a window of 128 KiB",
        })
    }
}

impl TensorMap {
    /// Returns the class in effect, [`Small`](AllocationClass::Small) or [`Large`](AllocationClass::Large).
    pub const fn allocation_class(&self) -> AllocationClass {
        match layout::LARGE_TENSOR.get(self.words()) {
            0 => AllocationClass::Small,
            _ => AllocationClass::Large,
        }
    }

    /// Sets the class, and returns the class in effect. For GPUs of compute capability 9.0, which have no classes,
    /// the map does not change.
    ///
    /// # Errors
    /// The bytes are not a tensor map, and stay as they are.
    ///
    /// ```
    /// use tensor_map::{AllocationClass, DataType, Target, TensorMap};
    ///
    /// let tiled = TensorMap::tiled(DataType::U8, &[256, 512]).box_dims(&[128, 1]);
    /// let mut map = tiled.build_for(0x1000, Target::SM_100).unwrap();
    /// assert_eq!(map.allocation_class(), AllocationClass::Large);
    /// let small = map.set_allocation_class(AllocationClass::Small, Target::SM_100);
    /// assert_eq!(small, Ok(AllocationClass::Small));
    /// ```
    #[doc(alias = "cuTensorMapSetAllocationClass")]
    pub const fn set_allocation_class(
        &mut self,
        class: AllocationClass,
        target: Target,
    ) -> Result<AllocationClass, NotATensorMap> {
        let decoded = match self.decode() {
            Ok(decoded) => decoded,
            Err(wrong) => return Err(wrong),
        };
        if target.is_blackwell() {
            let large = match class {
                AllocationClass::Auto => is_large(decoded.params.tensor(), target),
                AllocationClass::Small => false,
                AllocationClass::Large => true,
            };
            layout::LARGE_TENSOR.set(self.words_mut(), large as u64);
        }
        Ok(self.allocation_class())
    }
}
