//! Products of matrices that begin while the one before them ends, as a stream of the GPU lets them: `follow` of
//! `kernels-gpu/src/gemm.rs` lets the next kernel begin, and waits for the one before.

use libtest_mimic::{Failed, Trial};
use tests::{KERNELS, Scenario, is_long, mutants::module};
use tma_emulator::{EmulatorBackend, check::DiagnosticKind};
use tma_launch::{Job, Ptx};

const ENTRY: &str = "gemm_bf16_true_true";
const WAIT: &str = "griddepcontrol.wait;";
const SEEDS: u64 = 4;
const LONG_SEEDS: u64 = 64;

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        Trial::test("overlap/products_wait", || found(true)),
        Trial::test("overlap/products_without_a_wait", || found(false)),
    ]
}

/// The smallest scenario that launches the kernel once.
fn scenario() -> Option<Scenario> {
    let kernels = KERNELS.iter().filter(|it| ENTRY.starts_with(it.name));
    let cases = kernels.flat_map(|kernel| (kernel.cases)());
    let launches_it = |scenario: &Scenario| match &scenario.launches[..] {
        [launch] => launch.entry == ENTRY,
        _ => false,
    };
    let bytes = |scenario: &Scenario| -> usize {
        let buffers = scenario.buffers.iter();
        buffers.map(|buffer| buffer.bytes().len()).sum()
    };
    cases.filter(launches_it).min_by_key(bytes)
}

/// The product is made twice: both write the same matrix, which only the wait puts in an order.
fn found(waits: bool) -> Result<(), Failed> {
    let scenario = scenario().ok_or("no case launches the kernel once")?;
    let one = module()?.extract(ENTRY).ok_or("there is no such kernel")?;
    let mut text = one.to_string();
    assert!(text.contains(WAIT));
    if !waits {
        text = text.replace(WAIT, "");
    }
    let [launch] = &scenario.launches[..] else {
        return Err("it is one launch".into());
    };
    for seed in 0..if is_long(ENTRY) { LONG_SEEDS } else { SEEDS } {
        let mut job = Job {
            ptx: Ptx {
                name: ENTRY,
                text: &text,
            },
            further: Vec::new(),
            buffers: scenario.buffers.clone(),
            launches: vec![launch.clone(), launch.clone().overlaps()],
        };
        let checked = EmulatorBackend::new(seed).check(&mut job)?;
        let mut kinds: Vec<DiagnosticKind> =
            checked.diagnostics.iter().map(|found| found.kind).collect();
        kinds.dedup();
        let expected: &[DiagnosticKind] = if waits {
            &[]
        } else {
            &[DiagnosticKind::MissingGridWait]
        };
        if kinds != expected {
            return Err(format!("seed {seed}: {kinds:?}, not {expected:?}").into());
        }
    }
    Ok(())
}
