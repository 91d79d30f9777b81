//! Satisfies `-lcuda` with an empty library if the feature `cust` is on.
//!
//! `cust` and `cust_raw` ask the linker for `libcuda`. This crate defines the symbols they need, so an empty
//! archive of that name is enough, and no CUDA toolkit is required. (GNU ld refuses the alternative, a linker
//! script with `INPUT()`.) A real `libcuda.so` found first does no harm: the definitions in the program take
//! precedence, and the linker drops an unused shared library.

use std::{env, fs, io, path::Path};

const EMPTY_ARCHIVE: &str = "!<arch>\n";

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    let unix = env::var_os("CARGO_CFG_UNIX").is_some();
    let cust = env::var_os("CARGO_FEATURE_CUST").is_some();
    if let (true, Some(out_dir)) = (unix && cust, env::var_os("OUT_DIR")) {
        let folder = Path::new(&out_dir);
        fs::write(folder.join("libcuda.a"), EMPTY_ARCHIVE)?;
        println!("cargo::rustc-link-search=native={}", folder.display());
    }
    Ok(())
}
