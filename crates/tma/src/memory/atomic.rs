//! Atomic operations in global and shared memory, with an order and a scope, and fences.
//!
//! They are methods of [`GlobalPtr`], [`SharedPtr`] and [`ClusterPtr`]:
//! `GlobalPtr::from_ptr(p).fetch_add::<Relaxed, Gpu>(1)` is `atomicAdd(p, 1)`. Where no thread reads the result,
//! ptxas turns it into `red`, which does not wait.
//!
//! [`core::sync::atomic`] works, too, for integers: always of scope `.sys`, and through a generic address.
//! This module adds `f32`, `f64`, pairs of halves, the narrower scopes, and the state spaces.

use crate::{
    number::halves::{Bf16x2, F16x2},
    ptx::{
        self, AtomSem, FenceSem, MbarrierScope, Relaxed, Scope,
        operand::{ClusterPtr, GlobalPtr, SharedPtr, address::AtomAddress},
    },
};

/// Orders this thread's accesses before it with those after it, as seen by the threads in scope.
///
/// `fence::<Sc, Gpu>()` is `__threadfence()`.
///
/// PTX: `fence.S.C`
#[doc(alias(
    "__threadfence",
    "__threadfence_block",
    "__threadfence_system",
    "atomic_thread_fence"
))]
#[inline(always)]
pub fn fence<S: FenceSem, C: Scope>() {
    ptx::fence::fence::<S, C>()
}

/// A value that is added in one step in the order `S`: integers in any, others in [`Relaxed`] alone.
pub trait FetchAdd<S>: Copy {
    #[doc(hidden)]
    type Bits;
    #[doc(hidden)]
    unsafe fn fetch_add<C: Scope>(address: impl AtomAddress<Self::Bits, C>, value: Self) -> Self;
}

macro_rules! fetch_add {
    ($($type:ty as $bits:ty: $name:ident, $from:expr, $to:expr;)+) => {$(
        impl FetchAdd<Relaxed> for $type {
            type Bits = $bits;

            #[inline(always)]
            unsafe fn fetch_add<C: Scope>(address: impl AtomAddress<$bits, C>, value: Self) -> Self {
                // SAFETY: a value is at the address (1 of `fetch_add`), and others use it atomically (2).
                $to(unsafe { ptx::atom::$name::<C>(address, $from(value)) })
            }
        }
    )+};
}

fetch_add! {
    f32 as f32: add_f32, |value| value, |bits| bits;
    f64 as f64: add_f64, |value| value, |bits| bits;
    F16x2 as u32: add_noftz_f16x2, F16x2::to_bits, F16x2::from_bits;
    Bf16x2 as u32: add_noftz_bf16x2, Bf16x2::to_bits, Bf16x2::from_bits;
}

macro_rules! fetch_add_integers {
    ($($type:ty as $bits:ty: $name:ident;)+) => {$(
        impl<S: AtomSem> FetchAdd<S> for $type {
            type Bits = $bits;

            #[inline(always)]
            unsafe fn fetch_add<C: Scope>(address: impl AtomAddress<$bits, C>, value: Self) -> Self {
                // SAFETY: a value is at the address (1 of `fetch_add`), and others use it atomically (2).
                unsafe { ptx::atom::$name::<S, C>(address, value as $bits) as Self }
            }
        }
    )+};
}

fetch_add_integers! {
    u32 as u32: add_u32;
    i32 as u32: add_u32;
    u64 as u64: add_u64;
    i64 as u64: add_u64;
}

/// A value of 4 or 8 bytes that is exchanged in one step.
pub trait Exchange: Copy {
    #[doc(hidden)]
    type Bits;
    #[doc(hidden)]
    unsafe fn swap<S: AtomSem, C: Scope>(
        address: impl AtomAddress<Self::Bits, C>,
        value: Self,
    ) -> Self;
    #[doc(hidden)]
    unsafe fn compare_exchange<S: AtomSem, C: Scope>(
        address: impl AtomAddress<Self::Bits, C>,
        compare: Self,
        value: Self,
    ) -> Self;
}

