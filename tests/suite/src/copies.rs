//! Random copies, the kernels that make them, and the expected results.
//!
//! A [`CopyCase`] is one copy between a region of global memory and one of shared memory, both full of
//! random bytes, so that a write to any other byte is found. [`generate`] draws
//! legal cases, dense at the edges of the rules; [`Batch`] makes a job of many.

mod batch;
mod contents;
mod excluded;
mod form;
pub mod generate;
mod kernels;
pub mod record;
pub mod reference;
mod tally;

use std::fmt::{self, Display, Formatter};

use tensor_map::{Interleave, Params, Swizzle, Tensor, walk::Direction};

pub use batch::{Batch, Output};
pub use contents::Contents;
pub use excluded::Excluded;
pub use form::{Action, CopyForm, Number, Operator, linear_forms, tensor_form, tensor_number};
pub use kernels::text;
pub use tally::Tally;

/// One copy, and the memory around it.
#[derive(Clone, Debug, PartialEq)]
pub struct CopyCase {
    /// The copy.
    pub transfer: Transfer,
    /// Bytes of the region in shared memory, a multiple of 16. The region begins at a multiple of 1024.
    pub shared_bytes: u32,
    /// The offset of the box or the bytes in it.
    pub shared_at: u32,
    /// Bytes of the region in global memory, a multiple of 16. The region begins at a multiple of 256.
    pub global_bytes: u32,
    /// The offset of the tensor or the bytes in it.
    pub global_at: u32,
    /// The contents of both regions before the copy.
    pub contents: Contents,
    /// The seed of the contents.
    pub seed: u64,
}

/// A copy of either kind.
#[derive(Clone, Debug, PartialEq)]
pub enum Transfer {
    /// The box of a tensor map.
    Tensor(Box<TensorCopy>),
    /// Contiguous bytes.
    Linear(LinearCopy),
}

/// A copy of the box of a tensor map.
#[derive(Clone, Debug, PartialEq)]
pub struct TensorCopy {
    /// The direction, and the operation on the destination.
    pub action: Action,
    /// The map.
    pub params: Params,
    /// The first element of the box: one coordinate for each dimension, in elements, innermost first.
    pub coordinates: Vec<i32>,
    /// The offsets of im2col loads, added to the pixels, W first; empty for other copies.
    pub offsets: Vec<u16>,
}

/// A copy of contiguous bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinearCopy {
    /// The index among [`linear_forms`].
    pub form: usize,
    /// The number of bytes.
    pub bytes: u32,
    /// The destination of a copy within shared memory.
    pub to: u32,
}

impl TensorCopy {
    /// The direction of the walk.
    pub fn direction(&self) -> Direction {
        match self.action {
            Action::Load => Direction::Load,
            _ => Direction::Store,
        }
    }

    /// Bytes that a load counts at its barrier, by the walk.
    pub fn walked_bytes(&self) -> Option<u64> {
        let walk = self
            .params
            .walk(&self.coordinates, &self.offsets, self.direction());
        Some(walk.ok()?.map(|row| row.bytes).sum())
    }
}

impl CopyCase {
    /// Returns the bytes that the barrier expects; none if the copy is in a bulk group or has no
    /// walk.
    pub fn expected_bytes(&self) -> Option<u64> {
        match &self.transfer {
            Transfer::Tensor(copy) => copy.walked_bytes(),
            Transfer::Linear(copy) => Some(u64::from(copy.bytes)),
        }
    }

    /// The type of the numbers that are copied.
    pub fn number(&self) -> Number {
        match &self.transfer {
            Transfer::Tensor(copy) => tensor_number(copy.params.tensor().data_type),
            Transfer::Linear(copy) => linear_forms()[copy.form].number(),
        }
    }

