//! Random copies on the emulator against what must come out by the definition.

use emulator::EmulatorBackend;
use launch::{Argument, Backend};
use tests::copies::{
    Action, Batch, Case, Contents, LinearCopy, Output, Transfer, generate::draw, linear_forms,
    reference::expected,
};

/// What the emulator makes of cases.
fn emulated(cases: &[Case], seed: u64) -> Vec<Output> {
    let outputs = Batch::new(cases).run(&mut EmulatorBackend::new(seed));
    outputs.unwrap_or_else(|failure| panic!("{failure}"))
}

#[test]
fn the_emulator_copies_as_the_definition_says() {
    const CASES: u64 = 4000;
    let mut with_reference = 0;
    for batch in 0..CASES / 200 {
        let cases: Vec<Case> = (batch * 200..(batch + 1) * 200)
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

/// A load of all of 64 bytes, whose barrier expects so many.
fn load_expecting(bytes: u32) -> Result<Output, String> {
    const EXPECTED: usize = 8;
    let case = Case {
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

#[test]
fn a_wrong_byte_count_is_told() {
    let right = load_expecting(64).expect("it is right");
    assert!(right.ended && right.is_zero);
    let says = |bytes: u32, words: &str| {
        let said = load_expecting(bytes).expect_err("it is wrong");
        assert!(said.contains(words), "{said}");
    };
    says(80, "64 of 80 expected bytes came, 16 bytes are missing");
    says(48, "64 of 48 expected bytes came, 16 bytes are too many");
}

#[test]
fn one_bit_is_a_difference() {
    let output = load_expecting(64).expect("it is right");
    let mut other = output.clone();
    other.shared[17] ^= 1;
    let difference = other.difference(&output).expect("a bit differs");
    assert!(difference.starts_with("1 bytes of shared memory differ, the first at 17;"));
    assert_ne!(other.digest(), output.digest());
}

#[test]
fn the_checker_finds_nothing_in_the_kernels() {
    let cases: Vec<Case> = (0..150).map(|number| draw(12, number, &[]).case).collect();
    let mut job = Batch::new(&cases).job().clone();
    let verdict = EmulatorBackend::new(5).check(&mut job);
    let verdict = verdict.unwrap_or_else(|failure| panic!("{failure}"));
    assert!(verdict.is_clean(), "{verdict:?}");
}
