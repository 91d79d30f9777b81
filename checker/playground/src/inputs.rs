//! The part that all requests share: a launch file, and the texts of its modules.

use launch_file::{Emulation, LaunchFile, Stopped};
use ptx_source::Source;
use serde::Deserialize;
use tma_emulator::Config;
use tma_launch::{Failure, Stage};

/// Limit of all buffers together, in bytes: a page has little memory.
const MOST_BUFFER_BYTES: u64 = 256 << 20;

/// The launch file as it is called in messages.
pub(crate) const LAUNCH_FILE: &str = "launch.toml";

/// A launch file with its modules, and the settings of a run.
#[derive(Debug, Deserialize)]
pub(crate) struct Input {
    /// The text of the launch file.
    toml: String,
    /// The texts of its modules.
    modules: Vec<Module>,
    #[serde(default)]
    seed: u64,
    #[serde(default)]
    strict: bool,
    /// Limit of steps of a kernel.
    #[serde(default = "max_steps")]
    max_steps: u64,
}

/// A PTX text, by the name that the launch file gives it.
#[derive(Debug, Deserialize)]
pub(crate) struct Module {
    pub(crate) name: String,
    pub(crate) text: String,
}

/// The limit of steps unless the request has another one: some ten seconds in a browser.
const fn max_steps() -> u64 {
    100_000_000
}

impl Input {
    /// Returns the launch file.
    pub(crate) fn file(&self) -> Result<LaunchFile, Stopped> {
        let names: Vec<&str> = self.modules.iter().map(|it| it.name.as_str()).collect();
        let file = LaunchFile::parse_with(LAUNCH_FILE, &self.toml, &names);
        let file = file.map_err(Stopped::Violations)?;
        let bytes = file.buffer_bytes();
        if bytes > MOST_BUFFER_BYTES {
            let what = format!(
                "the buffers have {bytes} bytes; use at most {MOST_BUFFER_BYTES} in a browser, or `tma emulate`"
            );
            return Err(Stopped::Failure(Failure::new(Stage::Load, what)));
        }
        Ok(file)
    }

    /// Returns the launch file with its modules, checked and ready to run.
    pub(crate) fn emulation(&self) -> Result<Emulation, Stopped> {
        let file = self.file()?;
        if file.writes_files() {
            let what = "`[[dump]]` needs files; remove it, the page shows all buffers".to_owned();
            return Err(Stopped::Failure(Failure::new(Stage::Load, what)));
        }
        let text = |path: &std::path::Path| {
            let mut modules = self.modules.iter();
            let module = modules.find(|module| path.to_str() == Some(module.name.as_str()));
            module.map_or("", |module| &module.text)
        };
        let parse = |path: &std::path::Path| Source::parse(&path.display().to_string(), text(path));
        let sources: Result<_, _> = file.modules().map(parse).collect();
        Emulation::with_sources(file, sources.map_err(Stopped::Failure)?)
    }

    /// Returns the settings of a run.
    pub(crate) fn config(&self) -> Config {
        Config {
            seed: self.seed,
            strict: self.strict,
            max_steps: self.max_steps,
            ..Config::default()
        }
    }
}
