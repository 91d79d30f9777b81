//! Builds the programs to measure: the kernels, and their CUDA versions if nvcc is installed.

use std::{
    collections::BTreeSet,
    env,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::Command,
    thread,
};

use tma_build::{Arch, PtxBuilder, tool_dirs};

const ARCHS: &[Arch] = &[Arch::Sm90a, Arch::Sm100a, Arch::Sm120a];

fn main() {
    println!("cargo::rerun-if-changed=cuda");
    println!("cargo::rerun-if-env-changed=PATH");
    println!("cargo::rerun-if-env-changed=CUDA_PATH");
    println!("cargo::rustc-check-cfg=cfg(nvcc)");
    let out_dir = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let nvcc = tool_dirs().map(|folder| folder.join("nvcc"));
    let nvcc = nvcc.into_iter().find(|path| path.is_file());
    if nvcc.is_some() {
        println!("cargo::rustc-cfg=nvcc");
    }
    let all = out_dir.join("references.cu");
    fs::write(&all, cuda_source(Path::new("cuda"))).expect("cargo made the folder");

    let build = |arch: Arch| {
        let (nvcc, all, out_dir) = (&nvcc, &all, &out_dir);
        move || {
            let rust = ["../kernels-gpu", "gpu"].map(|path| {
                PtxBuilder::new(path)
                    .arch(arch)
                    .debug_assertions(false)
                    .overflow_checks(false)
                    .build_or_exit()
            });
            let cuda = nvcc.as_ref().map(|nvcc| compile(nvcc, all, arch, out_dir));
            (rust, cuda)
        }
    };
    let built: Vec<_> = thread::scope(|scope| {
        let builds: Vec<_> = ARCHS.iter().map(|arch| scope.spawn(build(*arch))).collect();
        let built = builds.into_iter().map(|build| build.join());
        built
            .map(|built| built.expect("a build ends by itself"))
            .collect()
    });

    let mut source =
        String::from("/// For each architecture.\npub(crate) const BUILT: &[Built] = &[\n");
    for (arch, ([kernels, helpers], cuda)) in ARCHS.iter().zip(&built) {
        let include = |path: &Path| format!("include_str!({:?})", path.display().to_string());
        let cuda = cuda
            .as_deref()
            .map_or("None".to_owned(), |cuda| format!("Some({})", include(cuda)));
        writeln!(
            source,
            "    Built {{ arch: {:?}, kernels: {}, helpers: {}, cuda: {cuda} }},",
            arch.name(),
            include(&kernels.path),
            include(&helpers.path),
        )
        .expect("a string takes all");
    }
    source += "];\n";
    fs::write(out_dir.join("built.rs"), source).expect("cargo made the folder");
    println!(
        "cargo::rustc-env=DEVICE_COMPILER={}",
        built[0].0[0].compiler.version
    );
    println!(
        "cargo::rustc-env=KERNELS_PTX={}",
        built[0].0[0].path.display()
    );
    println!(
        "cargo::rustc-env=NVCC={}",
        nvcc.as_deref().map(version).unwrap_or_default()
    );
}

/// Returns all CUDA kernels as a single module, like the Rust kernels: each in its own namespace, after all headers
/// that they include.
fn cuda_source(folder: &Path) -> String {
    let entries = folder
        .read_dir()
        .expect("the CUDA kernels are in the package");
    let paths = entries.flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> = paths.filter_map(|path| path.canonicalize().ok()).collect();
    files.sort();
    let with = |extension: &'static str| {
        let has = move |path: &&PathBuf| path.extension().is_some_and(|has| has == extension);
        files.iter().filter(has)
    };
    let texts = files
        .iter()
        .filter_map(|path| fs::read_to_string(path).ok());
    let is_system = |line: &&str| line.starts_with("#include <");
    let headers: BTreeSet<String> = texts
        .flat_map(|text| {
            text.lines()
                .filter(is_system)
                .map(str::to_owned)
                .collect::<Vec<_>>()
        })
        .collect();
    let mut lines = Vec::from_iter(headers);
    lines.extend(with("cuh").map(|path| format!("#include {:?}", path.display().to_string())));
    for path in with("cu") {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let path = path.display().to_string();
        lines.push(format!("namespace in_{name} {{\n#include {path:?}\n}}"));
    }
    lines.join("\n") + "\n"
}

fn compile(nvcc: &Path, source: &Path, arch: Arch, out_dir: &Path) -> PathBuf {
    let ptx = out_dir.join(format!("cuda.{}.ptx", arch.name()));
    let mut command = Command::new(nvcc);
    command.args([
        "-std=c++17",
        "-O3",
        "-ptx",
        &format!("-arch={}", arch.name()),
        "-o",
    ]);
    let output = command.args([ptx.as_path(), source]).output();
    let output = output.unwrap_or_else(|error| fail(&format!("{}: {error}", nvcc.display())));
    if !output.status.success() {
        fail(&String::from_utf8_lossy(&output.stderr));
    }
    ptx
}

fn version(nvcc: &Path) -> String {
    let output = Command::new(nvcc).arg("--version").output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let text = text.unwrap_or_default();
    let version = text
        .split("release ")
        .nth(1)
        .and_then(|rest| rest.split(',').next());
    version.unwrap_or("of unknown version").to_owned()
}

fn fail(why: &str) -> ! {
    for line in why.lines() {
        println!("cargo::error={line}");
    }
    std::process::exit(1);
}
