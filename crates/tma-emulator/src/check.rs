//! The checker: finds accesses of a kernel that are not ordered, whatever the schedule was.
//!
//! A `Checker` is an [`Observer`] of one launch: the emulator reports every access, fence, barrier and copy to
//! it. The checker does not affect the run. Its findings are [`Diagnostic`]s, each with a [`DiagnosticKind`].
//!
//! # Algorithm
//!
//! The checker follows happens-before with vector clocks, in the manner of FastTrack (Flanagan and Freund, PLDI
//! 2009): a recorded access is an *epoch* (a thread or copy, and its progress) instead of a whole clock. A set of
//! readers is allocated only for bytes with several.
//!
//! - **Clocks** (`clock`). A clock holds, for every thread, the releases known to have happened before. Further
//!   lanes hold completed `cp.async` copies, bulk copies that have read their source, completed bulk copies and
//!   completed products of a warpgroup. Completed phases of mbarriers are entries too. Only a release begins a new
//!   epoch, so accesses between two releases share one.
//! - **Knowledge** (`knowledge`). A thread carries several clocks. One is the order of memory. The others answer
//!   "would it be ordered if": scopes were wider, or warp collectives ordered memory. These choose the kind of a
//!   finding. Further clocks hold the steps covered by proxy fences, by releases of tensor maps and by
//!   `fence.mbarrier_init`.
//! - **Shadow memory** (`shadow`, `readers`). For each byte the shadow keeps the last write and the reads since.
//!   Words accessed as a whole share one entry. A new access is compared with them: if one of two is a write and
//!   the later thread does not know the earlier epoch, the two conflict (`access`). `classify` selects its
//!   kind. `quick` handles the common case of a whole warp without a conflict.
//! - **Copies** (`copies`, `groups`). A copy is forked at its issue and joined by a wait, so it counts as accessing
//!   all its bytes during that whole time. When the schedule moved its bytes does not matter.
//! - **Phases** (`mbarriers`, `barriers`). Each phase of a barrier collects the knowledge of its arrivals and passes
//!   it to its waiters. A wait sees only the parity, and an arrival counts in whichever phase is current. So the
//!   checker also requires that arrivals, expected bytes and copies are ordered after the previous phase, and waits
//!   before the next one.
//! - **Proxies** (`access`, `knowledge`). Copies and products use the async proxy. Bytes written by ordinary stores
//!   must pass a `fence.proxy.async` after the write and before the copy in the order above, in any thread.
//! - **Strong accesses and fences** (`sync`, `locations`, `knowledge`). A location stores the releases of its last write or chain
//!   of atomics, and an acquiring read joins them. `fence.sc` adds the order of section 8.9.3.
//!
//! The rules come from PTX ISA 9.1: chapter 8 (memory consistency model) and the sections of the instructions.
//! [`DiagnosticKind::rule`] names the sections of each kind. At the end, `causes` drops findings that follow from others.
//!
//! # Limits
//!
//! - One run is judged: other inputs, and branches not taken, are not seen.
//! - The newest 2^20 copies and products of a launch are known; accesses of older ones count as ordered.
//! - A location remembers 1024 readers in shared memory and 8 in global memory.
//! - Global buffers count as initialised by the host.
//! - Local memory and registers are not watched, except the registers of warpgroup products.
//! - The order that follows from a read of an older value (as in Dekker's algorithm) is not derived, so data that
//!   only it orders are reported.
//!
//! The page `docs/memory-model.md` has the complete table of orders, the names of findings and the limits.

mod access;
mod barriers;
mod causes;
mod checker;
mod classify;
mod clock;
mod collectives;
mod copies;
mod copy_table;
mod diagnostic;
mod faults;
mod finding;
mod fixes;
mod free;
mod grid;
mod groups;
mod hash;
mod heap;
mod in_flight;
mod kind;
mod knowledge;
mod layouts;
mod lifetime;
mod linear_map;
mod locations;
mod mbarriers;
mod meetings;
mod overlap;
mod products;
mod quick;
mod readers;
mod released;
mod report;
mod shadow;
mod sites;
mod suppressions;
mod sync;
mod tensormaps;
mod uninitialised;
mod unreleased;
mod warps;

pub(crate) use checker::Checker;
pub use diagnostic::{CheckReport, Diagnostic, Site};
pub(crate) use in_flight::InFlight;
pub use kind::{DiagnosticKind, Severity};
pub use suppressions::{Suppression, Suppressions};
pub(crate) use unreleased::Unreleased;

