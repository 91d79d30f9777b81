//! PTX of other compilers: it is decoded, or refused by name.

use std::{collections::BTreeSet, fs, path::Path};

use tma_emulator::EmulatorBackend;
use tma_launch::{Job, Launch, Ptx};

/// Returns the reason why the kernel cannot be decoded, if any; the launch itself does not fit.
fn refusal(name: &str, text: &str, entry: &str) -> Option<String> {
    let mut job = Job::new(Ptx { name, text });
    job.launch(Launch::new(entry, 0, 0));
    let failure = EmulatorBackend::new(0)
        .run(&mut job)
        .expect_err("no block can be launched");
    let is_refusal = failure.error_name.as_deref() == Some("UNSUPPORTED");
    assert!(
        is_refusal || failure.stage == tma_launch::Stage::Check,
        "{name}: {entry}: {failure}"
    );
    is_refusal.then_some(failure.what)
}

#[test]
fn kernels_of_other_compilers_are_decoded_or_refused_by_name() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/ptx");
    let (mut decoded, mut refused) = (0, Vec::new());
    for folder in ["hand", "nvcc", "rustc"] {
        for file in fs::read_dir(root.join(folder)).unwrap() {
            let path = file.unwrap().path();
            let text = fs::read_to_string(&path).unwrap();
            let name = path.file_name().unwrap().to_str().unwrap();
            let module = ptx::parse(&text).unwrap();
            for entry in module.entries().filter(|entry| entry.body.is_some()) {
                match refusal(name, &text, entry.name.as_str()) {
                    None => decoded += 1,
                    Some(what) => refused.extend(what.lines().map(str::to_owned)),
                }
            }
        }
    }
    println!(
        "{decoded} kernels decoded; refused:\n{}",
        refused.join("\n")
    );
    assert!(decoded >= 54, "{decoded}");
    let names = refused.iter().filter_map(|line| line.split('`').nth(1));
    let names: BTreeSet<&str> = names.collect();
    // References to textures and surfaces, and video.
    let known = [
        "sust.b.2d.b32.trap",
        "tex.2d.v4.f32.f32",
        "vadd.s32.s32.s32",
    ];
    assert_eq!(names.into_iter().collect::<Vec<_>>(), known);
}
