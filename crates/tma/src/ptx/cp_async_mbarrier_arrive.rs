//! `cp.async.mbarrier.arrive`, an arrival when this thread's `cp.async` copies are done.
//! PTX ISA 9.7.13.15.17.
//!
//! `SPACE` follows from the type of the address; `.shared` is `.shared::cta`.

use super::mbarrier::Mbarrier;
use super::operand::address::SharedCtaAddress;

/// `cp.async.mbarrier.arrive.SPACE.b64 [bar];`
///
/// One more arrival is pending in this phase, and is made when all `cp.async` copies that this
/// thread has started are done.
///
/// # Safety
/// 1. `bar` is an initialised barrier of this block, with an arrival of this phase pending that is
///    made later.
#[doc(alias("cp_async_mbarrier_arrive", "__pipeline_arrive_on"))]
#[device_fn(isa = "7.8, with a generic address 7.0", arch = sm_80)]
pub unsafe fn arrive(bar: impl SharedCtaAddress<Mbarrier>) {
    // SAFETY: the barrier is initialised, and its phase cannot complete before this arrival (1).
    unsafe {
        ptx_asm! { [] ("cp.async.mbarrier.arrive") { space bar } (".b64" " [{bar}];") }
    }
}

/// `cp.async.mbarrier.arrive.noinc.SPACE.b64 [bar];`
///
/// One of the arrivals that the barrier expects is made when all `cp.async` copies that this thread
/// has started are done.
///
/// # Safety
/// 1. `bar` is an initialised barrier of this block, with an arrival of this phase pending for this
///    call.
#[doc(alias("cp_async_mbarrier_arrive_noinc", "producer_commit"))]
#[device_fn(isa = "7.8, with a generic address 7.0", arch = sm_80)]
pub unsafe fn arrive_noinc(bar: impl SharedCtaAddress<Mbarrier>) {
    // SAFETY: the barrier is initialised, and its phase counts this arrival (1).
    unsafe {
        ptx_asm! { [] ("cp.async.mbarrier.arrive.noinc") { space bar } (".b64" " [{bar}];") }
    }
}