use crate::{
    machine::{
        Fault, MbarrierInit, Places, Program, Trap,
        observer::{
            Accesses, Event, FenceKind, MbarrierEvent, Observer, OrdinaryAccess, Origin, Proxy,
        },
    },
    value::LANES,
};
use finding::Finding;

impl Checker {
    /// Returns the diagnostics of the launch, including one for the fault that ended the kernel.
    pub(crate) fn diagnostics(
        mut self,
        program: &Program,
        places: &Places,
        entry: &str,
        fault: Option<&Fault>,
    ) -> Vec<Diagnostic> {
        self.check_last_expectations(None);
        if fault.is_none() {
            self.stages_filled_once(program);
        }
        if fault.is_some_and(|fault| fault.trap == Trap::Deadlock) {
            self.bytes_at_deadlock(program);
        }
        let causes = self.causes();
        let explains = fault.and_then(|fault| self.explains(fault, program, &causes));
        let ended = fault.filter(|_| explains.is_none());
        let ended = ended.map(|fault| self.fault(fault, program, places, entry));
        let found = self.found.iter().enumerate();
        let is_silent = |finding: &Finding| !self.is_strict && self.is_harmless(finding);
        let reported =
            found.filter(|(index, finding)| causes.is_reported(*index) && !is_silent(finding));
        let found = reported.map(|(index, finding)| {
            let mut diagnostic = finding.render(&self, program, places, entry);
            let follows = causes.of(index).map(|it| &self.found[it]);
            let follows = follows
                .filter(|finding| !is_silent(finding))
                .map(|finding| finding.kind);
            // A use already names the read that it depends on.
            let is_news = |kind: &DiagnosticKind| {
                finding.kind != DiagnosticKind::UninitialisedUse
                    || *kind != DiagnosticKind::UninitialisedRead
            };
            let mut follows: Vec<DiagnosticKind> = follows.filter(is_news).collect();
            follows.retain(|kind| *kind != finding.kind);
            follows.sort_unstable();
            follows.dedup();
            let follows: Vec<String> = follows.iter().map(|kind| format!("`{kind}`")).collect();
            if !follows.is_empty() {
                let note = format!(
                    "this also explains other findings, not reported separately: {}",
                    follows.join(", ")
                );
                diagnostic.notes.push(note);
            }
            if let Some(fault) = fault.filter(|_| explains == Some(index)) {
                diagnostic.trap = Some(fault.trap);
                diagnostic
                    .notes
                    .push(format!("this ends the kernel: {}", fault.what));
            }
            diagnostic
        });
        merged(found.chain(ended))
    }
}

/// Merges diagnostics of the same kind at the same two lines of the source, since unrolled loops repeat them.
fn merged(diagnostics: impl Iterator<Item = Diagnostic>) -> Vec<Diagnostic> {
    let mut all: Vec<Diagnostic> = Vec::new();
    let lines = |diagnostic: &Diagnostic| {
        let sites = [&diagnostic.here, &diagnostic.there];
        sites.map(|site| site.as_ref().map(|site| site.location.line_of_source()))
    };
    for diagnostic in diagnostics {
        let same = |other: &&mut Diagnostic| {
            other.kind == diagnostic.kind
                && diagnostic.here.is_some()
                && lines(other) == lines(&diagnostic)
        };
        match all.iter_mut().find(same) {
            Some(other) => {
                other.count += diagnostic.count;
                if let Some(trap) = diagnostic.trap {
                    other.trap = Some(trap);
                    other.notes.extend(diagnostic.notes.last().cloned());
                }
            }
            None => all.push(diagnostic),
        }
    }
    all
}

impl Observer for Checker {
    #[inline]
    fn see_access(&mut self, origin: Origin, access: OrdinaryAccess) -> u32 {
        self.acts(origin);
        let origin = self.sites.numbered(origin);
        self.access(origin, access, Proxy::Generic)
    }

    fn see_accesses(&mut self, origin: Origin, accesses: &Accesses) -> [u32; LANES] {
        self.acts(origin);
        let numbered = self.sites.numbered(origin);
        let valueless = self.warp_access(numbered, accesses);
        if accesses.proxy != Proxy::Generic && valueless != [0; LANES] {
            self.unwritten.lost.insert(origin.instruction);
        }
        valueless
    }

    fn print(&mut self, text: &str) {
        self.printed.push_str(text);
    }

