mod findings;
pub(crate) mod library;
mod record;
pub(crate) mod stub;

use std::{
    ffi::OsString,
    fmt::Write as _,
    fs, io,
    os::unix::process::ExitStatusExt,
    path::{Path, PathBuf},
    process::{Command, ExitCode, ExitStatus},
};

use anyhow::{Context, Result};
use tma_cli::emulate::read_suppressions;
use tma_emulator::{Bounds, Config, Jobs, ScheduleName, check::Suppressions};
use tma_launch::escape_text;

use crate::{
    emulate::{
        report::{quoted, write_suppressed},
        seeds::{Seeds, seed},
    },
    interrupt,
    reports::{Case, ReportFiles, Reports},
    wrong_input::OrWrongInput,
};
use record::Record;

/// Runs a CUDA program on the CPU and reports errors in its kernels
///
/// Build the program with nvcc, a shared runtime and embedded PTX; see `docs/exec.md`. The program keeps its own
/// output and exit code; reports go to standard error.
#[derive(clap::Args)]
pub(crate) struct Exec {
    /// Seed of the schedule
    #[arg(long, default_value_t = 0, value_parser = seed, allow_negative_numbers = true)]
    seed: u64,
    /// Run several schedules per launch, a range of seeds as in 0..64; all start with the same memory, and the
    /// first one's results are kept
    #[arg(
        long,
        value_name = "FROM..TO",
        conflicts_with = "seed",
        allow_hyphen_values = true
    )]
    seeds: Option<Seeds>,
    /// Number of schedules of a launch to run in parallel [default: number of cores]
    #[arg(
        long,
        value_name = "N",
        env = "TMA_JOBS",
        hide_env_values = true,
        allow_negative_numbers = true
    )]
    jobs: Option<Jobs>,
    /// Step limit per launch, in instructions counted per thread; a kernel beyond it counts as endless
    #[arg(long, value_name = "STEPS", default_value_t = Config::default().max_steps)]
    max_steps: u64,
    /// Run the kernels without the checker for synchronization errors
    #[arg(long, conflicts_with = "seeds")]
    no_check: bool,
    /// Also report findings without effect on results, such as same-value races
    #[arg(long, conflicts_with = "no_check")]
    strict: bool,
    /// TOML file of accepted findings
    #[arg(long, value_name = "FILE", conflicts_with = "no_check")]
    suppressions: Option<PathBuf>,
    /// Run every schedule of each launch that can have another result, up to the first with an error; the first one's
    /// results are kept
    #[arg(long, conflicts_with_all = ["seed", "seeds", "no_check"])]
    all_schedules: bool,
    /// Limits of a launch for --all-schedules: schedules, seconds or steps as in 10000, 60s, 5000000steps, or several with
    /// commas between [default: 10000]
    #[arg(long, value_name = "LIMITS", requires = "all_schedules")]
    bound: Vec<Bounds>,
    /// Repeat a schedule that --all-schedules printed
    #[arg(long, value_name = "SCHEDULE", conflicts_with_all = ["all_schedules", "seed", "seeds", "no_check"])]
    schedule: Option<ScheduleName>,
    /// Exit code to use when there are errors [default: the program's exit code]
    #[arg(long, value_name = "CODE")]
    error_exitcode: Option<u8>,
    /// Write the PTX of each module in use into a folder
    #[arg(long, value_name = "FOLDER")]
    ptx: Option<PathBuf>,
    #[command(flatten)]
    reports: ReportFiles,
    /// Program to run, and its arguments
    #[arg(
        required = true,
        trailing_var_arg = true,
        value_names = ["PROGRAM", "ARGUMENTS"]
    )]
    command: Vec<OsString>,
}

/// Environment variable with the folder of the options and the record.
const VARIABLE: &str = "TMA_EXEC";

impl Exec {
    pub(crate) fn run(self) -> Result<ExitCode> {
        let (program, _) = self
            .command
            .split_first()
            .context("pass the program to run")?;
        let taken = [self.suppressions.as_deref(), Some(Path::new(program))];
        let taken: Vec<&Path> = taken.into_iter().flatten().collect();
        let mut reports = self
            .reports
            .open("exec", &taken, self.ptx.iter().cloned().collect())?;
        let code = self.check(&mut reports);
        if let Err(error) = &code {
            reports.fail(&program.to_string_lossy(), &format!("{error:#}"));
        }
        reports.write()?;
        code
    }

