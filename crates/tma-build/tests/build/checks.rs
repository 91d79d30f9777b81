//! Debug assertions and overflow checks.

use std::{env, path::Path};

use libtest_mimic::Failed;
use tma_build::{Assemble, PtxBuilder};

use super::{Crate, contains, holds, text};

/// As a build of the profile `dev`; the same for all tests, since `core` is built for it anew.
pub(crate) fn checked(builder: PtxBuilder) -> PtxBuilder {
    builder.debug_assertions(true).overflow_checks(true)
}

/// No kernel of the repository is refused for what its messages need. `cargo xtask test --long` and CI
/// assemble them, too.
pub(crate) fn kernels_with_debug_assertions() -> Result<(), Failed> {
    let kernels = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../kernels-gpu");
    let assemble = match env::var_os("TMA_LONG_TESTS") {
        Some(_) => Assemble::IfFound,
        None => Assemble::Never,
    };
    let ptx = text(
        &checked(PtxBuilder::new(kernels))
            .assemble(assemble)
            .build()?,
    )?;
    contains(&ptx, &["panic_const_add_overflow"])
}

pub(crate) fn overflow() -> Result<(), Failed> {
    let sum = Crate::new("#[kernel]\npub unsafe fn k(data: *mut u32) { unsafe { *data += 1 } }")?;
    let panics = |ptx: &str| ptx.contains("panic_const_add_overflow");
    let wraps = text(&sum.builder().build()?)?;
    holds(!panics(&wraps), wraps)?;
    let checked = text(&checked(sum.builder()).build()?)?;
    holds(panics(&checked), checked)
}
