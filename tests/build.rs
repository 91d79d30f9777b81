//! Builds the kernels for every architecture that the tests know, side by side, and lists them.

use std::{
    env,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    thread,
};

use ptx_builder::{Arch, Assemble, PtxBuilder, PtxIsa};

const ARCHS: &[Arch] = &[
    Arch::Sm90,
    Arch::Sm90a,
    Arch::Sm100a,
    Arch::Sm120,
    Arch::Sm120a,
];

/// Crates of kernels, what to call their PTX, and for which architectures.
const CRATES: &[(&str, &str, &[Arch])] = &[
    ("KERNELS", "../kernels-gpu", ARCHS),
    ("PROBES", "gpu", ARCHS),
    // For the emulator alone.
    ("BUGS", "bugs", &[Arch::Sm90a]),
];

/// Architectures that are the first with a form, up to Hopper and after it.
const FIRSTS: [&str; 3] = ["sm_80", "sm_90", "sm_90a"];
const LATER_FIRSTS: [&str; 4] = ["sm_100", "sm_100a", "sm_100a_or_sm_120a", "sm_103a"];

/// The kernels that show each instruction form, for the one architecture that has all of them.
fn forms() -> PtxBuilder {
    let builder = PtxBuilder::new("forms")
        .arch(Arch::Sm103a)
        .ptx_isa(PtxIsa::new(9, 0))
        .assemble(Assemble::Never);
    let all = FIRSTS.into_iter().chain(LATER_FIRSTS);
    all.fold(builder, PtxBuilder::feature)
}

/// The kernels that show what each instruction form does: those that a Hopper GPU runs, or the others.
fn effects(arch: Arch, features: &[&str]) -> PtxBuilder {
    let builder = PtxBuilder::new("effects")
        .arch(arch)
        .ptx_isa(PtxIsa::new(9, 0));
    features.iter().copied().fold(builder, PtxBuilder::feature)
}

/// All kernels, by their files: one without cases does not compile.
fn kernels() -> String {
    println!("cargo::rerun-if-changed=../kernels-gpu/src");
    let files = fs::read_dir("../kernels-gpu/src").expect("the kernels are in the repository");
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

fn main() {
    let (built, alone) = thread::scope(|scope| {
        let alone = [
            ("FORMS", "forms", scope.spawn(|| forms().build_or_exit())),
            (
                "EFFECTS",
                "effects",
                scope.spawn(|| effects(Arch::Sm90a, &FIRSTS).build_or_exit()),
            ),
            (
                "LATER_EFFECTS",
                "effects",
                scope.spawn(|| effects(Arch::Sm103a, &LATER_FIRSTS).build_or_exit()),
            ),
        ];
        let build = |arch: &'static Arch| {
            move || {
                let crates = CRATES.iter().filter(|(.., archs)| archs.contains(arch));
                crates
                    .map(|(name, path, _)| {
                        (*name, PtxBuilder::new(path).arch(*arch).build_or_exit())
                    })
                    .collect::<Vec<_>>()
            }
        };
        let builds: Vec<_> = ARCHS.iter().map(|arch| scope.spawn(build(arch))).collect();
        let crates = builds
            .into_iter()
            .map(|build| build.join().expect("a build ends by itself"));
        (
            crates.collect::<Vec<_>>(),
            alone.map(|(name, path, build)| {
                (name, path, build.join().expect("a build ends by itself"))
            }),
        )
    });
    let mut source = String::new();
    for (name, path, _) in CRATES {
        writeln!(
            source,
            "/// The finished PTX of `{path}`.\npub const {name}_PTX: &[Module] = &["
        )
        .expect("a string takes all");
        let of_crate = built.iter().flatten().filter(|(of, _)| of == name);
        for (_, ptx) in of_crate {
            let (arch, path) = (ptx.arch.name(), ptx.path.display().to_string());
            writeln!(
                source,
                "    Module {{ arch: {arch:?}, text: include_str!({path:?}) }},"
            )
            .expect("a string takes all");
        }
        source += "];\n";
    }
    for (name, path, ptx) in alone {
        let (arch, file) = (ptx.arch.name(), ptx.path.display().to_string());
        writeln!(
            source,
            "/// The finished PTX of `{path}`.\npub const {name}_PTX: Module = \
             Module {{ arch: {arch:?}, text: include_str!({file:?}) }};"
        )
        .expect("a string takes all");
    }
    let out_dir = env::var_os("OUT_DIR").expect("cargo sets it");
    let write = |name: &str, source: String| {
        fs::write(Path::new(&out_dir).join(name), source).expect("cargo made the folder");
    };
    write("modules.rs", source);
    write("kernels.rs", kernels());
    println!(
        "cargo::rustc-env=DEVICE_COMPILER={}",
        built[0][0].1.compiler.version
    );
}
