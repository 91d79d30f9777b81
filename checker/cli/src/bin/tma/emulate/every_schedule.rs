//! `tma emulate --all-schedules` and `--schedule`.

use std::{
    io::{self, Write},
    path::Path,
};

use serde_json::json;
use tma_cli::emulate::{Emulation, Run, Stopped, Verdict, exploration_to_json};
use tma_emulator::{Bounds, Exploration, Progress, ScheduleName, Verdict as Explored};

use super::checking::Checking;
use crate::{
    interrupt,
    reports::{Case, Reports, to_json},
};

/// Options for running schedules one by one.
#[derive(clap::Args)]
pub(crate) struct EverySchedule {
    /// Run every schedule that can have another result, up to the first with an error
    #[arg(long, conflicts_with_all = ["seed", "seeds", "trace", "no_check"])]
    all_schedules: bool,
    /// Limits for --all-schedules: schedules, seconds or steps as in 10000, 60s, 5000000steps, or several with commas
    /// between [default: 10000]
    #[arg(
        long,
        value_name = "LIMITS",
        requires = "all_schedules",
        conflicts_with = "schedule"
    )]
    bound: Vec<Bounds>,
    /// Repeat a schedule that --all-schedules printed
    #[arg(long, value_name = "SCHEDULE", conflicts_with_all = ["all_schedules", "seed", "seeds", "no_check"])]
    schedule: Option<ScheduleName>,
}

impl EverySchedule {
    /// Returns the schedule to repeat.
    pub(crate) fn name(&self) -> Option<&ScheduleName> {
        self.schedule.as_ref()
    }

    pub(crate) fn is_requested(&self) -> bool {
        self.all_schedules || self.schedule.is_some()
    }

    /// Runs the schedules of a launch file and prints what was found.
    pub(crate) fn run(
        &self,
        file: &Path,
        checking: &Checking,
        reports: &mut Reports,
        out: &mut impl Write,
    ) -> io::Result<Verdict> {
        interrupt::watch();
        let _progress = Progress::on_terminal("tma emulate");
        let is_json = checking.is_json();
        let config = checking.config_of_seed();
        let opened = Emulation::open(file).and_then(|emulation| {
            let suppressions = checking.suppressions().map_err(Stopped::Failure)?;
            Ok(emulation.with_suppressions(suppressions))
        });
        let emulation = match opened {
            Ok(emulation) => emulation,
            Err(stopped) => return stop(file, &stopped, is_json, reports, out),
        };
        let again = checking.again("emulate", file);
        let command = |name: &ScheduleName| again.with(&format!("--schedule {name}"));
        if let Some(name) = &self.schedule {
            let run = match emulation.by_name(config, name) {
                Ok(run) => run,
                Err(stopped) => return stop(file, &stopped, is_json, reports, out),
            };
            reports.add(&case(file, name.launch, &run, command(name)));
            match is_json {
                true => writeln!(
                    out,
                    "{:#}",
                    json!({
                        "file": file.display().to_string(),
                        "schedule": name.to_string(),
                        "findings": run.diagnostics.iter().map(to_json).collect::<Vec<_>>(),
                        "verdict": run.verdict().as_str(),
                    })
                )?,
                false => {
                    for found in &run.diagnostics {
                        writeln!(out, "{found}\n")?;
                    }
                    writeln!(out, "{}: schedule {name}", run.verdict().as_str())?;
                }
            }
            return Ok(run.verdict());
        }
        let bounds = self.bound.iter().copied().reduce(Bounds::and);
        let bounds = Bounds {
            jobs: checking.jobs(),
            ..bounds.unwrap_or_default()
        };
        let explored = match emulation.every_schedule(config, bounds) {
            Ok(explored) => explored,
            Err(stopped) => return stop(file, &stopped, is_json, reports, out),
        };
        let mut worst = Verdict::Clean;
        let mut all = Vec::new();
        for (number, (exploration, launch)) in explored
            .into_iter()
            .zip(emulation.file().launches())
            .enumerate()
        {
            let again = exploration.schedule().map(command);
            let run = Run::of(exploration.report.clone());
            let verdict = match (&exploration.verdict, run.verdict()) {
                (Explored::Unfinished { .. }, Verdict::Clean) => Verdict::Unsupported,
                (_, verdict) => verdict,
            };
            worst = worst.max(verdict);
            reports.add(&case(file, number, &run, again.clone().unwrap_or_default()));
            let headline = headline(number, &launch.entry, &exploration);
            match is_json {
                true => all.push(exploration_to_json(&launch.entry, &exploration, &run)),
                false => print(&run, again.as_deref(), &headline, out)?,
            }
        }
        if is_json {
            let report = json!({
                "file": file.display().to_string(),
                "launches": all,
                "verdict": worst.as_str(),
            });
            writeln!(out, "{report:#}")?;
        }
        Ok(worst)
    }
}

/// Prints what was found in one launch; the last line has the verdict.
fn print(run: &Run, again: Option<&str>, headline: &str, out: &mut impl Write) -> io::Result<()> {
    for found in run.diagnostics.iter().chain(&run.notes) {
        writeln!(out, "{found}")?;
        match again {
            Some(again) if found.is_error() => writeln!(out, "  = again: {again}\n")?,
            _ => writeln!(out)?,
        }
    }
    writeln!(out, "{headline}")
}

fn headline(number: usize, entry: &str, exploration: &Exploration) -> String {
    let Exploration {
        schedules,
        covered,
        results,
        ..
    } = exploration;
    let of = format!("launch {number}, `{entry}`");
    let explored = match schedules {
        1 => "1 schedule explored".to_owned(),
        _ => format!("{schedules} schedules explored"),
    };
    match &exploration.verdict {
        Explored::Proved => {
            let outcome = match results {
                _ if exploration.has_suppressed => {
                    "have no findings but suppressed ones".to_owned()
                }
                1 => "are clean and leave the same bytes".to_owned(),
                _ => format!("are clean and leave {results} different contents of memory"),
            };
            format!(
                "proved: {of}: {explored}, {covered} more covered; all schedules of this launch {outcome}"
            )
        }
        Explored::Found(_) => format!("findings: {of}: {explored} up to this one"),
        Explored::Unfinished { .. } => {
            let why = exploration.unfinished().unwrap_or_default();
            format!("not finished: {of}: {why}")
        }
        _ => of,
    }
}

fn case(file: &Path, launch: usize, run: &Run, again: String) -> Case {
    let findings = run.diagnostics.iter().chain(&run.notes);
    Case {
        file: file.display().to_string(),
        name: format!("schedules of launch {launch}"),
        findings: findings.map(to_json).collect(),
        printed: run.printed.clone(),
        again,
        ..Case::default()
    }
}

fn stop(
    file: &Path,
    stopped: &Stopped,
    is_json: bool,
    reports: &mut Reports,
    out: &mut impl Write,
) -> io::Result<Verdict> {
    let file = file.display().to_string();
    reports.stopped(&file, stopped);
    let verdict = stopped.verdict();
    match is_json {
        true => writeln!(
            out,
            "{:#}",
            json!({ "file": file, "launches": [], "verdict": verdict.as_str(), "message": stopped.to_string() })
        )?,
        false => writeln!(out, "{}: {stopped}", verdict.as_str())?,
    }
    Ok(verdict)
}
