//! `mbarrier`, barriers in shared memory that count arrivals and bytes. PTX ISA 9.7.13.15.

use crate::SharedPtr;

/// The 8 opaque bytes of a barrier in shared memory.
///
/// Only the instructions of this module touch them; there is nothing to read or write.
#[repr(C, align(8))]
pub struct Mbarrier {
    opaque: [u8; 8],
}

device_fn! {
    /// `mbarrier.init.shared::cta.b64 [bar], count;`
    ///
    /// A new barrier: phase 0, `count` arrivals pending and expected in every phase, no bytes
    /// expected.
    ///
    /// PTX ISA 7.8, sm_80.
    ///
    /// # Safety
    /// 1. `bar` is a multiple of 8 in this block's shared memory and holds no barrier.
    /// 2. `count` is 1 to 2^20 - 1.
    #[doc(alias = "mbarrier_init")]
    pub unsafe fn init(bar: SharedPtr<Mbarrier>, count: u32) {
        // SAFETY: (1) and (2) are the caller's.
        unsafe {
            core::arch::asm!(
                "mbarrier.init.shared::cta.b64 [{bar}], {count};",
                bar = in(reg32) bar.address(), count = in(reg32) count,
                options(nostack, preserves_flags),
            )
        }
    }

    /// `mbarrier.inval.shared::cta.b64 [bar];`
    ///
    /// Ends the barrier's life.
    ///
    /// PTX ISA 7.8, sm_80.
    ///
    /// # Safety
    /// 1. `bar` is an initialised barrier of this block that nobody uses any more.
    pub unsafe fn inval(bar: SharedPtr<Mbarrier>) {
        // SAFETY: (1) is the caller's.
        unsafe {
            core::arch::asm!(
                "mbarrier.inval.shared::cta.b64 [{bar}];",
                bar = in(reg32) bar.address(),
                options(nostack, preserves_flags),
            )
        }
    }

    /// `mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bar], bytes;`
    ///
    /// The current phase waits for `bytes` more bytes.
    ///
    /// PTX ISA 8.0, sm_90.
    ///
    /// # Safety
    /// 1. `bar` is an initialised barrier of this block, with an arrival of this phase pending.
    /// 2. The bytes expected in a phase stay below 2^20.
    #[doc(alias = "mbarrier_expect_tx")]
    pub unsafe fn expect_tx(bar: SharedPtr<Mbarrier>, bytes: u32) {
        // SAFETY: (1) and (2) are the caller's.
        unsafe {
            core::arch::asm!(
                "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [{bar}], {bytes};",
                bar = in(reg32) bar.address(), bytes = in(reg32) bytes,
                options(nostack, preserves_flags),
            )
        }
    }

    /// `mbarrier.arrive.shared::cta.b64 state, [bar];`
    ///
    /// One arrival, releasing earlier writes to the block; gives the phase as a state.
    ///
    /// PTX ISA 7.8, sm_80.
    ///
    /// # Safety
    /// 1. `bar` is an initialised barrier of this block, with an arrival of this phase pending.
    #[doc(alias = "mbarrier_arrive")]
    pub unsafe fn arrive(bar: SharedPtr<Mbarrier>) -> u64 {
        let state;
        // SAFETY: (1) is the caller's.
        unsafe {
            core::arch::asm!(
                "mbarrier.arrive.shared::cta.b64 {state}, [{bar}];",
                state = out(reg64) state, bar = in(reg32) bar.address(),
                options(nostack, preserves_flags),
            )
        }
        state
    }

    /// `mbarrier.arrive.expect_tx.shared::cta.b64 state, [bar], bytes;`
    ///
    /// Expects `bytes` more bytes in this phase, then arrives once.
    ///
    /// PTX ISA 8.0, sm_90.
    ///
    /// # Safety
    /// 1. `bar` is an initialised barrier of this block, with an arrival of this phase pending.
    /// 2. The bytes expected in a phase stay below 2^20.
    #[doc(alias = "mbarrier_arrive_expect_tx")]
    pub unsafe fn arrive_expect_tx(bar: SharedPtr<Mbarrier>, bytes: u32) -> u64 {
        let state;
        // SAFETY: (1) and (2) are the caller's.
        unsafe {
            core::arch::asm!(
                "mbarrier.arrive.expect_tx.shared::cta.b64 {state}, [{bar}], {bytes};",
                state = out(reg64) state, bar = in(reg32) bar.address(), bytes = in(reg32) bytes,
                options(nostack, preserves_flags),
            )
        }
        state
    }

    /// `mbarrier.try_wait.shared::cta.b64 done, [bar], state;`
    ///
    /// Has the phase of `state` completed? May sleep a while before saying no.
    ///
    /// PTX ISA 7.8, sm_90.
    ///
    /// # Safety
    /// 1. `bar` is an initialised barrier of this block.
    /// 2. `state` came from an arrival of its current or last phase.
    #[doc(alias = "mbarrier_try_wait")]
    pub unsafe fn try_wait(bar: SharedPtr<Mbarrier>, state: u64) -> bool {
        let done: u32;
        // SAFETY: (1) and (2) are the caller's.
        unsafe {
            core::arch::asm!(
                "{{ .reg .pred p;",
                "mbarrier.try_wait.shared::cta.b64 p, [{bar}], {state};",
                "selp.b32 {done}, 1, 0, p; }}",
                done = out(reg32) done, bar = in(reg32) bar.address(), state = in(reg64) state,
                options(nostack, preserves_flags),
            )
        }
        done != 0
    }

    /// `mbarrier.try_wait.parity.shared::cta.b64 done, [bar], parity;`
    ///
    /// Has the phase of this parity completed? May sleep a while before saying no.
    ///
    /// PTX ISA 7.8, sm_90.
    ///
    /// # Safety
    /// 1. `bar` is an initialised barrier of this block.
    /// 2. `parity` is 0 or 1, that of the current or the last phase.
    #[doc(alias = "mbarrier_try_wait_parity")]
    pub unsafe fn try_wait_parity(bar: SharedPtr<Mbarrier>, parity: u32) -> bool {
        let done: u32;
        // SAFETY: (1) and (2) are the caller's.
        unsafe {
            core::arch::asm!(
                "{{ .reg .pred p;",
                "mbarrier.try_wait.parity.shared::cta.b64 p, [{bar}], {parity};",
                "selp.b32 {done}, 1, 0, p; }}",
                done = out(reg32) done, bar = in(reg32) bar.address(), parity = in(reg32) parity,
                options(nostack, preserves_flags),
            )
        }
        done != 0
    }
}
