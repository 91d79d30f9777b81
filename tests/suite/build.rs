//! Builds the kernels of the tests, side by side: for `sm_90a` alone, or for every architecture that the tests know.

use std::{collections::BTreeSet, env, fmt::Write as _, fs, path::Path, thread};

use cuda_driver::Status;
use tma_build::{Arch, Assemble, Ptx, PtxBuilder, PtxIsa};

/// `cargo xtask test --long` and CI set it. Without it, modules are left out, and tests are ignored.
const LONG_VARIABLE: &str = "TMA_LONG_TESTS";

/// The architecture that the emulator runs.
const ARCH: Arch = Arch::Sm90a;

const ARCHS: &[Arch] = &[Arch::Sm90, ARCH, Arch::Sm100a, Arch::Sm120, Arch::Sm120a];

const KERNELS: &str = "KERNELS";
const FORMS: &str = "FORMS";
const SEMANTICS: &str = "SEMANTICS";

/// Crates of kernels, the names of their PTX, and the architectures.
const CRATES: &[(&str, &str, &[Arch])] = &[
    (KERNELS, "../../kernels-gpu", ARCHS),
    // Every device runs `sm_90`; only `sm_90a` changes the number of registers.
    ("DEVICE", "../gpu/device", &[Arch::Sm90, ARCH]),
    // Only for the emulator.
    ("BUGS", "../gpu/bugs", &[ARCH]),
];

/// The target of the consumer GPUs' forms after PTX ISA 9.0: PTX is named by its architecture, and sm_120a has the
/// others.
const CONSUMER_OF_LATER: Arch = Arch::Sm121a;

/// Returns the features of the forms that Hopper has, or of the others, up to PTX ISA 9.0 or after it.
fn features(of_hopper: bool, are_later: bool) -> BTreeSet<&'static str> {
    let calls = ptx_isa::calls().map(|(_, form)| form);
    let forms = calls
        .filter(|form| form.targets().has("sm_90a") == of_hopper && form.is_later() == are_later);
    forms.map(|form| form.targets().name()).collect()
}

/// Kernels as they run, in every profile: without debug assertions, and arithmetic wraps.
fn unchecked(path: &str) -> PtxBuilder {
    PtxBuilder::new(path)
        .debug_assertions(false)
        .overflow_checks(false)
}

/// Returns whether only Blackwell's consumer GPUs have the forms of a feature.
fn is_of_consumers(feature: &str) -> bool {
    use ptx_isa::Targets;
    let targets = Targets::named(feature);
    matches!(targets, Some(Targets::Sm120a | Targets::Sm120aAlone))
}

/// Builds the kernels that show each instruction form. Modules for Hopper's own forms and for Blackwell's consumer GPUs
/// have the forms that no other has; the module of the architecture with nearly all forms has the rest.
fn forms(arch: Arch) -> PtxBuilder {
    let builder = unchecked("../gpu/forms")
        .arch(arch)
        .ptx_isa(PtxIsa::new(9, 0))
        .assemble(Assemble::Never);
    let all = [true, false]
        .into_iter()
        .flat_map(|of_hopper| features(of_hopper, false));
    let only = |name: &str| match ptx_isa::Targets::named(name) {
        Some(ptx_isa::Targets::Sm90aAlone) => Arch::Sm90a,
        _ if is_of_consumers(name) => Arch::Sm120a,
        _ => Arch::Sm103a,
    };
    let built = all.filter(|name| only(name) == arch);
    built.fold(builder, PtxBuilder::feature)
}

/// Builds the kernels of the forms after PTX ISA 9.0, which no other module may need. An older ptxas does not
/// know them; the tests of forms report this.
fn later(path: &str, arch: Arch) -> PtxBuilder {
    let ptx_isa::Version { major, minor } = ptx_isa::NEWEST;
    let builder = unchecked(path)
        .arch(arch)
        .ptx_isa(PtxIsa::new(major, minor))
        .assemble(Assemble::Never)
        .feature("later");
    let all = [true, false]
        .into_iter()
        .flat_map(|of_hopper| features(of_hopper, true));
    let built = all.filter(|name| is_of_consumers(name) == (arch == CONSUMER_OF_LATER));
    built.fold(builder, PtxBuilder::feature)
}

/// Builds the kernels that show the effect of each instruction form: for a Hopper GPU, or the others.
fn semantics(arch: Arch, of_hopper: bool) -> PtxBuilder {
    let builder = unchecked("../gpu/semantics")
        .arch(arch)
        .ptx_isa(PtxIsa::new(9, 0));
    features(of_hopper, false)
        .into_iter()
        .fold(builder, PtxBuilder::feature)
}

