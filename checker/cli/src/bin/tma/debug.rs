//! `tma debug`: steps through the launches of a file at a terminal, or by commands from a pipe.

mod commands;
mod position;
mod show;
mod tables;

use std::{
    io::{self, BufRead, IsTerminal, Write},
    path::PathBuf,
    process::ExitCode,
};

use anyhow::{Context, Result};
use tma_cli::emulate::{Emulation, Stopped};
use tma_emulator::{Config, Progress, ScheduleName};
use tma_launch::escape_text;

use crate::{
    emulate::{checking::MAX_STEPS, seeds::seed},
    wrong_input::OrWrongInput,
};
use commands::Command;
use position::Position;

/// Steps through a schedule of a launch file's kernels, forwards and backwards
///
/// The commands are lines of standard input: `help` lists them. Exit codes: 0 the commands ended, 2 invalid input, 3 a
/// kernel needs something that the emulator does not support.
#[derive(clap::Args)]
pub(crate) struct Debug {
    /// Launch file to run
    file: PathBuf,
    /// Seed of the schedule
    #[arg(long, default_value_t = 0, value_parser = seed, allow_negative_numbers = true)]
    seed: u64,
    /// Step through a schedule that `tma emulate --all-schedules` printed
    #[arg(long, value_name = "SCHEDULE", conflicts_with = "seed")]
    schedule: Option<ScheduleName>,
    /// Step limit per kernel, in instructions counted per thread; a kernel beyond it counts as endless
    #[arg(long, value_name = "STEPS", default_value_t = MAX_STEPS)]
    max_steps: u64,
    /// Also report findings without effect on results, such as same-value races, and report notes as warnings
    #[arg(long)]
    strict: bool,
}

impl Debug {
    pub(crate) fn run(self, out: &mut impl Write) -> Result<ExitCode> {
        let config = Config {
            seed: self.seed,
            strict: self.strict,
            max_steps: self.max_steps,
            ..Config::default()
        };
        let open = || {
            let _progress = Progress::on_terminal("tma debug");
            let emulation = Emulation::open(&self.file)?;
            Position::new(emulation, config, self.schedule)
        };
        match open() {
            Ok(position) => {
                converse(position, out)?;
                Ok(ExitCode::SUCCESS)
            }
            Err(stopped @ Stopped::Unsupported(_)) => {
                eprintln!("unsupported: {}", escape_text(&stopped.to_string()));
                Ok(ExitCode::from(stopped.verdict().exit_code()))
            }
            Err(stopped) => Err(stopped).or_wrong_input(),
        }
    }
}

/// Answers commands until `quit` or the end of standard input. An empty line repeats the command before.
fn converse(mut position: Position, out: &mut impl Write) -> Result<()> {
    let input = io::stdin();
    let is_terminal = input.is_terminal();
    position.summary(out)?;
    position.show_place(out)?;
    let mut last = String::new();
    let mut lines = input.lock().lines();
    loop {
        if is_terminal {
            write!(out, "(tma) ")?;
        }
        out.flush()?;
        let Some(line) = lines.next() else {
            return Ok(());
        };
        let line = line.context("cannot read commands").or_wrong_input()?;
        if !line.trim().is_empty() {
            line.clone_into(&mut last);
        }
        match last.parse() {
            Ok(Command::Quit) => return Ok(()),
            Ok(command) => position.answer(command, out)?,
            Err(_) if last.is_empty() => {}
            Err(message) => writeln!(out, "error: {message}")?,
        }
    }
}
