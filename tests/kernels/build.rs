//! Lists the kernels by their files.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

fn main() {
    let out_dir = env::var_os("OUT_DIR").expect("cargo sets it");
    let list = Path::new(&out_dir).join("kernels.rs");
    fs::write(list, kernels()).expect("cargo made the folder");
}

/// Lists all kernels by their files; a kernel without cases does not compile.
fn kernels() -> String {
    println!("cargo::rerun-if-changed=../../kernels-gpu/src");
    let files = fs::read_dir("../../kernels-gpu/src").expect("the kernels are in the repository");
    let paths = files.flatten().map(|file| file.path());
    let is_file = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "rs");
    let stems = paths.filter(is_file);
    let stems = stems.filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()));
    let mut stems: Vec<String> = stems.filter(|stem| stem != "lib").collect();
    stems.sort();
    let kernels = stems.iter().map(|stem| format!("{stem}::KERNEL, "));
    format!(
        "/// All kernels, in the order of their names.\npub const KERNELS: &[Kernel] = &[{}];\n",
        kernels.collect::<String>()
    )
}
