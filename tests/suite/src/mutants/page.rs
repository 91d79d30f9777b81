//! `docs/mutation.md`.

use std::fmt::Write as _;

use super::{
    Operator, SEEDS, Summary, Tried,
    report::{COLUMNS, by_kernel, numbers, summary},
};

const INTRODUCTION: &str = "\
# Mutants

After this page you know which deleted fences, waits and byte counts the checker notices, and how to repeat the count. A
*mutant* is a kernel of `kernels-gpu` with one instruction of its PTX for `sm_90a` deleted or altered: a fence, barrier, wait,
arrival, byte count, number of arrivals, scope, memory order, or the guard that restricts one of these to some threads.
`cargo xtask mutate` makes all mutants, runs each on the kernel's smaller cases with the emulator and its checker, and reports
how it was noticed:

- **checker**: a finding about order, counts or lifetimes, warnings included;
- **fault**: the run ended with a trap, a deadlock or too many steps;
- **data**: only the results were wrong;
- **explained**: not noticed, and [`tests/mutants/allowed.txt`](../tests/mutants/allowed.txt) contains the reason why it is no
  bug;
- **unexplained**: not noticed, for no known reason.

The last column is the caught share of all mutants except the explained ones. `cargo xtask mutate --list` lists the mutants,
`--show ID` prints one with its reports, and `--check` compares this page with the run; `cargo xtask bless` writes it. One or
two entries represent all others of `all_reduce`, `attention`, `attention_backward`, `attention_decode`, `gemm`, `gemm_mma`,
`reduce_scatter` and the norms.
";

/// The text of `docs/mutation.md`, for a run of all mutants of all kernels with [`SEEDS`].
pub fn page(tried: &[Tried<'_>]) -> String {
    let mut text = INTRODUCTION.to_owned();
    let schedules = SEEDS.end - SEEDS.start;
    let _ = writeln!(
        text,
        "\n## Kernels\n\nUnder {schedules} schedules, the explained ones under the first:\n"
    );
    let all = [("all", Summary::of(tried))];
    table(&mut text, "kernel", by_kernel(tried).into_iter().chain(all));
    text += "\n## Changes\n\n";
    let by_operator = Operator::ALL.iter().map(|operator| {
        let of = tried.iter().filter(|one| one.mutant.operator == *operator);
        (operator.name(), Summary::of(of))
    });
    let by_operator = by_operator.filter(|(_, counts)| counts.mutants > 0);
    table(&mut text, "change", by_operator);
    survivors(&mut text, tried);
    text
}

fn table<'a>(text: &mut String, first: &str, lines: impl Iterator<Item = (&'a str, Summary)>) {
    let _ = writeln!(text, "| {first} | {} |", COLUMNS.join(" | "));
    let _ = writeln!(text, "| --- |{}", " ---: |".repeat(COLUMNS.len()));
    for (name, counts) in lines {
        let _ = writeln!(text, "| `{name}` | {} |", numbers(&counts).join(" | "));
    }
}

/// The mutants that no reason explains.
fn survivors(text: &mut String, tried: &[Tried<'_>]) {
    let mut survived = tried.iter().filter(|one| one.outcome.caught.is_none());
    if survived.any(|one| one.explanation.is_none()) {
        let _ = writeln!(text, "\n## Survivors\n\n```text\n{}```", summary(tried));
    }
}
