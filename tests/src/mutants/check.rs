use std::{env, fs, path::PathBuf};

use super::{Caught, Operator, Tried, page, shown};
use crate::KERNELS;

/// Has every kernel its mutants, is every one caught or explained, in each way that there is?
///
/// # Errors
/// What is not so.
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
    // What the schedule does not show, and what it does.
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

/// Is `docs/mutation.md` about this run? Writes it when blessing.
///
/// # Errors
/// The first line that differs.
pub fn check_page(tried: &[Tried<'_>], bless: bool) -> Result<(), String> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../docs/mutation.md");
    let now = page(tried);
    if bless {
        return fs::write(&path, now).map_err(|error| format!("{}: {error}", path.display()));
    }
    let page = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let lines = page.lines().zip(now.lines()).enumerate();
    let mut lines = lines.map(|(index, (page, now))| (index + 1, page, now));
    match lines.find(|(_, page, now)| page != now) {
        Some((line, page, now)) => Err(format!(
            "docs/mutation.md:{line} differs; `cargo xtask bless` renews it\n  page: {page}\n  now:  {now}"
        )),
        None if page.len() != now.len() => Err("docs/mutation.md is longer or shorter".into()),
        None => Ok(()),
    }
}
