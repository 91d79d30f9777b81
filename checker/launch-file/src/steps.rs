//! Steps through a schedule, forwards and backwards. A step is an instruction that lanes of one warp execute, or a wait
//! that they look at again.
//!
//! A seed or a name repeats its schedule, so that a step backwards is another run up to the step before.

mod stepping;
mod tile;
mod view;

use std::ops::Range;

use serde_json::{Value, json};
use tma_emulator::{Config, ScheduleName, check::Site};

use super::{Diagnostic, Emulation, Run, Stopped};
use stepping::Stepping;
pub use tile::{Tile, TilePiece, TileRow};
pub use view::{At, Copy, Mbarrier, Register, State};

/// A step of a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Number of the launch in its file.
    pub launch: usize,
    /// Number of the block in its grid, `x` fastest.
    pub block: u64,
    /// Number of the warp in its block.
    pub warp: u32,
    /// The lanes, one bit for each.
    pub lanes: u32,
    /// Line in the PTX text.
    pub line: usize,
    /// Column in the PTX text.
    column: usize,
    /// Findings of the launch before the step.
    findings: usize,
}

/// The steps of a schedule, and its findings.
#[derive(Clone, Debug)]
pub struct Steps {
    /// The first steps.
    pub list: Vec<Step>,
    /// Number of all steps.
    pub count: usize,
    /// Steps before which a phase of an mbarrier had just been completed.
    pub phases: Vec<usize>,
    /// The results of the schedule.
    pub run: Run,
    /// The step of each of its findings, in the order of `run.diagnostics`.
    pub findings: Vec<usize>,
}

/// The most states of one call of [`Emulation::states`].
pub const MOST_STATES: usize = 64;

impl Emulation {
    /// Runs a schedule under the checker, and lists its first `most` steps. Without a name the seed chooses the schedule.
    ///
    /// # Errors
    /// A module needs something that the emulator does not support, or the schedule is of another PTX or launch.
    pub fn steps(
        &self,
        config: Config,
        name: Option<&ScheduleName>,
        most: usize,
    ) -> Result<Steps, Stopped> {
        let mut stepping = Stepping::listing(most, name);
        let run = match name {
            None => self.run_beside(config, &mut stepping)?,
            Some(name) => {
                self.observe_by_name(config, name, &mut stepping)?;
                self.by_name(config, name)?
            }
        };
        let findings = run.diagnostics.iter().scan(Vec::new(), |taken, found| {
            Some(stepping.step_of(found, taken))
        });
        Ok(Steps {
            findings: findings.collect(),
            run,
            count: stepping.count,
            phases: stepping.phases,
            list: stepping.list,
        })
    }

    /// Returns the states before these steps of a schedule, at most [`MOST_STATES`], with the registers of a warp of the
    /// running block; without a number, of the running warp.
    ///
    /// # Errors
    /// The errors of [`steps`](Self::steps).
    pub fn states(
        &self,
        config: Config,
        name: Option<&ScheduleName>,
        wanted: Range<usize>,
        warp: Option<u32>,
    ) -> Result<Vec<State>, Stopped> {
        let mut stepping = Stepping::keeping(wanted, warp, name);
        match name {
            // A fault ends the steps.
            None => self.observe(config, &mut stepping)?,
            Some(name) => self.observe_by_name(config, name, &mut stepping)?,
        }
        Ok(stepping.states)
    }
}

impl Steps {
    /// Converts the steps.
    pub fn to_json(&self) -> Value {
        let step = |step: &Step| json!([step.block, step.warp, step.lanes, step.line]);
        json!({
            "steps": self.list.iter().map(step).collect::<Vec<_>>(),
            "phases": self.phases,
            "findings": self.findings,
            "count": self.count,
            "cut": self.count > self.list.len(),
        })
    }
}

impl Stepping {
    /// Returns the step at which the checker found a defect: one of its thread's warp at its instruction. The step is the
    /// one after which the checker had a further finding, if there is one; otherwise the last. Findings without an
    /// instruction belong to the last step.
    fn step_of(&self, found: &Diagnostic, taken: &mut Vec<usize>) -> usize {
        let end = self.list.len().saturating_sub(1);
        let Diagnostic::Kernel(found) = found else {
            return end;
        };
        let Some(here) = &found.here else { return end };
        let of_site = |index: &usize| self.is_at(*index, here);
        let grown = self.grown().filter(of_site);
        let mut grown = grown.filter(|index| !taken.contains(index));
        let last = || (0..self.list.len()).rev().find(of_site);
        let step = grown.next().or_else(last);
        taken.extend(step);
        step.unwrap_or(end)
    }

    /// Returns the steps after which the checker had further findings.
    fn grown(&self) -> impl Iterator<Item = usize> {
        let pairs = self.list.windows(2).enumerate();
        let grown = pairs.filter(|(_, pair)| {
            pair[0].launch == pair[1].launch && pair[0].findings < pair[1].findings
        });
        grown.map(|(index, _)| index)
    }

    fn is_at(&self, index: usize, site: &Site) -> bool {
        let step = &self.list[index];
        let (block, thread) = self.launches[step.launch].flat(site);
        let is_here = (step.line, step.column) == (site.location.line, site.location.column);
        is_here
            && step.block == block
            && step.warp == thread / 32
            && step.lanes & (1 << (thread % 32)) != 0
    }
}
