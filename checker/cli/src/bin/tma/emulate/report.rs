//! The report of an emulation, as text and as JSON.

use std::{
    fmt::{self, Display, Formatter},
    io::{self, IsTerminal, Write},
    path::Path,
};

use serde_json::{Value, json};
use tma_cli::emulate::{Diagnostic, Run, Stopped, Verdict, run_to_json, violation_to_json};
use tma_emulator::{
    check::{Suppression, Suppressions},
    is_interrupted,
};
use tma_launch::{Failure, Stage};

use super::{
    performance::{self, Counted},
    seeds::Seeds,
};
use crate::reports::{Case, Reports, to_json};

/// The command line, printed so that a schedule can be run again.
#[derive(Clone, Copy)]
pub(crate) struct Again<'a> {
    pub(crate) verb: &'static str,
    pub(crate) file: &'a Path,
    pub(crate) max_steps: Option<u64>,
    pub(crate) no_check: bool,
    pub(crate) strict: bool,
    pub(crate) suppressions: Option<&'a Path>,
}

impl Again<'_> {
    /// Returns the command with the flag of a schedule, such as `--seed 3`.
    pub(crate) fn with(&self, schedule: &str) -> String {
        let file = quoted(&self.file.display().to_string());
        let mut command = format!("tma {} {file} {schedule}", self.verb);
        if let Some(steps) = self.max_steps {
            command.push_str(&format!(" --max-steps {steps}"));
        }
        if self.no_check {
            command.push_str(" --no-check");
        }
        if self.strict {
            command.push_str(" --strict");
        }
        if let Some(path) = self.suppressions {
            let path = quoted(&path.display().to_string());
            command.push_str(&format!(" --suppressions {path}"));
        }
        command
    }
}