macro_rules! exchanges {
    ($($type:ty as $bits:ty: $exch:ident $cas:ident, $from:expr, $to:expr;)+) => {$(
        impl Exchange for $type {
            type Bits = $bits;

            #[inline(always)]
            unsafe fn swap<S: AtomSem, C: Scope>(address: impl AtomAddress<$bits, C>, value: Self) -> Self {
                // SAFETY: a value is at the address (1 of `fetch_add`), and others use it atomically (2).
                $to(unsafe { ptx::atom::$exch::<S, C>(address, $from(value)) })
            }

            #[inline(always)]
            unsafe fn compare_exchange<S: AtomSem, C: Scope>(
                address: impl AtomAddress<$bits, C>,
                compare: Self,
                value: Self,
            ) -> Self {
                // SAFETY: a value is at the address (1 of `fetch_add`), and others use it atomically (2).
                $to(unsafe { ptx::atom::$cas::<S, C>(address, $from(compare), $from(value)) })
            }
        }
    )+};
}

exchanges! {
    u32 as u32: exch_b32 cas_b32, |value| value, |bits| bits;
    i32 as u32: exch_b32 cas_b32, |value| value as u32, |bits| bits as i32;
    f32 as u32: exch_b32 cas_b32, f32::to_bits, f32::from_bits;
    u64 as u64: exch_b64 cas_b64, |value| value, |bits| bits;
    i64 as u64: exch_b64 cas_b64, |value| value as u64, |bits| bits as i64;
    f64 as u64: exch_b64 cas_b64, f64::to_bits, f64::from_bits;
}

/// An integer type that atomic operations support.
pub trait AtomicInteger: Copy {
    #[doc(hidden)]
    type Bits;
    #[doc(hidden)]
    unsafe fn fetch_and<C: Scope>(address: impl AtomAddress<Self::Bits, C>, value: Self) -> Self;
    #[doc(hidden)]
    unsafe fn fetch_or<C: Scope>(address: impl AtomAddress<Self::Bits, C>, value: Self) -> Self;
    #[doc(hidden)]
    unsafe fn fetch_xor<C: Scope>(address: impl AtomAddress<Self::Bits, C>, value: Self) -> Self;
    #[doc(hidden)]
    unsafe fn fetch_min<C: Scope>(address: impl AtomAddress<Self, C>, value: Self) -> Self;
    #[doc(hidden)]
    unsafe fn fetch_max<C: Scope>(address: impl AtomAddress<Self, C>, value: Self) -> Self;
}

macro_rules! integers {
    ($($type:ty as $bits:ty: $and:ident $or:ident $xor:ident $min:ident $max:ident;)+) => {$(
        impl AtomicInteger for $type {
            type Bits = $bits;
            integers! { @methods $bits as $bits: fetch_and $and, fetch_or $or, fetch_xor $xor }
            integers! { @methods $type as $type: fetch_min $min, fetch_max $max }
        }
    )+};
    (@methods $pointee:ty as $bits:ty: $($method:ident $name:ident),+) => {$(
        #[inline(always)]
        unsafe fn $method<C: Scope>(address: impl AtomAddress<$pointee, C>, value: Self) -> Self {
            // SAFETY: a value is at the address (1 of `fetch_add`), and others use it atomically (2).
            unsafe { ptx::atom::$name::<C>(address, value as $bits) as Self }
        }
    )+};
}

integers! {
    u32 as u32: and_b32 or_b32 xor_b32 min_u32 max_u32;
    i32 as u32: and_b32 or_b32 xor_b32 min_s32 max_s32;
    u64 as u64: and_b64 or_b64 xor_b64 min_u64 max_u64;
    i64 as u64: and_b64 or_b64 xor_b64 min_s64 max_s64;
}

