//! Steps through a seed's schedule: an observer that lists the instructions, or keeps the states between two of them.
//!
//! A seed repeats its schedule, so that a step backwards is another run up to the step before.

use std::ops::Range;

use serde_json::{Value, json};
use tma_emulator::observer::{Event, LanesAt, MbarrierEvent, Memory, Observer, Origin, View};

use crate::results::hex;

/// The most steps that are listed.
const MOST_STEPS: usize = 100_000;
/// The most states of one request.
const MOST_STATES: usize = 64;

/// An observer that counts steps: an instruction that lanes of a warp execute, or a wait that they look at again.
#[derive(Debug, Default)]
pub(crate) struct Stepping {
    /// Number of the next step.
    next: usize,
    /// The steps, if they are listed: block, warp, lanes and line.
    steps: Vec<(u64, u32, u32, usize)>,
    /// Steps before which a phase of an mbarrier had just been completed.
    phases: Vec<usize>,
    /// The steps to keep the states of.
    wanted: Range<usize>,
    states: Vec<Value>,
    lists: bool,
}

impl Stepping {
    /// Lists all steps.
    pub(crate) fn of_all() -> Self {
        Self {
            lists: true,
            ..Self::default()
        }
    }

    /// Keeps the states before these steps.
    pub(crate) fn of_states(wanted: Range<usize>) -> Self {
        let end = wanted.end.min(wanted.start.saturating_add(MOST_STATES));
        Self {
            wanted: wanted.start..end,
            ..Self::default()
        }
    }

    /// Returns the list of steps.
    pub(crate) fn list(&self) -> Value {
        json!({
            "steps": self.steps,
            "phases": self.phases,
            "count": self.next,
            "cut": self.next > MOST_STEPS,
        })
    }

    /// Returns the states.
    pub(crate) fn states(self) -> Value {
        json!({ "from": self.wanted.start, "states": self.states, "count": self.next })
    }
}

impl Observer for Stepping {
    fn inspects(&self) -> bool {
        true
    }

    fn inspect(&mut self, view: View<'_>) {
        if self.lists && self.next < MOST_STEPS {
            let line = view.location(view.instruction()).line;
            let step = (view.block(), view.warp(), view.lanes(), line);
            self.steps.push(step);
        }
        if self.wanted.contains(&self.next) {
            self.states.push(state(&view));
        }
        self.next += 1;
    }

    fn see(&mut self, _: Origin, event: Event) {
        let is_phase = matches!(
            event,
            Event::Mbarrier {
                operation: MbarrierEvent::PhaseDone { .. },
                ..
            }
        );
        if is_phase && self.lists && self.phases.last() != Some(&self.next) {
            self.phases.push(self.next);
        }
    }

    fn print(&mut self, _: &str) {}
}

fn state(view: &View<'_>) -> Value {
    let (block, warp) = (view.block(), view.warp());
    let at = |at: &LanesAt| {
        json!({
            "lanes": at.lanes,
            "line": view.location(at.instruction).line,
            "pause": at.pause.map(|pause| format!("{pause:?}")),
        })
    };
    let warps = view.warps(block);
    let warps = warps.iter().map(|warp| warp.iter().map(at).collect());
    let registers = view.registers(block, warp).into_iter().map(|register| {
        json!({
            "name": register.name,
            "type": format!("{:?}", register.ty).to_lowercase(),
            // JSON has no integers of 64 bits.
            "lanes": register.lanes.map(|bits| format!("{bits:x}")),
        })
    });
    let mbarriers = view.blocks().into_iter().flat_map(|block| {
        let mbarriers = view.mbarriers(block).into_iter();
        mbarriers.map(move |mbarrier| {
            json!({
                "block": block,
                "address": mbarrier.address,
                "name": mbarrier.name,
                "phase": mbarrier.phase,
                "expected": mbarrier.expected,
                "pending": mbarrier.pending,
                "pending_bytes": mbarrier.pending_bytes,
            })
        })
    });
    let copies = view.copies().into_iter().map(|copy| {
        json!({
            "copy": copy.copy,
            "line": view.location(copy.origin.instruction).line,
            "block": copy.origin.block,
            "thread": copy.origin.thread,
            "unread_bytes": copy.unread_bytes,
            "unwritten_bytes": copy.unwritten_bytes,
            "to": copy.to.map(|to| match to.memory {
                Memory::Shared { block } => format!("shared memory of block {block} at {:#x}", to.address),
                _ => format!("global memory at {:#x}", to.address),
            }),
        })
    });
    let (shared_start, shared) = view.shared(block);
    json!({
        "block": block,
        "warp": warp,
        "lanes": view.lanes(),
        "line": view.location(view.instruction()).line,
        "opcode": view.opcode(view.instruction()),
        "resumes": view.resumes(),
        "warps": warps.collect::<Vec<Vec<Value>>>(),
        "registers": registers.collect::<Vec<_>>(),
        "mbarriers": mbarriers.collect::<Vec<_>>(),
        "copies": copies.collect::<Vec<_>>(),
        "shared_start": shared_start,
        "shared": hex(shared),
    })
}