/// Quotes an argument for a shell.
pub(crate) fn quoted(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./+=@%:,".contains(c);
    match !text.is_empty() && !text.starts_with('-') && text.chars().all(is_plain) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

/// The first seeds of a list, and their total count.
#[derive(Clone, Debug, Default)]
struct Few {
    first: Vec<u64>,
    count: u64,
}

impl Few {
    fn add(&mut self, seed: u64) {
        self.count += 1;
        if self.first.len() < SHOWN {
            self.first.push(seed);
        }
    }
}

/// Shows the seeds that fit in a line and the number of others.
impl Display for Few {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let shown: Vec<String> = self.first.iter().map(u64::to_string).collect();
        f.write_str(&shown.join(", "))?;
        match self.count - self.first.len() as u64 {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}

const SHOWN: usize = 8;

/// One example of each finding, with the seeds that have it.
struct Found {
    example: Diagnostic,
    last: u64,
    seeds: Few,
}

/// The report printed while seeds run: each finding when it first occurs.
pub(crate) struct Report<'a> {
    again: Again<'a>,
    files: &'a mut Reports,
    /// The range of seeds, if more than one seed runs.
    seeds: Option<Seeds>,
    is_json: bool,
    found: Vec<Found>,
    runs: u64,
    bad: Few,
    worst: Verdict,
    /// The last seed and its steps.
    last: Option<(u64, Option<u64>)>,
    pub(crate) stopped: Option<Stopped>,
    pub(crate) suppressions: Suppressions,
    /// The counts of `--performance`.
    pub(super) performance: Option<Counted>,
}

/// Fails if the run that has just ended was interrupted.
pub(super) fn to_its_end(run: impl Display) -> Result<(), Stopped> {
    if !is_interrupted() {
        return Ok(());
    }
    let what = format!("interrupted: {run} did not run to its end");
    Err(Stopped::Failure(Failure::new(Stage::Synchronise, what)))
}

impl<'a> Report<'a> {
    pub(crate) fn new(
        again: Again<'a>,
        files: &'a mut Reports,
        seeds: Option<Seeds>,
        is_json: bool,
    ) -> Self {
        Self {
            again,
            files,
            seeds,
            is_json,
            found: Vec::new(),
            runs: 0,
            bad: Few::default(),
            worst: Verdict::Clean,
            last: None,
            stopped: None,
            suppressions: Suppressions::default(),
            performance: None,
        }
    }

    /// Returns the worst verdict so far.
    pub(crate) fn verdict(&self) -> Verdict {
        let stopped = self.stopped.as_ref().map(Stopped::verdict);
        stopped.unwrap_or(self.worst).max(self.worst)
    }

    pub(crate) fn begin(&self, out: &mut impl Write) -> io::Result<()> {
        if self.is_json {
            let file = json!(self.again.file.display().to_string());
            write!(out, "{{\n  \"file\": {file},\n  \"runs\": [")?;
        }
        Ok(())
    }

    /// Prints the new findings of a seed.
    pub(crate) fn run(&mut self, mut run: Run, out: &mut impl Write) -> io::Result<()> {
        if let Err(stopped) = to_its_end(format_args!("seed {}", run.seed)) {
            // The interruption stopped the kernel, so it is not endless.
            run.diagnostics.retain(|found| !found.is_endless());
            self.stopped = Some(stopped);
        }
        self.worst = self.worst.max(run.verdict());
        self.last = Some((run.seed, run.steps));
        if run.verdict() != Verdict::Clean {
            self.bad.add(run.seed);
        }
        self.runs += 1;
        self.files.add(&self.case(&run));
        match self.is_json {
            true => {
                let comma = if self.runs > 1 { "," } else { "" };
                let text = format!("{:#}", self.run_to_json(&run)).replace('\n', "\n    ");
                write!(out, "{comma}\n    {text}")?;
            }
            false => self.print(&run, out)?,
        }
        if let Some(failure) = run.failed {
            self.stopped = Some(Stopped::Failure(failure));
        }
        self.progress();
        out.flush()
    }

    fn print(&mut self, run: &Run, out: &mut impl Write) -> io::Result<()> {
        if self.seeds.is_none() {
            out.write_all(run.printed.as_bytes())?;
            if !run.printed.is_empty() && !run.printed.ends_with('\n') {
                writeln!(out)?;
            }
        }
        for diagnostic in run.diagnostics.iter().chain(&run.notes) {
            let mut known = self.found.iter_mut();
            match known.find(|known| known.example.is_like(diagnostic)) {
                // Two launches of one seed may have the same finding.
                Some(known) if known.last == run.seed => {}
                Some(known) => {
                    known.seeds.add(run.seed);
                    known.last = run.seed;
                }
                None => {
                    writeln!(out, "{diagnostic}")?;
                    writeln!(
                        out,
                        "  = again: {}\n",
                        self.again.with(&format!("--seed {}", run.seed))
                    )?;
                    let mut seeds = Few::default();
                    seeds.add(run.seed);
                    self.found.push(Found {
                        example: diagnostic.clone(),
                        last: run.seed,
                        seeds,
                    });
                }
            }
        }
        Ok(())
    }

    /// Shows the progress on a terminal.
    fn progress(&self) {
        if let Some(seeds) = self.seeds
            && io::stderr().is_terminal()
        {
            let (done, all, bad) = (self.runs, seeds.count(), self.bad.count);
            let end = if done == all { "\r\x1b[K" } else { "" };
            eprint!("\r{done} of {all} seeds, {bad} with findings{end}");
        }
    }

    pub(crate) fn end(&self, out: &mut impl Write) -> io::Result<()> {
        if self.is_json {
            let violations = match &self.stopped {
                Some(Stopped::Violations(violations)) => {
                    violations.iter().map(violation_to_json).collect()
                }
                _ => Vec::new(),
            };
            let message = self.stopped.as_ref().map(ToString::to_string);
            let (verdict, message) = (json!(self.verdict().as_str()), json!(message));
            let end = if self.runs > 0 { "\n  " } else { "" };
            write!(out, "{end}],")?;
            if let Some(counts) = &self.performance {
                let counts = format!("{:#}", performance::to_json(counts)).replace('\n', "\n  ");
                write!(out, "\n  \"performance\": {counts},")?;
            }
            return writeln!(
                out,
                "\n  \"suppressed\": {},\n  \"verdict\": {verdict},\n  \"message\": {message},\n  \
                 \"mistakes\": {}\n}}",
                json!(
                    self.suppressions
                        .counts()
                        .map(suppressed)
                        .collect::<Vec<_>>()
                ),
                json!(violations)
            );
        }
        if self.seeds.is_some() {
            for found in &self.found {
                writeln!(out, "{}: seeds {}", found.example.headline(), found.seeds)?;
            }
        }
        // After an early stop, the skipped seeds could still have needed a suppression.
        write_suppressed(self.suppressions.counts(), self.stopped.is_none(), out)?;
        if let Some(counts) = &self.performance {
            writeln!(out, "{counts}")?;
        }
        writeln!(out, "{}", self.verdict_line())
    }

    /// Adds the reason why a run stopped to the report files.
    pub(crate) fn close(&mut self) {
        if let Some(stopped) = &self.stopped {
            let file = self.again.file.display().to_string();
            self.files.stopped(&file, stopped);
        }
    }

    /// Returns the last line, which begins with the verdict.
    pub(crate) fn verdict_line(&self) -> String {
        let verdict = self.verdict().as_str();
        if let Some(stopped) = &self.stopped {
            return format!("{verdict}: {stopped}");
        }
        match (self.last, self.seeds, self.bad.count) {
            (Some((seed, Some(steps))), None, _) => {
                format!("{verdict}: seed {seed}, {steps} steps")
            }
            (Some((seed, None)), None, _) => format!("{verdict}: seed {seed}"),
            (_, _, 0) => format!("{verdict}: all of {} seeds", self.runs),
            (_, _, bad) => format!("{verdict}: {bad} of {} seeds: {}", self.runs, self.bad),
        }
    }

    fn case(&self, run: &Run) -> Case {
        let findings = run.diagnostics.iter().chain(&run.notes);
        Case {
            file: self.again.file.display().to_string(),
            name: format!("seed {}", run.seed),
            findings: findings.map(to_json).collect(),
            printed: run.printed.clone(),
            again: self.again.with(&format!("--seed {}", run.seed)),
            ..Case::default()
        }
    }

    fn run_to_json(&self, run: &Run) -> Value {
        let mut value = run_to_json(run);
        value["again"] = json!(self.again.with(&format!("--seed {}", run.seed)));
        value
    }
}

/// Reports how many findings each suppression removed, and which suppressions are unused.
pub(crate) fn write_suppressed<'a>(
    counts: impl Iterator<Item = (&'a Suppression, u64)>,
    tell_unused: bool,
    out: &mut impl Write,
) -> io::Result<()> {
    for (suppression, count) in counts {
        let Suppression {
            kind,
            function,
            reason,
        } = suppression;
        let reason = reason
            .as_ref()
            .map_or_else(String::new, |reason| format!(": {reason}"));
        match count {
            0 if !tell_unused => {}
            0 => writeln!(
                out,
                "warning: unused suppression of {kind} in `{function}`{reason}"
            )?,
            1 => writeln!(
                out,
                "suppressed: 1 finding of {kind} in `{function}`{reason}"
            )?,
            _ => writeln!(
                out,
                "suppressed: {count} findings of {kind} in `{function}`{reason}"
            )?,
        }
    }
    Ok(())
}

fn suppressed((suppression, count): (&Suppression, u64)) -> Value {
    json!({
        "kind": suppression.kind.name(),
        "function": suppression.function,
        "reason": suppression.reason,
        "count": count,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_can_be_pasted() {
        let again = |file: &str, max_steps| {
            let file = Path::new(file);
            Again {
                verb: "emulate",
                file,
                max_steps,
                no_check: max_steps.is_some(),
                strict: false,
                suppressions: None,
            }
            .with("--seed 7")
        };
        assert_eq!(again("a/b.toml", None), "tma emulate a/b.toml --seed 7");
        assert_eq!(
            again("it's mine.toml", Some(9)),
            r"tma emulate 'it'\''s mine.toml' --seed 7 --max-steps 9 --no-check"
        );
    }

    #[test]
    fn long_lists_are_cut() {
        let mut seeds = Few::default();
        seeds.add(3);
        assert_eq!(seeds.to_string(), "3");
        let mut all = Few::default();
        (0..10).for_each(|seed| all.add(seed));
        assert_eq!(all.to_string(), "0, 1, 2, 3, 4, 5, 6, 7 and 2 more");
    }
}
