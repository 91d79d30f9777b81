//! Compiles the kernels of `gpu/` to PTX.

use tma_build::{Arch, PtxBuilder};

fn main() {
    let ptx = PtxBuilder::new("gpu").arch(Arch::{{arch}}){{options}}.build_or_exit();
    println!("cargo::rustc-env=KERNELS_PTX={}", ptx.path.display());
}
