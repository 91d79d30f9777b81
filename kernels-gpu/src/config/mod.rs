//! Numbers as types, for the configurations of kernels: stable Rust takes no associated constant as an argument of a
//! type, but binds a type such as `Const<4>`.

/// A number as a type.
pub(crate) struct Const<const VALUE: u32>;

/// The value of a [`Const`].
pub(crate) trait Constant {
    /// The number.
    const VALUE: u32;
}

impl<const VALUE: u32> Constant for Const<VALUE> {
    const VALUE: u32 = VALUE;
}
