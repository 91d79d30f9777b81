//! The place among the steps of a schedule, and the moves from it.

use std::io::{self, Write};

use tma_cli::emulate::{
    Emulation, Stopped,
    steps::{State, Step, Steps},
};
use tma_emulator::{Config, ScheduleName};

use super::{
    commands::{Command, help},
    show, tables,
};

/// The most steps that are listed.
const MOST_STEPS: usize = 1_000_000;
/// States that are kept of one replay, half of them before the step.
const WINDOW: usize = 32;

/// A step of a schedule, and the states around it.
pub(super) struct Position {
    emulation: Emulation,
    config: Config,
    schedule: Option<ScheduleName>,
    steps: Steps,
    at: usize,
    /// The block and the warp to step through; all of them without one.
    warp: Option<(u64, u32)>,
    /// The number of the first state, and the states.
    states: (usize, Vec<State>),
}

impl Position {
    /// Begins at the first step of a schedule.
    pub(super) fn new(
        emulation: Emulation,
        config: Config,
        schedule: Option<ScheduleName>,
    ) -> Result<Self, Stopped> {
        Ok(Self {
            steps: emulation.steps(config, schedule.as_ref(), MOST_STEPS)?,
            emulation,
            config,
            schedule,
            at: 0,
            warp: None,
            states: (0, Vec::new()),
        })
    }

    /// Shows the number of steps and the findings.
    pub(super) fn summary(&self, out: &mut impl Write) -> io::Result<()> {
        let Steps {
            list,
            count,
            phases,
            ..
        } = &self.steps;
        let cut = match list.len() {
            listed if listed < *count => format!(", of which the first {listed} can be shown"),
            _ => String::new(),
        };
        writeln!(out, "{count} steps{cut}; {} completed phases", phases.len())?;
        self.show_findings(out)
    }

    fn show_findings(&self, out: &mut impl Write) -> io::Result<()> {
        let found = self.steps.run.diagnostics.iter();
        for (found, step) in found.zip(&self.steps.findings) {
            writeln!(out, "finding at step {}: {}", step + 1, found.headline())?;
        }
        match self.steps.findings.is_empty() {
            true => writeln!(out, "no findings"),
            false => Ok(()),
        }
    }

    /// Answers a command other than `quit`.
    pub(super) fn answer(&mut self, command: Command, out: &mut impl Write) -> io::Result<()> {
        match command {
            Command::Step(count) => self.go(self.moved(count, true), "there is no later step", out),
            Command::Back(count) => {
                self.go(self.moved(count, false), "there is no earlier step", out)
            }
            Command::Phase => self.go(self.phase(true), "no later phase is completed", out),
            Command::PhaseBack => self.go(self.phase(false), "no earlier phase is completed", out),
            Command::Goto(number) => {
                let listed = |to: &usize| *to < self.steps.list.len();
                let why = format!("step {number} must be from 1 to {}", self.steps.list.len());
                self.go(number.checked_sub(1).filter(listed), &why, out)
            }
            Command::Finding => self.next_finding(out),
            Command::Warp(warp) => self.choose(warp, out),
            Command::Findings => self.show_findings(out),
            Command::Help => writeln!(out, "{}", tables::left(&help())),
            Command::Quit => Ok(()),
            Command::Where => self.show_place(out),
            Command::Warps => self.show(out, |state, out| show::warps(state, out)),
            Command::Registers(name) => self.show(out, |state, out| {
                show::registers(state, name.as_deref(), out)
            }),
            Command::Shared(ty) => self.show(out, |state, out| show::shared(state, ty, out)),
            Command::Barriers => self.show(out, |state, out| show::barriers(state, out)),
            Command::Copies => self.show(out, |state, out| show::copies(state, out)),
        }
    }

    /// Shows the step, its line of PTX and its line of the source.
    pub(super) fn show_place(&mut self, out: &mut impl Write) -> io::Result<()> {
        let (at, count) = (self.at, self.steps.count);
        let Some(state) = self.state()? else {
            return writeln!(out, "error: the launches have no steps");
        };
        let state = state.clone();
        show::place(&state, (at, count), &self.emulation, out)
    }

