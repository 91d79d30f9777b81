//! Addresses, by the state space that they are in.
//!
//! The type of an address chooses the space in an instruction's text. Raw pointers are generic
//! addresses. Source: PTX ISA 5.1, "State Spaces"; 9.7.9.25.2, "Async Proxy".

use super::{
    modifier::{MbarrierScope, Scope},
    pointer::SharedPtr,
};

pub use super::pointer::{ClusterPtr, GlobalPtr};

/// A state space, as a wrapper writes it.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// Any state space: a generic address.
    Generic,
    /// `.global`
    Global,
    /// `.shared::cta`
    SharedCta,
    /// `.shared::cluster`
    SharedCluster,
}

/// The address of a `T` in one state space or a generic one.
pub trait Address<T>: Copy + crate::sealed::Sealed {
    /// The state space of the address, which the opcode names.
    #[doc(hidden)]
    const SPACE: Space;

    /// Returns the number, in a space of 32 bits.
    #[doc(hidden)]
    fn address32(self) -> u32;

    /// Returns the number, in any other.
    #[doc(hidden)]
    fn address64(self) -> u64;

    /// Returns the state space of this address.
    #[doc(hidden)]
    #[inline(always)]
    fn space(self) -> Space {
        Self::SPACE
    }
}

macro_rules! addresses {
    ($($type:ty: $space:ident, $self:ident => $number:expr;)+) => {$(
        impl<T> crate::sealed::Sealed for $type {}
        impl<T> Address<T> for $type {
            const SPACE: Space = Space::$space;

            #[inline(always)]
            fn address32($self) -> u32 {
                $number as u32
            }

            #[inline(always)]
            fn address64($self) -> u64 {
                $number as u64
            }
        }
    )+};
}

addresses! {
    SharedPtr<T>: SharedCta, self => self.address();
    ClusterPtr<T>: SharedCluster, self => self.address();
    GlobalPtr<T>: Global, self => self.address();
    *const T: Generic, self => self.expose_provenance();
    *mut T: Generic, self => self.expose_provenance();
}

/// Traits that list the kinds of address which an operand can have.
macro_rules! operands {
    ($($(#[$attribute:meta])* $operand:ident = $($type:ty)|+;)+) => {$(
        $(#[$attribute])*
        #[diagnostic::on_unimplemented(
            message = "`{Self}` is not an address that this instruction takes",
            label = "in a state space that the instruction does not have here"
        )]
        pub trait $operand<T>: Address<T> {}
        $(impl<T> $operand<T> for $type {})+
    )+};
}

operands! {
    /// An address in this block's shared memory: [`SharedPtr`], or a raw pointer as a generic address.
    SharedCtaAddress = SharedPtr<T> | *mut T;
    /// An address in the shared memory of a block of the cluster: [`ClusterPtr`], or [`SharedPtr`] for
    /// this block's.
    SharedClusterAddress = SharedPtr<T> | ClusterPtr<T>;
    /// An address in the shared memory of a block of the cluster: [`ClusterPtr`], or for this block's
    /// [`SharedPtr`] or a raw pointer as a generic address.
    SharedAddress = SharedPtr<T> | ClusterPtr<T> | *mut T;
    /// An address in global memory: [`GlobalPtr`], or a raw pointer as a generic address.
    GlobalAddress = GlobalPtr<T> | *const T | *mut T;
    /// The address at which an instruction edits a tensor map: [`SharedPtr`], [`GlobalPtr`], or a raw pointer as a
    /// generic address.
    EditAddress = SharedPtr<T> | GlobalPtr<T> | *mut T;
}

/// An address that an atomic operation of scope `C` takes: [`GlobalPtr`]; for [`Cta`](crate::ptx::Cta) and
/// [`Cluster`](crate::ptx::Cluster) [`SharedPtr`] and [`ClusterPtr`], too.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an address that an atomic operation of this scope takes",
    label = "shared memory is seen by the block and the cluster alone"
)]
pub trait AtomAddress<T, C>: Address<T> {}
impl<T, C: Scope> AtomAddress<T, C> for GlobalPtr<T> {}
impl<T, C: MbarrierScope> AtomAddress<T, C> for SharedPtr<T> {}
impl<T, C: MbarrierScope> AtomAddress<T, C> for ClusterPtr<T> {}
