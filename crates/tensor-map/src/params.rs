mod dims;
mod im2col;
mod im2col_wide;
mod span;
mod tensor;
mod tiled;

pub use dims::{Dims, MAX_RANK};
pub use im2col::Im2col;
pub use im2col_wide::Im2colWide;
pub use tensor::Tensor;
pub use tiled::Tiled;

use crate::{Interleave, Target, TensorMap, ViolationIter, Violations, encode};

/// The parameters of a tiled, an im2col or an im2col-wide map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Params {
    /// The parameters of a tiled map.
    Tiled(Tiled),
    /// The parameters of an im2col map.
    Im2col(Im2col),
    /// The parameters of a wide im2col map.
    Im2colWide(Im2colWide),
}

impl Params {
    /// Returns the tensor, which maps of every mode have.
    pub const fn tensor(&self) -> &Tensor {
        match self {
            Self::Tiled(tiled) => &tiled.tensor,
            Self::Im2col(im2col) => &im2col.tensor,
            Self::Im2colWide(wide) => &wide.tensor,
        }
    }

    /// Returns the name of the mode.
    pub const fn mode(&self) -> &'static str {
        match self {
            Self::Tiled(_) => "tiled",
            Self::Im2col(_) => "im2col",
            Self::Im2colWide(_) => "im2col wide",
        }
    }

    /// Returns the driver function that encodes maps of this mode.
    pub const fn function(&self) -> &'static str {
        match self {
            Self::Tiled(_) => "cuTensorMapEncodeTiled",
            Self::Im2col(_) => "cuTensorMapEncodeIm2col",
            Self::Im2colWide(_) => "cuTensorMapEncodeIm2colWide",
        }
    }

    /// Returns the number of bytes that one load delivers to its barrier.
    pub const fn box_bytes(&self) -> u64 {
        match self {
            Self::Tiled(tiled) => tiled.box_bytes(),
            Self::Im2col(im2col) => im2col.box_bytes(),
            Self::Im2colWide(wide) => wide.box_bytes(),
        }
    }

    /// Returns the number of bytes of shared memory that a box takes: [`box_bytes`](Self::box_bytes), and the bytes
    /// left free where rows do not fill the swizzle span.
    ///
    /// ```
    /// use tensor_map::{DataType, Swizzle, TensorMap};
    ///
    /// let tiled = TensorMap::tiled(DataType::F32, &[64, 64]).box_dims(&[8, 4]);
    /// assert_eq!(tiled.params().shared_footprint_bytes(), 4 * 32);
    /// let params = tiled.swizzle(Swizzle::B128).params();
    /// assert_eq!(params.box_bytes(), 4 * 32);
    /// assert_eq!(params.shared_footprint_bytes(), 4 * 128);
    /// ```
    pub const fn shared_footprint_bytes(&self) -> u64 {
        let (bytes, tensor) = (self.box_bytes(), self.tensor());
        let row = tensor.data_type.shared_bytes(self.row_elements() as u64);
        match (tensor.interleave, tensor.swizzle.span_bytes()) {
            (Interleave::None, Some(span)) if row > 0 && row < span => {
                (bytes / row).saturating_mul(span)
            }
            _ => bytes,
        }
    }

    /// Returns the number of elements of a row of the box.
    pub(crate) const fn row_elements(&self) -> u32 {
        match self {
            Self::Tiled(tiled) => tiled.box_dims.at(0),
            Self::Im2col(im2col) => im2col.channels_per_pixel,
            Self::Im2colWide(wide) => wide.channels_per_pixel,
        }
    }

    /// Returns the map of a tensor at this address, for a GPU of this target.
    ///
    /// # Errors
    /// All rules that are broken.
    pub const fn build_for(&self, address: u64, target: Target) -> Result<TensorMap, Violations> {
        let refused = Violations::new(*self, address, target);
        if refused.is_refused() {
            Err(refused)
        } else {
            Ok(encode::encode(self, address, target))
        }
    }

    /// Lists the parameters that the driver accepts and that are likely mistakes.
    pub const fn warnings(&self, address: u64, target: Target) -> ViolationIter {
        ViolationIter::warnings(*self, address, target)
    }
}

macro_rules! params_from {
    ($($mode:ident),*) => {$(
        impl From<$mode> for Params {
            fn from(params: $mode) -> Self {
                Self::$mode(params)
            }
        }

        impl From<&$mode> for Params {
            fn from(params: &$mode) -> Self {
                Self::$mode(*params)
            }
        }
    )*};
}

params_from!(Tiled, Im2col, Im2colWide);

impl From<&Params> for Params {
    fn from(params: &Params) -> Self {
        *params
    }
}
