use std::{
    env,
    fs::OpenOptions,
    io::Write as _,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tma_emulator::{Bounds, Config, ModuleId, ScheduleName, Session, check::Diagnostic};
use tma_launch::{Failure, Launch, Stage};

/// The environment variable with the file to which launches append their diagnostics, one JSON object a line.
const FINDINGS_VARIABLE: &str = "TMA_FINDINGS";

/// The environment variable with the file to which launches append the counts of their memory accesses.
const PERFORMANCE_VARIABLE: &str = "TMA_PERFORMANCE";

/// The emulator as a device. Launches, reads and writes lock it while they run.
#[derive(Clone, Debug)]
pub(crate) struct Emulator {
    session: Arc<Mutex<Session>>,
    /// The file of [`FINDINGS_VARIABLE`].
    findings: Option<PathBuf>,
    /// The file of [`PERFORMANCE_VARIABLE`].
    performance: Option<PathBuf>,
    schedules: Arc<Schedules>,
}

/// The schedules that launches run.
#[derive(Debug)]
enum Schedules {
    /// That of the seed.
    Seed,
    /// Every one that can have another result.
    Every(Bounds),
    /// The one with this name.
    Named(ScheduleName),
}

impl Emulator {
    pub(crate) fn of_every_schedule(bounds: Bounds) -> Self {
        Self {
            schedules: Schedules::Every(bounds).into(),
            ..Self::new(0)
        }
    }

    pub(crate) fn of_schedule(name: ScheduleName) -> Self {
        Self {
            schedules: Schedules::Named(name).into(),
            ..Self::new(0)
        }
    }

    pub(crate) fn new(seed: u64) -> Self {
        let path = |variable| env::var_os(variable).filter(|path| !path.is_empty());
        let [findings, performance] = [FINDINGS_VARIABLE, PERFORMANCE_VARIABLE].map(path);
        let performance = performance.map(PathBuf::from);
        Self::with_files(seed, findings.map(PathBuf::from), performance)
    }

    fn with_files(seed: u64, findings: Option<PathBuf>, performance: Option<PathBuf>) -> Self {
        let config = Config {
            seed,
            ..Config::default()
        };
        let mut session = Session::new(config);
        if performance.is_some() {
            session.count_performance();
        }
        Self {
            session: Arc::new(Mutex::new(session)),
            findings,
            performance,
            schedules: Schedules::Seed.into(),
        }
    }

    /// Returns whether both share their memory.
    pub(crate) fn has_memory_of(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.session, &other.session)
    }

    /// Locks the session. Ignores poisoning, since a thread that panicked left it in the state between two steps.
    pub(crate) fn session(&self) -> MutexGuard<'_, Session> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs a kernel to its end, and appends its diagnostics and counts to their files.
    pub(crate) fn launch(&self, module: ModuleId, launch: &Launch) -> Result<(), Failure> {
        let append_findings = |found: &[Diagnostic]| match &self.findings {
            Some(path) => {
                let lines: String = found.iter().map(|found| found.to_json() + "\n").collect();
                append(path, &lines, "findings", FINDINGS_VARIABLE)
            }
            None => Ok(()),
        };
        let mut session = self.session();
        match &*self.schedules {
            Schedules::Seed => {}
            Schedules::Every(bounds) => {
                let explored = session.launch_every_schedule(module, launch, *bounds)?;
                append_findings(&explored.report.diagnostics)?;
                return explored.failure(&launch.entry).map_or(Ok(()), Err);
            }
            Schedules::Named(name) => {
                let report = session.launch_by_name(module, launch, name)?;
                append_findings(&report.diagnostics)?;
                return report.failure().map_or(Ok(()), Err);
            }
        }
        let launched = session.launch_reported(module, launch, append_findings);
        if let (Some(path), Some(counts)) = (&self.performance, session.take_performance()) {
            let text = format!("`{}`: {counts}\n", launch.entry);
            append(path, &text, "counts", PERFORMANCE_VARIABLE)?;
        }
        launched.map(drop)
    }
}

fn append(path: &Path, lines: &str, what: &str, variable: &str) -> Result<(), Failure> {
    if lines.is_empty() {
        return Ok(());
    }
    let file = OpenOptions::new().append(true).create(true).open(path);
    // One write, since other launches may append at the same time.
    let written = file.and_then(|mut file| file.write_all(lines.as_bytes()));
    written.map_err(|error| {
        let what = format!("cannot write the {what} to `{}`: {error}", path.display());
        let hint = format!("{variable} must name a writable file");
        Failure::new(Stage::Synchronise, what).hint(hint)
    })
}

#[cfg(test)]
mod tests {
    use std::{fs, process};

    use tma_launch::Argument;

    use super::*;

    /// All threads write one word.
    const RACE: &str = "
        .version 8.0
        .target sm_90a
        .address_size 64
        .visible .entry race(.param .u64 to)
        {
            .reg .b32 %r<2>; .reg .b64 %rd<2>;
            ld.param.u64 %rd1, [to];
            mov.u32 %r1, %tid.x;
            st.global.u32 [%rd1], %r1;
            ret;
        }";

