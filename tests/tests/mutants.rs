//! Every mutant of every kernel is caught, or is on the list of those that are no bugs.
//!
//! One schedule is tried here; `cargo xtask mutate` tries more, and shows what became of each.

use std::thread::available_parallelism;

use tests::{
    KERNELS, KERNELS_PTX,
    mutants::{self, Allowed, Caught, Operator, Plan, Subject},
};

#[test]
#[ignore = "not every survivor is explained yet: `cargo xtask mutate` lists them"]
fn nobody_gets_away() {
    let module = KERNELS_PTX.iter().find(|module| module.arch == "sm_90a");
    let module = module.expect("it is built").ptx();
    let allowed = Allowed::load().unwrap_or_else(|error| panic!("the list: {error}"));
    let subjects = KERNELS.iter().flat_map(|kernel| {
        Subject::of_kernel(kernel, module).unwrap_or_else(|error| panic!("{error}"))
    });
    let subjects: Vec<Subject> = subjects.collect();
    let plan = Plan {
        seeds: 1..2,
        threads: available_parallelism().map_or(1, |cores| cores.get()),
        only: None,
    };
    let tried = mutants::run(&subjects, &allowed, &plan, &|_| {});
    let tried = tried.unwrap_or_else(|error| panic!("{error}"));
    print!("{}", mutants::table(&tried));

    let free = tried
        .iter()
        .filter(|one| one.outcome.caught.is_none() && one.explanation.is_none());
    let free: Vec<String> = free.map(mutants::shown).collect();
    assert!(free.is_empty(), "{}", free.join("\n"));
    assert_eq!(allowed.stale(&tried), [""; 0], "tests/mutants/allowed.txt");

    for kernel in KERNELS {
        let of = tried.iter().filter(|one| one.subject.kernel == kernel.name);
        assert!(of.count() >= 20, "{} has too few mutants", kernel.name);
    }
    let by = |operator, caught| {
        let by = |one: &mutants::Tried<'_>| {
            one.mutant.operator == operator && one.outcome.caught == Some(caught)
        };
        tried.iter().any(by)
    };
    // What the schedule does not show, and what it does.
    assert!(by(Operator::Delete, Caught::Checker));
    assert!(by(Operator::MoreBytes, Caught::Fault));
    assert!(by(Operator::NoBytes, Caught::Data));
}
