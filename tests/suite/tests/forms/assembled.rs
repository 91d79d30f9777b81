//! ptxas accepts or refuses every form: for each target that it knows, at the lowest version, and at
//! the version before.

use std::{
    collections::{BTreeSet, HashMap},
    fs,
    process::Command,
    sync::{Arc, LazyLock},
};

use libtest_mimic::{Failed, Trial};
use ptx_isa::{Form, Version};
use tests::{is_complete_run, is_long};
use tests_records::plain::drop_loc_lines;
use tma_build::Ptxas;

use super::{SUPPORT, function};

/// Spellings that the ptxas of CUDA 13.0 refuses, though later ones accept them.
const REFUSED_SPELLINGS: &[&str] = &["membar.proxy.async"];

/// Forms that the ptxas of CUDA 13.0 accepts for sm_80 and at earlier versions, though later ones refuse
/// them.
const TAKEN_EARLY: &[&str] = &[
    "fence.acquire.cta",
    "fence.acquire.gpu",
    "fence.acquire.sys",
    "fence.release.cta",
    "fence.release.gpu",
    "fence.release.sys",
];

/// Forms that it only accepts at earlier versions.
const TAKEN_AT_8_5: &[&str] = &["fence.acquire.cluster", "fence.release.cluster"];

/// ptxas crashes on these for sm_80 if the state does not come from an arrival, as in a form kernel.
const DIES_ON_SM_80: &[&str] = &[
    "mbarrier.test_wait.acquire.cta.b64 p, [d], d",
    "mbarrier.test_wait.acquire.cta.shared::cta.b64 p, [r], d",
];

/// The ptxas of CUDA 13.5 fails with an internal compiler error (C7907) where the operands of these are parameters of the
/// kernel, as in a form kernel; it assembles them with values from memory.
const DIES_ON_PARAMETERS: &[&str] = &[
    "cvt.rn.satfinite.relu.scaled::n2::ue8m0.s2f6x2.f32 h, r, r, h",
    "cvt.rn.satfinite.scaled::n2::ue8m0.s2f6x2.f32 h, r, r, h",
];

/// Every target from sm_80 on, and the first version of PTX ISA that has it.
const TARGETS: &[(&str, Version)] = &[
    ("sm_80", Version::new(7, 0)),
    ("sm_90", Version::new(7, 8)),
    ("sm_90a", Version::new(8, 0)),
    ("sm_100", Version::new(8, 6)),
    ("sm_100a", Version::new(8, 6)),
    ("sm_100f", Version::new(8, 8)),
    ("sm_103", Version::new(8, 8)),
    ("sm_103a", Version::new(8, 8)),
    ("sm_103f", Version::new(8, 8)),
    ("sm_107", Version::new(9, 4)),
    ("sm_107a", Version::new(9, 4)),
    ("sm_107f", Version::new(9, 4)),
    ("sm_110", Version::new(9, 0)),
    ("sm_110a", Version::new(9, 0)),
    ("sm_110f", Version::new(9, 0)),
    ("sm_120", Version::new(8, 7)),
    ("sm_120a", Version::new(8, 7)),
    ("sm_120f", Version::new(8, 8)),
    ("sm_121", Version::new(8, 8)),
    ("sm_121a", Version::new(8, 8)),
    ("sm_121f", Version::new(8, 8)),
];

/// The targets of the devices for which the kernels are compiled; `--long` adds the others.
const ALWAYS: &[&str] = &["sm_90", "sm_90a", "sm_100a", "sm_120a"];

/// The last minor version of each major one.
const VERSIONS: [Version; 3] = [Version::new(7, 8), Version::new(8, 8), Version::new(9, 5)];

/// The number of lines before the kernels.
const HEAD_LINES: usize = 3;

/// The registers of examples.
const REGISTERS: &str = ".reg .pred %p<4>; .reg .b8 %b<4>; .reg .b16 %h<12>; .reg .b32 %r<160>; \
                         .reg .b64 %rd<32>;";

