//! Every kernel is in the modules for `sm_90a`, `sm_100a` and `sm_120a`, and ptxas assembles every module
//! with every kernel in it, none of which uses local memory. For `sm_120` ptxas 13.0 allocates a stack for
//! tensor copies, also in nvcc's code, so this is not required there.
//!
//! The modules were assembled when they were built, if there was a ptxas for the architecture, which
//! `cargo xtask setup --cuda` installs; without it the tests are listed as ignored.

use std::{collections::BTreeSet, fs};

use libtest_mimic::{Failed, Trial};
use tests::{KERNELS, KERNELS_LOCAL_BYTES, KERNELS_PTX, Module, is_long};
use tma_build::PtxBuilder;

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for module in KERNELS_PTX {
        let arch = module.arch;
        let mut assembled = KERNELS_LOCAL_BYTES.iter();
        let assembled = assembled.find(|(of, _)| *of == arch);
        if assembled.is_none() {
            println!("skipped: no ptxas has assembled the kernels for {arch}");
        }
        let takes = assembled.map_or(&[][..], |(_, takes)| takes);
        let trial = Trial::test(format!("assembled/{arch}"), move || {
            takes_no_local_memory(*module, takes)
        });
        trials.push(trial.with_ignored_flag(assembled.is_none()));
        trials.push(Trial::test(format!("complete/{arch}"), || {
            is_complete(*module)
        }));
    }
    let name = "with_debug_assertions";
    trials.push(Trial::test(name, has_checks).with_ignored_flag(!is_long(name)));
    trials
}

/// Checks that no kernel is refused for the code of its messages.
fn has_checks() -> Result<(), Failed> {
    let checked = PtxBuilder::new("../../kernels-gpu")
        .debug_assertions(true)
        .overflow_checks(true);
    let ptx = fs::read_to_string(checked.build()?.path)?;
    match ptx.contains("panic_const_add_overflow") {
        true => Ok(()),
        false => Err("nothing is checked".into()),
    }
}

fn entries(module: Module) -> BTreeSet<&'static str> {
    let after = module.text.split(".entry ").skip(1);
    after.filter_map(|text| text.split('(').next()).collect()
}

fn takes_no_local_memory(module: Module, takes: &[(&str, u32)]) -> Result<(), Failed> {
    let has_stack = module.arch.starts_with("sm_120");
    for entry in entries(module) {
        let local_bytes = takes.iter().find(|(of, _)| *of == entry);
        let (_, local_bytes) =
            local_bytes.ok_or_else(|| format!("ptxas does not report on `{entry}`"))?;
        if *local_bytes > 0 && !has_stack {
            return Err(format!("`{entry}` uses {local_bytes} bytes of local memory").into());
        }
    }
    Ok(())
}

/// Checks that the module has the kernels of the others. Plain architectures lack the kernels that replace fields of
/// maps, and all but one lack the `wgmma` kernels.
fn is_complete(module: Module) -> Result<(), Failed> {
    let here = entries(module);
    let is_plain = module.arch.ends_with(|last: char| last.is_ascii_digit());
    let has_wgmma = |entry: &&str| {
        let kernels = ["attention", "gemm"];
        kernels.iter().any(|kernel| entry.starts_with(kernel)) && !entry.starts_with("gemm_mma")
    };
    let lacks = |entry: &&str| {
        is_plain && entry.starts_with("encode_map") || module.arch != "sm_90a" && has_wgmma(entry)
    };
    let all = KERNELS_PTX.iter().flat_map(|module| entries(*module));
    let missing: BTreeSet<&str> = all
        .filter(|entry| !here.contains(entry) && !lacks(entry))
        .collect();
    if !missing.is_empty() {
        return Err(format!("it has no {missing:?}").into());
    }
    let kernels = KERNELS.iter().map(|kernel| kernel.name);
    let mut kernels = kernels.filter(|kernel| !lacks(kernel));
    match kernels.find(|kernel| !here.iter().any(|entry| entry.starts_with(kernel))) {
        None => Ok(()),
        Some(kernel) => Err(format!("it has no entry of {kernel}").into()),
    }
}
