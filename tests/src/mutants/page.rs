//! `docs/mutation.md`.

use std::fmt::Write as _;

use super::{
    Operator, SEEDS, Summary, Tried,
    report::{COLUMNS, by_kernel, numbers, summary},
};

const INTRODUCTION: &str = "\
# Mutants

Each mutant is a kernel of `kernels-gpu` with one instruction of its PTX for `sm_90a` deleted or altered:
a fence, a barrier, a wait, an arrival, a byte count, a count of arrivals, a scope, an order, or the
guard that lets some threads alone come to one of these. `cargo xtask mutate` makes all of them, runs
each on the kernel's smaller cases with the emulator and its checker, and says who noticed:

- **checker**: a finding about order, counts or lifetimes, warnings included;
- **fault**: the run ended, by a trap, a deadlock or too many steps;
- **data**: nothing but wrong results;
- **explained**: nobody, and the reason why the mutant is no bug stands in `tests/mutants/allowed.txt`;
- **unexplained**: nobody, and no reason is known.

The last column is the share that was caught of all mutants but the explained ones.
`cargo xtask mutate --list` lists the mutants, `--show ID` shows one and what was said of it, and
`--check` compares this page with the run; `cargo xtask bless` writes it. Of `all_reduce`, `attention`,
`gemm`, `gemm_mma`, `reduce_scatter` and the norms one entry or two stand for all others, which have no mutants: of `attention` the one of `bf16` with
heads of 128 elements that is not causal. A block of the causal ones has a single item, so that most of their mutants
around a second one would survive.
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

/// The reasons, each with its mutants.
fn survivors(text: &mut String, tried: &[Tried<'_>]) {
    let survived = || tried.iter().filter(|one| one.outcome.caught.is_none());
    let mut reasons: Vec<(usize, &str, usize, Vec<&str>)> = Vec::new();
    for explanation in survived().filter_map(|one| one.explanation) {
        let known = reasons
            .iter_mut()
            .find(|(_, reason, ..)| *reason == explanation.reason);
        let pattern = explanation.pattern.as_str();
        match known {
            Some((line, _, count, patterns)) => {
                *line = explanation.line.min(*line);
                *count += 1;
                if !patterns.contains(&pattern) {
                    patterns.push(pattern);
                }
            }
            None => reasons.push((explanation.line, &explanation.reason, 1, vec![pattern])),
        }
    }
    reasons.sort_unstable();
    text.push_str("\n## Survivors\n");
    for (_, reason, count, patterns) in reasons {
        let _ = writeln!(text, "\n{count}: {reason}\n");
        for pattern in patterns {
            let _ = writeln!(text, "- `{pattern}`");
        }
    }
    if survived().any(|one| one.explanation.is_none()) {
        let _ = writeln!(text, "\n```text\n{}```", summary(tried));
    }
}
