//! Copies that are legal, or may be, and are not compared.

use std::str::FromStr;

use tensor_map::Tensor;

use super::{Action, CopyCase, Transfer, box_channels, tensor_number};

/// Why a copy is not compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Excluded {
    /// A box of an interleaved tensor with the channels of more than one slice.
    InterleaveManySlices,
    /// A tensor reduction of an operator and a type that the table of reductions does not have.
    ReductionNotListed,
    /// A tensor with a dimension that a signed number of 32 bits cannot hold.
    HugeDimension,
}

impl Excluded {
    /// All reasons.
    pub const ALL: [Self; 3] = [
        Self::InterleaveManySlices,
        Self::ReductionNotListed,
        Self::HugeDimension,
    ];

    /// Returns the name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::InterleaveManySlices => "interleave-many-slices",
            Self::ReductionNotListed => "reduction-not-listed",
            Self::HugeDimension => "huge-dimension",
        }
    }

    /// The fact that is not known.
    pub const fn reason(self) -> &'static str {
        match self {
            Self::InterleaveManySlices => "how many slices a copy takes is not understood",
            Self::ReductionNotListed => {
                "the PTX ISA has no such operator for the type, and the behaviour of a GPU is not known"
            }
            Self::HugeDimension => {
                "coordinates end at 2^31 - 1; some loads of such tensors are illegal on an H200, and which is not understood"
            }
        }
    }

    /// The reason why this case is not compared.
    pub fn of(case: &CopyCase) -> Option<Self> {
        let Transfer::Tensor(copy) = &case.transfer else {
            return None;
        };
        let tensor = copy.params.tensor();
        if let Action::Reduce(operator) = copy.action
            && (is_tf32(tensor) || !tensor_number(tensor.data_type).is_listed(operator))
        {
            return Some(Self::ReductionNotListed);
        }
        if tensor.dims.iter().any(|dim| *dim > i32::MAX as u64) {
            return Some(Self::HugeDimension);
        }
        let slice = tensor.interleave.slice_bytes()?;
        let bytes = box_channels(&copy.params) * tensor.data_type.bytes();
        (bytes > slice).then_some(Self::InterleaveManySlices)
    }
}

fn is_tf32(tensor: &Tensor) -> bool {
    use tensor_map::DataType::{Tf32, Tf32Ftz};
    matches!(tensor.data_type, Tf32 | Tf32Ftz)
}

impl FromStr for Excluded {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|rule| rule.name() == name);
        found.ok_or_else(|| {
            let names: Vec<_> = Self::ALL.iter().map(|rule| rule.name()).collect();
            format!("`{name}` is none of {}", names.join(", "))
        })
    }
}
