//! Records of runs: who made one, when, and by which kernels, so that one of an earlier kernel can be told.

pub mod digest;
pub mod origin;
pub mod plain;

pub use digest::Digest;
pub use origin::Origin;
