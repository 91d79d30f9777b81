//! PTX by the other code generator.

use libtest_mimic::Failed;
use tma_build::{Arch, CodeGenerator};

use super::{Crate, contains, holds, text};

const BODY: &str = "\
#[kernel(max_threads = 128)]
pub unsafe fn k(data: *mut f32, map: *const u64) {
    use tma::ptx::{Aligned, setmaxnreg, wgmma};
    unsafe {
        setmaxnreg::dec_sync_aligned::<24>();
        wgmma::fence_sync::<Aligned>();
        wgmma::commit_group_sync::<Aligned>();
        wgmma::wait_group_sync::<Aligned, 1>();
        *data = *data * *data.add(1) + *data.add(2);
    }
}";

pub(super) fn same_steps() -> Result<(), Failed> {
    let krate = Crate::new(BODY)?;
    let builder = krate.builder().code_generator(CodeGenerator::LibNvvm);
    let ptx = text(&builder.build()?)?;
    contains(
        &ptx,
        &[
            ".version 8.0\n.target sm_90a\n",
            ".maxntid 128, 1, 1",
            "setmaxnreg.dec.sync.aligned.u32 24;",
            "wgmma.fence.sync.aligned;",
            "wgmma.commit_group.sync.aligned;",
            "wgmma.wait_group.sync.aligned 1;",
            "mul.rn.f32",
            "add.rn.f32",
            ".loc 1 13 ",
            ".file 1 \"src/lib.rs\"",
        ],
    )?;
    holds(!ptx.contains("fma"), "a product and a sum became one")?;
    holds(
        !ptx.contains(".section") && !ptx.contains("inlined_at"),
        "debug sections or the lines of callees are left",
    )
}

/// Blackwell's targets are compiled under their own names.
pub(super) fn blackwell() -> Result<(), Failed> {
    let krate = Crate::bare("pub unsafe fn k(data: *mut u32) { unsafe { *data = 7 } }")?;
    let builder = krate.builder().arch(Arch::Sm120a);
    let ptx = builder.code_generator(CodeGenerator::LibNvvm).build()?;
    contains(
        &text(&ptx)?,
        &[".version 8.7\n.target sm_120a\n", "st.global.b32"],
    )
}

/// The error names the unknown generator and the known ones.
pub(super) fn unknown() -> Result<(), Failed> {
    let error = "gcc".parse::<CodeGenerator>().expect_err("there is none");
    contains(
        &error.to_string(),
        &["`gcc`; TMA_CODEGEN is `llvm`, `libnvvm` or `rust-cuda`"],
    )
}
