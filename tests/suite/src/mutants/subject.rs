//! An entry whose mutants are tried, and the trial of one.

use std::ops::Range;

use ptx::Module;
use tma_emulator::{
    Config, EmulatorBackend,
    check::{CheckReport, Diagnostic},
};
use tma_launch::{Failure, Ptx, Stage};

use super::{
    Caught, Mutant, Outcome, mutants,
    profile::{Profile, telling},
};
use crate::{CaseFailure, KERNELS_PTX, Kernel, Scenario};

/// Step limit of a mutant, as a multiple of the kernel's steps.
const STEPS_FACTOR: u64 = 4;
/// Steps that are added to this limit.
const STEPS_MORE: u64 = 200_000;

/// Cases of more threads find no more than small ones, and take long.
const MAX_THREADS: u64 = 4096;

/// An entry of a kernel.
#[derive(Debug)]
pub struct Subject {
    /// The kernel.
    pub kernel: &'static str,
    /// The entry.
    pub entry: String,
    /// The PTX of the entries that the cases launch.
    pub text: String,
    /// The mutants.
    pub mutants: Vec<Mutant>,
    /// Cases that cover every observation of some case, cheap ones first.
    pub cases: Vec<SubjectCase>,
}

/// A case on which mutants are tried.
#[derive(Clone, Debug)]
pub struct SubjectCase {
    scenario: Scenario,
    /// Instructions of threads in the unchanged kernel.
    pub steps: u64,
}

impl SubjectCase {
    /// The scenario's name.
    pub fn name(&self) -> &str {
        &self.scenario.name
    }
}

/// Returns the kernels' module for `sm_90a`.
///
/// # Errors
/// The module was not built.
pub fn module() -> Result<&'static Module, String> {
    let module = KERNELS_PTX.iter().find(|module| module.arch == "sm_90a");
    module.ok_or("no module was built for sm_90a")?.parsed()
}

impl Subject {
    /// Returns all entries that a kernel's cases launch, from this module.
    ///
    /// # Errors
    /// A kernel fails without a mutation.
    pub fn of_kernel(kernel: &Kernel, module: &Module) -> Result<Vec<Self>, String> {
        let scenarios = (kernel.cases)();
        let entries = mutated(kernel.name, &scenarios.iter().collect::<Vec<_>>());
        let subject = |entry: &&str| {
            let scenarios = scenarios_of(entry, &scenarios);
            let (text, mutants) = text_of(kernel, module, entry, &scenarios)?;
            Ok(Self {
                kernel: kernel.name,
                entry: (*entry).to_owned(),
                mutants,
                cases: cases(kernel.name, &text, &scenarios)?,
                text,
            })
        };
        entries.iter().map(subject).collect()
    }

    /// Returns the text of each entry that a kernel's cases launch, with its mutants; runs no kernel.
    ///
    /// # Errors
    /// The text of an entry cannot be parsed again.
    pub fn texts_of_kernel(
        kernel: &Kernel,
        module: &Module,
    ) -> Result<Vec<(String, Vec<Mutant>)>, String> {
        let scenarios = (kernel.cases)();
        let entries = mutated(kernel.name, &scenarios.iter().collect::<Vec<_>>());
        let of = |entry: &&str| text_of(kernel, module, entry, &scenarios_of(entry, &scenarios));
        entries.iter().map(of).collect()
    }

    /// Runs a mutant on one case after the other, under each seed, until it is noticed. A mutant that only
    /// the data reveals is tried further, in case a later run reports more.
    ///
    /// # Errors
    /// A mutant cannot be run.
    pub fn try_out(&self, mutant: &Mutant, seeds: Range<u64>) -> Result<Outcome, String> {
        let text = mutant.apply(&self.text);
        let mut outcome = Outcome::survived();
        for case in &self.cases {
            for seed in seeds.clone() {
                let run = attempt(&case.scenario, self.kernel, &text, config(case.steps, seed));
                let run = run.map_err(|failure| format!("{}: {failure}", mutant.id))?;
                let Some((caught, report, kinds)) = run else {
                    continue;
                };
                if outcome.caught.is_none() || caught != Caught::Data {
                    outcome = Outcome {
                        caught: Some(caught),
                        kinds,
                        report,
                        case: case.name().to_owned(),
                        seed,
                    };
                }
                if caught != Caught::Data {
                    return Ok(outcome);
                }
            }
        }
        Ok(outcome)
    }
}

fn config(steps: u64, seed: u64) -> Config {
    Config {
        seed,
        max_steps: steps
            .saturating_mul(STEPS_FACTOR)
            .saturating_add(STEPS_MORE),
        ..Config::default()
    }
}

/// The scenarios that launch an entry.
fn scenarios_of<'a>(entry: &str, scenarios: &'a [Scenario]) -> Vec<&'a Scenario> {
    let launches = |scenario: &&Scenario| launched(&[*scenario]).contains(&entry);
    scenarios.iter().filter(launches).collect()
}

/// Returns the text of the entry that scenarios launch, and the entry's mutants.
fn text_of(
    kernel: &Kernel,
    module: &Module,
    entry: &str,
    scenarios: &[&Scenario],
) -> Result<(String, Vec<Mutant>), String> {
    let text = module.extract_all(launched(scenarios)).to_string();
    let parsed = ptx::parse_named(kernel.name, &text).map_err(|e| e.to_string())?;
    let mutants = mutants(&parsed, &text, entry);
    Ok((text, mutants))
}

