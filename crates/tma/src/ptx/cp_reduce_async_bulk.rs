//! `cp.reduce.async.bulk`, reductions of contiguous numbers in memory. PTX ISA 9.7.9.25.4.2.
//!
//! The pointers' type chooses the one in the text. Bitwise operations have `.b32` or `.b64`, and
//! sums of `f16` and `bf16` have `.noftz`.

#[cfg(target_arch = "nvptx64")]
use super::Word;
#[cfg(target_arch = "nvptx64")]
use super::operand::value::Type;
use super::operand::{SharedPtr, address::SharedClusterAddress, value::Value};
use super::{Add, And, Dec, Inc, Max, Min, Modifier, Or, Xor, mbarrier::Mbarrier};

/// A number that `Op` reduces in global memory.
#[diagnostic::on_unimplemented(
    message = "`cp.reduce.async.bulk` has no such operation for `{Self}` in global memory",
    label = "`{Op}` is not one of its operations"
)]
pub trait GlobalReduce<Op>: Value {}

/// A number that `Op` reduces in another block's shared memory.
#[diagnostic::on_unimplemented(
    message = "`cp.reduce.async.bulk` has no such operation for `{Self}` in shared memory",
    label = "`{Op}` is not one of its operations"
)]
pub trait SharedReduce<Op>: Value {}

/// A number that `Op` reduces with a scope in the text.
#[diagnostic::on_unimplemented(
    message = "`cp.reduce.async.bulk` with a scope has no such operation for `{Self}` here",
    label = "`{Op}` is not one of its operations"
)]
pub trait RelaxedReduce<Op>: Value {}

macro_rules! operations {
    ($($choice:ident: $($op:ident)+ = $types:tt;)+) => { $($(operations! { @each $choice $op $types })+)+ };
    (@each $choice:ident $op:ident [$($type:ty)+]) => { $(impl $choice<$op> for $type {})+ };
}

operations! {
    GlobalReduce: Add = [u32 i32 u64 f32 f64];
    GlobalReduce: Min Max = [u32 i32 u64 i64];
    GlobalReduce: Inc Dec = [u32];
    GlobalReduce: And Or Xor = [u32 u64];
    SharedReduce: Add = [u32 i32 u64];
    SharedReduce: Min Max = [u32 i32];
    SharedReduce: Inc Dec = [u32];
    SharedReduce: And Or Xor = [u32];
    RelaxedReduce: Add = [u32];
}

/// Spells an operation and a type after the text before them.
#[cfg(target_arch = "nvptx64")]
macro_rules! reduction {
    ($op:ident, $type:ident; $($piece:tt)+) => {
        ptx_asm! { []
            $($piece)+
            { $op::WORD;
                Word::Add => (".add"), Word::Min => (".min"), Word::Max => (".max"), Word::Inc => (".inc"),
                Word::Dec => (".dec"), Word::And => (".and"), Word::Or => (".or"), Word::Xor => (".xor"),
                _ => never }
            { ($op::WORD, $type::TYPE);
                (Word::And | Word::Or | Word::Xor, Type::U32) => (".b32" ";"),
                (Word::And | Word::Or | Word::Xor, Type::U64) => (".b64" ";"),
                (Word::Add, Type::F16) => (".noftz.f16" ";"),
                (Word::Add, Type::Bf16) => (".noftz.bf16" ";"),
                (_, Type::U32) => (".u32" ";"),
                (_, Type::S32) => (".s32" ";"),
                (_, Type::U64) => (".u64" ";"),
                (_, Type::S64) => (".s64" ";"),
                (_, Type::F32) => (".f32" ";"),
                (_, Type::F64) => (".f64" ";"),
                (_, Type::F16) => (".f16" ";"),
                (_, Type::Bf16) => (".bf16" ";"),
                _ => never }
        }
    };
}

