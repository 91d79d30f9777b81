//! The checker: finds accesses of a kernel that are not ordered, whatever the schedule was.
//!
//! The checker is an [`Observer`] of one launch: the emulator reports every access, fence, barrier and copy to it.
//! It does not affect the run. Findings are [`Diagnostic`]s, each with a [`DiagnosticKind`]. The page
//! `docs/memory-model.md` has the table of orders, the rules of each family and the names of findings.
//!
//! # Algorithm
//!
//! Each thread follows happens-before with vector clocks; a finding is a pair of conflicting accesses of which the
//! later thread does not know the earlier one.
//!
//! - **Clocks** (`clock`). A clock has an entry for each other thread: the releases that happened before. Further
//!   lanes count completed copies, bulk copies that have read their source, and completed products of a warpgroup.
//!   Completed phases of mbarriers are entries, too. Accesses between two releases or fences share an epoch.
//! - **Knowledge** (`knowledge`, `released`). A thread has one clock for the order of memory. Other clocks answer
//!   what would be ordered if scopes were wider, or if warp collectives ordered memory; they decide the kind of a
//!   finding. Further clocks hold the steps that a proxy fence, a release of a tensor map or a
//!   `fence.mbarrier_init` covers.
//! - **Shadow memory** (`shadow`, `readers`). Each byte has its last write and the reads since; a word that is
//!   accessed as a whole has one entry. `access` compares, `classify` selects the kind, and `quick` handles a whole
//!   warp without conflicts.
//! - **Copies** (`copies`, `groups`). A copy is forked at its issue and joined by a wait for its group or phase.
//! - **Phases** (`mbarriers`, `barriers`). A phase collects the knowledge of its arrivals and passes it to its
//!   waiters. Since a wait sees only a parity, each step at a barrier must also be ordered against the phases
//!   before and after.
//! - **Proxies** (`access`). The async proxy sees a generic write only if a proxy fence is between the two in this
//!   order, in any thread.
//! - **Strong accesses** (`sync`, `locations`). A location stores the releases of its last write or chain of
//!   atomics, and the `fence.sc` before them; an acquiring read joins them.
//!
//! At the end, `causes` drops findings that follow from others.
//!
//! # Basis
//!
//! The rules are those of PTX ISA 9.1, chapter 8, and of the sections that [`DiagnosticKind::rule`] names. Lustig,
//! Sahasrabuddhe and Giroux formalise that model (ASPLOS 2019); Lustig, Cooksey and Giroux add proxies (ISCA 2022).
//! Recorded accesses are epochs instead of whole clocks, as in FastTrack (Flanagan and Freund, PLDI 2009).
//!
//! # Deviations
//!
//! - FastTrack keeps clocks per lock. Here releases are kept per location, phase and barrier, since PTX has no locks.
//! - FastTrack replaces the reads of a variable by a clock. Here they stay a set of accesses with instructions, so
//!   that a report names both ends; the set is limited.
//! - PTX orders accesses only among threads within scope. Here a release out of scope still counts in a clock of its
//!   own, so that the finding is `scope-too-narrow`.
//! - Fence-SC order is derived only from reads that see a write after a fence, not from reads of older values.
//!
//! The limits, and what the checker can miss, are in `docs/memory-model.md` under "What it can miss".

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
            follows.sort();
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

    fn findings(&self) -> usize {
        self.found.len()
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
