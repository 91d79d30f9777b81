//! What ptxas says of every form, for each architecture that it knows and at the lowest version.

use std::{collections::BTreeSet, fmt::Write as _, fs, process::Command, sync::Arc};

use libtest_mimic::{Failed, Trial};
use ptx_builder::Ptxas;
use tests::{forms::Support, plain::drop_locations};

use super::{MODULE, SUPPORT};

/// Spellings that the ptxas of CUDA 13.0 refuses, though later ones take them.
const REFUSED_SPELLINGS: &[&str] = &["membar.proxy.async;"];

/// Forms that the ptxas of CUDA 13.0 takes for sm_80, though later ones refuse them.
const TAKEN_ON_SM_80: &[&str] = &[
    "fence.acquire.cta;",
    "fence.acquire.gpu;",
    "fence.acquire.sys;",
    "fence.release.cta;",
    "fence.release.gpu;",
    "fence.release.sys;",
];

/// ptxas dies of these for sm_80 where the state does not come from an arrival, as in a probe.
const DIES_ON_SM_80: &[&str] = &[
    "mbarrier.test_wait.acquire.cta.b64 %p1, [%rd1], %rd2;",
    "mbarrier.test_wait.acquire.cta.shared::cta.b64 %p1, [%r10], %rd2;",
];

/// The first version of PTX ISA that has an architecture, for those that are the first with a form.
const FIRST_VERSIONS: &[(&str, &str)] = &[
    ("sm_80", "7.0"),
    ("sm_90", "7.8"),
    ("sm_90a", "8.0"),
    ("sm_100", "8.6"),
    ("sm_100a", "8.6"),
    ("sm_103a", "8.8"),
];

/// Registers as the checklist's examples name them.
const REGISTERS: &str = ".reg .pred %p<4>; .reg .b8 %b<4>; .reg .b16 %h<8>; .reg .b32 %r<16>; .reg .b64 %rd<8>; \
                         .reg .f32 %f<8>; .reg .f64 %fd<8>;";

type Test = fn(&Ptxas, &'static str) -> Result<(), Failed>;

/// One for each architecture of the checklist, and for each version.
pub(super) fn trials(ptxas: Option<Ptxas>) -> Vec<Trial> {
    let forms = || SUPPORT.iter().map(|support| &support.form);
    let targets: BTreeSet<&str> = forms()
        .flat_map(|form| form.targets.iter().map(String::as_str))
        .collect();
    let versions: BTreeSet<&str> = forms().map(|form| form.isa.as_str()).collect();
    let known = ptxas.as_ref().map(known_targets);
    let ptxas = Arc::new(ptxas);
    let trial = |of: &'static str, test: Test, is_ignored: bool| {
        let ptxas = Arc::clone(&ptxas);
        let run = move || {
            ptxas
                .as_ref()
                .as_ref()
                .map_or(Ok(()), |ptxas| test(ptxas, of))
        };
        Trial::test(format!("assembled/{of}"), run).with_ignored_flag(is_ignored)
    };
    let mut trials = Vec::new();
    for target in targets {
        let is_known = known
            .as_ref()
            .map(|known| known.contains(&format!("'{target}'")));
        if is_known == Some(false) {
            println!("skipped: the ptxas that was found does not know {target}");
        }
        trials.push(trial(target, for_target, is_known != Some(true)));
    }
    for version in versions {
        trials.push(trial(version, at_version, known.is_none()));
    }
    trials
}

fn known_targets(ptxas: &Ptxas) -> String {
    let output = Command::new(ptxas.path()).arg("--help").output();
    output.map_or_else(
        |_| String::new(),
        |output| String::from_utf8_lossy(&output.stdout).into_owned(),
    )
}

/// ptxas accepts the forms that the checklist has for the architecture, and refuses each other one.
fn for_target(ptxas: &Ptxas, target: &'static str) -> Result<(), Failed> {
    let has = |support: &&Support| support.form.targets.iter().any(|other| other == target);
    let (listed, others): (Vec<&Support>, Vec<&Support>) = SUPPORT.iter().partition(has);
    let is_sound = |support: &&Support| {
        let example = support.form.ptx.as_str();
        let is_taken = target == "sm_80" && TAKEN_ON_SM_80.contains(&example);
        !REFUSED_SPELLINGS.contains(&example) && !is_taken
    };
    let listed: Vec<&Support> = listed.into_iter().filter(is_sound).collect();
    let others: Vec<&Support> = others.into_iter().filter(is_sound).collect();
    let mut wrong: Vec<String> = complaints(ptxas, &listed, target, "9.0")?
        .into_iter()
        .map(|(form, said)| format!("{}: {said}", form.form.ptx))
        .collect();
    let accepted = listed.len() - wrong.len();
    let refused = complaints(ptxas, &others, target, "9.0")?;
    let is_refused = |other: &&&Support| refused.iter().any(|(form, _)| form.form == other.form);
    let taken = others.iter().filter(|form| !is_refused(form));
    wrong.extend(taken.map(|form| format!("{}: accepted", form.form.ptx)));
    println!(
        "{target}: {accepted} of {} forms accepted, {} of {} refused, {} not tried",
        listed.len(),
        refused.len(),
        others.len(),
        SUPPORT.len() - listed.len() - others.len()
    );
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(wrong.join("\n").into())
    }
}

