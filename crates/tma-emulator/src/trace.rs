//! A timeline of a kernel's actions, for Perfetto and `chrome://tracing`.
//!
//! A [`Trace`] is an [`Observer`]. Each block is a process, and each warp and mbarrier one of its tracks. A
//! copy is a slice from its issue to its completion, with an arrow to the phase of the mbarrier that it
//! completes.
//!
//! **The clock is not time.** The emulator performs one action after another. A turn of a warp takes one unit
//! for each executed instruction, and each shown event at least one unit. A unit is written as a microsecond.
//! The order is the schedule of the seed; a long slice here need not be long on a GPU.

mod barriers;
mod copies;
pub mod json;
mod warps;

use tma_launch::Shape;

use crate::machine::{
    Fault, Places, Program,
    observer::{Event, FenceKind, MbarrierEvent, Observer, OrdinaryAccess, Origin, Turn},
};
use barriers::Barriers;
use copies::Copies;
use json::{Json, Track, quoted};
use warps::Warps;

/// Records a timeline; [`finish`](Self::finish) writes it.
///
/// ```
/// use tma_emulator::{EmulatorBackend, Trace};
/// use tma_launch::{Job, Launch, Ptx};
///
/// let text = ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k() { ret; }";
/// let mut job = Job::new(Ptx { name: "k.ptx", text });
/// job.launch(Launch::new("k", 1, 32));
/// let mut trace = Trace::default();
/// EmulatorBackend::new(0).observe(&mut job, &mut trace)?;
/// assert!(trace.finish().starts_with("{\"traceEvents\":["));
/// # Ok::<(), tma_launch::Failure>(())
/// ```
#[derive(Debug, Default)]
pub struct Trace {
    json: Json,
    /// Units since the first launch.
    clock: u64,
    /// Start of the current turn.
    turn_start: u64,
    launch: Option<Launch>,
    launches: u64,
    /// First process of the next launch; process 0 does not exist.
    next_process: u64,
}

/// The running kernel.
#[derive(Debug)]
struct Launch {
    number: u64,
    program: Program,
    places: Places,
    /// The process of its first block.
    first_process: u64,
    warps: Warps,
    copies: Copies,
    barriers: Barriers,
}

impl Trace {
    /// Returns whether there was more than a trace holds, which is a million events.
    pub fn is_cut(&self) -> bool {
        self.json.is_full()
    }

    /// Returns the timeline as JSON in the Trace Event Format.
    pub fn finish(mut self) -> String {
        self.close(None);
        self.json
            .finish("one instruction of a warp, or one event; not time")
    }

    /// Ends everything in flight.
    fn close(&mut self, fault: Option<&Fault>) {
        let Some(launch) = self.launch.take() else {
            return;
        };
        self.clock += 1;
        let (json, now, program) = (&mut self.json, self.clock, &launch.program);
        launch.warps.close(json, now, program);
        launch.copies.close(json, now, program);
        launch.barriers.close(json, now);
        if let Some(fault) = fault {
            let track = Track {
                process: launch.first_process,
                thread: 0,
            };
            let args = format!("\"what\":{}", quoted(&fault.to_string()));
            json.instant(track, now, fault.trap.name(), &args);
        }
        self.turn_start = self.clock;
    }
}

impl Launch {
    fn track(&mut self, json: &mut Json, (block, warp): (u64, u32)) -> Track {
        let process = self.first_process.saturating_add(block);
        let (number, places) = (self.number, &self.places);
        let name = || format!("launch {number}, block {:?}", places.block(block));
        self.warps.track(json, process, (block, warp), name)
    }
}

/// Returns a location such as `kernels.ptx:12:5 (src/lib.rs:40)`, as the arguments of an event.
fn location(program: &Program, instruction: usize) -> String {
    let opcode = quoted(program.opcode(instruction));
    let location = quoted(&program.location(instruction).to_string());
    format!("\"instruction\":{opcode},\"place\":{location}")
}

/// Returns the label of a thread's event in its warp's track.
fn label(event: &Event) -> Option<&'static str> {
    Some(match event {
        Event::BarrierArrive { .. } => "arrive at a barrier",
        Event::ClusterArrive { .. } => "arrive at the cluster's barrier",
        Event::Mbarrier { operation, .. } => match operation {
            MbarrierEvent::Init { .. } => "initialise an mbarrier",
            MbarrierEvent::Inval => "invalidate an mbarrier",
            MbarrierEvent::ExpectTx { .. } => "expect bytes",
            MbarrierEvent::CompleteTx { copy: None, .. } => "complete bytes",
            MbarrierEvent::Arrive { .. } => "arrive at an mbarrier",
            MbarrierEvent::WaitDone { .. } => "phase is complete",
            _ => return None,
        },
        Event::Fence(FenceKind::Thread { .. }) => "fence",
        Event::Fence(_) => "proxy fence",
        Event::CopyIssue { .. } => "issue a copy",
        Event::GroupCommit { .. } => "commit a bulk group",
        Event::GroupWait { .. } => "bulk groups are complete",
        _ => return None,
    })
}

