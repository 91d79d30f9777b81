//! Builds the kernels for every architecture that the tests know, side by side.

use std::{collections::BTreeSet, env, fmt::Write as _, fs, path::Path, thread};

use tma_build::{Arch, Assemble, Ptx, PtxBuilder, PtxIsa};

const ARCHS: &[Arch] = &[
    Arch::Sm90,
    Arch::Sm90a,
    Arch::Sm100a,
    Arch::Sm120,
    Arch::Sm120a,
];

/// Crates of kernels, the names of their PTX, and the architectures.
const CRATES: &[(&str, &str, &[Arch])] = &[
    ("KERNELS", "../../kernels-gpu", ARCHS),
    // Every device runs `sm_90`; only `sm_90a` changes the number of registers.
    ("DEVICE", "../gpu/device", &[Arch::Sm90, Arch::Sm90a]),
    // Only for the emulator.
    ("BUGS", "../gpu/bugs", &[Arch::Sm90a]),
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

/// The words of ptxas on the kernels when they were built, as a list for the modules that it assembled.
fn local_bytes<'a>(built: impl Iterator<Item = &'a (&'static str, Ptx)>) -> String {
    let mut source = String::from(
        "/// For each architecture whose kernels ptxas has assembled: the bytes of local memory that each entry takes.\n\
         pub static KERNELS_LOCAL_BYTES: &[(&str, &[(&str, u32)])] = &[\n",
    );
    let assembled = built.filter_map(|(_, ptx)| Some((ptx.arch, ptx.resources.as_ref()?)));
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
    let (built, alone) = thread::scope(|scope| {
        let alone = [
            (
                "FORMS",
                "../gpu/forms",
                scope.spawn(|| forms(Arch::Sm103a).build_or_exit()),
            ),
            (
                "HOPPER_FORMS",
                "../gpu/forms",
                scope.spawn(|| forms(Arch::Sm90a).build_or_exit()),
            ),
            (
                "CONSUMER_FORMS",
                "../gpu/forms",
                scope.spawn(|| forms(Arch::Sm120a).build_or_exit()),
            ),
            (
                "LATER_FORMS",
                "../gpu/forms",
                scope.spawn(|| later("../gpu/forms", Arch::Sm107a).build_or_exit()),
            ),
            (
                "LATER_CONSUMER_FORMS",
                "../gpu/forms",
                scope.spawn(|| later("../gpu/forms", CONSUMER_OF_LATER).build_or_exit()),
            ),
            (
                "SEMANTICS",
                "../gpu/semantics",
                scope.spawn(|| semantics(Arch::Sm90a, true).build_or_exit()),
            ),
            (
                "BLACKWELL_SEMANTICS",
                "../gpu/semantics",
                scope.spawn(|| semantics(Arch::Sm103a, false).build_or_exit()),
            ),
            (
                "LATER_SEMANTICS",
                "../gpu/semantics",
                scope.spawn(|| later("../gpu/semantics", Arch::Sm107a).build_or_exit()),
            ),
        ];
        let build = |arch: &'static Arch| {
            move || {
                let crates = CRATES.iter().filter(|(.., archs)| archs.contains(arch));
                crates
                    .map(|(name, path, _)| (*name, unchecked(path).arch(*arch).build_or_exit()))
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
            "/// The finished PTX of `{path}`.\npub static {name}_PTX: &[Module] = &["
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
    source += &local_bytes(built.iter().flatten().filter(|(of, _)| *of == "KERNELS"));
    for (name, path, ptx) in alone {
        let (arch, file) = (ptx.arch.name(), ptx.path.display().to_string());
        writeln!(
            source,
            "/// The finished PTX of `{path}`.\npub static {name}_PTX: Module = \
             Module {{ arch: {arch:?}, text: include_str!({file:?}) }};"
        )
        .expect("a string takes all");
    }
    let out_dir = env::var_os("OUT_DIR").expect("cargo sets it");
    fs::write(Path::new(&out_dir).join("modules.rs"), source).expect("cargo made the folder");
    println!(
        "cargo::rustc-env=DEVICE_COMPILER={}",
        built[0][0].1.compiler.version
    );
}