/// ptxas accepts the forms whose lowest version this is in a module of this version.
fn at_version(ptxas: &Ptxas, version: &'static str) -> Result<(), Failed> {
    let mut wrong = Vec::new();
    let mut accepted = 0;
    for (target, first) in FIRST_VERSIONS {
        let is_first = |support: &&Support| {
            let targets = &support.form.targets;
            let possible = FIRST_VERSIONS.iter().filter(|(_, first)| *first <= version);
            let lowest = possible.map(|(target, _)| *target);
            lowest
                .into_iter()
                .find(|target| targets.iter().any(|other| other == target))
                == Some(target)
        };
        let forms = SUPPORT.iter().filter(|support| {
            support.form.isa == version && !REFUSED_SPELLINGS.contains(&support.form.ptx.as_str())
        });
        let forms: Vec<&Support> = forms.filter(is_first).collect();
        if *first > version || forms.is_empty() {
            continue;
        }
        let complaints = complaints(ptxas, &forms, target, version)?;
        accepted += forms.len() - complaints.len();
        let complaints = complaints.into_iter();
        wrong.extend(complaints.map(|(form, said)| format!("{target}: {}: {said}", form.form.ptx)));
    }
    println!("PTX ISA {version}: {accepted} forms accepted in modules of this version");
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(wrong.join("\n").into())
    }
}

/// Assembles the forms in one module: those that ptxas complains about, with what it says first.
fn complaints<'a>(
    ptxas: &Ptxas,
    forms: &[&'a Support],
    target: &str,
    version: &str,
) -> Result<Vec<(&'a Support, String)>, Failed> {
    if forms.is_empty() {
        return Ok(Vec::new());
    }
    let mut text = format!(".version {version}\n.target {target}\n.address_size 64\n");
    // The line behind the last one of each form.
    let mut ends = Vec::new();
    for (index, support) in forms.iter().enumerate() {
        write!(text, "{}", kernel(index, support, target)?)?;
        ends.push(text.lines().count());
    }
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("forms.ptx");
    fs::write(&path, text)?;
    let output = Command::new(ptxas.path())
        .args(["--gpu-name", target, "--output-file"])
        .args([&folder.path().join("forms.cubin"), &path])
        .output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    let mut complaints: Vec<(&Support, String)> = Vec::new();
    for line in said.lines() {
        let Some((place, message)) = line.split_once("; error") else {
            continue;
        };
        let number = place
            .rsplit(' ')
            .next()
            .and_then(|number| number.parse::<usize>().ok());
        let number = number.ok_or_else(|| format!("no line in `{line}`"))?;
        let index = ends.partition_point(|end| *end < number);
        let form = *forms
            .get(index)
            .ok_or_else(|| format!("another line in `{line}`"))?;
        if complaints
            .last()
            .is_none_or(|(last, _)| last.form != form.form)
        {
            complaints.push((form, message.trim_start_matches([' ', ':']).to_owned()));
        }
    }
    if output.status.success() == complaints.is_empty() {
        Ok(complaints)
    } else {
        Err(format!(
            "{}\n{said}{}",
            output.status,
            String::from_utf8_lossy(&output.stdout)
        )
        .into())
    }
}

/// The probe of a form, or a kernel with the example where the probe has another spelling.
fn kernel(index: usize, support: &Support, target: &str) -> Result<String, Failed> {
    let example = &support.form.ptx;
    let dies = target == "sm_80" && DIES_ON_SM_80.contains(&example.as_str());
    if support.spelled.is_some() || dies {
        return Ok(format!(
            ".visible .entry spelled_{index}()\n{{ {REGISTERS}\n{example}\nret; }}\n"
        ));
    }
    let function = MODULE
        .function(&support.probe)
        .ok_or("there is no such kernel")?;
    let mut function = function.clone();
    function.body.iter_mut().for_each(drop_locations);
    Ok(format!("{function}\n"))
}
