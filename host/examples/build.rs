//! Builds the kernels: for every GPU from Hopper on, and for those whose own instructions some use.

use std::{env, fs, path::Path};

use tma_build::{Arch, PtxBuilder};

fn main() {
    let build = |arch| {
        let ptx = PtxBuilder::new("../../kernels-gpu")
            .arch(arch)
            .debug_assertions(false)
            .overflow_checks(false)
            .build_or_exit();
        let (name, path) = (ptx.arch.name(), ptx.path.display().to_string());
        format!("    ({name:?}, include_str!({path:?})),\n")
    };
    let modules: String = [Arch::Sm90, Arch::Sm90a, Arch::Sm120a].map(build).concat();
    let source = format!(
        "/// The kernels for each architecture.\nconst MODULES: &[(&str, &str)] = &[\n{modules}];\n"
    );
    let out_dir = env::var_os("OUT_DIR").expect("cargo sets it");
    fs::write(Path::new(&out_dir).join("modules.rs"), source).expect("cargo made the folder");
}
