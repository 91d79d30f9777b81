//! Lists the text of each entry that the enabled features call: a device compiles only the entries it uses.
//!
//! The package contains the texts, so that its users need no device compiler. In a checkout they are compiled.

use std::{
    env,
    fmt::Write as _,
    fs, io,
    path::{Path, PathBuf},
};

use tma_build::{Arch, Assemble, PtxBuilder};

const SOURCES: &str = "../kernels-gpu";

/// The folder in the package, with a folder for each feature and a file for each entry. `cargo xtask package` writes
/// it.
const SHIPPED: &str = "ptx";

/// A feature, the architecture that most devices run of those that its kernels are for, and the files of its kernels.
type Family = (&'static str, Arch, &'static [&'static str]);

const FAMILIES: [Family; 5] = [
    (
        "attention",
        Arch::Sm90a,
        &["attention", "attention_backward", "attention_decode"],
    ),
    ("gemm", Arch::Sm90a, &["gemm"]),
    ("gemm_fp8", Arch::Sm90a, &["gemm_fp8"]),
    (
        "peers",
        Arch::Sm90,
        &[
            "all_reduce",
            "copy_bulk",
            "low_latency_exchange",
            "reduce_scatter",
        ],
    ),
    ("rows", Arch::Sm90, &["layer_norm", "rms_norm", "softmax"]),
];

fn main() {
    let out_dir = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    println!("cargo::rerun-if-changed=build.rs");
    let is_enabled =
        |feature: &str| env::var_os(format!("CARGO_FEATURE_{}", feature.to_uppercase())).is_some();
    let enabled: Vec<Family> = FAMILIES
        .into_iter()
        .filter(|(feature, ..)| is_enabled(feature))
        .collect();
    let texts = if Path::new(SHIPPED).is_dir() {
        println!("cargo::rerun-if-changed={SHIPPED}");
        env::current_dir()
            .expect("cargo runs this in the package")
            .join(SHIPPED)
    } else {
        let compiled = out_dir.join(SHIPPED);
        compile(&enabled, &compiled);
        compiled
    };
    let list = list(&enabled, &texts)
        .unwrap_or_else(|error| panic!("cannot read {}: {error}", texts.display()));
    fs::write(out_dir.join("entries.rs"), list).expect("cargo made the folder");
}

/// Returns the Rust source of the table of entries.
fn list(enabled: &[Family], texts: &Path) -> io::Result<String> {
    let mut list = String::from(
        "/// Entries, the architecture that each is for, and its text.\nconst ENTRIES: &[(&str, &str, &str)] = &[\n",
    );
    for (feature, arch, _) in enabled {
        let files = fs::read_dir(texts.join(feature))?;
        let mut files = files
            .map(|file| Ok(file?.path()))
            .collect::<io::Result<Vec<_>>>()?;
        files.sort();
        for file in files {
            let entry = file.file_stem().expect("a file has a name");
            let (arch, path) = (arch.name(), file.display().to_string());
            writeln!(list, "    ({entry:?}, {arch:?}, include_str!({path:?})),")
                .expect("a string takes all");
        }
    }
    list += "];\n";
    Ok(list)
}

/// Writes a folder for each family with the text of its entries.
fn compile(enabled: &[Family], texts: &Path) {
    for arch in [Arch::Sm90, Arch::Sm90a] {
        let families: Vec<_> = enabled.iter().filter(|(_, of, _)| *of == arch).collect();
        if families.is_empty() {
            continue;
        }
        let builder = PtxBuilder::new(SOURCES)
            .arch(arch)
            .debug_assertions(false)
            .overflow_checks(false)
            // The tests have ptxas look at all kernels.
            .assemble(Assemble::Never);
        // With all features, this is the build of all files that the workspace's tests need, too.
        let is_shared = arch == Arch::Sm90a && enabled.len() == FAMILIES.len();
        let files = families.iter().flat_map(|(_, _, files)| *files).copied();
        let builder = if is_shared {
            builder
        } else {
            files.fold(builder, PtxBuilder::only)
        };
        let built = builder.build_or_exit();
        let text = fs::read_to_string(&built.path).expect("it was just written");
        let module = ptx::parse(&text).expect("it was parsed before it was written");
        let sources = source_names();
        for (feature, _, files) in families {
            let folder = texts.join(feature);
            let _ = fs::remove_dir_all(&folder);
            fs::create_dir_all(&folder).expect("cargo made the folder above it");
            for entry in module.entries() {
                let entry = entry.name.as_str();
                if !files.contains(&source_of(entry, &sources)) {
                    continue;
                }
                let one = module.extract(entry).expect("the module has it");
                fs::write(folder.join(format!("{entry}.ptx")), one.to_string())
                    .expect("the folder was just made");
            }
        }
    }
}

/// Returns the names of the files of kernels.
fn source_names() -> Vec<String> {
    let files = fs::read_dir(Path::new(SOURCES).join("src")).expect("the sources were compiled");
    let stem = |path: &Path| path.file_stem()?.to_str().map(str::to_owned);
    files.filter_map(|file| stem(&file.ok()?.path())).collect()
}

/// Returns the file of an entry: the longest name that the entry's begins with.
fn source_of<'a>(entry: &str, sources: &'a [String]) -> &'a str {
    let begins = |name: &&String| {
        entry
            .strip_prefix(name.as_str())
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
    };
    let longest = sources.iter().filter(begins).max_by_key(|name| name.len());
    longest.map_or("", String::as_str)
}
