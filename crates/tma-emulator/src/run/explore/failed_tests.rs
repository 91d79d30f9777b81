//! Tests in loops that have failed, and what they have read.
//!
//! The search takes a failed test as no event. But if it reads what another thread has released, it orders what that thread
//! has done before, and hides a race that an execution without the test has.

use std::collections::HashMap;

use super::event::{Event, Process, Use};
use crate::machine::observer::{Range, Sem};

/// For each process, the bytes that failed tests have read and the event that wrote them.
#[derive(Default)]
pub(super) struct FailedTests(HashMap<Process, Vec<(Range, usize)>>);

impl FailedTests {
    /// Notes a failed test of a process after these events, the last one of its own as given.
    pub(super) fn add(
        &mut self,
        process: Process,
        uses: &[Use],
        events: &[Event],
        last: Option<usize>,
    ) {
        let is_before = |writer: usize| last.is_some_and(|last| events[last].comes_after(writer));
        for used in uses {
            let Use::Bytes { range, .. } = used else {
                continue;
            };
            let writer = events
                .iter()
                .rposition(|event| event.process != process && store(event, range).is_some());
            if let Some(writer) = writer.filter(|writer| !is_before(*writer)) {
                let all = self.0.entry(process).or_default();
                if !all.iter().any(|(known, _)| known == range) {
                    all.push((*range, writer));
                }
            }
        }
    }

    /// Forgets the failed tests of a process that goes on with an event of these uses. Returns whether they order more than
    /// the last test: the value that it reads is not of the same thread's release, and not of an atomic that passes it on.
    pub(super) fn order_more(&mut self, process: Process, uses: &[Use], events: &[Event]) -> bool {
        let Some(failed) = self.0.remove(&process) else {
            return false;
        };
        let reads = |range: &Range| {
            uses.iter()
                .any(|used| matches!(used, Use::Bytes { range: read, .. } if read.overlaps(range)))
        };
        failed
            .iter()
            .filter(|(range, _)| reads(range))
            .any(|(range, writer)| {
                let first = events[*writer].process;
                events[writer + 1..]
                    .iter()
                    .any(|event| match store(event, range) {
                        None | Some(None) => false,
                        Some(Some(sem)) => {
                            event.process != first || !matches!(sem, Sem::Release | Sem::AcqRel)
                        }
                    })
            })
    }
}

/// Returns the order of the store of an event to these bytes; `None` in it of an atomic.
fn store(event: &Event, range: &Range) -> Option<Option<Sem>> {
    event.uses.iter().find_map(|used| match used {
        Use::Bytes {
            range: written,
            writes: true,
            stores,
        } if written.overlaps(range) => Some(*stores),
        _ => None,
    })
}
