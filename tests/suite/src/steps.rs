//! The typical bug of each step of `docs/gemm.md`, and the checker's report.

use tma_emulator::EmulatorBackend;
use tma_launch::Ptx;

use crate::{
    KERNELS, Scenario,
    mutants::{module, mutants},
};

/// A bug in the PTX of an entry.
enum Bug {
    /// The mutant with this id.
    Mutant(&'static str),
    /// The first line that begins so has that one in its place.
    Line(&'static str, &'static str),
}

/// The entry of each step, and its bug.
const BUGS: [(&str, &str, Bug); 8] = [
    ("1", "gemm_step_1", Bug::Line("@%p3 bra ", "")),
    ("2", "gemm_step_2", Bug::Mutant("delete/bar.sync/2")),
    (
        "3",
        "gemm_step_3",
        Bug::Mutant("only-arrive/mbarrier.arrive.expect_tx.release.cta.shared::cta.b64/1"),
    ),
    (
        "4",
        "gemm_step_4",
        Bug::Mutant("pass-wait/mbarrier.try_wait.parity.acquire.cta.shared::cta.b64/4"),
    ),
    (
        "5",
        "gemm_step_5",
        Bug::Line("wgmma.wait_group.sync.aligned 0;", ""),
    ),
    (
        "6",
        "gemm_step_6",
        Bug::Line(
            "wgmma.wait_group.sync.aligned 1;",
            "wgmma.wait_group.sync.aligned 2;",
        ),
    ),
    (
        "7",
        "gemm_step_7",
        Bug::Mutant("delete/cp.async.bulk.wait_group.read/1"),
    ),
    (
        "8",
        "gemm_bf16_true_true",
        Bug::Mutant("delete/fence.proxy.async.shared::cta/1"),
    ),
];

/// Returns the first finding on the step with its bug, in the first case that shows it.
///
/// # Errors
/// There is no such bug, or the checker does not find it.
pub fn report(step: &str) -> Result<String, String> {
    let bug = BUGS.iter().find(|(of, ..)| *of == step);
    let (_, entry, bug) = bug.ok_or(format!("step {step} has no bug"))?;
    let one = module()?.extract(entry);
    let text = one.ok_or(format!("there is no {entry}"))?.to_string();
    let text = with_bug(entry, &text, bug)?;
    let ptx = Ptx {
        name: entry,
        text: &text,
    };
    let launches_it = |scenario: &Scenario| {
        let mut launches = scenario.launches.iter();
        launches.all(|launch| launch.entry == *entry)
    };
    let kernels = KERNELS.iter().filter(|it| entry.starts_with(it.name));
    let kernel = kernels.max_by_key(|it| it.name.len());
    let kernel = kernel.ok_or(format!("no kernel has the entry {entry}"))?;
    for scenario in (kernel.cases)().into_iter().filter(launches_it) {
        let checked = EmulatorBackend::new(0).check(&mut scenario.job(ptx));
        let checked = checked.map_err(|failure| failure.to_string())?;
        if let Some(first) = checked.diagnostics.first() {
            return Ok(format!("```text\n{first}\n```\n"));
        }
    }
    Err(format!(
        "the checker has no finding in {entry} with its bug"
    ))
}

fn with_bug(entry: &str, text: &str, bug: &Bug) -> Result<String, String> {
    match bug {
        Bug::Mutant(change) => {
            let parsed = ptx::parse_named(entry, text).map_err(|error| error.to_string())?;
            let id = format!("{entry}/{change}");
            let all = mutants(&parsed, text, entry);
            let mutant = all.iter().find(|mutant| mutant.id == id);
            let mutant = mutant.ok_or_else(|| format!("there is no mutant {id}"))?;
            Ok(mutant.apply(text))
        }
        Bug::Line(before, after) => {
            let mut lines = text.lines();
            let line = lines.find(|line| line.trim_start().starts_with(before));
            let line = line.ok_or(format!("{entry} has no `{before}`"))?;
            Ok(text.replacen(line, after, 1))
        }
    }
}
