//! `st.async`, stores that do not wait. PTX ISA 9.7.9.12.
//!
//! The type of the value chooses the type in the text; `.b32` and `.b64` are the types of `u32` and `u64`.
//! `.weak` can be left out, and a generic address names the same memory as one in
//! `.shared::cluster`.

use super::operand::address::SharedClusterAddress;
#[cfg(target_arch = "nvptx64")]
use super::operand::value::Type;
use super::operand::value::Value;
use super::{WideScope, mbarrier::Mbarrier};

/// A number of 4 or 8 bytes that is stored in another block's shared memory.
pub trait AsyncValue: Value {}

/// A number of 4 bytes that can be stored in fours.
pub trait AsyncValue32: AsyncValue {}

/// A number that is stored in global memory.
pub trait ReleaseValue: Value {}

macro_rules! marks {
    ($($choice:ident = $($type:ty)+;)+) => { $($(impl $choice for $type {})+)+ };
}

marks! {
    AsyncValue = u32 u64 i32 i64 f32 f64;
    AsyncValue32 = u32 i32 f32;
    ReleaseValue = u8 u16 u32 u64 f32;
}

/// Spells the type of one value or of a vector.
#[cfg(target_arch = "nvptx64")]
macro_rules! typed {
    ($type:ty, $vector:literal, $list:literal, $($name:ident = $value:expr),+; $($piece:tt)+) => {
        ptx_asm! { []
            ("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes" " [{dst}], ") ($vector)
            { <$type>::TYPE;
                Type::U32 => (".u32" $list; $($name = in(reg32) $value.bits32()),+),
                Type::S32 => (".s32" $list; $($name = in(reg32) $value.bits32()),+),
                Type::F32 => (".f32" $list; $($name = in(reg32) $value.bits32()),+),
                Type::U64 => (".u64" $list; $($name = in(reg64) $value.bits64()),+),
                Type::S64 => (".s64" $list; $($name = in(reg64) $value.bits64()),+),
                Type::F64 => (".f64" $list; $($name = in(reg64) $value.bits64()),+),
                _ => never }
            $($piece)+
        }
    };
}

/// Stores to the shared memory of a block of the cluster, of one value or several.
macro_rules! stores {
    ($($name:ident, $vector:literal, $bound:ident, $type:ty, $list:literal, $($part:ident = $index:tt),+;)+) => {
    $(
        #[doc = concat!("`st.async.weak.shared::cluster.mbarrier::complete_tx::bytes", $vector,
            ".TYPE [dst], value, [bar];`")]
        ///
        /// Starts a store to the shared memory of a block of the cluster; its bytes are counted at the
        /// barrier, and its waiters see them.
        ///
        /// # Safety
        /// 1. `dst` is a multiple of the size of the stored value, with room for it.
        /// 2. `dst` and `bar` are in the same block of this cluster, which has more than one block and has not
        ///    ended.
        /// 3. `bar` is an initialised barrier with a current phase that expects the bytes.
        /// 4. No thread uses the bytes at `dst` until that phase completes.
        #[doc(alias = "st_async")]
        #[device_fn(isa = "8.1", arch = sm_90)]
        pub unsafe fn $name<T: $bound>(
            dst: impl SharedClusterAddress<T>, value: $type, bar: impl SharedClusterAddress<Mbarrier>
        ) {
            // SAFETY: there is aligned room for the value (1) that no other thread uses (4), in the live block of the
            // barrier (2), which counts the bytes (3).
            unsafe {
                typed! { T, $vector, $list, $($part = stores!(@part value $index)),+;
                    ("" ", [{bar}];"; dst = in(reg32) dst.address32(), bar = in(reg32) bar.address32()) }
            }
        }
    )+ };
    (@part $value:ident whole) => { $value };
    (@part $value:ident $index:literal) => { $value[$index] };
}

stores! {
    weak_shared_cluster, "", AsyncValue, T, "{v0}", v0 = whole;
    weak_shared_cluster_v2, ".v2", AsyncValue, [T; 2], "{{ {v0}, {v1} }}", v0 = 0, v1 = 1;
    weak_shared_cluster_v4, ".v4", AsyncValue32, [T; 4], "{{ {v0}, {v1}, {v2}, {v3} }}",
        v0 = 0, v1 = 1, v2 = 2, v3 = 3;
}