/// The methods of a pointer to memory that the threads of these scopes share.
macro_rules! methods {
    ($($pointer:ident: $scope:ident;)+) => {$(
        /// Atomic operations. Each returns the old value.
        impl<T> $pointer<T> {
            /// Adds; integers wrap. In global memory subnormal numbers of `f32` become zeros.
            ///
            /// PTX: `atom.S.C.SPACE.add`
            ///
            /// # Safety
            /// 1. The address is a multiple of the value's size, is in the pointer's memory, and a value was
            ///    written there.
            /// 2. Other threads use the value at the same time by atomic operations only, and each scope includes the others.
            #[doc(alias("atomicAdd", "atomicAdd_block", "atomicAdd_system", "atomicSub"))]
            #[inline(always)]
            pub unsafe fn fetch_add<S, C: $scope + Scope>(self, value: T) -> T
            where
                T: FetchAdd<S>,
            {
                // SAFETY: a value is at the address (1), and others use it atomically (2).
                unsafe { T::fetch_add::<C>(self.cast::<T::Bits>(), value) }
            }

            /// Writes `value`, and returns the value before.
            ///
            /// PTX: `atom.S.C.SPACE.exch`
            ///
            /// # Safety
            /// The conditions of [`Self::fetch_add`].
            #[doc(alias = "atomicExch")]
            #[inline(always)]
            pub unsafe fn swap<S: AtomSem, C: $scope + Scope>(self, value: T) -> T
            where
                T: Exchange,
            {
                // SAFETY: a value is at the address (1 of `fetch_add`), and others use it atomically (2).
                unsafe { T::swap::<S, C>(self.cast::<T::Bits>(), value) }
            }

            /// Writes `value` if the bits there equal `compare`, and returns the value before.
            ///
            /// PTX: `atom.S.C.SPACE.cas`
            ///
            /// # Safety
            /// The conditions of [`Self::fetch_add`].
            #[doc(alias = "atomicCAS")]
            #[inline(always)]
            pub unsafe fn compare_exchange<S: AtomSem, C: $scope + Scope>(self, compare: T, value: T) -> T
            where
                T: Exchange,
            {
                // SAFETY: a value is at the address (1 of `fetch_add`), and others use it atomically (2).
                unsafe { T::compare_exchange::<S, C>(self.cast::<T::Bits>(), compare, value) }
            }

            methods! { @bits $scope
                /// Clears the bits that are not set in `value`.
                ///
                /// PTX: `atom.relaxed.C.SPACE.and`
                #[doc(alias = "atomicAnd")]
                fetch_and;
                /// Sets the bits that are set in `value`.
                ///
                /// PTX: `atom.relaxed.C.SPACE.or`
                #[doc(alias = "atomicOr")]
                fetch_or;
                /// Inverts the bits that are set in `value`.
                ///
                /// PTX: `atom.relaxed.C.SPACE.xor`
                #[doc(alias = "atomicXor")]
                fetch_xor;
            }

            methods! { @order $scope
                /// Writes `value` if it is less.
                ///
                /// PTX: `atom.relaxed.C.SPACE.min`
                #[doc(alias = "atomicMin")]
                fetch_min;
                /// Writes `value` if it is greater.
                ///
                /// PTX: `atom.relaxed.C.SPACE.max`
                #[doc(alias = "atomicMax")]
                fetch_max;
            }
        }
    )+};
    (@bits $scope:ident $($(#[$attribute:meta])* $name:ident;)+) => {$(
        $(#[$attribute])*
        ///
        /// # Safety
        /// The conditions of [`Self::fetch_add`].
        #[inline(always)]
        pub unsafe fn $name<C: $scope + Scope>(self, value: T) -> T
        where
            T: AtomicInteger,
        {
            // SAFETY: a value is at the address (1 of `fetch_add`), and others use it atomically (2).
            unsafe { T::$name::<C>(self.cast::<T::Bits>(), value) }
        }
    )+};
    (@order $scope:ident $($(#[$attribute:meta])* $name:ident;)+) => {$(
        $(#[$attribute])*
        ///
        /// # Safety
        /// The conditions of [`Self::fetch_add`].
        #[inline(always)]
        pub unsafe fn $name<C: $scope + Scope>(self, value: T) -> T
        where
            T: AtomicInteger,
        {
            // SAFETY: a value is at the address (1 of `fetch_add`), and others use it atomically (2).
            unsafe { T::$name::<C>(self, value) }
        }
    )+};
}

methods! {
    GlobalPtr: Scope;
    SharedPtr: MbarrierScope;
    ClusterPtr: MbarrierScope;
}
