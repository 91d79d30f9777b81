//! The observer that counts steps.

use std::{collections::HashMap, ops::Range};

use tma_emulator::{
    Program, ScheduleName,
    check::Site,
    observer::{BoxLayout, Event, MbarrierEvent, Memory, Observer, Origin, View},
};
use tma_launch::Shape;

use super::{MOST_STATES, State, Step};

/// An observer that lists the steps, or keeps the states between two of them.
#[derive(Debug, Default)]
pub(super) struct Stepping {
    pub(super) count: usize,
    pub(super) list: Vec<Step>,
    most: usize,
    pub(super) phases: Vec<usize>,
    /// The steps to keep the states of.
    wanted: Range<usize>,
    /// The warp whose registers are kept; otherwise the running one.
    warp: Option<u32>,
    pub(super) states: Vec<State>,
    pub(super) launches: Vec<Sizes>,
    /// The layouts of the boxes that copies have brought into the shared memory of each block, latest last.
    boxes: HashMap<u64, Vec<BoxLayout>>,
}

/// The grid and the block of a launch.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sizes {
    grid: [u32; 3],
    block: [u32; 3],
}

impl Sizes {
    /// Returns the numbers of a site's block and thread.
    pub(super) fn flat(&self, site: &Site) -> (u64, u32) {
        let flat = |[x, y, z]: [u32; 3], of: [u32; 3]| {
            let [x, y, z, width, height] = [x, y, z, of[0], of[1]].map(u64::from);
            x + width * (y + height * z)
        };
        let (block, thread) = (flat(site.block, self.grid), flat(site.thread, self.block));
        (block, thread as u32)
    }
}

impl Stepping {
    /// Lists the first `most` steps.
    pub(super) fn listing(most: usize, name: Option<&ScheduleName>) -> Self {
        Self {
            most,
            ..Self::of(name)
        }
    }

    /// Keeps the states before these steps, with the registers of a warp.
    pub(super) fn keeping(
        wanted: Range<usize>,
        warp: Option<u32>,
        name: Option<&ScheduleName>,
    ) -> Self {
        let end = wanted.end.min(wanted.start.saturating_add(MOST_STATES));
        Self {
            wanted: wanted.start..end,
            warp,
            ..Self::of(name)
        }
    }

    /// Begins before the first launch, or before the only launch that is observed by a name.
    fn of(name: Option<&ScheduleName>) -> Self {
        let before = name.map_or(0, |name| name.launch);
        Self {
            launches: vec![Sizes::default(); before],
            ..Self::default()
        }
    }
}

impl Observer for Stepping {
    fn begin(&mut self, _: &Program, shape: &Shape, _: [u32; 3]) {
        self.launches.push(Sizes {
            grid: shape.grid.to_array(),
            block: shape.block.to_array(),
        });
        self.boxes.clear();
    }

    fn inspects(&self) -> bool {
        true
    }

    fn inspect(&mut self, view: View<'_>) {
        let launch = self.launches.len().saturating_sub(1);
        if self.list.len() < self.most {
            let location = view.location(view.instruction());
            self.list.push(Step {
                launch,
                block: view.block(),
                warp: view.warp(),
                lanes: view.lanes(),
                line: location.line,
                column: location.column,
                findings: view.findings(),
            });
        }
        if self.wanted.contains(&self.count) {
            let boxes = self.boxes.get(&view.block());
            let boxes = boxes.map_or(&[][..], Vec::as_slice);
            self.states
                .push(State::of(&view, (launch, self.warp), boxes));
        }
        self.count += 1;
    }

    fn see(&mut self, _: Origin, event: Event) {
        match event {
            Event::Mbarrier {
                operation: MbarrierEvent::PhaseDone { .. },
                ..
            } if self.count < self.most && self.phases.last() != Some(&self.count) => {
                self.phases.push(self.count);
            }
            Event::CopyBox {
                memory: Memory::Shared { block },
                tile,
                ..
            } => {
                let boxes = self.boxes.entry(block).or_default();
                boxes.retain(|other| other.address != tile.address);
                boxes.push(tile);
            }
            _ => {}
        }
    }

    fn print(&mut self, _: &str) {}
}