    fn check(&self, reports: &mut Reports) -> Result<ExitCode> {
        let library = library::find()?;
        let suppressions = self.suppressions.as_deref().map(read_suppressions);
        let suppressions = suppressions.transpose().or_wrong_input()?;
        let suppressions = suppressions.unwrap_or_default();
        let folder = tempfile::Builder::new().prefix("tma-exec-").tempdir()?;
        fs::write(folder.path().join("options"), self.options(&suppressions)?)?;
        library::install(&library, folder.path())?;
        let mut command = Command::new(&self.command[0]);
        command
            .args(&self.command[1..])
            .env("LD_LIBRARY_PATH", library::search_path(folder.path()))
            .env(VARIABLE, folder.path());
        let status = interrupt::run(&mut command)
            .with_context(|| format!("cannot run `{}`", self.command[0].display()))?;
        let written = |name: &str| match fs::read_to_string(folder.path().join(name)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            read => read
                .map(Some)
                .context("cannot read the record of the program"),
        };
        let record = written("record")?.map_or_else(Record::default, |text| Record::parse(&text));
        for case in self.cases(&written("findings")?.unwrap_or_default()) {
            reports.add(&case);
        }
        self.close(&record, &suppressions)?;
        Ok(self.code(status, &record))
    }

    /// Returns the launches and the invalid calls of the program.
    fn cases(&self, findings: &str) -> Vec<Case> {
        let words = self.command.iter().map(|word| word.to_string_lossy());
        let words: Vec<String> = words.map(|word| quoted(&word)).collect();
        let strict = if self.strict { " --strict" } else { "" };
        let again = |seed: u64, schedule: Option<&str>| {
            let schedule = match (schedule, &self.schedule, self.all_schedules) {
                (Some(name), ..) => format!("--schedule {name}"),
                (None, Some(name), _) => format!("--schedule {name}"),
                (None, None, true) => "--all-schedules".to_owned(),
                (None, None, false) => format!("--seed {seed}"),
            };
            format!("tma exec {schedule}{strict} {}", words.join(" "))
        };
        let program = self.command[0].to_string_lossy();
        findings::cases(findings, &program, self.first_seed(), again)
    }

    fn first_seed(&self) -> u64 {
        self.seeds.unwrap_or(Seeds::one(self.seed)).ends().0
    }

    /// Returns the options as lines of a key and a value, which the library reads.
    fn options(&self, suppressions: &Suppressions) -> Result<String> {
        let seeds = self.seeds.unwrap_or(Seeds::one(self.seed));
        let (first, last) = seeds.ends();
        let mut text = format!("last-seed {last}\nfirst-seed {first}\n");
        writeln!(text, "jobs {}", self.jobs.unwrap_or_default())?;
        writeln!(text, "max-steps {}", self.max_steps)?;
        if self.all_schedules {
            let bounds = self.bound.iter().copied().reduce(Bounds::and);
            writeln!(text, "all-schedules {}", bounds.unwrap_or_default())?;
        }
        if let Some(name) = &self.schedule {
            writeln!(text, "schedule {name}")?;
        }
        if self.no_check {
            text.push_str("no-check\n");
        }
        if self.strict {
            text.push_str("strict\n");
        }
        if self.reports.any() {
            text.push_str("findings\n");
        }
        if let Some(ptx) = &self.ptx {
            // The program may change its working directory.
            let ptx = std::path::absolute(ptx)?;
            writeln!(text, "ptx {}", ptx.display())?;
        }
        for (suppression, _) in suppressions.counts() {
            writeln!(
                text,
                "suppress {} {}",
                suppression.kind, suppression.function
            )?;
        }
        Ok(text)
    }

    /// Prints a final summary of the findings.
    fn close(&self, record: &Record, suppressions: &Suppressions) -> io::Result<()> {
        let mut err = io::stderr().lock();
        let counts = suppressions.counts().enumerate();
        let counts =
            counts.map(|(index, (suppression, _))| (suppression, record.suppressed(index)));
        write_suppressed(counts, true, &mut err)?;
        let how = match (self.no_check, self.seeds) {
            _ if self.all_schedules => record.answers(),
            _ if self.schedule.is_some() => "checked, one by the schedule".to_owned(),
            (true, _) => "not checked".to_owned(),
            (false, None) => format!("checked under seed {}", self.seed),
            (false, Some(seeds)) => format!("checked under {} seeds", seeds.count()),
        };
        io::Write::write_all(&mut err, escape_text(&record.closing(&how)).as_bytes())
    }

    /// Returns the program's exit code, or `--error-exitcode` if there are errors.
    fn code(&self, status: ExitStatus, record: &Record) -> ExitCode {
        match self.error_exitcode.filter(|_| record.errors() > 0) {
            Some(code) => ExitCode::from(code),
            None => code(status),
        }
    }
}

/// Returns a program's exit code; after a signal, 128 plus its number, as shells do.
pub(crate) fn code(status: ExitStatus) -> ExitCode {
    let signal = status.signal().map(|signal| 128 + signal);
    let code = status.code().or(signal).unwrap_or(1);
    ExitCode::from(code as u8)
}
