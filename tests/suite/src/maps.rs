//! Tensor maps of random parameters, with a driver's results.

pub mod generate;
pub mod record;

use tensor_map::{Params, Target, TensorMap};

/// The parameters for an encoder.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MapCase {
    /// A map of these parameters, for a tensor at this address.
    Encode(Params, u64),
    /// Another address in this map.
    Replace(TensorMap, u64),
}

impl MapCase {
    /// The driver function of the call.
    pub fn function(&self) -> &'static str {
        match self {
            Self::Encode(params, _) => params.function(),
            Self::Replace(..) => "cuTensorMapReplaceAddress",
        }
    }

    /// The map that this project encodes for an H100.
    pub fn ours(&self) -> Result<TensorMap, String> {
        match self {
            Self::Encode(params, address) => {
                let map = params.build_for(*address, Target::SM_90);
                map.map_err(|refused| refused.to_string())
            }
            Self::Replace(map, address) => {
                let mut map = *map;
                let result = map.replace_address(*address);
                result.map(|()| map).map_err(|finding| finding.to_string())
            }
        }
    }
}
