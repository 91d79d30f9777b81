//! What the compiler says of wrappers on architectures without their instruction.

use std::collections::{BTreeMap, BTreeSet};

use libtest_mimic::{Failed, Trial};
use ptx_builder::{Arch, Assemble, Error, PtxBuilder};

use super::SUPPORT;

/// Groups of forms, by the feature of `tests-forms`, and the architectures that an error names.
const GROUPS: &[(&str, &str)] = &[
    ("sm_80", ""),
    ("sm_90", ""),
    (
        "sm_90a",
        "sm_90a, sm_100a, sm_103a, sm_110a, sm_120a, sm_121a or one of their families",
    ),
    ("sm_100", "sm_100"),
    (
        "sm_100a",
        "sm_100a, sm_103a, sm_110a or one of their families",
    ),
    (
        "sm_100a_or_sm_120a",
        "sm_100a, sm_103a, sm_110a, sm_120a, sm_121a or one of their families",
    ),
    ("sm_103a", "sm_103a"),
];

/// The groups that an architecture lacks.
const LACKING: &[(Arch, &[&str])] = &[
    (
        Arch::Sm90,
        &[
            "sm_90a",
            "sm_100",
            "sm_100a",
            "sm_100a_or_sm_120a",
            "sm_103a",
        ],
    ),
    (
        Arch::Sm90a,
        &["sm_100", "sm_100a", "sm_100a_or_sm_120a", "sm_103a"],
    ),
    (Arch::Sm100a, &["sm_103a"]),
    (
        Arch::Sm120,
        &["sm_90a", "sm_100a", "sm_100a_or_sm_120a", "sm_103a"],
    ),
    (Arch::Sm120a, &["sm_100a", "sm_103a"]),
];

pub(super) fn trials() -> Vec<Trial> {
    let trials = LACKING.iter().flat_map(|(arch, lacking)| {
        let refused = move || is_refused(*arch, lacking);
        let compiled = move || is_compiled(*arch, lacking);
        [
            Trial::test(format!("refused/{arch}"), refused),
            Trial::test(format!("compiled/{arch}"), compiled),
        ]
    });
    trials.collect()
}

fn builder(arch: Arch) -> PtxBuilder {
    PtxBuilder::new("forms")
        .arch(arch)
        .assemble(Assemble::Never)
}

/// The probes of a group.
fn probes(group: &str) -> usize {
    let forms = SUPPORT.iter().filter(|support| support.spelled.is_none());
    let probes = forms.filter(|support| support.form.architecture() == group);
    probes
        .map(|support| &support.probe)
        .collect::<BTreeSet<_>>()
        .len()
}

/// Each probe of these groups is an error, at its place, that names the architectures which have it.
fn is_refused(arch: Arch, lacking: &[&str]) -> Result<(), Failed> {
    let builder = lacking
        .iter()
        .fold(builder(arch), |builder, group| builder.feature(*group));
    let Err(Error::Compile { diagnostics, .. }) = builder.build() else {
        return Err(format!("{arch} compiles what it lacks").into());
    };
    // The last group that an error at a place names: a value may need more than its field. Of two
    // errors the second one has the place.
    let mut places: BTreeMap<u32, usize> = BTreeMap::new();
    let mut without_place = None;
    let mut wrong = Vec::new();
    let errors = diagnostics
        .split("error[E0080]: evaluation panicked: `tma::ptx::")
        .skip(1);
    for error in errors {
        let message = error.lines().next().unwrap_or_default();
        let named = message.split_once("` needs ").map(|(_, named)| named);
        let group = GROUPS.iter().position(|(_, names)| named == Some(names));
        let line = error.split_once("/probes.rs:").map(|(_, rest)| rest);
        let line = line.and_then(|rest| rest.split(':').next()?.parse().ok());
        match (group, line) {
            (Some(group), Some(line)) => {
                places.insert(line, without_place.take().unwrap_or(group).max(group));
            }
            (Some(group), None) if without_place.is_none() => without_place = Some(group),
            _ => wrong.push(format!("`{message}`, place {line:?}")),
        }
    }
    if without_place.is_some() {
        wrong.push("the last error has no place".to_owned());
    }
    for (index, (group, _)) in GROUPS.iter().enumerate() {
        let errors = places.values().filter(|last| **last == index).count();
        let probes = if lacking.contains(group) {
            probes(group)
        } else {
            0
        };
        if errors != probes {
            wrong.push(format!("{group}: {errors} errors for {probes} probes"));
        }
    }
    println!("{arch}: the compiler refuses {} probes", places.len());
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(wrong.join("\n").into())
    }
}

/// The others compile. The lint may say that some need a higher version of PTX ISA.
fn is_compiled(arch: Arch, lacking: &[&str]) -> Result<(), Failed> {
    let groups = GROUPS.iter().map(|(group, _)| *group);
    let groups = groups.filter(|group| !lacking.contains(group));
    match groups.fold(builder(arch), PtxBuilder::feature).build() {
        Ok(_) | Err(Error::Lint { .. }) => Ok(()),
        Err(error) => Err(error.to_string().into()),
    }
}
