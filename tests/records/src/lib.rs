//! Records of runs: the device, the date and the kernels, so that a record of an earlier kernel is recognised.

pub mod digest;
pub mod origin;
pub mod plain;

pub use digest::Digest;
pub use origin::Origin;
