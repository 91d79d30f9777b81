//! Paths by which memory is accessed.

/// The path by which memory is accessed (PTX ISA, section 8.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Proxy {
    /// Ordinary loads, stores and atomics, and all uses of mbarriers.
    Generic,
    /// Proxy of bulk and tensor copies.
    Async,
    /// Proxy of reads of a tensor map.
    TensorMap,
    /// `ld.global.nc` and fetches from textures, which the memory model does not cover (8.1).
    NonCoherent,
}
