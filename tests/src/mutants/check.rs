use std::path::Path;

use super::{Caught, Operator, Tried, page, shown};
use crate::{KERNELS, golden};

/// Checks that every kernel has its mutants, and that every one is caught or explained, in each way that there is.
///
/// # Errors
/// The mutants that survived without an explanation, or the kernel with too few.
pub fn check(tried: &[Tried<'_>]) -> Result<(), String> {
    let free = tried
        .iter()
        .filter(|one| one.outcome.caught.is_none() && one.explanation.is_none());
    let free: Vec<String> = free.map(shown).collect();
    if !free.is_empty() {
        return Err(free.join("\n"));
    }
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

/// Checks that `docs/mutation.md` is about this run. Writes it when blessing.
///
/// # Errors
/// The lines that differ.
pub fn check_page(tried: &[Tried<'_>], bless: bool) -> Result<(), String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/mutation.md");
    golden::check_or_bless(&path, &page(tried), bless)
}
