//! Every mutant of every kernel is caught, or is on the list of those that are no bugs; and the page
//! about them says so.

use std::{env, fs, path::PathBuf, thread::available_parallelism};

use libtest_mimic::{Arguments, Failed, Trial};
use tests::{
    DEVICE_COMPILER, KERNELS, KERNELS_PTX,
    mutants::{self, Allowed, Caught, Operator, Plan, SEEDS, Subject, Tried},
};

fn main() {
    let arguments = Arguments::from_args();
    let same_compiler = DEVICE_COMPILER == ptx_builder::TRIED_VERSION.to_string();
    if !same_compiler {
        println!(
            "skipped: the list of survivors is for rustc {}, the kernels were compiled by {DEVICE_COMPILER}",
            ptx_builder::TRIED_VERSION
        );
    }
    let trial = Trial::test("nobody_gets_away", nobody_gets_away);
    let trials = vec![trial.with_ignored_flag(!same_compiler)];
    libtest_mimic::run(&arguments, trials).exit();
}

fn nobody_gets_away() -> Result<(), Failed> {
    let module = KERNELS_PTX.iter().find(|module| module.arch == "sm_90a");
    let module = module.ok_or("no module was built for sm_90a")?.ptx();
    let allowed = Allowed::load()?;
    let mut subjects = Vec::new();
    for kernel in KERNELS {
        subjects.extend(Subject::of_kernel(kernel, module)?);
    }
    let plan = Plan {
        seeds: SEEDS,
        threads: available_parallelism().map_or(1, |cores| cores.get()),
        only: None,
    };
    let tried = mutants::run(&subjects, &allowed, &plan, &|_| {})?;
    print!("{}", mutants::table(&tried));

    let free = tried
        .iter()
        .filter(|one| one.outcome.caught.is_none() && one.explanation.is_none());
    let free: Vec<String> = free.map(mutants::shown).collect();
    assert!(free.is_empty(), "{}", free.join("\n"));
    assert_eq!(allowed.stale(&tried), [""; 0], "tests/mutants/allowed.txt");

    for kernel in KERNELS {
        let of = tried.iter().filter(|one| one.subject.kernel == kernel.name);
        assert!(of.count() >= 15, "{} has too few mutants", kernel.name);
    }
    let by = |operator, caught| {
        let by =
            |one: &Tried<'_>| one.mutant.operator == operator && one.outcome.caught == Some(caught);
        tried.iter().any(by)
    };
    // What the schedule does not show, and what it does.
    assert!(by(Operator::Delete, Caught::Checker));
    assert!(by(Operator::MoreBytes, Caught::Fault));
    assert!(by(Operator::NoBytes, Caught::Data));
    is_page(&tried)
}

/// `docs/mutation.md` is about this run.
fn is_page(tried: &[Tried<'_>]) -> Result<(), Failed> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../docs/mutation.md");
    let now = mutants::page(tried);
    if env::var_os("BLESS").is_some() {
        fs::write(&path, now)?;
        return Ok(());
    }
    let page = fs::read_to_string(&path)?;
    let lines = page.lines().zip(now.lines()).enumerate();
    let different = lines
        .map(|(index, (page, now))| (index + 1, page, now))
        .find(|(_, page, now)| page != now);
    match different {
        Some((line, page, now)) => Err(format!(
            "docs/mutation.md:{line} differs; `cargo xtask bless` renews it\n  page: {page}\n  now:  {now}"
        )
        .into()),
        None if page.len() != now.len() => Err("docs/mutation.md is longer or shorter".into()),
        None => Ok(()),
    }
}
