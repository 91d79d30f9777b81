//! Compiles `gpu/` by rust-cuda, and finishes its PTX for the GPU that `TMA_ARCH` names.

use std::{env, error::Error, fs, path::PathBuf};

use cuda_builder::{CudaBuilder, NvvmArch};
use tma_build::{Arch, FinishOptions, finish_ptx};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-env-changed=TMA_ARCH");
    let name = env::var("TMA_ARCH").unwrap_or_else(|_| "sm_90a".to_owned());
    let arch: Arch = name.parse()?;
    // Hopper's PTX is compiled for `compute_100`, the first target of rust-cuda's LLVM 19 path, and retargeted.
    let compute = match arch {
        Arch::Sm90 | Arch::Sm90a => NvvmArch::Compute100,
        Arch::Sm100a => NvvmArch::Compute100a,
        Arch::Sm120a => NvvmArch::Compute120a,
        other => {
            return Err(
                format!("TMA_ARCH {other} must be sm_90, sm_90a, sm_100a or sm_120a").into(),
            );
        }
    };
    // Without the first flag, rustc copies barriers into both arms of a branch. The second one names the architecture.
    let flags = format!(
        r#"profile.release.rustflags=["-Zmir-enable-passes=-JumpThreading","--cfg=tma_arch=\"{arch}\""]"#
    );
    let ptx = CudaBuilder::new("gpu")
        .arch(compute)
        .build_args(&["-Zprofile-rustflags", "--config", &flags])
        .build()
        .map_err(|error| error.to_string())?;

    let text = fs::read_to_string(&ptx)?;
    let finished = finish_ptx(&ptx.display().to_string(), &text, FinishOptions::new(arch))?;
    for warning in &finished.warnings {
        println!("cargo::warning={warning}");
    }
    let path = PathBuf::from(env::var("OUT_DIR")?).join("kernels.ptx");
    fs::write(&path, finished.text)?;
    println!("cargo::rustc-env=KERNELS_PTX={}", path.display());
    Ok(())
}