/// A module to build, and the name of the list that has it.
type Build = (&'static str, PtxBuilder);

fn of_crates(archs: &'static [Arch]) -> impl Iterator<Item = Build> {
    CRATES.iter().flat_map(move |(name, path, of_crate)| {
        let archs = archs.iter().filter(|arch| of_crate.contains(arch));
        archs.map(move |arch| (*name, unchecked(path).arch(*arch)))
    })
}

fn of_forms() -> [Build; 5] {
    [
        forms(Arch::Sm103a),
        forms(Arch::Sm90a),
        forms(Arch::Sm120a),
        later("../gpu/forms", Arch::Sm107a),
        later("../gpu/forms", CONSUMER_OF_LATER),
    ]
    .map(|module| (FORMS, module))
}

fn of_other_semantics() -> [Build; 2] {
    [
        semantics(Arch::Sm103a, false),
        later("../gpu/semantics", Arch::Sm107a),
    ]
    .map(|module| (SEMANTICS, module))
}

/// The words of ptxas on the kernels when they were built, as a list for the modules that it assembled.
fn local_bytes(built: &[&Ptx]) -> String {
    let mut source = String::from(
        "/// For each architecture whose kernels ptxas has assembled: the bytes of local memory that each entry takes.\n\
         pub static KERNELS_LOCAL_BYTES: &[(&str, &[(&str, u32)])] = &[\n",
    );
    let assembled = built
        .iter()
        .filter_map(|ptx| Some((ptx.arch, ptx.resources.as_ref()?)));
    for (arch, entries) in assembled {
        let entries = entries.iter().map(|(entry, takes)| {
            let bytes = takes.stack_bytes + takes.spill_store_bytes + takes.spill_load_bytes;
            format!("({entry:?}, {bytes}), ")
        });
        let entries: String = entries.collect();
        writeln!(source, "    ({:?}, &[{entries}]),", arch.name()).expect("a string takes all");
    }
    source + "];\n"
}

fn main() {
    println!("cargo::rerun-if-env-changed={LONG_VARIABLE}");
    let is_long = env::var_os(LONG_VARIABLE).is_some();
    // A GPU may be of any architecture.
    let has_gpu = !matches!(cuda_driver::status(), Status::Missing { .. });
    let archs = if is_long || has_gpu { ARCHS } else { &[ARCH] };
    let mut builds: Vec<Build> = of_crates(archs).collect();
    builds.push((SEMANTICS, semantics(ARCH, true)));
    println!("cargo::rustc-check-cfg=cfg(complete_run)");
    if is_long {
        println!("cargo::rustc-cfg=complete_run");
        builds.extend(of_forms());
        builds.extend(of_other_semantics());
    }
    let built: Vec<(&str, Ptx)> = thread::scope(|scope| {
        let build = |(name, builder): Build| (name, scope.spawn(move || builder.build_or_exit()));
        let running: Vec<_> = builds.into_iter().map(build).collect();
        let built = running.into_iter();
        let built =
            built.map(|(name, build)| (name, build.join().expect("a build ends by itself")));
        built.collect()
    });
    let of = |name: &str| -> Vec<&Ptx> {
        let modules = built.iter().filter(|(of, _)| *of == name);
        modules.map(|(_, ptx)| ptx).collect()
    };
    let mut source = local_bytes(&of(KERNELS));
    let crates = CRATES.iter().map(|(name, ..)| *name);
    for name in crates.chain([FORMS, SEMANTICS]) {
        let modules = of(name).into_iter().map(|ptx| {
            let (arch, path) = (ptx.arch.name(), ptx.path.display().to_string());
            format!("    Module {{ arch: {arch:?}, text: include_str!({path:?}) }},\n")
        });
        let modules: String = modules.collect();
        writeln!(
            source,
            "/// The finished PTX of `tests/suite/build.rs` under this name.\n\
             pub static {name}_PTX: &[Module] = &[\n{modules}];"
        )
        .expect("a string takes all");
    }
    let out_dir = env::var_os("OUT_DIR").expect("cargo sets it");
    fs::write(Path::new(&out_dir).join("modules.rs"), source).expect("cargo made the folder");
    println!(
        "cargo::rustc-env=DEVICE_COMPILER={}",
        built[0].1.compiler.version
    );
}
