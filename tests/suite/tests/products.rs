//! Products of matrices on the emulator, compared with plain rules: each form, on tiles of each class.
//! `mma-differential` compares a GPU.

use tests::{
    is_complete_run,
    products::{Descriptors, Tiles, all, layouts},
};

/// Forms without rules: double precision with another rounding than nearest even.
fn is_left_out(name: &str) -> bool {
    let words = [".rn.", ".rz.", ".rm.", ".rp."];
    name.contains("f64") && words.iter().any(|word| name.contains(word))
}

#[test]
fn every_executed_form_gives_what_the_rules_say() {
    let (mut compared, mut refused, mut left_out) = (0, 0, 0);
    let one_of = if is_complete_run() { 1 } else { 4 };
    for form in all().into_iter().step_by(one_of) {
        let name = form.name();
        let tiles = Tiles::new(&form, 1, 1);
        if let Some(why) = tiles.refusal() {
            assert!(
                why.contains("that the emulator cannot execute"),
                "{name}: {why}"
            );
            assert!(name.starts_with("mma.sp"), "{name}");
            refused += 1;
            continue;
        }
        let Some(expected) = tiles.expected() else {
            assert!(is_left_out(&name), "{name}");
            left_out += 1;
            continue;
        };
        let tally = tiles.compare(&tiles.emulated(), &expected);
        assert_eq!(
            tally.differing, 0,
            "{name}: {:?} of {}",
            tally.first, tally.results
        );
        compared += 1;
    }
    println!("{compared} forms compared, {refused} refused, {left_out} without rules");
    assert!(
        compared * one_of > 300 && left_out * one_of >= 16,
        "{compared} and {left_out}"
    );
}

#[test]
fn matrices_of_a_warpgroup_are_read_where_the_rules_say() {
    let mut compared = 0;
    for layout in layouts() {
        let descriptors = Descriptors::new(&layout, 1, 1);
        let tally = descriptors.compare(&descriptors.emulated(), &descriptors.expected());
        assert_eq!(
            tally.differing,
            0,
            "{}: {:?} of {}",
            layout.name(),
            tally.first,
            tally.results
        );
        compared += 1;
    }
    // Dense and sparse forms: halves in both orders, A in shared memory or in registers; two types in one order.
    assert_eq!(compared, 2 * 4 * ((2 + 2 + 2) + 2 * (1 + 1 + 1)));
}

#[test]
fn another_bit_is_found() {
    let form = all()
        .into_iter()
        .find(|form| form.name().contains("m16n8k16.row.col.f32.f16"));
    let form = form.expect("there is one");
    let tiles = Tiles::new(&form, 1, 1);
    let expected = tiles.expected().expect("there are rules");
    let mut other = expected.clone();
    other[77] ^= 1;
    let tally = tiles.compare(&other, &expected);
    assert_eq!((tally.differing, tally.results), (1, 1280));
    assert!(
        tally
            .first
            .is_some_and(|first| first.starts_with("tile 0 of class 0"))
    );
}
