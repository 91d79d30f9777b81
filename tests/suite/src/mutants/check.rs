use std::{
    fs,
    path::{Path, PathBuf},
};

use super::{Caught, Operator, Subject, Tried, page, shown};
use crate::{KERNELS, golden};

/// Checks that every kernel has its mutants, and that every one is caught or explained, for each operator.
///
/// # Errors
/// Mutants survived without an explanation, or a kernel has too few.
pub fn check(tried: &[Tried<'_>]) -> Result<(), String> {
    check_survivors(tried)?;
    for kernel in KERNELS {
        let of = tried.iter().filter(|one| one.subject.kernel == kernel.name);
        if of.count() < 15 {
            return Err(format!("{} has too few mutants", kernel.name));
        }
    }
    // Mutants that only the checker notices, and others that the run itself shows.
    for (operator, caught) in [
        (Operator::Delete, Caught::Checker),
        (Operator::MoreBytes, Caught::Fault),
        (Operator::NoBytes, Caught::Data),
    ] {
        let by =
            |one: &Tried<'_>| one.mutant.operator == operator && one.outcome.caught == Some(caught);
        if !tried.iter().any(by) {
            return Err(format!("no mutant by {operator:?} is caught by {caught:?}"));
        }
    }
    Ok(())
}

/// Checks that every mutant that was tried is caught or explained.
///
/// # Errors
/// The mutants that survived without an explanation.
pub fn check_survivors(tried: &[Tried<'_>]) -> Result<(), String> {
    let free = tried
        .iter()
        .filter(|one| one.outcome.caught.is_none() && one.explanation.is_none());
    let free: Vec<String> = free.map(shown).collect();
    if free.is_empty() {
        Ok(())
    } else {
        Err(free.join("\n"))
    }
}

/// Checks that `docs/mutation.md` has the right number of mutants of each kernel.
///
/// # Errors
/// A kernel has another number there.
pub fn check_counts(subjects: &[Subject]) -> Result<(), String> {
    let at = page_path();
    let page = fs::read_to_string(&at).map_err(|error| format!("{}: {error}", at.display()))?;
    for kernel in KERNELS {
        let of = subjects
            .iter()
            .filter(|subject| subject.kernel == kernel.name);
        let count: usize = of.map(|subject| subject.mutants.len()).sum();
        let name = kernel.name;
        if !page.contains(&format!("| `{name}` | {count} |")) {
            return Err(format!(
                "{} is about other kernels: `{name}` has {count} mutants; run `cargo xtask mutate --bless`",
                at.display()
            ));
        }
    }
    Ok(())
}

/// Checks that `docs/mutation.md` is about this run. Writes it when blessing.
///
/// # Errors
/// The lines that differ.
pub fn check_page(tried: &[Tried<'_>], bless: bool) -> Result<(), String> {
    golden::check_or_bless(&page_path(), &page(tried), bless)
}

fn page_path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/mutation.md")
}
