//! `--tune`: finds the fastest setting of each streaming kernel, for the device's file.

use anyhow::{Context, Result};
use kernels_gpu::settings::{Row, Setting, Table};

use crate::{
    case::Case,
    cases::streaming::Subject,
    machine::Machine,
    measure::Bench,
    setup::Setup,
    statistics::Spread,
    table::columns,
    work::{L2, Work},
};

/// Rounds of all settings in alternation, to select the best.
const QUICK: usize = 9;
/// Number of settings to check and measure again, besides the rule's setting.
const FINALISTS: usize = 4;

/// The results.
pub(crate) struct Tuned {
    pub(crate) table: Table,
    /// All tried settings, separated by tabs.
    pub(crate) all: String,
    /// The best settings of each kernel.
    pub(crate) text: String,
    /// Settings whose kernels had wrong results.
    pub(crate) failures: Vec<String>,
}

/// A setting of a kernel.
struct Candidate {
    setting: Setting,
    case: Case,
    /// Time in the first rounds.
    milliseconds: f64,
}

/// Tries the settings of every selected kernel.
pub(crate) fn tune(
    bench: &Bench<'_>,
    setup: Setup<'_>,
    machine: &Machine,
    wanted: impl Fn(&str) -> bool,
) -> Result<Tuned> {
    let copies = bench.copies(20)?;
    let mut tuned = Tuned {
        table: Table {
            device: machine.name.clone(),
            driver: machine.driver.clone(),
            date: machine.date.clone(),
            copy_gb_s: 2.0 * setup.bytes as f64 / copies.median / 1e6,
            rows: Vec::new(),
        },
        all: "kernel\telement\tsetting\tus\n".to_owned(),
        text: String::new(),
        failures: Vec::new(),
    };
    let head = ["setting", "us", "+-%", "GB/s", "of the copy", ""];
    let mut lines = vec![head.map(str::to_owned).to_vec()];
    let subjects = Subject::all(setup).into_iter();
    for subject in subjects.filter(|subject| wanted(subject.kernel().kernel())) {
        let kernel = subject.kernel();
        let rule = kernel.by_rule(setup.device);
        let all = tried(bench, setup, subject, rule)?;
        for candidate in &all {
            tuned.all += &format!(
                "{}\t{}\t{}\t{:.1}\n",
                kernel.kernel(),
                kernel.element().name(),
                candidate.case.variant,
                1e3 * candidate.milliseconds
            );
        }
        let is_finalist = |(index, candidate): &(usize, &Candidate)| {
            *index < FINALISTS || candidate.setting == rule
        };
        let finalists = all.iter().enumerate().filter(is_finalist);
        let finalists: Vec<&Candidate> = finalists.map(|(_, candidate)| candidate).collect();
        let Some(row) = best(
            bench,
            subject,
            &finalists,
            rule,
            &mut tuned.failures,
            &mut lines,
        )?
        else {
            continue;
        };
        eprintln!(
            "{:<18} {:<5} {}  {:.3}",
            row.kernel, row.element, row.setting, row.of_copy
        );
        tuned.table.rows.push(row);
    }
    tuned.text = columns(&lines);
    Ok(tuned)
}

/// Times all settings in alternation; the fastest comes first.
fn tried(
    bench: &Bench<'_>,
    setup: Setup<'_>,
    subject: Subject,
    rule: Setting,
) -> Result<Vec<Candidate>> {
    let mut settings = subject.settings();
    if !settings.contains(&rule) {
        settings.push(rule);
    }
    let cases = settings.iter().map(|setting| subject.case(setup, *setting));
    let cases = cases.collect::<Result<Vec<_>>>()?;
    let works = cases
        .iter()
        .map(|case| bench.kernel(&bench.modules.kernels, case));
    let works = works.collect::<Result<Vec<_>>>()?;
    let times = bench
        .timer
        .alternate(&works.iter().collect::<Vec<_>>(), L2::Cold, QUICK)?;
    let all = settings.into_iter().zip(cases).zip(times);
    let mut all: Vec<Candidate> = all
        .map(|((setting, case), times)| Candidate {
            setting,
            case,
            milliseconds: Spread::of(&times).median,
        })
        .collect();
    all.sort_by(|a, b| a.milliseconds.total_cmp(&b.milliseconds));
    Ok(all)
}

/// Checks some settings and measures them next to the driver's copy.
fn best(
    bench: &Bench<'_>,
    subject: Subject,
    finalists: &[&Candidate],
    rule: Setting,
    failures: &mut Vec<String>,
    lines: &mut Vec<Vec<String>>,
) -> Result<Option<Row>> {
    let mut right = Vec::new();
    for candidate in finalists {
        let work = bench.kernel(&bench.modules.kernels, &candidate.case)?;
        match bench.check(&candidate.case, &work) {
            Ok(()) => right.push((*candidate, work)),
            Err(error) => failures.push(format!("{}: {error:#}", candidate.case.name())),
        }
    }
    let copy = bench.driver_copy();
    let works: Vec<&Work<'_>> = [&copy]
        .into_iter()
        .chain(right.iter().map(|(_, work)| work))
        .collect();
    let times = bench.timer.alternate(&works, L2::Cold, bench.rounds)?;
    let (copies, times) = times.split_first().context("no measurement")?;
    let mut best: Option<Row> = None;
    for ((candidate, _), times) in right.iter().zip(times) {
        let spread = Spread::of(times);
        let case = &candidate.case;
        let bytes = case.amount.bytes() as f64;
        let scale = bytes / (2 * bench.arena.bytes()) as f64;
        let ratios: Vec<f64> = copies
            .iter()
            .zip(times)
            .map(|(copy, time)| scale * copy / time)
            .collect();
        let kernel = subject.kernel();
        let row = Row {
            kernel: kernel.kernel().to_owned(),
            element: kernel.element().name().to_owned(),
            setting: candidate.setting,
            gb_s: bytes / spread.median / 1e6,
            of_copy: Spread::of(&ratios).median,
        };
        lines.push(vec![
            case.name(),
            format!("{:.1}", 1e3 * spread.median),
            format!("{:.1}", 50.0 * spread.relative()),
            format!("{:.0}", row.gb_s),
            format!("{:.3}", row.of_copy),
            if row.setting == rule {
                "by the rule"
            } else {
                ""
            }
            .to_owned(),
        ]);
        if best.as_ref().is_none_or(|best| best.of_copy < row.of_copy) {
            best = Some(row);
        }
    }
    Ok(best)
}

/// Returns the file name of a device: `nvidia-h200.txt`.
pub(crate) fn file_name(device: &str) -> String {
    let is_part_of_word = |c: char| c.is_ascii_alphanumeric();
    let words = device
        .split(|c| !is_part_of_word(c))
        .filter(|word| !word.is_empty());
    let words: Vec<String> = words.map(str::to_ascii_lowercase).collect();
    words.join("-") + ".txt"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_called_as_its_device() {
        assert_eq!(
            file_name("NVIDIA H100 80GB HBM3"),
            "nvidia-h100-80gb-hbm3.txt"
        );
        assert_eq!(file_name(" NVIDIA H200 (x)"), "nvidia-h200-x.txt");
    }
}