/// `st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b128 [dst], value, [bar];`
///
/// Starts a store of 16 bytes to the shared memory of a block of the cluster; they are counted at the
/// barrier, and its waiters see them.
///
/// # Safety
/// 1. `dst` is a multiple of 16, with room for 16 bytes.
/// 2. `dst` and `bar` are in the same block of this cluster, which has more than one block and has not ended.
/// 3. `bar` is an initialised barrier with a current phase that expects the bytes.
/// 4. No thread uses the bytes at `dst` until that phase completes.
#[doc(alias = "st_async")]
#[device_fn(isa = "9.2", arch = sm_90)]
pub unsafe fn weak_shared_cluster_b128(
    dst: impl SharedClusterAddress<u128>,
    value: u128,
    bar: impl SharedClusterAddress<Mbarrier>,
) {
    // SAFETY: there is aligned room for 16 bytes (1) that no other thread uses (4), in the live block of the
    // barrier (2), which counts them (3).
    unsafe {
        ptx_asm! { []
            ("{{ .reg .b128 q; mov.b128 q, {{ {low}, {high} }}; \
                st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b128" " [{dst}], q, [{bar}]; }}";
                low = in(reg64) value as u64, high = in(reg64) (value >> 64) as u64,
                dst = in(reg32) dst.address32(), bar = in(reg32) bar.address32())
        }
    }
}

/// Spells a store to global memory; a byte needs a register of 8 bits.
#[cfg(target_arch = "nvptx64")]
macro_rules! release {
    ($type:ty, $dst:ident, $value:ident; $($mnemonic:tt)+) => {
        ptx_asm! { []
            { <$type>::TYPE;
                Type::U8 => ("{{ .reg .b8 b; cvt.u8.u16 b, {value}; " " [{dst}], b; }}";
                    value = in(reg16) $value.bits16()),
                Type::U16 => ("" " [{dst}], {value};"; value = in(reg16) $value.bits16()),
                Type::U32 | Type::F32 => ("" " [{dst}], {value};"; value = in(reg32) $value.bits32()),
                Type::U64 => ("" " [{dst}], {value};"; value = in(reg64) $value.bits64()),
                _ => never }
            $($mnemonic)+
            { <$type>::TYPE; Type::U8 => (".b8"), Type::U16 => (".b16"), Type::U32 => (".b32"),
                Type::U64 => (".b64"), Type::F32 => (".f32"), _ => never }
            ("" ""; dst = in(reg64) $dst)
        }
    };
}

/// `st.async.release.C.global.TYPE [dst], value;`
///
/// Starts a store to global memory that releases this thread's earlier accesses to those in scope.
///
/// # Safety
/// 1. `dst` is a multiple of `T`'s size in global memory.
/// 2. Others use these bytes at the same time by strong operations alone.
#[doc(alias = "st_async")]
#[device_fn(isa = "8.7", arch = sm_100)]
pub unsafe fn release_global<C: WideScope, T: ReleaseValue>(dst: *mut T, value: T) {
    // SAFETY: the address is aligned and global (1), and other accesses are strong (2).
    unsafe {
        release! { T, dst, value; ("st.async.release") { scope C } (".global") }
    }
}

/// `st.async.mmio.release.sys.global.TYPE [dst], value;`
///
/// Starts a store to memory that is a device's registers; it releases this thread's earlier accesses.
///
/// # Safety
/// 1. `dst` is a multiple of `T`'s size in global memory, and the device takes such a store there.
#[doc(alias = "st_async")]
#[device_fn(isa = "8.7", arch = sm_100)]
pub unsafe fn mmio_release_sys_global<T: ReleaseValue>(dst: *mut T, value: T) {
    // SAFETY: the address is aligned, and the device implements this store there (1).
    unsafe {
        release! { T, dst, value; ("st.async.mmio.release.sys.global") }
    }
}