/// Reductions in global memory, with a cache policy or without; the text begins with the order of each
/// reduction, where it is written.
macro_rules! globals {
    ($($order:literal $name:ident: $bound:ident $([.cache_hint $policy:ident])? $isa:literal;)+) => { $(
        #[doc = concat!("`cp.reduce.async.bulk", $order, ".global.shared::cta.bulk_group" $(, globals!(@cache_hint $policy))?,
            ".OP.TYPE [dst], [src], bytes" $(, ", ", stringify!($policy))?, ";`")]
        ///
        /// Starts a reduction of each number at `dst` by the one at `src`; it joins the thread's next bulk
        /// group.
        $(#[doc = concat!("`", stringify!($policy), "` comes from [`createpolicy`](super::createpolicy).")])?
        ///
        /// # Safety
        /// 1. `dst` and `src` are multiples of 16, and so is `bytes`.
        /// 2. `src` has `bytes` bytes of `T` in this block's shared memory that no thread writes until the group
        ///    has been read. Earlier writes to them went before through a `fence.proxy.async` in the
        ///    writing thread.
        /// 3. `dst` points to `bytes` bytes of `T` in global memory that others use only by such reductions
        ///    until the group ends. Other uses of them before, in this kernel, went through a
        ///    `fence.proxy.async`, too.
        /// 4. The block stays until the group has been read.
        #[doc(alias = "cp_reduce_async_bulk")]
        #[device_fn(isa = $isa, arch = sm_90)]
        pub unsafe fn $name<Op: Modifier, T: $bound<Op>>(
            dst: *mut T, src: SharedPtr<T>, bytes: u32, $($policy: u64,)?
        ) {
            // SAFETY: addresses and size are aligned (1), the source keeps its bytes (2, 4), and others only reduce
            // into the destination (3).
            unsafe {
                reduction! { Op, T;
                    ("cp.reduce.async.bulk") ($order) (".global.shared::cta.bulk_group" " [{dst}], [{src}], {bytes}";
                        dst = in(reg64) dst, src = in(reg32) src.address(), bytes = in(reg32) bytes)
                    $((".L2::cache_hint" ", {policy}"; policy = in(reg64) $policy))?
                }
            }
        }
    )+ };
    (@cache_hint $policy:ident) => { ".L2::cache_hint" };
}

globals! {
    "" global_shared_cta: GlobalReduce "8.0";
    "" global_shared_cta_cache_hint: GlobalReduce [.cache_hint policy] "8.0";
    ".relaxed.gpu" relaxed_gpu_global_shared_cta: RelaxedReduce "9.3";
    ".relaxed.gpu" relaxed_gpu_global_shared_cta_cache_hint: RelaxedReduce [.cache_hint policy] "9.3";
}

/// Reductions in the shared memory of another block, as [`globals`].
macro_rules! shared {
    ($($order:literal $name:ident: $bound:ident $isa:literal;)+) => { $(
        #[doc = concat!("`cp.reduce.async.bulk", $order, ".shared::cluster.shared::cta.mbarrier::complete_tx::bytes\
            .OP.TYPE [dst], [src], bytes, [bar];`")]
        ///
        /// Starts a reduction of each number at `dst`, in another block's shared memory, by the one at `src`;
        /// the bytes are counted at that block's barrier as they arrive.
        ///
        /// # Safety
        /// 1. `dst` and `src` are multiples of 16, and so is `bytes`.
        /// 2. `src` has `bytes` bytes of `T` in this block's shared memory that no thread writes until the copy
        ///    ends. Earlier writes to them went before through a `fence.proxy.async` in the writing thread.
        /// 3. `dst` has `bytes` bytes of `T` in the shared memory of another block of the cluster, which has
        ///    not ended. Others use them only by such reductions until the barrier's phase completes, and other
        ///    uses of them before went through a `fence.proxy.async`, too.
        /// 4. `bar` is an initialised barrier of that block with a current phase that expects the bytes.
        #[doc(alias = "cp_reduce_async_bulk")]
        #[device_fn(isa = $isa, arch = sm_90)]
        pub unsafe fn $name<Op: Modifier, T: $bound<Op>>(
            dst: impl SharedClusterAddress<T>, src: SharedPtr<T>, bytes: u32, bar: impl SharedClusterAddress<Mbarrier>
        ) {
            // SAFETY: addresses and size are aligned (1), the source keeps its bytes (2), others only reduce into the
            // destination (3), and the barrier of its block counts the bytes (4).
            unsafe {
                reduction! { Op, T;
                    ("cp.reduce.async.bulk") ($order) (".shared::cluster.shared::cta.mbarrier::complete_tx::bytes"
                        " [{dst}], [{src}], {bytes}, [{bar}]"; dst = in(reg32) dst.address32(),
                        src = in(reg32) src.address(), bytes = in(reg32) bytes, bar = in(reg32) bar.address32())
                }
            }
        }
    )+ };
}

shared! {
    "" shared_cluster_shared_cta: SharedReduce "8.0";
    ".relaxed.cluster" relaxed_cluster_shared_cluster_shared_cta: RelaxedReduce "9.3";
}