type Test = fn(&Ptxas, Version, &'static str) -> Result<(), Failed>;

/// Returns a test for each target, and for each version.
pub(super) fn trials(ptxas: Option<Ptxas>) -> Vec<Trial> {
    let newest = ptxas.as_ref().and_then(newest);
    let ptxas = Arc::new(ptxas.zip(newest));
    let trial = |of: &'static str, test: Test, since: Version| {
        let is_known = newest.is_some_and(|newest| since <= newest);
        if newest.is_some() && !is_known {
            let later = ptx_isa::forms().filter(|form| form.isa() == since).count();
            println!(
                "skipped: {of}, the ptxas that was found does not know PTX ISA {since}: {later} forms"
            );
        }
        let ptxas = Arc::clone(&ptxas);
        let run = move || match ptxas.as_ref() {
            Some((ptxas, newest)) => test(ptxas, *newest, of),
            None => Ok(()),
        };
        let is_always = ALWAYS.contains(&of) || of.starts_with(char::is_numeric);
        let is_asked = is_complete_run() && is_always || is_long(of);
        Trial::test(format!("assembled/{of}"), run).with_ignored_flag(!is_known || !is_asked)
    };
    let targets = TARGETS.iter();
    let mut trials: Vec<Trial> = targets
        .map(|(target, since)| trial(target, for_target, *since))
        .collect();
    let versions: BTreeSet<Version> = ptx_isa::forms().map(|form| form.isa()).collect();
    for version in versions {
        let name = Box::leak(version.to_string().into_boxed_str());
        trials.push(trial(name, at_version, version));
    }
    trials
}

/// Returns the newest PTX version that this ptxas supports.
fn newest(ptxas: &Ptxas) -> Option<Version> {
    let oldest = ptx_isa::find("mbarrier.inval.b64 [d]")?;
    let before = |version: &Version| before(*version);
    let versions = std::iter::successors(VERSIONS.last().copied(), before);
    versions
        .take_while(|version| *version > Version::new(7, 0))
        .find(|version| complaints(ptxas, &[&oldest], "sm_80", *version).is_ok())
}

/// The version before.
fn before(Version { major, minor }: Version) -> Option<Version> {
    match minor {
        0 => VERSIONS.into_iter().find(|last| last.major + 1 == major),
        _ => Some(Version::new(major, minor - 1)),
    }
}

/// Returns whether this ptxas treats a form for a target as all others do.
fn is_sound(form: &Form, target: &str) -> bool {
    let is_early = target == "sm_80" && TAKEN_EARLY.contains(&form.text());
    !is_early && !REFUSED_SPELLINGS.contains(&form.text())
}

/// Checks that ptxas accepts the forms that the table has for the target, and refuses each other one.
fn for_target(ptxas: &Ptxas, newest: Version, target: &'static str) -> Result<(), Failed> {
    let all: Vec<Form> = ptx_isa::forms()
        .filter(|form| form.isa() <= newest)
        .collect();
    let sound = all.iter().filter(|form| is_sound(form, target));
    let (listed, others): (Vec<&Form>, Vec<&Form>) =
        sound.partition(|form| form.targets().has(target));
    let mut wrong: Vec<String> = complaints(ptxas, &listed, target, newest)?
        .into_iter()
        .map(|(form, report)| format!("{}: {report}", form.text()))
        .collect();
    let accepted = listed.len() - wrong.len();
    let refused = refused(ptxas, &others, target, newest, &mut wrong)?;
    println!(
        "{target}: {accepted} of {} forms accepted, {refused} of {} refused, {} not tried",
        listed.len(),
        others.len(),
        ptx_isa::forms().count() - listed.len() - others.len()
    );
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(wrong.join("\n").into())
    }
}

/// Checks that ptxas accepts the forms whose lowest version is this one in a module of this version, and refuses them
/// in one of the version before, if it has a target with the form.
fn at_version(ptxas: &Ptxas, _: Version, version: &'static str) -> Result<(), Failed> {
    let version = Version::parse(version).ok_or("no version")?;
    let forms: Vec<Form> = ptx_isa::forms()
        .filter(|form| form.isa() == version && !REFUSED_SPELLINGS.contains(&form.text()))
        .collect();
    // The forms whose first target in modules of this version is this one.
    let first_on = |target: &str, version: Version| {
        let first = |form: &Form| {
            let mut targets = TARGETS.iter().filter(|(_, since)| *since <= version);
            targets
                .find(|(target, _)| form.targets().has(target))
                .map(|(target, _)| *target)
        };
        let forms = forms.iter().filter(|form| first(form) == Some(target));
        forms.collect::<Vec<&Form>>()
    };
    let mut wrong = Vec::new();
    let (mut accepted, mut refused_before) = (0, 0);
    for (target, _) in TARGETS {
        let listed = first_on(target, version);
        let complaints = complaints(ptxas, &listed, target, version)?;
        accepted += listed.len() - complaints.len();
        let complaints = complaints.into_iter();
        wrong.extend(
            complaints.map(|(form, report)| format!("{target}: {}: {report}", form.text())),
        );
        let Some(before) = before(version).filter(|before| *before >= Version::new(7, 0)) else {
            continue;
        };
        let mut early = first_on(target, before);
        early.retain(|form| ![TAKEN_EARLY, TAKEN_AT_8_5].concat().contains(&form.text()));
        refused_before += refused(ptxas, &early, target, before, &mut wrong)?;
    }
    println!(
        "PTX ISA {version}: {accepted} of {} forms accepted in modules of this version, {refused_before} \
         refused in those of the version before, which has no target with the others",
        forms.len()
    );
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(wrong.join("\n").into())
    }
}

