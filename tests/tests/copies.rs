//! Random copies on the emulator against what must come out by the definition.

use emulator::EmulatorBackend;
use tests::copies::{Action, Batch, Case, Output, Transfer, generate::draw, reference::expected};

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

#[test]
fn a_wrong_byte_count_is_a_result() {
    let is_load = |case: &Case| matches!(&case.transfer, Transfer::Linear(copy) if copy.form == 0);
    let mut cases = (0..).map(|number| draw(1, number, &[]).case);
    let mut case = cases.find(is_load).expect("there are loads");
    let Transfer::Linear(copy) = &mut case.transfer else {
        panic!("it is a linear copy");
    };
    assert_eq!(
        tests::copies::linear_forms()[copy.form].action,
        Action::Load
    );
    let right = emulated(&[case.clone()], 0);
    assert!(right[0].ended && right[0].is_zero);
    assert_eq!(
        right[0].difference(&expected(&case).expect("it is plain")),
        None
    );
    let mut other = right[0].clone();
    other.shared[17] ^= 1;
    let difference = other.difference(&right[0]).expect("a bit differs");
    assert!(difference.starts_with("1 bytes of shared memory differ, the first at 17;"));
    assert_ne!(other.digest(), right[0].digest());
}
