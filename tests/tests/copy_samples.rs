//! The emulator against copies that an H100 made, where there is no GPU.
//!
//! `data/copies-h100.z` is what `copy-differential --record` wrote on it.

use std::{fs, path::Path};

use emulator::EmulatorBackend;
use libtest_mimic::{Arguments, Failed, Trial};
use tests::copies::{Batch, Case, record::Samples};

fn main() {
    let arguments = Arguments::from_args();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/copies-h100.z");
    let is_there = path.exists();
    if !is_there {
        println!(
            "skipped: {} was not recorded yet; `copy-differential --record` writes it on an H100",
            path.display()
        );
    }
    let test = move || {
        let bytes = fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        copies_are_those_of_the_hardware(&bytes)
    };
    let trial = Trial::test("copies_are_those_of_the_hardware", test);
    libtest_mimic::run(&arguments, vec![trial.with_ignored_flag(!is_there)]).exit();
}

fn copies_are_those_of_the_hardware(bytes: &[u8]) -> Result<(), Failed> {
    let Samples { origin, samples } = Samples::unpack(bytes)?;
    if !origin.starts_with("gpu: ") || samples.is_empty() {
        return Err(format!("{} samples of `{origin}`", samples.len()).into());
    }
    let mut different = Vec::new();
    for (batch, samples) in samples.chunks(200).enumerate() {
        let cases: Vec<Case> = samples.iter().map(|sample| sample.case.clone()).collect();
        let outputs = Batch::new(&cases).run(&mut EmulatorBackend::new(batch as u64))?;
        for (sample, output) in samples.iter().zip(outputs) {
            if output.digest() != sample.digest {
                different.push(&sample.case);
            }
        }
    }
    match different.first() {
        None => Ok(()),
        Some(first) => {
            let (count, all) = (different.len(), samples.len());
            Err(format!("{count} of {all} samples of {origin} differ, the first:\n{first}").into())
        }
    }
}
