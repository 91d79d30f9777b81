//! Builds the kernels that are called, and gives each entry its own text: a device compiles only the entries it uses.

use std::{collections::BTreeSet, env, fmt::Write as _, fs, path::Path};

use tma_build::{Arch, Assemble, PtxBuilder};

/// The files of the kernels, and the architecture that most devices run of those that they are for; all files where
/// none is named, since the tests build these, too.
const KERNELS: [(Arch, &[&str]); 2] = [
    (
        Arch::Sm90,
        &[
            "all_reduce",
            "copy_bulk",
            "layer_norm",
            "reduce_scatter",
            "rms_norm",
            "softmax",
        ],
    ),
    (Arch::Sm90a, &[]),
];

fn main() {
    let out_dir = env::var_os("OUT_DIR").expect("cargo sets it");
    let mut list = String::from(
        "/// Entries, the architecture that each is for, and its text.\nconst ENTRIES: &[(&str, &str, &str)] = &[\n",
    );
    let mut listed = BTreeSet::new();
    for (arch, files) in KERNELS {
        let builder = PtxBuilder::new("../kernels-gpu")
            .arch(arch)
            .debug_assertions(false)
            .overflow_checks(false)
            // The tests have ptxas look at all kernels.
            .assemble(Assemble::Never);
        let built = files.iter().copied().fold(builder, PtxBuilder::only);
        let built = built.build_or_exit();
        let text = fs::read_to_string(&built.path).expect("it was just written");
        let module = ptx::parse(&text).expect("it was parsed before it was written");
        for entry in module.entries() {
            let entry = entry.name.as_str();
            // The first architecture's text stays.
            if !listed.insert(entry.to_owned()) {
                continue;
            }
            let one = module.extract(entry).expect("the module has it");
            let path = Path::new(&out_dir).join(format!("{entry}.ptx"));
            fs::write(&path, one.to_string()).expect("cargo made the folder");
            let (arch, path) = (arch.name(), path.display().to_string());
            writeln!(list, "    ({entry:?}, {arch:?}, include_str!({path:?})),")
                .expect("a string takes all");
        }
    }
    list += "];\n";
    fs::write(Path::new(&out_dir).join("entries.rs"), list).expect("cargo made the folder");
}