    fn launch(emulator: &Emulator, threads: u32) -> Result<(), Failure> {
        let module = emulator.session().load("race.ptx", RACE)?;
        let to = emulator.session().allocate("to", vec![0; 4]);
        let launch = Launch::new("race", 1, threads).argument(Argument::Address(to));
        emulator.launch(module, &launch)
    }

    #[test]
    fn findings_are_appended_to_the_file() {
        let path = env::temp_dir().join(format!("tma-findings-{}", process::id()));
        let emulator = Emulator::with_files(0, Some(path.clone()), None);
        launch(&emulator, 1).unwrap();
        assert!(!path.exists());
        for _ in 0..2 {
            assert!(launch(&emulator, 64).is_err());
        }
        let text = fs::read_to_string(&path).unwrap();
        fs::remove_file(&path).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 2, "{text}");
        let starts = |line: &&str| line.starts_with(r#"{"kind":"data-race","severity":"error","#);
        assert!(lines.iter().all(starts), "{text}");
    }

    /// Two warps draw a number each, and fail if the second one drew the first.
    const DRAW: &str = "
        .version 8.0
        .target sm_90a
        .address_size 64
        .visible .entry draw(.param .u64 to)
        {
            .reg .pred %p<3>; .reg .b32 %r<3>; .reg .b64 %rd<2>;
            ld.param.u64 %rd1, [to];
            mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 31; setp.ne.u32 %p1, %r2, 0;
            @%p1 bra END;
            atom.global.inc.u32 %r2, [%rd1], 7;
            setp.eq.u32 %p1, %r2, 0; setp.eq.and.u32 %p2, %r1, 32, %p1;
            @%p2 trap;
            END: ret;
        }";

    #[test]
    fn every_schedule_is_run_and_the_failing_one_is_named() {
        let launch = |bounds, threads| {
            let emulator = Emulator::of_every_schedule(bounds);
            let module = emulator.session().load("draw.ptx", DRAW)?;
            let to = emulator.session().allocate("to", vec![0; 4]);
            let launch = Launch::new("draw", 1, threads).argument(Argument::Address(to));
            emulator.launch(module, &launch)
        };
        launch(Bounds::default(), 32).unwrap();
        let error = launch(Bounds::default(), 64).unwrap_err().to_string();
        assert!(error.contains("error[trapped]"), "{error}");
        let seed = error
            .split("repeat it with TMA_SEED=")
            .nth(1)
            .expect("the name is in the error");
        let name = seed.lines().next().unwrap_or_default().to_owned();
        let repeat = |text: &str, name: &str| {
            let emulator = Emulator::of_schedule(name.parse().expect("it is a name"));
            let module = emulator.session().load("draw.ptx", text)?;
            let to = emulator.session().allocate("to", vec![0; 4]);
            let launch = Launch::new("draw", 1, 64).argument(Argument::Address(to));
            emulator.launch(module, &launch)
        };
        let again = repeat(DRAW, &name).unwrap_err().to_string();
        assert!(again.contains("error[trapped]"), "{again}");
        assert!(again.contains(&format!("= schedule: {name}")), "{again}");
        // The first schedule is clean, and a launch that is not the name's runs that one.
        let usual = name.rsplit_once(':').expect("it has choices").0.to_owned() + ":usual";
        repeat(DRAW, &usual).unwrap();
        repeat(DRAW, &name.replace(":0:", ":1:")).unwrap();
        let other = repeat(&DRAW.replace("END", "OVER"), &name);
        let other = other.unwrap_err().to_string();
        assert!(
            other.contains("is of another PTX: the text with `draw`"),
            "{other}"
        );
        let error = launch("1".parse().unwrap(), 64).unwrap_err().to_string();
        let unfinished = "the search through the schedules of `draw` is not finished: the bound of 1 schedule is reached; \
                          1 schedule explored, 1 choice left to try";
        assert!(error.contains(unfinished), "{error}");
    }

    #[test]
    fn a_file_that_cannot_be_written_is_the_launch_s_error() {
        let nowhere = PathBuf::from("/nowhere/findings");
        let emulator = Emulator::with_files(0, Some(nowhere), None);
        assert!(launch(&emulator, 1).is_ok());
        let error = launch(&emulator, 64).unwrap_err().to_string();
        assert!(
            error.contains("cannot write the findings to `/nowhere/findings`"),
            "{error}"
        );
        assert!(error.contains("TMA_FINDINGS must name"), "{error}");
    }

    #[test]
    fn counts_of_each_launch_are_appended_to_their_file() {
        let path = env::temp_dir().join(format!("tma-performance-{}", process::id()));
        let emulator = Emulator::with_files(0, None, Some(path.clone()));
        launch(&emulator, 1).unwrap();
        // A launch with findings is counted, too.
        launch(&emulator, 64).unwrap_err();
        let text = fs::read_to_string(&path).unwrap();
        fs::remove_file(&path).unwrap();
        let rows: Vec<&str> = text
            .lines()
            .filter(|line| line.contains("race.ptx"))
            .collect();
        // One request of a sector, then one by each of two warps.
        let starts = ["         1        1      1", "         2        2      2"];
        assert_eq!(rows.len(), 2, "{text}");
        for (row, start) in rows.iter().zip(starts) {
            assert!(row.starts_with(start), "{text}");
        }
    }
}
