//! Random copies on the emulator, compared with the definition and with the results of
//! an H200.
//!
//! `copy-differential --record` wrote `tests/data/copies-h200.z` on the H200.

use std::{fs, path::Path};

use libtest_mimic::{Arguments, Failed, Trial};
use tests::copies::{
    Action, Batch, Contents, CopyCase, LinearCopy, Output, Transfer, generate::draw, linear_forms,
    record::Samples, reference::expected, text,
};
use tma_build::{Arch, Ptxas};
use tma_emulator::EmulatorBackend;
use tma_launch::Argument;

const SAMPLES: &str = "../data/copies-h200.z";

fn main() {
    let arguments = Arguments::from_args();
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join(SAMPLES);
    let ptxas = Ptxas::find();
    if ptxas.is_none() {
        println!("skipped: no ptxas was found; `cargo xtask setup --cuda` installs it");
    }
    let can_assemble = ptxas.is_some();
    let always: [(&str, fn()); 4] = [
        (
            "the_emulator_copies_as_the_definition_says",
            the_emulator_copies_as_the_definition_says,
        ),
        ("a_wrong_byte_count_is_told", a_wrong_byte_count_is_told),
        ("one_bit_is_a_difference", one_bit_is_a_difference),
        (
            "the_checker_finds_nothing_in_the_kernels",
            the_checker_finds_nothing_in_the_kernels,
        ),
    ];
    let always = always.into_iter().map(|(name, test)| {
        Trial::test(name, move || {
            test();
            Ok(())
        })
    });
    let mut trials: Vec<Trial> = always.collect();
    let replay = move || {
        let bytes = fs::read(&samples).map_err(|error| format!("tests/{SAMPLES}: {error}"))?;
        copies_are_those_of_the_hardware(&bytes)
    };
    let replay = Trial::test("copies_are_those_of_the_hardware", replay);
    trials.push(replay);
    let assemble = move || ptxas.map_or(Ok(()), |ptxas| the_kernels_assemble(&ptxas));
    let assemble = Trial::test("the_kernels_assemble", assemble);
    trials.push(assemble.with_ignored_flag(!can_assemble));
    libtest_mimic::run(&arguments, trials).exit();
}

fn the_kernels_assemble(ptxas: &Ptxas) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("copies.ptx");
    fs::write(&path, text())?;
    for arch in [Arch::Sm90, Arch::Sm90a] {
        ptxas.assemble(&path, arch, &folder.path().join("copies.cubin"))?;
    }
    Ok(())
}

/// The outputs of cases on the emulator.
fn emulated(cases: &[CopyCase], seed: u64) -> Vec<Output> {
    let outputs = Batch::new(cases).run(|job| EmulatorBackend::new(seed).run(job));
    outputs.unwrap_or_else(|failure| panic!("{failure}"))
}

fn the_emulator_copies_as_the_definition_says() {
    const CASES: u64 = 4000;
    let mut with_reference = 0;
    for batch in 0..CASES / 200 {
        let cases: Vec<CopyCase> = (batch * 200..(batch + 1) * 200)
            .map(|number| draw(11, number, &[]).case)
            .collect();
        for ((number, case), output) in (batch * 200..).zip(&cases).zip(emulated(&cases, batch)) {
            assert!(output.ended && output.is_zero, "case {number}\n{case}");
            if let Some(expected) = expected(case) {
                with_reference += 1;
                let difference = output.difference(&expected);
                assert_eq!(difference, None, "case {number}\n{case}");
            }
        }
    }
    assert!(with_reference > CASES / 2, "{with_reference}");
}

/// A load of all of 64 bytes, whose barrier expects this many.
fn load_expecting(bytes: u32) -> Result<Output, String> {
    const EXPECTED: usize = 8;
    let case = CopyCase {
        transfer: Transfer::Linear(LinearCopy {
            form: 0,
            bytes: 64,
            to: 0,
        }),
        shared_bytes: 96,
        shared_at: 16,
        global_bytes: 96,
        global_at: 32,
        contents: Contents::Bits,
        seed: 1,
    };
    assert_eq!(linear_forms()[0].action, Action::Load);
    let cases = [case];
    let batch = Batch::new(&cases);
    let mut job = batch.job().clone();
    let expects = &mut job.launches[0].arguments[EXPECTED];
    assert_eq!(*expects, Argument::Scalar(64_u32.into()));
    *expects = Argument::Scalar(bytes.into());
    let run = EmulatorBackend::new(3).run(&mut job);
    run.map_err(|failure| failure.to_string())?;
    let output = batch.outputs(&job).remove(0);
    let expected = expected(&cases[0]).expect("it is plain");
    assert_eq!(output.difference(&expected), None);
    Ok(output)
}

fn a_wrong_byte_count_is_told() {
    let right = load_expecting(64).expect("it is right");
    assert!(right.ended && right.is_zero);
    let refuses = |bytes: u32, words: &str| {
        let message = load_expecting(bytes).expect_err("it is wrong");
        assert!(message.contains(words), "{message}");
    };
    refuses(80, "64 of 80 expected bytes came, 16 bytes are missing");
    refuses(48, "64 of 48 expected bytes came, 16 bytes are too many");
}

fn one_bit_is_a_difference() {
    let output = load_expecting(64).expect("it is right");
    let mut other = output.clone();
    other.shared[17] ^= 1;
    let difference = other.difference(&output).expect("a bit differs");
    assert!(difference.starts_with("1 bytes of shared memory differ, the first at 17;"));
    assert_ne!(other.digest(), output.digest());
}

fn the_checker_finds_nothing_in_the_kernels() {
    let cases: Vec<CopyCase> = (0..150).map(|number| draw(12, number, &[]).case).collect();
    let mut job = Batch::new(&cases).job().clone();
    let verdict = EmulatorBackend::new(5).check(&mut job);
    let verdict = verdict.unwrap_or_else(|failure| panic!("{failure}"));
    assert!(verdict.is_clean(), "{verdict:?}");
}

fn copies_are_those_of_the_hardware(bytes: &[u8]) -> Result<(), Failed> {
    let samples = Samples::unpack(bytes)?;
    let (origin, all) = (&samples.origin, samples.samples.len());
    if !origin.device.starts_with("gpu: ") || all == 0 {
        return Err(format!("{all} samples of `{origin}`").into());
    }
    let different = samples.differing()?;
    match different.first() {
        None => Ok(()),
        Some(first) => {
            let (count, first) = (different.len(), &first.case);
            Err(format!("{count} of {all} samples of {origin} differ, the first:\n{first}").into())
        }
    }
}
