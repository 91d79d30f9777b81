//! The typical bug of each step of `docs/gemm.md`, and what the checker says of it.

use tma_emulator::EmulatorBackend;
use tma_launch::{Job, Ptx};

use crate::{
    KERNELS,
    mutants::{module, mutants},
};

/// The mutants that have the bugs.
const BUGS: [(&str, &str); 8] = [
    ("1", "gemm_step_1/open-guard/bra/1"),
    ("2", "gemm_step_2/delete/bar.sync/2"),
    ("3", "gemm_step_3/no-bytes/mbarrier.arrive.expect_tx/1"),
    ("4", "gemm_step_4/pass-wait/mbarrier.try_wait/1"),
    ("5", "gemm_step_5/delete/wgmma.wait_group/1"),
    ("6", "gemm_step_6/one-more-group/wgmma.wait_group/1"),
    ("7", "gemm_step_7/delete/cp.async.bulk.wait_group/1"),
    ("8", "gemm_bf16_true_true/delete/fence.proxy.async/1"),
];

/// The first finding on the step with its bug, in the first case that shows it.
///
/// # Errors
/// There is no such bug, or the checker finds nothing.
pub fn report(step: &str) -> Result<String, String> {
    let bug = BUGS.iter().find(|(of, _)| *of == step);
    let (_, id) = bug.ok_or(format!("step {step} has no bug"))?;
    let entry = id.split('/').next().unwrap_or_default();
    let module = module()?;
    let one = module.extract(entry);
    let text = one.ok_or(format!("there is no {entry}"))?.to_string();
    let parsed = ptx::parse_named(entry, &text).map_err(|error| error.to_string())?;
    let all = mutants(&parsed, &text, entry);
    let mutant = all.iter().find(|mutant| mutant.id == *id);
    let mutant = mutant.ok_or_else(|| {
        let ids: Vec<&str> = all.iter().map(|mutant| mutant.id.as_str()).collect();
        format!("there is no mutant {id} among\n{}", ids.join("\n"))
    })?;
    let text = mutant.apply(&text);
    let ptx = Ptx {
        name: entry,
        text: &text,
    };
    let launches_it = |scenario: &crate::Scenario| {
        let mut launches = scenario.launches.iter();
        launches.all(|launch| launch.entry == entry)
    };
    let cases = KERNELS.iter().flat_map(|kernel| (kernel.cases)());
    for scenario in cases.filter(launches_it) {
        let mut job = Job {
            ptx,
            buffers: scenario.buffers,
            launches: scenario.launches,
        };
        let checked = EmulatorBackend::new(0).check(&mut job);
        let checked = checked.map_err(|failure| failure.to_string())?;
        if let Some(first) = checked.diagnostics.first() {
            return Ok(format!("```text\n{first}\n```\n"));
        }
    }
    Err(format!("the checker finds nothing in {id}"))
}
