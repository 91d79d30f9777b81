//! The checker finds the same in generated kernels whatever the schedule was.

use std::{collections::BTreeSet, env};

use tma_emulator::check::DiagnosticKind;

use crate::protocol::{found, protocol};

/// Kernels of a run with `--long`, and of one without.
const KERNELS: u64 = 300;
const FEW_KERNELS: u64 = 50;
const SEEDS: u64 = 64;

/// Numbers that a seed repeats.
fn numbers(seed: u64) -> impl FnMut(usize) -> usize {
    let mut state = seed;
    move |bound| {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 33) as usize % bound
    }
}

/// Schedules that end a kernel early may find less, as `docs/memory-model.md` explains, but never find none.
#[test]
fn generated_protocols() {
    let kernels = match env::var_os("TMA_LONG_TESTS") {
        Some(_) => KERNELS,
        None => FEW_KERNELS,
    };
    let mut clean = 0;
    for kernel in 0..kernels {
        let text = protocol(numbers(kernel));
        let runs: Vec<_> = (0..SEEDS).map(|seed| found(&text, seed)).collect();
        let mut over = runs.iter().filter(|(_, is_over)| *is_over);
        let is_clean = runs.iter().any(|(kinds, _)| kinds.is_empty());
        let all_clean = runs.iter().all(|(kinds, _)| kinds.is_empty());
        clean += u64::from(all_clean);
        let first = over.next().map(|(kinds, _)| kinds);
        assert!(
            is_clean == all_clean && over.all(|(kinds, _)| Some(kinds) == first),
            "kernel {kernel}: {:?}\n{text}",
            runs.iter().collect::<BTreeSet<_>>()
        );
    }
    // Some have no mistake, and most have one.
    assert!(
        (kernels / 30..kernels / 2).contains(&clean),
        "{clean} are clean"
    );
}

/// A kernel with a first thread that arrives twice at a barrier, with 128 bytes that arrive in between.
fn twice(bytes_come: &str) -> String {
    format!(
        ".version 8.6\n.target sm_90a\n.address_size 64\n\n\
         .visible .entry k(.param .u64 output, .param .u64 input)\n{{\n\
         \t.reg .pred %first;\n\t.reg .b32 %thread;\n\t.reg .b64 %from;\n\
         \t.shared .align 128 .b8 tile[128];\n\t.shared .align 8 .b64 bar;\n\n\
         \tld.param.u64 %from, [input];\n\tmov.u32 %thread, %tid.x;\n\
         \tsetp.eq.u32 %first, %thread, 0;\n\t@!%first bra END;\n\
         \tmbarrier.init.shared::cta.b64 [bar], 1;\n\
         \tmbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 128;\n\
         \t{bytes_come}\n\
         \tmbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 128;\n\
         \tmbarrier.complete_tx.relaxed.cta.shared::cta.b64 [bar], 128;\n\
         END:\n\tret;\n}}\n"
    )
}

/// A thread knows its own steps, but learns of a copy only by a wait.
#[test]
fn arrivals_ahead_of_a_phase() {
    let itself = "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [bar], 128;";
    let copy = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes \
                [tile], [%from], 128, [bar];";
    let waits =
        "WAIT: mbarrier.try_wait.parity.shared::cta.b64 %first, [bar], 0;\n\t@!%first bra WAIT;";
    let waited = format!("{copy}\n\t{waits}");
    for (bytes_come, kinds) in [
        (itself, &[][..]),
        (&waited, &[]),
        (copy, &[DiagnosticKind::MbarrierOverflow]),
    ] {
        let text = twice(bytes_come);
        for seed in 0..SEEDS {
            let (found, _) = found(&text, seed);
            assert_eq!(
                found,
                kinds.iter().copied().collect(),
                "seed {seed}\n{text}"
            );
        }
    }
}