/// Returns the number of forms that ptxas refuses; the others are wrong.
fn refused(
    ptxas: &Ptxas,
    forms: &[&Form],
    target: &str,
    version: Version,
    wrong: &mut Vec<String>,
) -> Result<usize, Failed> {
    let refused = complaints(ptxas, forms, target, version)?;
    let refused: BTreeSet<&str> = refused.iter().map(|(form, _)| form.text()).collect();
    let taken = forms.iter().filter(|form| !refused.contains(form.text()));
    wrong.extend(taken.map(|form| format!("{target} at {version}: {}: accepted", form.text())));
    Ok(refused.len())
}

/// Assembles the forms in one module; returns the ones that ptxas refuses, with its first message.
fn complaints<'a>(
    ptxas: &Ptxas,
    forms: &[&'a Form],
    target: &str,
    version: Version,
) -> Result<Vec<(&'a Form, String)>, Failed> {
    if forms.is_empty() {
        return Ok(Vec::new());
    }
    let mut text = format!(".version {version}\n.target {target}\n.address_size 64\n");
    // The line after the last one of each form.
    let mut ends = Vec::new();
    let mut end = HEAD_LINES;
    for (index, form) in forms.iter().enumerate() {
        let kernel = kernel(index, form, target)?;
        end += kernel.lines().count();
        ends.push(end);
        text += &kernel;
    }
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("forms.ptx");
    fs::write(&path, text)?;
    let output = Command::new(ptxas.path())
        .args(["--gpu-name", target, "--output-file"])
        .args([&folder.path().join("forms.cubin"), &path])
        .output()?;
    let report = String::from_utf8_lossy(&output.stderr);
    let mut complaints: Vec<(&Form, String)> = Vec::new();
    let mut is_cut = false;
    for line in report.lines() {
        let fatal = line.split_once("; fatal");
        let Some((location, message)) = line.split_once("; error").or(fatal) else {
            continue;
        };
        is_cut |= fatal.is_some();
        let number = location
            .rsplit(' ')
            .next()
            .and_then(|number| number.parse::<usize>().ok());
        // The lines before are the version and the target.
        let number = number.filter(|number| *number > HEAD_LINES);
        let number = number.ok_or_else(|| format!("no line of a form in `{line}`"))?;
        let index = ends.partition_point(|end| *end < number);
        let form = *forms
            .get(index)
            .ok_or_else(|| format!("another line in `{line}`"))?;
        if complaints.last().is_none_or(|(last, _)| *last != form) {
            complaints.push((form, message.trim_start_matches([' ', ':']).to_owned()));
        }
    }
    if is_cut {
        // ptxas has not looked at the others.
        let rest = forms
            .iter()
            .filter(|form| complaints.iter().all(|(other, _)| other != *form));
        let rest: Vec<&Form> = rest.copied().collect();
        complaints.extend(self::complaints(ptxas, &rest, target, version)?);
    }
    if output.status.success() == complaints.is_empty() {
        Ok(complaints)
    } else {
        Err(format!(
            "{}\n{report}{}",
            output.status,
            String::from_utf8_lossy(&output.stdout)
        )
        .into())
    }
}

/// The kernels of the forms that a wrapper emits.
static FORM_KERNELS: LazyLock<HashMap<&str, String>> = LazyLock::new(|| {
    let forms = SUPPORT.iter();
    forms.map(|it| (it.form.text(), it.kernel())).collect()
});

/// Returns the form kernel, or a kernel with the example if no wrapper emits this spelling.
fn kernel(index: usize, form: &Form, target: &str) -> Result<String, Failed> {
    let dies = target == "sm_80" && DIES_ON_SM_80.contains(&form.text())
        || DIES_ON_PARAMETERS.contains(&form.text());
    if form.call().is_none() || dies {
        let example = form.example();
        let wide = match example.contains("%q") {
            true => " .reg .b128 %q<4>;",
            false => "",
        };
        return Ok(format!(
            ".visible .entry spelled_{index}()\n{{ {REGISTERS}{wide}\n{example}\nret; }}\n"
        ));
    }
    let probe = FORM_KERNELS.get(form.text()).ok_or("it has no kernel")?;
    let function = function(probe).ok_or("there is no such kernel")?;
    let mut function = function.clone();
    function.body.iter_mut().for_each(drop_loc_lines);
    Ok(format!("{function}\n"))
}
