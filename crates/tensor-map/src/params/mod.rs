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

use crate::{Findings, Refused, Target, TensorMap, encode};

/// Parameters of any map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Params {
    /// Of a tiled map.
    Tiled(Tiled),
    /// Of an im2col map.
    Im2col(Im2col),
    /// Of a wide im2col map.
    Im2colWide(Im2colWide),
}

impl Params {
    /// The tensor.
    pub const fn tensor(&self) -> &Tensor {
        match self {
            Self::Tiled(tiled) => &tiled.tensor,
            Self::Im2col(im2col) => &im2col.tensor,
            Self::Im2colWide(wide) => &wide.tensor,
        }
    }

    /// What the mode is called.
    pub const fn mode(&self) -> &'static str {
        match self {
            Self::Tiled(_) => "tiled",
            Self::Im2col(_) => "im2col",
            Self::Im2colWide(_) => "im2col wide",
        }
    }

    /// The driver function that encodes such maps.
    pub const fn function(&self) -> &'static str {
        match self {
            Self::Tiled(_) => "cuTensorMapEncodeTiled",
            Self::Im2col(_) => "cuTensorMapEncodeIm2col",
            Self::Im2colWide(_) => "cuTensorMapEncodeIm2colWide",
        }
    }

    /// Bytes that one load delivers to its barrier.
    pub const fn box_bytes(&self) -> u64 {
        match self {
            Self::Tiled(tiled) => tiled.box_bytes(),
            Self::Im2col(im2col) => im2col.box_bytes(),
            Self::Im2colWide(wide) => wide.as_im2col().box_bytes(),
        }
    }

    /// The map of a tensor at this address, for such a GPU.
    ///
    /// # Errors
    /// All rules that are broken.
    pub const fn build_for(&self, address: u64, target: Target) -> Result<TensorMap, Refused> {
        let refused = Refused::new(*self, address, target);
        if refused.is_refused() {
            Err(refused)
        } else {
            Ok(encode::encode(self, address, target))
        }
    }

    /// What the driver accepts and people regret.
    pub const fn warnings(&self, address: u64, target: Target) -> Findings {
        Findings::warnings(*self, address, target)
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
