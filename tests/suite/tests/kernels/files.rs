//! A kernel is three files by hand: its own, its cases and its CUDA reference.

use std::{collections::BTreeSet, fs, path::Path};

use libtest_mimic::Trial;
use tests::KERNELS;

/// CUDA references of something else: a gather by ordinary loads, and kernels that measure latencies.
const OF_NO_KERNEL: [&str; 2] = ["gather_ldg", "latency"];

pub(crate) fn trials() -> Vec<Trial> {
    let tests: [(&str, fn()); 3] = [
        (
            "every_kernel_has_its_three",
            every_kernel_has_its_three_files,
        ),
        (
            "the_readme_counts_the_kernels",
            the_readme_counts_the_kernels,
        ),
        (
            "one_that_is_missing_is_named",
            a_file_that_is_missing_is_named,
        ),
    ];
    let trial = |(name, test): (&str, fn())| {
        Trial::test(format!("files/{name}"), move || {
            test();
            Ok(())
        })
    };
    tests.map(trial).into()
}

type Names = BTreeSet<String>;

/// The missing files: for each kernel the cases and the reference, for these the kernel.
fn missing(kernels: &Names, cases: &Names, references: &Names) -> Vec<String> {
    let without = |of: &Names, others: &Names, folder: &str, extension: &str| {
        let names = of.difference(others);
        let files = names.map(|name| format!("{folder}/{name}.{extension}"));
        files.collect::<Vec<_>>()
    };
    [
        without(kernels, cases, "tests/kernels/src/kernels", "rs"),
        without(kernels, references, "benches/cuda", "cu"),
        without(cases, kernels, "kernels-gpu/src", "rs"),
        without(references, kernels, "kernels-gpu/src", "rs"),
    ]
    .concat()
}

fn set<'a>(names: impl IntoIterator<Item = &'a str>) -> Names {
    names.into_iter().map(str::to_owned).collect()
}

/// Returns the files of a folder with this extension, without some that are not kernels.
fn files(folder: &str, extension: &str, but_for: &[&str]) -> Names {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut names = Names::new();
    for file in fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_some_and(|has| has == extension) {
            names.insert(path.file_stem().unwrap().to_str().unwrap().to_owned());
        }
    }
    for name in but_for {
        assert!(names.remove(*name), "there is no {name}.{extension}");
    }
    names
}

fn every_kernel_has_its_three_files() {
    let kernels = files("../../kernels-gpu/src", "rs", &["lib"]);
    let cases = files("../kernels/src/kernels", "rs", &[]);
    let mut references = files("../../benches/cuda", "cu", &OF_NO_KERNEL);
    // The vendor's library is the reference of some kernels, three of them in one script.
    references.extend(files(
        "../../benches/torch",
        "py",
        &["beside", "cublaslt", "norms"],
    ));
    references.extend(set(["layer_norm", "rms_norm", "softmax"]));
    // NCCL is the reference of these, in the program `peers` of the benchmarks.
    references.extend(set([
        "all_reduce",
        "low_latency_exchange",
        "reduce_scatter",
    ]));
    assert_eq!(missing(&kernels, &cases, &references), [""; 0]);
    assert_eq!(set(KERNELS.iter().map(|kernel| kernel.name)), kernels);
}

fn the_readme_counts_the_kernels() {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let readme = fs::read_to_string(readme).unwrap();
    assert!(readme.contains(&format!("    {} ok, 0 failed\n", KERNELS.len())));
}

fn a_file_that_is_missing_is_named() {
    let (one, both) = (set(["one"]), set(["one", "two"]));
    assert_eq!(
        missing(&both, &one, &both),
        ["tests/kernels/src/kernels/two.rs"]
    );
    assert_eq!(missing(&both, &both, &one), ["benches/cuda/two.cu"]);
    assert_eq!(missing(&one, &both, &one), ["kernels-gpu/src/two.rs"]);
    assert_eq!(missing(&one, &one, &both), ["kernels-gpu/src/two.rs"]);
}
