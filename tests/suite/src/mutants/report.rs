//! The results of mutants, for people and for programs.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::{Caught, Summary, Tried};

/// Headings of the columns of [`numbers`].
pub(super) const COLUMNS: [&str; 7] = [
    "mutants",
    "checker",
    "fault",
    "data",
    "explained",
    "unexplained",
    "caught",
];

/// Returns the numbers of a table's row: the mutants, the ones caught by each check, the survivors
/// with a reason and without one, and the caught share of the bugs.
pub(super) fn numbers(counts: &Summary) -> [String; 7] {
    let share = counts.share();
    // Not all is never 100.
    let share = if share == 1.0 {
        "100 %".to_owned()
    } else {
        format!("{:.1} %", (1000.0 * share).floor() / 10.0)
    };
    [
        counts.mutants.to_string(),
        counts.checker.to_string(),
        counts.fault.to_string(),
        counts.data.to_string(),
        counts.explained.to_string(),
        counts.unexplained.to_string(),
        share,
    ]
}

/// A line for each kernel, and one for all.
pub fn table(tried: &[Tried<'_>]) -> String {
    let mut text = String::new();
    let mut line = |name: &str, columns: &[String]| {
        text += &format!("{name:<20}");
        columns
            .iter()
            .for_each(|column| text += &format!("{column:>12}"));
        text += "\n";
    };
    line("kernel", &COLUMNS.map(str::to_owned));
    let all = [("all", Summary::of(tried))];
    for (name, counts) in by_kernel(tried).into_iter().chain(all) {
        line(name, &numbers(&counts));
    }
    text
}

/// The counts of each kernel, in the order of the subjects.
pub(super) fn by_kernel<'a>(tried: &[Tried<'a>]) -> Vec<(&'a str, Summary)> {
    let mut kernels: Vec<&str> = tried.iter().map(|one| one.subject.kernel).collect();
    kernels.dedup();
    let of = |kernel: &'a str| tried.iter().filter(move |one| one.subject.kernel == kernel);
    let counts = kernels
        .into_iter()
        .map(|kernel| (kernel, Summary::of(of(kernel))));
    counts.collect()
}

/// The share in a sentence, and the mutants that one should look at.
pub fn summary(tried: &[Tried<'_>]) -> String {
    let counts = Summary::of(tried);
    let (bugs, caught) = (counts.bugs(), counts.caught());
    let [.., share] = numbers(&counts);
    let mut text = format!(
        "caught {caught} of {bugs} ({share}); {} more survived and are not bugs\n",
        counts.explained
    );
    for one in tried {
        let what = match (one.outcome.caught, one.explanation) {
            (Some(Caught::Data), _) => "caught by its results alone",
            (None, None) => "survived without a reason",
            _ => continue,
        };
        let _ = writeln!(text, "{what}: {}", one.mutant.id);
    }
    text
}

/// A mutant in a line.
pub fn line(one: &Tried<'_>) -> String {
    let caught = one.outcome.caught.map_or("survived", Caught::name);
    let mut kinds = one.outcome.kinds.clone();
    kinds.dedup();
    let line = format!("{caught:<9} {}  {}", one.mutant.id, kinds.join(" "));
    line.trim_end().to_owned()
}

/// Returns the change with its reports.
pub fn shown(one: &Tried<'_>) -> String {
    let Tried {
        subject,
        mutant,
        outcome,
        explanation,
    } = one;
    let (id, kernel, line) = (&mutant.id, subject.kernel, mutant.line);
    let mut text = format!("{id}: {kernel}, line {line} of the PTX\n");
    let from = line.saturating_sub(4);
    for (index, words) in subject.text.lines().enumerate().take(line + 3).skip(from) {
        if index + 1 == line {
            let indent = &words[..words.len() - words.trim_start().len()];
            let _ = writeln!(text, "-{words}\n+{indent}{}", mutant.after);
        } else {
            let _ = writeln!(text, " {words}");
        }
    }
    if let Some(caught) = outcome.caught {
        let (case, seed) = (&outcome.case, outcome.seed);
        let caught = caught.name();
        let _ = writeln!(
            text,
            "\n{caught}, in `{case}` with seed {seed}:\n{}",
            outcome.report
        );
        return text;
    }
    text += "\nsurvived\n";
    for case in &subject.cases {
        let _ = writeln!(text, "  `{}`, {} steps", case.name(), case.steps);
    }
    let reason = explanation.map_or("without a reason", |explanation| &explanation.reason);
    text + reason + "\n"
}

/// Everything.
pub fn json(tried: &[Tried<'_>], stale: &[String]) -> Value {
    let mutants = tried.iter().map(|one| {
        let (mutant, outcome) = (one.mutant, &one.outcome);
        json!({
            "id": mutant.id,
            "kernel": one.subject.kernel,
            "entry": one.subject.entry,
            "operator": mutant.operator.name(),
            "line": mutant.line,
            "before": mutant.before,
            "after": mutant.after,
            "caught": outcome.caught.map(Caught::name),
            "findings": outcome.kinds,
            "case": outcome.case,
            "seed": outcome.seed,
            "explanation": one.explanation.map(|explanation| &explanation.reason),
        })
    });
    let kernels = by_kernel(tried).into_iter();
    let kernels = kernels.map(|(name, counts)| (name.to_owned(), counted(counts)));
    json!({
        "mutants": mutants.collect::<Vec<_>>(),
        "kernels": kernels.collect::<serde_json::Map<_, _>>(),
        "all": counted(Summary::of(tried)),
        "stale": stale,
    })
}

fn counted(counts: Summary) -> Value {
    json!({
        "mutants": counts.mutants,
        "checker": counts.checker,
        "fault": counts.fault,
        "data": counts.data,
        "explained": counts.explained,
        "unexplained": counts.unexplained,
        "share": counts.share(),
    })
}