    /// The categories that it counts for, each group with the name in it.
    pub fn categories(&self) -> Vec<(&'static str, String)> {
        let contents = ("contents", self.contents.name().to_owned());
        let copy = match &self.transfer {
            Transfer::Linear(copy) => {
                let form = &linear_forms()[copy.form];
                return vec![("copy", form.name()), contents];
            }
            Transfer::Tensor(copy) => copy,
        };
        let (tensor, mode) = (copy.params.tensor(), copy.params.mode());
        let kind = match copy.action {
            Action::Reduce(_) => "reduce",
            action => action.name(),
        };
        let mut categories = vec![
            ("copy", format!("{kind} {mode}")),
            ("rank", format!("{mode} {}", tensor.rank())),
            ("type", format!("{kind} {}", tensor.data_type.name())),
            ("interleave", format!("{kind} {}", tensor.interleave.name())),
            ("swizzle", format!("{kind} {}", tensor.swizzle.name())),
            ("L2 promotion", tensor.l2_promotion.name().to_owned()),
            contents,
        ];
        match copy.action {
            Action::Load => categories.push(("fill", tensor.oob_fill.name().to_owned())),
            Action::Reduce(operator) => {
                let ty = tensor.data_type.name();
                categories.push(("reduction", format!("{} {ty}", operator.name())));
            }
            _ => {}
        }
        if tensor.element_strides.iter().any(|stride| *stride > 1) {
            categories.push(("element strides", kind.to_owned()));
        }
        categories.push(("region", format!("{kind} {mode} {}", self.region(copy))));
        categories
    }

    /// The part of the box that is in bounds.
    pub(crate) fn region(&self, copy: &TensorCopy) -> String {
        let walk = copy
            .params
            .walk(&copy.coordinates, &copy.offsets, copy.direction());
        let Ok(walk) = walk else {
            return "no walk".into();
        };
        let (mut all, mut inside) = (0, 0);
        for row in walk {
            all += row.bytes;
            inside += row.inside.end - row.inside.start;
        }
        match inside {
            0 => "all out of bounds",
            _ if inside == all => "all in bounds",
            _ => "across a bound",
        }
        .into()
    }
}

/// Everything about it in a few lines.
impl Display for CopyCase {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.transfer {
            Transfer::Linear(copy) => {
                let form = linear_forms()[copy.form].instruction;
                writeln!(f, "  {form} of {} bytes, to {}", copy.bytes, copy.to)?;
            }
            Transfer::Tensor(copy) => {
                let tensor = copy.params.tensor();
                writeln!(
                    f,
                    "  {} {} of {}, interleave {}, swizzle {}, fill {}, L2 promotion {}",
                    copy.action.name(),
                    copy.params.mode(),
                    tensor.data_type.name(),
                    tensor.interleave.name(),
                    tensor.swizzle.name(),
                    tensor.oob_fill.name(),
                    tensor.l2_promotion.name(),
                )?;
                writeln!(
                    f,
                    "  dims {:?}, strides {:?} bytes, element strides {:?}",
                    tensor.dims, tensor.strides_bytes, tensor.element_strides
                )?;
                match &copy.params {
                    Params::Tiled(tiled) => writeln!(f, "  box {:?}", tiled.box_dims)?,
                    Params::Im2col(im2col) => writeln!(
                        f,
                        "  corners {:?} {:?}, {} channels per pixel, {} pixels per column",
                        im2col.lower_corner,
                        im2col.upper_corner,
                        im2col.channels_per_pixel,
                        im2col.pixels_per_column
                    )?,
                    Params::Im2colWide(wide) => writeln!(f, "  {wide:?}")?,
                }
                let (at, offsets) = (&copy.coordinates, &copy.offsets);
                writeln!(f, "  coordinates {at:?}, offsets {offsets:?}")?;
            }
        }
        write!(
            f,
            "  at {} of {} bytes of shared memory, at {} of {} bytes of global memory, contents {} {:#x}",
            self.shared_at,
            self.shared_bytes,
            self.global_at,
            self.global_bytes,
            self.contents.name(),
            self.seed
        )
    }
}

/// Returns the bytes that a row takes in shared memory: the swizzle's span, unless there are slices.
fn row_pitch_bytes(interleave: Interleave, swizzle: Swizzle, row_bytes: u64) -> u64 {
    match (interleave.slice_bytes(), swizzle.span_bytes()) {
        (Some(slice), _) => slice,
        (None, Some(span)) => span,
        (None, None) => row_bytes,
    }
}

/// The alignment of the address and the strides of a tensor.
fn tensor_align_bytes(tensor: &Tensor) -> u64 {
    match tensor.interleave {
        Interleave::B32 => 32,
        _ => 16,
    }
}

/// The channels of a box of an interleaved tensor, in elements.
fn box_channels(params: &Params) -> u64 {
    let channels = match params {
        Params::Tiled(tiled) => tiled.box_dims.at(tiled.tensor.rank().saturating_sub(2)),
        Params::Im2col(im2col) => im2col.channels_per_pixel,
        Params::Im2colWide(wide) => wide.channels_per_pixel,
    };
    channels.into()
}