    fn see(&mut self, origin: Origin, event: Event) {
        let meets = matches!(
            event,
            Event::WarpCollective { .. }
                | Event::WarpMeetElsewhere(_)
                | Event::WarpMeet { orders: false, .. }
                | Event::ShuffleOutside { .. }
        );
        if !meets {
            self.acts(origin);
        }
        let read = origin.instruction;
        let origin = self.sites.numbered(origin);
        match event {
            Event::Call { .. } => self.sites.call(origin.calls, read),
            // The accesses of copies are known from their plans.
            Event::Access { copy: Some(_), .. } | Event::CopyRead(_) | Event::CopyDone(_) => {}
            Event::Access {
                proxy,
                kind,
                sem,
                scope,
                range,
                copy: None,
            } => {
                let access = OrdinaryAccess {
                    kind,
                    sem,
                    scope,
                    range,
                    changed: u32::MAX,
                };
                if self.access(origin, access, proxy) != 0 {
                    self.unwritten.lost.insert(read);
                }
            }
            Event::UnwrittenUse { read, used } => self.unwritten_use(origin, read, used),
            Event::Discard(range) => self.discard(origin, range),
            Event::ShuffleOutside { from } => self.shuffle_outside(origin, from),
            Event::SetMaxRegisters {
                count,
                before,
                increases,
            } => {
                self.direction_of_registers(origin, count, before, increases);
                self.set_max_registers(origin, count);
            }
            Event::GroupCommit { .. } => {}
            Event::BarrierArrive {
                barrier,
                generation,
                threads,
                aligned,
                waits,
            } => {
                if waits && barrier == 0 {
                    self.meets_block(origin, generation);
                }
                self.barrier_arrive(origin, (barrier, generation, threads), aligned);
            }
            Event::BarrierPass {
                barrier,
                generation,
            } => self.barrier_pass(origin, barrier, generation),
            Event::ClusterArrive {
                generation,
                sem,
                aligned,
            } => self.cluster_arrive(origin, generation, sem, aligned),
            Event::ClusterPass { generation } => self.cluster_pass(origin, generation),
            Event::WarpMeet { members, orders } => {
                if orders {
                    self.warp_sync(origin, members);
                }
            }
            Event::WarpMeetElsewhere(there) => {
                let there = self.sites.numbered(there);
                self.meets_lanes(origin, there);
            }
            Event::WarpCollective { lanes, exchanges } => {
                self.warp_collective(origin, lanes, exchanges);
            }
            Event::WarpgroupMeet => self.warpgroup_meet(origin),
            Event::ProductRegister { issue } => self.product_register(origin, issue),
            Event::ProductUnfenced { access, is_early } => {
                self.product_unfenced(origin, access, is_early);
            }
            Event::ProductDescriptor => self.product_descriptor(origin),
            Event::Mbarrier {
                range,
                operation,
                sem,
                scope,
            } => {
                if let MbarrierEvent::Init { count } = operation {
                    self.shared_names.rings.add(MbarrierInit {
                        block: origin.block,
                        address: range.address,
                        instruction: read,
                        count,
                    });
                }
                self.mbarrier(origin, range, operation, (sem, scope));
            }
            Event::Fence(FenceKind::Thread { sem, scope }) => self.fence(origin, sem, scope),
            Event::Fence(FenceKind::MbarrierInit) => self.fence_mbarrier_init(origin),
            Event::Fence(FenceKind::ProxyAlias) => {}
            Event::Fence(FenceKind::ProxyAsync { global, shared }) => {
                self.fence_proxy_async(origin, [global, shared]);
            }
            Event::Fence(FenceKind::ProxyAsyncGeneric { sem, scope }) => {
                self.fence_proxy_async(origin, [false, true]);
                self.fence(origin, sem, scope);
            }
            Event::Fence(FenceKind::ProxyTensorMap {
                sem,
                scope,
                address,
            }) => self.fence_tensormap(origin, sem, scope, address),
            Event::CopyIssue {
                copy,
                completion,
                bytes,
            } => self.copy_issue(origin, copy, completion, bytes),
            Event::CopyPlan {
                copy,
                proxy,
                kind,
                range,
            } => self.copy_plan(origin, copy, proxy, kind, range),
            Event::CopyBox { copy, tile, .. } => self.copy_box(origin, copy, tile),
            Event::ProductMatrix(matrix) => self.product_matrix(origin, matrix),
            Event::GroupWait { kind, until, read } => self.group_wait(origin, kind, until, read),
            Event::Malloc { address, bytes } => self.malloc(origin, address, bytes),
            Event::Free { address, bytes } => self.free(origin, address, bytes),
            Event::GridWait => self.grid_wait(origin),
            Event::GridLaunchDependents => self.grid_lets_next(origin),
            Event::ThreadStart => self.thread_start(origin),
            Event::ThreadExit => self.thread_exit(origin),
        }
    }
}