/// The entries that these scenarios launch.
fn launched<'a>(scenarios: &[&'a Scenario]) -> Vec<&'a str> {
    let launches = scenarios.iter().flat_map(|scenario| &scenario.launches);
    let mut entries: Vec<&str> = launches.map(|launch| launch.entry.as_str()).collect();
    entries.sort_unstable();
    entries.dedup();
    entries
}

/// Entries that represent all of their kernel; the others differ by types, layouts and tiles.
const FOR_ALL: [(&str, &[&str]); 10] = [
    ("all_reduce", &["all_reduce_bf16_1", "all_reduce_bf16_2"]),
    ("attention", &["attention_128_bf16_false"]),
    (
        "attention_backward",
        &["attention_backward_128_bf16_true_false"],
    ),
    (
        "attention_decode",
        &["attention_decode_bf16", "attention_decode_fp8_bf16"],
    ),
    (
        "gemm",
        &["gemm_bf16_true_true", "gemm_batched_narrow_bf16_true_true"],
    ),
    ("gemm_mma", &["gemm_mma_bf16_true_true_2"]),
    ("layer_norm", &["layer_norm_bf16", "layer_norm_short_bf16"]),
    ("reduce_scatter", &["reduce_scatter_bf16"]),
    ("rms_norm", &["rms_norm_bf16", "rms_norm_short_bf16"]),
    ("softmax", &["softmax_bf16", "softmax_short_bf16"]),
];

/// Returns the entries that these scenarios launch, except those that others represent.
fn mutated<'a>(kernel: &str, scenarios: &[&'a Scenario]) -> Vec<&'a str> {
    let mut entries = launched(scenarios);
    if let Some((_, stand)) = FOR_ALL.iter().find(|(name, _)| *name == kernel) {
        entries.retain(|entry| stand.contains(entry));
    }
    entries
}

/// The selected cases; every case must pass first.
fn cases(kernel: &str, text: &str, scenarios: &[&Scenario]) -> Result<Vec<SubjectCase>, String> {
    let ptx = Ptx { name: kernel, text };
    let threads = |scenario: &Scenario| -> u64 {
        let shapes = scenario.launches.iter().map(|launch| &launch.shape);
        let threads = shapes.map(|shape| shape.grid.count() * shape.block.count());
        threads.sum()
    };
    let smallest = scenarios.iter().map(|scenario| threads(scenario)).min();
    let limit = smallest.unwrap_or(0).max(MAX_THREADS);
    let small = scenarios
        .iter()
        .filter(|scenario| threads(scenario) <= limit);
    let scenarios: Vec<&Scenario> = small.copied().collect();
    let mut profiles = Vec::new();
    for scenario in &scenarios {
        let mut profile = Profile::default();
        let mut job = scenario.job(ptx);
        let reports = EmulatorBackend::new(0).observe(&mut job, &mut profile);
        let reports =
            reports.map_err(|failure| format!("{kernel}/{}: {failure}", scenario.name))?;
        let steps = reports.iter().map(|report| report.steps).sum();
        profiles.push((steps, profile.features()));
    }
    let case = |index: usize| SubjectCase {
        scenario: scenarios[index].clone(),
        steps: profiles[index].0,
    };
    let cases: Vec<SubjectCase> = telling(&profiles).into_iter().map(case).collect();
    for case in &cases {
        let run = attempt(&case.scenario, kernel, text, config(case.steps, 0));
        let name = || format!("{kernel}/{}, without any change", case.name());
        match run.map_err(|failure| format!("{}: {failure}", name()))? {
            None => {}
            Some((_, report, _)) => return Err(format!("{}:\n{report}", name())),
        }
    }
    Ok(cases)
}

/// The check that noticed, its message, and the kinds of diagnostics.
type Noticed = (Caught, String, Vec<&'static str>);

/// Runs a scenario once.
fn attempt(
    scenario: &Scenario,
    name: &str,
    text: &str,
    config: Config,
) -> Result<Option<Noticed>, Box<Failure>> {
    let emulator = EmulatorBackend::with_config(config);
    let mut verdict = CheckReport::default();
    let data = scenario.compare(Ptx { name, text }, |job| {
        verdict = emulator.check(job)?;
        Ok(())
    });
    if let Err(CaseFailure::Failed(failure)) = data {
        // A launch that is refused for the output of an earlier one: the data revealed it.
        return match failure.stage {
            Stage::Check => Ok(Some((Caught::Data, failure.to_string(), Vec::new()))),
            _ => Err(Box::new(failure)),
        };
    }
    let findings = &verdict.diagnostics;
    let kinds = findings.iter().map(|finding| finding.kind.name()).collect();
    let shown: Vec<String> = findings.iter().map(ToString::to_string).collect();
    let report = shown.join("\n\n");
    Ok(match (findings.iter().all(Diagnostic::ends_kernel), data) {
        (false, _) => Some((Caught::Checker, report, kinds)),
        (true, _) if !findings.is_empty() => Some((Caught::Fault, report, kinds)),
        (true, Err(wrong)) => Some((Caught::Data, wrong.to_string(), kinds)),
        (true, Ok(_)) => None,
    })
}
