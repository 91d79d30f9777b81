//! Draws tensor copies and timelines as SVG.

mod conflicts;
mod coordinates;
mod copy;
mod picture;
mod product;
mod svg;
mod timeline;

pub use conflicts::Access;
pub use copy::TensorCopy;
pub use product::{Major, Step};
pub use timeline::timeline;
