//! `tma learn`: the levels of the course as kernels in Rust, which the checker tests.

mod level;
mod text;

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context, Error, Result, ensure};
use tma_build::{Arch, Assemble, PtxBuilder};
use tma_cli::emulate::{Diagnostic, Emulation, LaunchFile, Run, Verdict};
use tma_emulator::Config;
use tma_host::Source;
use tma_project::{Mark, new, setup};

use crate::wrong_input::OrWrongInput;
use level::Level;

/// Teaches the Tensor Memory Accelerator by kernels with a bug each, which the checker reports
///
/// Without a level, lists them. A level writes its kernel the first time, and then checks it without a GPU. Exit codes: 0
/// solved, 1 findings, 2 invalid input.
#[derive(clap::Args)]
pub(crate) struct Learn {
    /// Number of the level
    level: Option<usize>,
    /// Show the hints of the level
    #[arg(long, requires = "level", conflicts_with = "solution")]
    hint: bool,
    /// Show the lines to change
    #[arg(long, requires = "level")]
    solution: bool,
    /// Folder with the kernels of the levels
    #[arg(long, default_value = "learn")]
    folder: PathBuf,
}

/// Seeds under which a kernel must be clean, as on the page.
const SEEDS: u64 = 16;
/// Steps of a kernel, each of which is small.
const MAX_STEPS: u64 = 1_000_000;
/// The file that a solved level has.
const SOLVED: &str = "solved";

/// The workspace of all levels. Lines of a report are relative to it, so that they name the level.
const WORKSPACE: &str = "# The levels of `cargo tma learn`.
[workspace]
members = [\"[0-9]*\"]
resolver = \"3\"
";

const MANIFEST: &str = "[package]
name = \"{{level}}\"
version = \"0.1.0\"
edition = \"2024\"
publish = false

[dependencies]
tma = { package = \"rust-tma\", {{tma}} }
";

const LIBRARY: &str = "//! The kernel of a level is in `kernel.rs`.
#![no_std]
#![cfg_attr(
    target_arch = \"nvptx64\",
    feature(abi_ptx, asm_experimental_arch, stdarch_nvptx)
)]
#![allow(unsafe_op_in_unsafe_fn)]

mod kernel;
";

impl Learn {
    pub(crate) fn run(self, out: &mut impl Write) -> Result<ExitCode> {
        let levels = Level::all().or_wrong_input()?;
        let Some(number) = self.level else {
            for (index, level) in levels.iter().enumerate() {
                let is_solved = self.folder_of(level).join(SOLVED).is_file();
                let mark = if is_solved { Mark::Ok } else { Mark::Info };
                writeln!(
                    out,
                    "{mark} {:2}  {}: {}",
                    index + 1,
                    level.title,
                    level.summary
                )?;
            }
            writeln!(out, "\nNext: cargo tma learn N")?;
            return Ok(ExitCode::SUCCESS);
        };
        let level = number.checked_sub(1).and_then(|index| levels.get(index));
        let level = level
            .with_context(|| format!("level {number} must be from 1 to {}", levels.len()))
            .or_wrong_input()?;
        if self.hint {
            writeln!(out, "{}", level.hints())?;
            return Ok(ExitCode::SUCCESS);
        }
        if self.solution {
            write!(out, "{}", level.solution())?;
            return Ok(ExitCode::SUCCESS);
        }
        self.solve(number, level, out)
    }

    fn folder_of(&self, level: &Level) -> PathBuf {
        self.folder.join(&level.folder)
    }

    /// Writes the kernel of a level into the workspace.
    fn write(&self, level: &Level) -> Result<()> {
        let workspace = self.folder.join("Cargo.toml");
        if let Ok(other) = fs::read_to_string(&workspace) {
            let folder = self.folder.display();
            ensure!(
                other == WORKSPACE,
                "{folder} must have no project of its own; use another --folder"
            );
        }
        let manifest = new::with_sources(MANIFEST).replace("{{level}}", &level.id);
        let kernel = level.kernel(&level.start);
        let path = |name: &str| format!("{}/{name}", level.folder);
        let texts = [
            ("Cargo.toml", WORKSPACE),
            (&path("Cargo.toml"), &manifest),
            (&path("src/lib.rs"), LIBRARY),
            (&path("src/kernel.rs"), &kernel),
        ];
        new::write_texts(&self.folder, &texts)
    }

    /// Writes the kernel the first time, and checks it.
    fn solve(&self, number: usize, level: &Level, out: &mut impl Write) -> Result<ExitCode> {
        let folder = self.folder_of(level);
        let kernel = folder.join("src/kernel.rs");
        if !kernel.is_file() {
            self.write(level).or_wrong_input()?;
            writeln!(out, "{}. {}\n\n{}\n", number, level.title, level.task())?;
            // The compiler takes its time.
            out.flush()?;
        }
        let solved = folder.join(SOLVED);
        // There is none before the first success.
        let _ = fs::remove_file(&solved);
        let runs = check(level, &folder)?;
        let bad: Vec<&Run> = runs.iter().filter(|run| is_bad(run)).collect();
        let Some(first) = bad.first() else {
            fs::write(&solved, "").with_context(|| format!("cannot write {}", solved.display()))?;
            writeln!(out, "{}\n", level.why())?;
            writeln!(
                out,
                "solved: level {number} is clean under {SEEDS} seeds, and the memory is as expected"
            )?;
            return Ok(ExitCode::SUCCESS);
        };
        first
            .diagnostics
            .iter()
            .try_for_each(|found| writeln!(out, "{found}\n"))?;
        writeln!(
            out,
            "findings: {} of {SEEDS} seeds. Mend {}, and repeat `cargo tma learn {number}`; --hint and --solution help",
            bad.len(),
            kernel.display()
        )?;
        Ok(ExitCode::from(Verdict::Findings.exit_code()))
    }
}

fn is_bad(run: &Run) -> bool {
    run.diagnostics.iter().any(Diagnostic::is_error)
}

/// Compiles the kernel, and runs the level's launches under each seed.
fn check(level: &Level, folder: &Path) -> Result<Vec<Run>> {
    setup::ensure_device_compiler()?;
    let builder = PtxBuilder::new(folder)
        .arch(Arch::Sm90a)
        .assemble(Assemble::Never);
    // A call of a panic would be in the way of a product on tensor cores.
    let builder = builder.debug_assertions(false).overflow_checks(false);
    let ptx = builder.build().map_err(Error::msg)?;
    let text = fs::read_to_string(&ptx.path)
        .with_context(|| format!("cannot read {}", ptx.path.display()))?;
    let source = Source::parse(&ptx.path.display().to_string(), &text);
    let file = LaunchFile::parse_with("launch.toml", &level.toml, &[&level.module])?;
    let emulation = Emulation::with_sources(file, vec![source?])?;
    let run = |seed| {
        let config = Config {
            seed,
            max_steps: MAX_STEPS,
            ..Config::default()
        };
        Ok(emulation.run_in_memory(config)?.0)
    };
    (0..SEEDS).map(run).collect()
}
