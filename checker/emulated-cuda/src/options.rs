//! The options of `tma exec`, read from the file `options` in the folder named by `TMA_EXEC`.

use std::{
    env, fs,
    ops::RangeInclusive,
    path::{Path, PathBuf},
};

use tma_emulator::{
    Bounds, Config, Jobs, ScheduleName,
    check::{DiagnosticKind, Suppression, Suppressions},
};

/// Environment variable with the folder.
const VARIABLE: &str = "TMA_EXEC";

#[derive(Debug)]
pub(crate) struct Options {
    pub(crate) config: Config,
    pub(crate) seeds: RangeInclusive<u64>,
    /// Number of schedules to run in parallel.
    pub(crate) jobs: Jobs,
    /// Limits of the search through the schedules of each launch, in place of seeds.
    pub(crate) every_schedule: Option<Bounds>,
    /// The schedule to repeat, in place of seeds.
    pub(crate) schedule: Option<ScheduleName>,
    /// Folder for the PTX of each module.
    pub(crate) ptx: Option<PathBuf>,
    /// The suppressions in order; `tma exec` knows their reasons.
    pub(crate) suppressions: Suppressions,
    /// The file in which findings are counted.
    pub(crate) record: Option<PathBuf>,
    /// The file to which findings are written as JSON.
    pub(crate) findings: Option<PathBuf>,
}

impl Options {
    /// Reads the options of this process; defaults if `tma exec` did not start it.
    pub(crate) fn read() -> Self {
        let folder = env::var_os(VARIABLE).map(PathBuf::from);
        let text = folder.as_deref().map(|folder| folder.join("options"));
        let text = text.and_then(|path| fs::read_to_string(path).ok());
        Self::parse(&text.unwrap_or_default(), folder.as_deref())
    }

    fn parse(text: &str, folder: Option<&Path>) -> Self {
        let mut options = Self {
            config: Config::default(),
            seeds: 0..=0,
            jobs: Jobs::default(),
            every_schedule: None,
            schedule: None,
            ptx: None,
            suppressions: Suppressions::default(),
            record: folder.map(|folder| folder.join("record")),
            findings: None,
        };
        let mut suppressions = Vec::new();
        for line in text.lines() {
            let (key, value) = line.split_once(' ').unwrap_or((line, ""));
            let number = || value.parse::<u64>().unwrap_or_default();
            match key {
                "first-seed" => options.seeds = number()..=*options.seeds.end(),
                "last-seed" => options.seeds = *options.seeds.start()..=number(),
                "jobs" => options.jobs = value.parse().unwrap_or_default(),
                "all-schedules" => {
                    options.every_schedule = Some(value.parse().unwrap_or_default());
                }
                "schedule" => options.schedule = value.parse().ok(),
                "max-steps" => options.config.max_steps = number(),
                "no-check" => options.config.checks = false,
                "findings" => options.findings = folder.map(|folder| folder.join("findings")),
                "strict" => options.config.strict = true,
                "ptx" => options.ptx = Some(PathBuf::from(value)),
                "suppress" => suppressions.extend(suppression(value)),
                _ => {}
            }
        }
        options.config.seed = *options.seeds.start();
        if let Some(bounds) = &mut options.every_schedule {
            bounds.jobs = options.jobs;
        }
        options.suppressions = Suppressions::new(suppressions);
        options
    }
}

/// Parses a kind and the name of a function.
fn suppression(value: &str) -> Option<Suppression> {
    let (kind, function) = value.split_once(' ')?;
    let kind = DiagnosticKind::ALL
        .iter()
        .find(|known| known.name() == kind)?;
    Some(Suppression {
        kind: *kind,
        function: function.to_owned(),
        reason: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_options() {
        let text = "first-seed 3\nlast-seed 5\njobs 7\nno-check\nfindings\nsuppress data-race k*\nptx a b\n";
        let options = Options::parse(text, Some(Path::new("/x")));
        assert_eq!(options.seeds, 3..=5);
        assert_eq!(options.config.seed, 3);
        assert_eq!(options.jobs.to_string(), "7");
        assert_eq!((options.every_schedule, options.schedule), (None, None));
        let options_of = |text| Options::parse(text, None);
        let every = options_of("all-schedules 9\n").every_schedule.unwrap();
        assert_eq!(every.schedules, 9);
        let named = options_of("schedule 1:2:3.4\n").schedule.unwrap();
        assert_eq!((named.launch, &*named.schedule.to_string()), (2, "3.4"));
        assert!(!options.config.checks && !options.config.strict);
        assert_eq!(options.ptx.as_deref(), Some(Path::new("a b")));
        assert_eq!(options.record.as_deref(), Some(Path::new("/x/record")));
        assert_eq!(options.findings.as_deref(), Some(Path::new("/x/findings")));
        let (first, _) = options.suppressions.counts().next().unwrap();
        assert_eq!(
            (first.kind, &*first.function),
            (DiagnosticKind::DataRace, "k*")
        );
    }
}
