//! Copies: forked where they are issued, joined where they are waited for.

use super::{
    access::CurrentAccess,
    checker::Checker,
    clock::{Epoch, Lane},
    copy_table::{Completion, CopyInfo},
    finding::FindingEnd,
    grid::{GroupWait, WARPGROUP},
    kind::DiagnosticKind,
    mbarriers::{state::location, uses::Use},
    shadow::{Access, Actor},
};
use crate::machine::observer::{
    AccessKind, CopyCompletion, CopyId, GroupKind, Memory, Origin, Proxy, Range, Scope,
};

impl Checker {
    pub(super) fn copy_issue(
        &mut self,
        origin: Origin,
        copy: CopyId,
        completion: CopyCompletion,
        bytes: u32,
    ) {
        let (block, thread) = (origin.block as u32, origin.thread);
        let issuer = self.grid.extents.thread(block, thread);
        let Some(state) = self.grid.thread(block, thread) else {
            return self.copies.push(CopyInfo::unknown(issuer, origin));
        };
        let issue_epoch = state.own.epoch;
        let (done, epoch) = match completion {
            CopyCompletion::Group(kind, group) => {
                let groups = match kind {
                    GroupKind::Async => &mut state.plain,
                    GroupKind::Bulk => &mut state.bulk,
                    GroupKind::Wgmma => &mut state.products,
                };
                let epoch = groups.add(group, origin.instruction);
                (Completion::Group(kind), epoch)
            }
            CopyCompletion::Nothing => (Completion::Group(GroupKind::Bulk), Epoch::MAX),
            CopyCompletion::Mbarrier(range) => {
                let wide = (state.known.wide().clone(), state.own.epoch);
                self.mbarrier_known(origin, range, "issues a copy that counts at", Use::Counted);
                if let Some(at) = location(range) {
                    self.mbarrier_delivers(origin, at);
                    self.turn_steps(origin, at, false);
                }
                match self.mbarriers.copy_issued(range, bytes, wide, origin) {
                    Some((of, id, phase)) => {
                        let done = Completion::Mbarrier {
                            block: of,
                            id,
                            far: false,
                        };
                        (done, phase + 1)
                    }
                    // The hardware traps when the bytes arrive.
                    None => (Completion::Group(GroupKind::Bulk), Epoch::MAX),
                }
            }
        };
        let info = CopyInfo {
            issuer,
            issue_epoch,
            done,
            epoch,
            origin,
            overwrites_copy: false,
            tile: None,
        };
        // Copies are numbered in the order of their issues.
        debug_assert_eq!(copy, self.copies.count() as CopyId);
        self.copies.push(info);
    }

    pub(super) fn copy_plan(
        &mut self,
        origin: Origin,
        copy: CopyId,
        proxy: Proxy,
        kind: AccessKind,
        range: Range,
    ) {
        if proxy == Proxy::TensorMap {
            return self.map_use(origin, copy as u32, range);
        }
        let block = origin.block as u32;
        let id = copy as u32;
        let Some(info) = self.copies.get_mut(copy as usize) else {
            return;
        };
        if let Memory::Shared { block: of } = range.memory
            && let Completion::Mbarrier { far, .. } = &mut info.done
        {
            *far |= proxy == Proxy::Generic && of as u32 != block;
            let of = of as u32;
            self.hold(of, id, origin);
        }
        let Some(info) = self.copies.get(copy as usize) else {
            return;
        };
        let actor = match info.done {
            Completion::Group(GroupKind::Async) => Actor::Async(info.issuer),
            _ => Actor::Copy {
                id,
                writes: kind != AccessKind::Read,
            },
        };
        let mut access = Access::new(actor, info.epoch, origin.instruction, proxy);
        if kind == AccessKind::Atomic {
            access = access.strong(Scope::Gpu, 1);
        }
        if let Memory::Shared { block: of } = range.memory
            && of != origin.block
            && !self.knows_block(origin, of as u32)
        {
            let what = format!("issues a copy to {}", self.words(range));
            self.report(
                DiagnosticKind::PeerNotStarted,
                FindingEnd::new(origin, what),
                None,
                |_| Vec::new(),
            );
        }
        let current = CurrentAccess {
            origin,
            access,
            kind,
            copy: Some(id),
            changed: u32::MAX,
            frees: false,
        };
        self.touch(&current, range);
    }

    /// Records that a copy uses the block's shared memory until it completes at an mbarrier.
    fn hold(&mut self, of: u32, copy: u32, origin: Origin) {
        let Self { grid, copies, .. } = self;
        let extents = grid.extents;
        let known = grid
            .thread(origin.block as u32, origin.thread)
            .map(|thread| thread.known.order.clone());
        let Some(block) = grid.blocks.get_mut(of) else {
            return;
        };
        if block.copies.last() == Some(&copy) {
            return;
        }
        // A copy that is known to be complete now needs no check when the block ends, so drop it from time to
        // time.
        if block.copies.len() >= 64 && block.copies.len().is_power_of_two() {
            let known = known.unwrap_or_default();
            block.copies.retain(|copy| {
                let copy = copies.get(*copy as usize);
                copy.is_some_and(|copy| !copy.is_known(&known, true, &extents))
            });
        }
        block.copies.push(copy);
    }

    /// Returns the number of `cp.async` that a thread had issued when `copies` copies had been issued in all.
    pub(super) fn plain_before(&self, issuer: u32, copies: CopyId) -> Epoch {
        let before = self.copies.before(copies as usize);
        let mut before = before.filter(|copy| copy.issuer == issuer);
        let last = before.find(|copy| copy.done == Completion::Group(GroupKind::Async));
        last.map_or(0, |copy| copy.epoch)
    }

    pub(super) fn group_wait(&mut self, origin: Origin, kind: GroupKind, until: u64, read: bool) {
        let (number, thread) = (origin.block as u32, origin.thread);
        let Some(block) = self.grid.blocks.get_mut(number) else {
            return;
        };
        let Some(state) = block.threads.get_mut(thread as usize) else {
            return;
        };
        match kind {
            GroupKind::Async => {
                let epoch = state.plain.before(until);
                state.plain.forget(until.saturating_sub(1));
                return state.raise(Lane::Async, epoch);
            }
            GroupKind::Wgmma => {
                // A wait of any warp covers the reads of the whole warpgroup.
                let first = thread - thread % WARPGROUP;
                let products = &mut block.threads[first as usize].products;
                let epoch = products.before(until);
                // Warps are not far apart: they meet at each product.
                products.forget(until.saturating_sub(16));
                if let Some(state) = block.threads.get_mut(thread as usize) {
                    state.raise_of(Lane::Wgmma, first, epoch);
                }
                return;
            }
            GroupKind::Bulk => {}
        }
        let wait = GroupWait {
            epoch: state.own.epoch,
            knew: state.known.order.clone(),
            has_groups: state.bulk.issued > 0,
            instruction: origin.instruction,
        };
        block.group_waits.insert(thread, wait);
        let epoch = state.bulk.before(until);
        state.raise(Lane::BulkRead, epoch);
        if !read {
            state.raise(Lane::BulkDone, epoch);
            // Earlier groups cannot matter any more.
            state.bulk.forget(until.saturating_sub(1));
        }
    }
}
