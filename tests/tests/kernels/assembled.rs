//! Every kernel is in the modules for `sm_90a`, `sm_100a` and `sm_120a`, and ptxas assembles every module
//! with every kernel in it, none of which takes local memory. For `sm_120` ptxas 13.0 takes a stack for
//! tensor copies, in what nvcc makes, too, so nothing is asked of it there.
//!
//! Needs a ptxas that knows the architectures, which `cargo xtask setup --cuda` installs; without it the
//! tests are listed as ignored.

use std::{collections::BTreeSet, fs};

use libtest_mimic::{Failed, Trial};
use tests::{KERNELS, KERNELS_PTX, Module};
use tma_build::{Arch, Ptxas};

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for module in KERNELS_PTX {
        let arch: Arch = module.arch.parse().expect("it was built for one");
        let ptxas = Ptxas::find_for(arch);
        if let Err(error) = &ptxas {
            println!("skipped: {error}");
        }
        let is_there = ptxas.is_ok();
        let assembles = move || assembles(*module, arch, &ptxas?);
        trials
            .push(Trial::test(format!("assembled/{arch}"), assembles).with_ignored_flag(!is_there));
        trials.push(Trial::test(format!("complete/{arch}"), || {
            is_complete(*module)
        }));
    }
    trials
}

fn entries(module: Module) -> BTreeSet<&'static str> {
    let after = module.text.split(".entry ").skip(1);
    after.filter_map(|text| text.split('(').next()).collect()
}

fn assembles(module: Module, arch: Arch, ptxas: &Ptxas) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("kernels.ptx");
    fs::write(&path, module.text)?;
    let taken = ptxas.assemble(&path, arch, &folder.path().join("kernels.cubin"))?;
    let has_stack = matches!(arch, Arch::Sm120 | Arch::Sm120a);
    for entry in entries(module) {
        let taken = taken.get(entry);
        let taken = taken.ok_or_else(|| format!("ptxas says nothing of `{entry}`"))?;
        let local_bytes = taken.stack_bytes + taken.spill_store_bytes + taken.spill_load_bytes;
        if local_bytes > 0 && !has_stack {
            return Err(format!("`{entry}` uses local memory: {taken:?}").into());
        }
    }
    Ok(())
}

/// Checks that the module has the kernels of the others. Plain architectures lack those that replace fields of maps,
/// and all but one those of `wgmma`.
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
