//! The tracks of mbarriers: a slice for each phase, and the bytes that it still expects.

use std::collections::BTreeMap;

use super::json::{Json, Track};
use crate::machine::observer::{MbarrierEvent, Memory, Range};

/// First track of barriers, after the tracks of all warps.
const FIRST_TRACK: u64 = 1 << 20;

/// The mbarriers of a launch, by block and address.
#[derive(Debug, Default)]
pub(super) struct Barriers(BTreeMap<(u64, u64), Barrier>);

#[derive(Debug)]
struct Barrier {
    track: Track,
    /// Start of the phase; `None` without a barrier.
    start: Option<u64>,
    phase: u64,
    arrivals: u64,
    expected: i64,
    came: i64,
}

impl Barriers {
    /// Returns the track of the barrier at an address in shared memory.
    fn barrier(&mut self, json: &mut Json, first_process: u64, range: Range) -> &mut Barrier {
        let block = match range.memory {
            Memory::Shared { block } => block,
            _ => 0,
        };
        let thread = FIRST_TRACK + range.address;
        self.0.entry((block, range.address)).or_insert_with(|| {
            let track = Track {
                process: first_process.saturating_add(block),
                thread,
            };
            json.name_track(track, &format!("mbarrier {:#x}", range.address));
            Barrier {
                track,
                start: None,
                phase: 0,
                arrivals: 0,
                expected: 0,
                came: 0,
            }
        })
    }

    /// Records an event and returns the barrier's track.
    pub(super) fn see(
        &mut self,
        json: &mut Json,
        now: u64,
        first_process: u64,
        (range, operation): (Range, MbarrierEvent),
    ) -> Track {
        let barrier = self.barrier(json, first_process, range);
        match operation {
            MbarrierEvent::Init { .. } => {
                barrier.end(json, now, false);
                barrier.phase = 0;
                barrier.start = Some(now);
            }
            MbarrierEvent::Inval => {
                barrier.end(json, now, false);
                barrier.start = None;
            }
            MbarrierEvent::ExpectTx { bytes, .. } => {
                barrier.expected += i64::from(bytes);
                barrier.count(json, now, range.address);
            }
            MbarrierEvent::CompleteTx { bytes, .. } => {
                barrier.came += i64::from(bytes);
                barrier.count(json, now, range.address);
            }
            MbarrierEvent::Arrive { count, .. } => barrier.arrivals += u64::from(count),
            MbarrierEvent::AsyncArrive { .. } => barrier.arrivals += 1,
            MbarrierEvent::PhaseDone { phase } => {
                barrier.phase = phase;
                barrier.end(json, now, true);
                barrier.phase = phase + 1;
                barrier.start = Some(now);
            }
            MbarrierEvent::AsyncArriveIssue { .. }
            | MbarrierEvent::TooMany { .. }
            | MbarrierEvent::WaitDone { .. }
            | MbarrierEvent::WaitPending { .. }
            | MbarrierEvent::WaitUnused => {}
        }
        barrier.track
    }

    /// Closes all phases.
    pub(super) fn close(mut self, json: &mut Json, now: u64) {
        for barrier in self.0.values_mut() {
            barrier.end(json, now, false);
        }
    }
}

impl Barrier {
    fn count(&self, json: &mut Json, now: u64, address: u64) {
        let name = format!("mbarrier {address:#x}");
        let missing = self.expected - self.came;
        json.counter(self.track, now, &name, "missing bytes", missing);
    }

    /// Ends the phase. An incomplete phase without any event is not shown.
    fn end(&mut self, json: &mut Json, now: u64, is_complete: bool) {
        let (arrivals, expected, came) = (
            std::mem::take(&mut self.arrivals),
            std::mem::take(&mut self.expected),
            std::mem::take(&mut self.came),
        );
        let Some(start) = self.start else {
            return;
        };
        if !is_complete && (arrivals, expected, came) == (0, 0, 0) {
            return;
        }
        let phase = self.phase;
        let name = match is_complete {
            true => format!("phase {phase}"),
            false => format!("phase {phase}, not complete"),
        };
        let args = format!(
            "\"arrivals\":{arrivals},\"expected bytes\":{expected},\"bytes that came\":{came}"
        );
        json.slice(self.track, (start, now), &name, &args);
    }
}
