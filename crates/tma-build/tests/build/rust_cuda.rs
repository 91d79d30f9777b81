//! PTX by rust-cuda's backend.

use std::{env, process::Command};

use libtest_mimic::Failed;
use tma_build::{CodeGenerator, RustCuda};

use super::{Crate, contains, holds, text};

const BODY: &str = "\
#[kernel(max_threads = 128, cluster = 2)]
pub unsafe fn k(#[grid_constant] map: &tma::TensorMap, data: *mut f32) {
    use tma::ptx::{Aligned, setmaxnreg, wgmma};
    unsafe {
        setmaxnreg::dec_sync_aligned::<24>();
        wgmma::fence_sync::<Aligned>();
        wgmma::commit_group_sync::<Aligned>();
        wgmma::wait_group_sync::<Aligned, 1>();
        *data.cast() = core::ptr::from_ref(map).addr();
        *data.add(2) = *data * *data.add(1) + *data.add(2);
    }
}";

/// The PTX has the entry, with its directives and Hopper's instructions.
pub(super) fn same_steps() -> Result<(), Failed> {
    let krate = Crate::new(BODY)?;
    let builder = krate.builder().code_generator(CodeGenerator::RustCuda);
    let ptx = text(&builder.build()?)?;
    contains(
        &ptx,
        &[
            ".version 8.0\n.target sm_90a\n",
            ".param .align 64 .b8 k_param_0[128]",
            ".maxntid 128, 1, 1",
            ".explicitcluster\n.reqnctapercluster 2, 1, 1",
            "setmaxnreg.dec.sync.aligned.u32 24;",
            "wgmma.fence.sync.aligned;",
            "wgmma.commit_group.sync.aligned;",
            "wgmma.wait_group.sync.aligned 1;",
            "mul.rn.f32",
            "add.rn.f32",
        ],
    )?;
    holds(!ptx.contains("fma"), "a product and a sum became one")
}

/// The error contains the command to type, for a missing library and for a file that is not a library.
pub(super) fn refused() -> Result<(), Failed> {
    const CHILD: &str = "TMA_TEST_RUST_CUDA";
    let Some(expected) = env::var_os(CHILD) else {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("librustc_codegen_nvvm.so");
        std::fs::write(&file, "not a library")?;
        let nowhere = folder.path().join("nowhere.so");
        for (backend, expected) in [(&file, "does not load"), (&nowhere, "is not a file")] {
            let output = Command::new(env::current_exe()?)
                .args(["a_backend_that_no_rustc_loads_is_refused", "--exact"])
                .env(RustCuda::VARIABLE, backend)
                .env(CHILD, expected)
                .output()?;
            let output_text = String::from_utf8_lossy(&output.stdout);
            holds(output.status.success(), output_text)?;
        }
        return Ok(());
    };
    let error = RustCuda::find(None).expect_err("it is not a library");
    let expected = expected.into_string().unwrap_or_default();
    contains(
        &error.to_string(),
        &[&expected, "export TMA_RUST_CUDA=", "rustup which"],
    )
}
