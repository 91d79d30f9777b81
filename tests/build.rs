//! Builds the kernels for every architecture that the tests know, side by side.

use std::{env, fmt::Write as _, fs, path::Path, thread};

use ptx_builder::{Arch, PtxBuilder};

const ARCHS: &[Arch] = &[Arch::Sm90, Arch::Sm90a, Arch::Sm100a, Arch::Sm120, Arch::Sm120a];

fn main() {
    let kernels = thread::scope(|scope| {
        let builds: Vec<_> = ARCHS
            .iter()
            .map(|arch| scope.spawn(|| PtxBuilder::new("../kernels-gpu").arch(*arch).build_or_exit()))
            .collect();
        let ptx = builds.into_iter().map(|build| build.join().expect("a build ends by itself"));
        ptx.collect::<Vec<_>>()
    });
    let mut source = String::from("&[\n");
    for ptx in &kernels {
        let (arch, path) = (ptx.arch.name(), ptx.path.display().to_string());
        writeln!(source, "    (\"{arch}\", include_str!({path:?})),").expect("a string takes all");
    }
    source += "]\n";
    let out_dir = env::var_os("OUT_DIR").expect("cargo sets it");
    fs::write(Path::new(&out_dir).join("kernels.rs"), source).expect("cargo made the folder");
    println!("cargo::rustc-env=DEVICE_COMPILER={}", kernels[0].compiler.version);
}
