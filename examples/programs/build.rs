//! Builds the kernels for every GPU from Hopper on, and separately for architectures with their own instructions, or
//! for the emulator alone; makes tests of the snippets in README.

use std::{env, fs, path::Path};

use cuda_driver::Status;
use tma_build::{Arch, PtxBuilder};

fn main() {
    let out_dir = env::var_os("OUT_DIR").expect("cargo sets it");
    let traced = Path::new(&out_dir).join("traced.ptx");
    // Built first, since one of the others has the same name.
    let builder = PtxBuilder::new("../../kernels-gpu").arch(Arch::Sm90);
    let builder = builder.debug_assertions(false).overflow_checks(false);
    let builder = builder.only("add_one_ring").trace();
    builder.copy_to(&traced).build_or_exit();
    let build = |arch| {
        let ptx = PtxBuilder::new("../../kernels-gpu")
            .arch(arch)
            .debug_assertions(false)
            .overflow_checks(false)
            .build_or_exit();
        let (name, path) = (ptx.arch.name(), ptx.path.display().to_string());
        format!("    ({name:?}, include_str!({path:?})),\n")
    };
    // As for the tests of the kernels: without a GPU, the emulator's architecture is enough.
    println!("cargo::rerun-if-env-changed={LONG_VARIABLE}");
    let has_gpu = !matches!(cuda_driver::status(), Status::Missing { .. });
    let modules = match has_gpu || env::var_os(LONG_VARIABLE).is_some() {
        true => [Arch::Sm90, Arch::Sm90a, Arch::Sm120a].map(build).concat(),
        false => build(Arch::Sm90a),
    };
    let source = format!(
        "/// The kernels for each architecture.\nconst MODULES: &[(&str, &str)] = &[\n{modules}];\n\
         /// `add_one_ring`, whose pipeline writes stamps of its events.\n\
         pub const TRACED: &str = include_str!({:?});\n",
        traced.display().to_string()
    );
    let write = |name: &str, text: String| {
        fs::write(Path::new(&out_dir).join(name), text).expect("cargo made the folder");
    };
    write("modules.rs", source);
    println!("cargo::rerun-if-changed={README}");
    let readme = fs::read_to_string(README).expect("the repository has one");
    write("readme.md", tests_of(&readme));
}

/// `cargo xtask test --long` and CI set it.
const LONG_VARIABLE: &str = "TMA_LONG_TESTS";

const README: &str = "../../README.md";

/// The code before and after each README snippet, in order, which readers do not need to see.
const AROUND: [(&str, &str); 2] = [
    (
        "use tma::{Block, Tile, TileMap, kernel, ptx::mbarrier::Mbarrier, shared};\n",
        "fn main() {}\n",
    ),
    (
        "use kernels_gpu::tile_2d::tile_2d;\nuse tensor_map::{DataType, TensorMap};\n\
         use tma_host::Device;\nconst PTX: &str = \"\";\n\
         fn example() -> Result<(), Box<dyn std::error::Error>> {\n",
        "Ok(())\n}\n",
    ),
];

/// Generates a test for each snippet that compiles it.
fn tests_of(readme: &str) -> String {
    let snippets = readme.split("```rust\n").skip(1);
    let snippets: Vec<&str> = snippets
        .map(|snippet| snippet.split_once("```").expect("it ends").0)
        .collect();
    assert_eq!(snippets.len(), AROUND.len(), "README has another snippet");
    let tests = snippets.iter().zip(AROUND);
    let tests = tests
        .map(|(snippet, (before, behind))| format!("```no_run\n{before}{snippet}{behind}```\n"));
    tests.collect()
}
