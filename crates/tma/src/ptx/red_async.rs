//! `red.async`, reductions that do not wait. PTX ISA 9.7.13.7.
//!
//! The type of the value chooses the one in the text; bitwise operations take `.b32`. A generic
//! address names the same memory as one in `.shared::cluster`.

#[cfg(target_arch = "nvptx64")]
use super::Word;
use super::operand::address::SharedClusterAddress;
#[cfg(target_arch = "nvptx64")]
use super::operand::value::Type;
use super::operand::value::Value;
use super::{Add, And, Dec, Inc, Max, Min, Modifier, Or, WideScope, Xor, mbarrier::Mbarrier};

/// A number that `Op` reduces in another block's shared memory.
#[diagnostic::on_unimplemented(
    message = "`red.async` has no such operation for `{Self}`",
    label = "`{Op}` is not one of its operations here"
)]
pub trait AsyncReduce<Op>: Value {}

/// A number that is added to one in global memory.
pub trait ReleaseAdd: Value {}

macro_rules! reductions {
    ($($op:ident = $($type:ty)+;)+) => { $($(impl AsyncReduce<$op> for $type {})+)+ };
}

reductions! {
    Add = u32 i32 u64;
    Min = u32 i32;
    Max = u32 i32;
    Inc = u32;
    Dec = u32;
    And = u32;
    Or = u32;
    Xor = u32;
}

impl ReleaseAdd for u32 {}
impl ReleaseAdd for i32 {}
impl ReleaseAdd for u64 {}
impl ReleaseAdd for i64 {}

/// Spells the type of a number and takes its bits.
#[cfg(target_arch = "nvptx64")]
macro_rules! typed {
    ($type:ty, $value:ident; $($piece:tt)+) => {
        ptx_asm! { []
            $($piece)+
            { <$type>::TYPE;
                Type::U32 => (".u32" " [{dst}], {value};"; value = in(reg32) $value.bits32()),
                Type::S32 => (".s32" " [{dst}], {value};"; value = in(reg32) $value.bits32()),
                Type::U64 => (".u64" " [{dst}], {value};"; value = in(reg64) $value.bits64()),
                Type::S64 => (".s64" " [{dst}], {value};"; value = in(reg64) $value.bits64()),
                _ => never }
        }
    };
}

/// `red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.OP.TYPE [dst], value, [bar];`
///
/// Starts a reduction of a number in another block's shared memory by `value`; its bytes are counted
/// at the barrier, and its waiters see the result.
///
/// # Safety
/// 1. `dst` is a multiple of `T`'s size and holds a `T`.
/// 2. `dst` and `bar` are in the same block of this cluster, another one than this thread's, which has not
///    ended.
/// 3. `bar` is an initialised barrier with a current phase that expects the bytes.
/// 4. Others use the bytes at `dst` only by such reductions until that phase completes.
#[doc(alias = "red_async")]
#[device_fn(isa = "8.1", arch = sm_90)]
pub unsafe fn relaxed_cluster_shared_cluster<Op: Modifier, T: AsyncReduce<Op>>(
    dst: impl SharedClusterAddress<T>,
    value: T,
    bar: impl SharedClusterAddress<Mbarrier>,
) {
    // SAFETY: value and barrier are in one live block (2), the value is aligned (1) and others only reduce into
    // it (4), and the barrier counts its bytes (3).
    unsafe {
        ptx_asm! { []
            ("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes" " [{dst}], {value}, [{bar}];";
                dst = in(reg32) dst.address32(), bar = in(reg32) bar.address32())
            { Op::WORD; Word::Add => (".add"), Word::Min => (".min"), Word::Max => (".max"),
                Word::Inc => (".inc"), Word::Dec => (".dec"), Word::And => (".and.b32"),
                Word::Or => (".or.b32"), Word::Xor => (".xor.b32"), _ => never }
            { (Op::WORD, T::TYPE);
                (Word::And | Word::Or | Word::Xor, _) => ("" ""; value = in(reg32) value.bits32()),
                (_, Type::U32) => (".u32" ""; value = in(reg32) value.bits32()),
                (_, Type::S32) => (".s32" ""; value = in(reg32) value.bits32()),
                (_, Type::U64) => (".u64" ""; value = in(reg64) value.bits64()),
                _ => never }
        }
    }
}

/// `red.async.release.C.global.add.TYPE [dst], value;`
///
/// Starts an addition to a number in global memory that releases this thread's earlier accesses to
/// those in scope.
///
/// # Safety
/// 1. `dst` is a multiple of `T`'s size in global memory and holds a `T`.
/// 2. Others use these bytes at the same time by strong operations alone.
#[doc(alias = "red_async")]
#[device_fn(isa = "8.7", arch = sm_100)]
pub unsafe fn release_global_add<C: WideScope, T: ReleaseAdd>(dst: *mut T, value: T) {
    // SAFETY: the address is aligned and has a value (1), and other accesses are strong (2).
    unsafe {
        typed! { T, value;
        ("red.async.release") { scope C } (".global.add" ""; dst = in(reg64) dst) }
    }
}

/// `red.async.mmio.release.sys.global.add.TYPE [dst], value;`
///
/// Starts an addition to memory that is a device's registers; it releases this thread's earlier
/// accesses.
///
/// # Safety
/// 1. `dst` is a multiple of `T`'s size in global memory, and the device takes such an operation there.
#[doc(alias = "red_async")]
#[device_fn(isa = "8.7", arch = sm_100)]
pub unsafe fn mmio_release_sys_global_add<T: ReleaseAdd>(dst: *mut T, value: T) {
    // SAFETY: the address is aligned, and the device implements this operation there (1).
    unsafe {
        typed! { T, value;
        ("red.async.mmio.release.sys.global.add" ""; dst = in(reg64) dst) }
    }
}