    fn go(&mut self, to: Option<usize>, why: &str, out: &mut impl Write) -> io::Result<()> {
        match to {
            Some(to) => {
                self.at = to;
                self.show_place(out)
            }
            None => writeln!(out, "error: {why}"),
        }
    }

    fn show<W: Write>(
        &mut self,
        out: &mut W,
        show: impl FnOnce(&State, &mut W) -> io::Result<()>,
    ) -> io::Result<()> {
        match self.state()? {
            Some(state) => show(state, out),
            None => writeln!(out, "error: the launches have no steps"),
        }
    }

    /// Returns the state before the step.
    fn state(&mut self) -> io::Result<Option<&State>> {
        let of_window = |(from, states): &(usize, Vec<State>), at: usize| {
            at.checked_sub(*from).filter(|index| *index < states.len())
        };
        if of_window(&self.states, self.at).is_none() {
            let from = self.at.saturating_sub(WINDOW / 2);
            let warp = self.warp.map(|(_, warp)| warp);
            let wanted = from..from + WINDOW;
            let states = self
                .emulation
                .states(self.config, self.schedule.as_ref(), wanted, warp);
            // The same launches have run before.
            self.states = (from, states.map_err(io::Error::other)?);
        }
        let index = of_window(&self.states, self.at);
        Ok(index.map(|index| &self.states.1[index]))
    }

    /// Returns the nearest step before which a phase was completed.
    fn phase(&self, is_forwards: bool) -> Option<usize> {
        let last = self.steps.list.len().saturating_sub(1);
        let mut phases = self.steps.phases.iter().map(|phase| *phase.min(&last));
        match is_forwards {
            true => phases.find(|phase| *phase > self.at),
            false => phases.rfind(|phase| *phase < self.at),
        }
    }

    fn is_chosen(&self, step: &Step) -> bool {
        self.warp
            .is_none_or(|chosen| chosen == (step.block, step.warp))
    }

    /// Returns the step after some of the chosen warp's, or its last; `None` if there is no further one.
    fn moved(&self, count: usize, is_forwards: bool) -> Option<usize> {
        let is_chosen = |at: &usize| self.is_chosen(&self.steps.list[*at]);
        let count = count.max(1);
        match is_forwards {
            true => (self.at + 1..self.steps.list.len())
                .filter(is_chosen)
                .take(count)
                .last(),
            false => (0..self.at).rev().filter(is_chosen).take(count).last(),
        }
    }

    fn next_finding(&mut self, out: &mut impl Write) -> io::Result<()> {
        let steps = self.steps.findings.iter().copied();
        let Some(to) = steps.filter(|step| *step > self.at).min() else {
            return writeln!(
                out,
                "error: no finding is after this step; `findings` lists them"
            );
        };
        let found = self.steps.run.diagnostics.iter().zip(&self.steps.findings);
        for (found, _) in found.filter(|(_, step)| **step == to) {
            writeln!(out, "{found}")?;
        }
        self.go(Some(to), "", out)
    }

    fn choose(&mut self, warp: Option<(Option<u64>, u32)>, out: &mut impl Write) -> io::Result<()> {
        let Some((block, warp)) = warp else {
            self.set_warp(None);
            return writeln!(out, "stepping through every warp");
        };
        let running = self.steps.list.get(self.at).map_or(0, |step| step.block);
        let block = block.unwrap_or(running);
        let mut steps = self.steps.list.iter();
        if !steps.any(|step| (step.block, step.warp) == (block, warp)) {
            return writeln!(out, "error: no step is of warp {warp} of block {block}");
        }
        self.set_warp(Some((block, warp)));
        writeln!(out, "stepping through warp {warp} of block {block}")
    }

    fn set_warp(&mut self, warp: Option<(u64, u32)>) {
        self.warp = warp;
        // The states have the registers of one warp.
        self.states.1.clear();
    }
}
