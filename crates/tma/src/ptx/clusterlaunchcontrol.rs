//! `clusterlaunchcontrol`, clusters of the grid that have not started, taken over by those that run.
//! PTX ISA 9.7.13.17 and 9.7.13.18.

use super::mbarrier::Mbarrier;
use super::operand::SharedPtr;

/// The 16 opaque bytes of an answer, as they were read from shared memory.
pub trait Response: Copy {
    /// Returns the first 8 bytes and the others.
    #[doc(hidden)]
    fn halves(self) -> [u64; 2];
}

impl Response for [u64; 2] {
    #[inline(always)]
    fn halves(self) -> [u64; 2] {
        self
    }
}

impl Response for [u32; 4] {
    #[inline(always)]
    fn halves(self) -> [u64; 2] {
        let half = |low: u32, high: u32| u64::from(high) << 32 | u64::from(low);
        [half(self[0], self[1]), half(self[2], self[3])]
    }
}

/// Refuses, when the kernel is compiled, a buffer of another size.
#[cfg(target_arch = "nvptx64")]
const fn assert_response(bytes: usize) {
    assert!(bytes == 16, "an answer has 16 bytes");
}

/// Requests, for this block or for all blocks of the cluster.
macro_rules! requests {
    ($($(#[$attribute:meta])* $name:ident = $mnemonic:literal, $where:literal isa $isa:literal on $arch:ident;)+) => {
    $(
        #[doc = concat!("`", $mnemonic, " [response], [bar];`")]
        ///
        $(#[$attribute])*
        ///
        /// # Safety
        /// 1. `response` is a multiple of 16 with room for 16 bytes in this block's shared memory. No thread uses
        ///    them until the barrier's phase completes.
        /// 2. `bar` is an initialised barrier of this block with a current phase that expects 16 bytes.
        #[doc = concat!("3. ", $where)]
        /// 4. No earlier request of this block has been seen to fail.
        #[doc(alias = "clusterlaunchcontrol_try_cancel")]
        #[device_fn(isa = $isa, arch = $arch)]
        pub unsafe fn $name<R>(response: SharedPtr<R>, bar: SharedPtr<Mbarrier>) {
            const { assert_response(size_of::<R>()) };
            // SAFETY: there is aligned room for the answer (1), the barrier expects its bytes (2), one thread asks
            // (3), and no request failed before (4).
            unsafe {
                ptx_asm! { []
                    ($mnemonic " [{response}], [{bar}];"; response = in(reg32) response.address(),
                        bar = in(reg32) bar.address())
                }
            }
        }
    )+ };
}

requests! {
    /// Requests a cluster that has not started; the answer is written to `response` and its 16 bytes are
    /// counted at the barrier.
    try_cancel_async_shared_cta =
        "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128",
        "The block stays until the answer has been written." isa "8.6" on sm_100;
    /// Requests a cluster that has not started; the answer is written at the offset of `response` in every
    /// block of this cluster, and its 16 bytes are counted at the barrier at the offset of `bar`.
    try_cancel_async_shared_cta_multicast_cluster_all =
        "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.multicast::cluster::all.b128",
        "(1) and (2) hold in every block of the cluster, and none of them has ended."
        isa "8.6" on sm_100a_or_sm_120a;
}

/// `clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 is, response;`
///
/// Returns whether the answer brings a cluster.
///
/// # Safety
/// 1. `response` is an answer that was written to shared memory.
#[doc(alias = "clusterlaunchcontrol_query_cancel_is_canceled")]
#[device_fn(isa = "8.6", arch = sm_100)]
pub unsafe fn query_cancel_is_canceled(response: impl Response) -> bool {
    let is: u32;
    let [low, high] = response.halves();
    // SAFETY: the halves are an answer of the hardware (1). No memory is touched.
    unsafe {
        ptx_asm! { [pure nomem]
            ("{{ .reg .b128 q; .reg .pred p; mov.b128 q, {{ {low}, {high} }}; \
                clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, q; selp.b32 {is}, 1, 0, p; }}" "";
                low = in(reg64) low, high = in(reg64) high, is = out(reg32) is)
        }
    }
    is != 0
}

/// `clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {x, y, z, _}, response;`
///
/// The position in the grid of the first block of the cluster that the answer brings, x first.
///
/// # Safety
/// 1. `response` is an answer that was written to shared memory, and brings a
///    cluster.
#[doc(alias = "clusterlaunchcontrol_query_cancel_get_first_ctaid")]
#[device_fn(isa = "8.6", arch = sm_100)]
pub unsafe fn query_cancel_get_first_ctaid_v4(response: impl Response) -> [u32; 3] {
    let (x, y, z);
    let [low, high] = response.halves();
    // SAFETY: the halves are an answer of the hardware, which contains a cluster (1). No memory is touched.
    unsafe {
        ptx_asm! { [pure nomem]
            ("{{ .reg .b128 q; mov.b128 q, {{ {low}, {high} }}; \
                clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {{ {x}, {y}, {z}, _ }}, q; }}" "";
                low = in(reg64) low, high = in(reg64) high, x = out(reg32) x, y = out(reg32) y,
                z = out(reg32) z)
        }
    }
    [x, y, z]
}
