//! `cp.async`, copies of a few bytes that each thread starts for itself, and their groups.
//! PTX ISA 9.7.9.25.3.
//!
//! In the text, `.ca` or `.cg` stands for the type parameter `O`; `.shared` is `.shared::cta`.

use super::operand::SharedPtr;
use super::{CacheOperator, Word};

/// Refuses, when the kernel is compiled, sizes that the instruction does not have.
#[cfg_attr(not(target_arch = "nvptx64"), allow(dead_code))]
const fn assert_bytes(operator: Word, bytes: u32) {
    assert!(
        matches!(bytes, 4 | 8 | 16),
        "`cp.async` copies 4, 8 or 16 bytes"
    );
    assert!(
        !matches!(operator, Word::Cg) || bytes == 16,
        "`cp.async.cg` copies 16 bytes"
    );
}

/// Refuses, when the kernel is compiled, sizes that cannot be prefetched.
#[cfg_attr(not(target_arch = "nvptx64"), allow(dead_code))]
const fn assert_prefetch(bytes: u32) {
    assert!(
        matches!(bytes, 64 | 128 | 256),
        "`cp.async` prefetches 64, 128 or 256 bytes into L2"
    );
}

/// A row for each set of operands: a limit of the bytes that are read, a policy, a prefetch.
///
/// The limit comes as the text before the instruction, as an operand and as the text after the instruction.
macro_rules! copies {
    ($($name:ident
        $([$source:ident: $type:ty, $open:literal $operand:literal $close:literal, $about:literal])?
        $([$hint:literal $policy:ident])? $([.L2 $prefetch:ident])? isa $isa:literal;)+
    ) => { $(
        #[doc = concat!("`cp.async.O.shared::cta.global" $(, $hint)? $(, ".L2::", stringify!($prefetch), "B")?,
            " [dst], [src], BYTES" $(, ", ", stringify!($source))? $(, ", ", stringify!($policy))?, ";`")]
        ///
        /// Starts a copy of `BYTES` bytes, 4, 8 or 16, into this block's shared memory; with
        /// [`Cg`](super::Cg) 16. It joins the thread's next group.
        $(#[doc = $about])?
        $(#[doc = concat!("`", stringify!($policy), "` comes from [`createpolicy`](super::createpolicy).")])?
        $(#[doc = concat!("L2 may fetch the `", stringify!($prefetch),
            "` bytes around the source: 64, 128 or 256.")])?
        ///
        /// # Safety
        /// 1. `dst` and `src` are multiples of `BYTES`.
        /// 2. The bytes that are read at `src` are global memory that no thread writes until the copy ends.
        /// 3. `dst` has room for `BYTES` bytes in this block's shared memory. No thread uses them until the
        ///    copy has been waited for.
        #[doc(alias = "__pipeline_memcpy_async")]
        #[device_fn(isa = $isa, arch = sm_80)]
        pub unsafe fn $name<O: CacheOperator, const BYTES: u32 $(, const $prefetch: u32)?>(
            dst: SharedPtr<u8>, src: *const u8 $(, $source: $type)? $(, $policy: u64)?
        ) {
            const { assert_bytes(O::WORD, BYTES) };
            $(const { assert_prefetch($prefetch) };)?
            // SAFETY: both addresses are aligned (1), the source does not change (2), and no thread uses the
            // destination until the wait (3).
            unsafe {
                ptx_asm! { []
                    $(($open))?
                    { O::WORD; Word::Ca => ("cp.async.ca"), Word::Cg => ("cp.async.cg"), _ => never }
                    (".shared::cta.global" " [{dst}], [{src}], {bytes}";
                        dst = in(reg32) dst.address(), src = in(reg64) src, bytes = const BYTES)
                    $(($hint))?
                    $((".L2::{prefetch}B" ""; prefetch = const $prefetch))?
                    $(("" $operand; source = in(reg32) u32::from($source)))?
                    $(("" ", {policy}"; policy = in(reg64) $policy))?
                    ("" ";") $(("" $close))?
                }
            }
        }
    )+ };
}

copies! {
    shared_cta_global isa "7.0";
    shared_cta_global_l2 [.L2 PREFETCH] isa "7.4";
    shared_cta_global_cache_hint [".L2::cache_hint" policy] isa "7.4";
    shared_cta_global_cache_hint_l2 [".L2::cache_hint" policy] [.L2 PREFETCH] isa "7.4";
    shared_cta_global_src_size
        [src_bytes: u32, "" ", {source}" "", "Reads `src_bytes` bytes and writes zeros for the others."] isa "7.0";
    shared_cta_global_src_size_l2
        [src_bytes: u32, "" ", {source}" "", "Reads `src_bytes` bytes and writes zeros for the others."]
        [.L2 PREFETCH] isa "7.4";
    shared_cta_global_src_size_cache_hint
        [src_bytes: u32, "" ", {source}" "", "Reads `src_bytes` bytes and writes zeros for the others."]
        [".L2::cache_hint" policy] isa "7.4";
    shared_cta_global_src_size_cache_hint_l2
        [src_bytes: u32, "" ", {source}" "", "Reads `src_bytes` bytes and writes zeros for the others."]
        [".L2::cache_hint" policy] [.L2 PREFETCH] isa "7.4";
    shared_cta_global_ignore_src
        [ignore_src: bool, "{{ .reg .pred p; setp.ne.b32 p, {source}, 0; " ", p" " }}",
        "Writes zeros without reading if `ignore_src`."] isa "7.5";
    shared_cta_global_ignore_src_l2
        [ignore_src: bool, "{{ .reg .pred p; setp.ne.b32 p, {source}, 0; " ", p" " }}",
        "Writes zeros without reading if `ignore_src`."]
        [.L2 PREFETCH] isa "7.5";
    shared_cta_global_ignore_src_cache_hint
        [ignore_src: bool, "{{ .reg .pred p; setp.ne.b32 p, {source}, 0; " ", p" " }}",
        "Writes zeros without reading if `ignore_src`."]
        [".L2::cache_hint" policy] isa "7.5";
    shared_cta_global_ignore_src_cache_hint_l2
        [ignore_src: bool, "{{ .reg .pred p; setp.ne.b32 p, {source}, 0; " ", p" " }}",
        "Writes zeros without reading if `ignore_src`."]
        [".L2::cache_hint" policy] [.L2 PREFETCH] isa "7.5";
}

/// `cp.async.commit_group;`
///
/// Makes a group of this thread's copies since the last one.
#[doc(alias = "__pipeline_commit")]
#[device_fn(isa = "7.0", arch = sm_80)]
pub fn commit_group() {
    // SAFETY: the groups belong to this thread.
    unsafe {
        ptx_asm! { [] ("cp.async.commit_group;") }
    }
}

/// `cp.async.wait_group PENDING;`
///
/// Waits until at most `PENDING` of this thread's latest groups are unfinished; the bytes of the others
/// are visible to it.
#[doc(alias("__pipeline_wait_prior", "pipeline_consumer_wait_prior", "wait_prior"))]
#[device_fn(isa = "7.0", arch = sm_80)]
pub fn wait_group<const PENDING: u32>() {
    // SAFETY: the groups belong to this thread.
    unsafe {
        ptx_asm! { [] ("cp.async.wait_group {pending};" ""; pending = const PENDING) }
    }
}

/// `cp.async.wait_all;`
///
/// Waits for all of this thread's copies; their bytes are visible to it.
#[device_fn(isa = "7.0", arch = sm_80)]
pub fn wait_all() {
    // SAFETY: the groups belong to this thread.
    unsafe {
        ptx_asm! { [] ("cp.async.wait_all;") }
    }
}
