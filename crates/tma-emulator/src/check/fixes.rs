//! Fixes for cases in which the usual fix of the kind does not address the cause.

use super::{checker::Checker, finding::Fix, kind::DiagnosticKind};
use crate::machine::Stuck;

impl Checker {
    /// Returns the fix in words. Only at the end of the launch is it known whether `cp.async` arrive at mbarriers.
    pub(super) fn fix(&self, fix: Fix) -> &'static str {
        match fix {
            Fix::PlainCopy if self.mbarriers.counts_plain_copies => {
                "wait at the mbarrier that `cp.async.mbarrier.arrive` lets the copies arrive at before using the bytes; \
                 before the buffer is filled again, its readers arrive at another one, which the issuing threads wait at"
            }
            Fix::PlainCopy => {
                "the thread that issued the `cp.async` executes `cp.async.wait_group` or `cp.async.wait_all`, then all \
                 synchronise (`bar.sync`) before the bytes are used; before the buffer is filled again, all synchronise \
                 after their last read"
            }
            Fix::SentToPeer => {
                "the block that waits for the copy signals this one: after its wait it arrives at an mbarrier here \
                 (`mapa`, `mbarrier.arrive.release.cluster`), and the thread that writes the source \
                 again waits there (`.acquire.cluster`)"
            }
            Fix::CountedHere => {
                "wait for the phase of the mbarrier that counts the copy before writing its source again, or let a \
                 thread that has waited pass that on by a barrier"
            }
            Fix::FreedByHost => {
                "free the memory after the last launch that uses it; a graph, a tensor map or a pointer in memory keeps \
                 the address that it was made with, and must be made again"
            }
            Fix::Unreleased => {
                "every thread that gets a stage calls `release()` on it, on every path"
            }
            Fix::Stuck(Stuck::MasksDiffer) => DiagnosticKind::InvalidCollective.help(),
            Fix::Stuck(Stuck::Registers) => {
                "let other warpgroups give back registers by `setmaxnreg.dec` before the `setmaxnreg.inc`, and choose \
                 counts that fit: all warps together have no more registers than the block began with"
            }
            Fix::Stuck(Stuck::Cancelled) => {
                "execute `cp.async.mbarrier.arrive.noinc` where the count of `mbarrier.init` contains these arrivals; \
                 without `.noinc` each thread arrives itself, too"
            }
        }
    }
}
