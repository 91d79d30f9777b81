//! The compiler's errors for wrappers on architectures without their instruction.

use std::collections::{BTreeMap, BTreeSet};

use libtest_mimic::{Failed, Trial};
use ptx_isa::{Form, Targets};
use tests::{is_complete_run, is_long};
use tma_build::{Arch, Assemble, Error, PtxBuilder, PtxIsa};

use super::SUPPORT;

/// Some architectures that lack forms, and the ones that are tried without `--long`.
const ARCHS: [(Arch, bool); 5] = [
    (Arch::Sm90a, true),
    (Arch::Sm120a, true),
    (Arch::Sm90, false),
    (Arch::Sm100a, false),
    (Arch::Sm120, false),
];

/// Some that lack forms after PTX ISA 9.0.
const ARCHS_OF_LATER: [(Arch, bool); 2] = [(Arch::Sm103a, true), (Arch::Sm90, false)];

/// Returns the sets of targets that forms with a wrapper have, in the order of [`Targets`]; each is a feature of
/// `tests-forms`. `lacking` selects the ones that an architecture lacks, or the others.
fn groups(arch: Arch, are_later: bool, lacking: bool) -> BTreeSet<Targets> {
    let forms = SUPPORT.iter().map(|support| &support.form);
    let groups = forms
        .filter(|form| form.is_later() == are_later)
        .map(Form::targets);
    groups
        .filter(|targets| targets.has(arch.name()) != lacking)
        .collect()
}

pub(super) fn trials() -> Vec<Trial> {
    let archs = ARCHS.map(|arch| (arch, false, ""));
    let later = ARCHS_OF_LATER.map(|arch| (arch, true, "/later"));
    let archs = archs.into_iter().chain(later);
    let trials = archs.flat_map(|((arch, always), are_later, suffix)| {
        let refused = move || is_refused(arch, are_later);
        let compiled = move || is_compiled(arch, are_later);
        [
            Trial::test(format!("refused/{arch}{suffix}"), refused),
            Trial::test(format!("compiled/{arch}{suffix}"), compiled),
        ]
        .map(|trial| {
            trial.with_ignored_flag(!(is_complete_run() && always || is_long(arch.name())))
        })
    });
    trials.collect()
}

/// The forms up to PTX ISA 9.0, or the ones after it.
fn builder(arch: Arch, are_later: bool) -> PtxBuilder {
    let builder = PtxBuilder::new("../gpu/forms")
        .arch(arch)
        // The version of the other modules for these architectures, for which `tma` is compiled.
        .ptx_isa(PtxIsa::new(9, 0))
        .assemble(Assemble::Never);
    match are_later {
        true => builder.feature("later"),
        false => builder,
    }
}

/// The form kernels of a group.
fn form_kernels(group: Targets, are_later: bool) -> usize {
    let calls = ptx_isa::calls().filter(|(_, form)| form.targets() == group);
    calls
        .filter(|(_, form)| form.is_later() == are_later)
        .count()
}

/// Each form kernel of these groups is an error, at its location, that names the architectures which have
/// it.
fn is_refused(arch: Arch, are_later: bool) -> Result<(), Failed> {
    let lacking = groups(arch, are_later, true);
    let features = lacking.iter().map(|group| group.name());
    let builder = features.fold(builder(arch, are_later), PtxBuilder::feature);
    let Err(Error::Compile { diagnostics, .. }) = builder.build() else {
        return Err(format!("{arch} compiles an instruction that it lacks").into());
    };
    // The last group that an error at a location names: a value may need more than its field. Of
    // two errors the second one has the location.
    let mut locations: BTreeMap<u32, Targets> = BTreeMap::new();
    let mut without_location = None;
    let mut wrong = Vec::new();
    let errors = diagnostics
        .split("error[E0080]: evaluation panicked: `tma::ptx::")
        .skip(1);
    for error in errors {
        let message = error.lines().next().unwrap_or_default();
        let named = message.split_once("` needs ").map(|(_, named)| named);
        let group = Targets::ALL
            .into_iter()
            .find(|group| named == Some(&*group.to_string()));
        let line = error.split_once("/kernels.rs:").map(|(_, rest)| rest);
        let line = line.and_then(|rest| rest.split(':').next()?.parse().ok());
        match (group, line) {
            (Some(group), Some(line)) => {
                locations.insert(line, without_location.take().unwrap_or(group).max(group));
            }
            (Some(group), None) if without_location.is_none() => without_location = Some(group),
            _ => wrong.push(format!("`{message}`, location {line:?}")),
        }
    }
    if without_location.is_some() {
        wrong.push("the last error has no location".to_owned());
    }
    for group in Targets::ALL {
        let errors = locations.values().filter(|last| **last == group).count();
        let kernels = if lacking.contains(&group) {
            form_kernels(group, are_later)
        } else {
            0
        };
        if errors != kernels {
            let name = group.name();
            wrong.push(format!(
                "{name}: {errors} errors for {kernels} form kernels"
            ));
        }
    }
    println!(
        "{arch}: the compiler refuses {} form kernels",
        locations.len()
    );
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(wrong.join("\n").into())
    }
}

/// Checks that the others compile. The lint may report that some need a higher version of PTX ISA.
fn is_compiled(arch: Arch, are_later: bool) -> Result<(), Failed> {
    let groups = groups(arch, are_later, false)
        .into_iter()
        .map(Targets::name);
    match groups
        .fold(builder(arch, are_later), PtxBuilder::feature)
        .build()
    {
        Ok(_) | Err(Error::Lint { .. }) => Ok(()),
        Err(error) => Err(error.to_string().into()),
    }
}