impl Observer for Trace {
    fn begin(&mut self, program: &Program, shape: &Shape, cluster: [u32; 3]) {
        self.close(None);
        let first_process = self.next_process.max(1);
        self.next_process = first_process.saturating_add(shape.grid.count());
        self.launch = Some(Launch {
            number: self.launches,
            program: program.clone(),
            places: Places::new(shape, Some(cluster)),
            first_process,
            warps: Warps::default(),
            copies: Copies::new(self.launches),
            barriers: Barriers::default(),
        });
        self.launches += 1;
    }

    fn end(&mut self, fault: Option<&Fault>) {
        self.close(fault);
    }

    /// Adds printed text to the timeline instead of standard output.
    fn print(&mut self, text: &str) {
        let Some(launch) = self.launch.as_ref().filter(|_| !text.is_empty()) else {
            return;
        };
        let track = Track {
            process: launch.first_process,
            thread: 0,
        };
        let args = format!("\"text\":{}", quoted(text));
        self.json.instant(track, self.clock, "printed", &args);
    }

    fn turn(&mut self, turn: Turn) {
        let lanes = u64::from(turn.lanes.count_ones().max(1));
        let start = self.turn_start;
        let end = (start + turn.steps.div_ceil(lanes)).max(self.clock + 1);
        (self.clock, self.turn_start) = (end, end);
        if let Some(launch) = &mut self.launch {
            let json = &mut self.json;
            launch.track(json, (turn.block, turn.warp));
            launch
                .warps
                .turn(json, (start, end), &turn, &launch.program);
        }
    }

    #[inline]
    fn see_access(&mut self, _: Origin, _: OrdinaryAccess) -> u32 {
        0
    }

    fn see(&mut self, origin: Origin, event: Event) {
        let Some(launch) = &mut self.launch else {
            return;
        };
        let json = &mut self.json;
        if let Event::CopyPlan {
            copy, kind, range, ..
        } = event
        {
            return launch.copies.plan(copy, kind, range.memory);
        }
        // The lanes of a warp that execute one instruction make one event.
        let (warp, lane) = ((origin.block, origin.thread / 32), origin.thread % 32);
        let did = label(&event).map(|label| (label, origin.instruction));
        let (is_copy, is_shown) = match event {
            Event::CopyRead(_) | Event::CopyDone(_) => (true, true),
            Event::Mbarrier { operation, .. } => {
                let of_copy = matches!(operation, MbarrierEvent::CompleteTx { copy: Some(_), .. });
                let waits = matches!(operation, MbarrierEvent::WaitPending { .. });
                (of_copy, !waits)
            }
            _ => (false, did.is_some()),
        };
        if !is_shown {
            return;
        }
        let now = match did.and_then(|did| launch.warps.joins(warp, did, lane)) {
            Some(at) => at,
            None => {
                self.clock += 1;
                launch.track(json, warp);
                if let Some(did) = did {
                    let program = &launch.program;
                    launch
                        .warps
                        .did(json, warp, did, (lane, self.clock), program);
                }
                self.clock
            }
        };
        if is_copy {
            // Copies progress between turns.
            self.turn_start = self.turn_start.max(now);
        }
        match event {
            Event::CopyIssue {
                copy,
                completion,
                bytes,
            } => {
                let issued = (launch.track(json, warp), now);
                let instruction = origin.instruction;
                launch
                    .copies
                    .issue(copy, issued, instruction, (completion, bytes));
            }
            Event::CopyRead(copy) => launch.copies.read(copy, now),
            Event::CopyDone(copy) => launch.copies.done(json, copy, now, &launch.program),
            Event::Mbarrier {
                range, operation, ..
            } => {
                let first = launch.first_process;
                let track = launch.barriers.see(json, now, first, (range, operation));
                if let MbarrierEvent::CompleteTx {
                    copy: Some(copy), ..
                } = operation
                {
                    launch
                        .copies
                        .counted(json, copy, (track, now), &launch.program);
                }
            }
            _ => {}
        }
    }
}
