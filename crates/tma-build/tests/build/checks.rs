//! Debug assertions and overflow checks.

use libtest_mimic::Failed;
use tma_build::PtxBuilder;

use super::{Crate, holds, text};

/// Builds like the profile `dev`; the same for all tests, since `core` is built for it anew.
pub(crate) fn checked(builder: PtxBuilder) -> PtxBuilder {
    builder.debug_assertions(true).overflow_checks(true)
}

pub(crate) fn overflow() -> Result<(), Failed> {
    let sum = Crate::new("#[kernel]\npub unsafe fn k(data: *mut u32) { unsafe { *data += 1 } }")?;
    let panics = |ptx: &str| ptx.contains("panic_const_add_overflow");
    let wraps = text(&sum.builder().build()?)?;
    holds(!panics(&wraps), wraps)?;
    let checked = text(&checked(sum.builder()).build()?)?;
    holds(panics(&checked), checked)
}
