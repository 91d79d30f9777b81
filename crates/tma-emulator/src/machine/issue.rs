//! The issue of copies of all kinds.

use super::{
    Address, Completion, Located, Piece, ReportCondition, Slot, Space, Step, Target, Transfer,
    Trap, Trapped,
    observer::{AccessKind, CopyCompletion, Event, GroupKind, Proxy, Scope, Sem},
    of_generic,
};
use crate::value::Reduction;

/// Returns one end of a copy, at an address that must be a multiple of `align`.
pub(crate) fn target<A>(
    step: &Step<'_, A>,
    address: &Address,
    lane: usize,
    align: u64,
    what: &str,
) -> Result<Target, Trapped> {
    let at = step.address_of(address, lane);
    if !at.is_multiple_of(align) {
        let what = format!("the {what} {at:#x} is not a multiple of {align}");
        return Err(step.fault(lane, Trap::MisalignedAddress, what));
    }
    let (space, at) = match address.space {
        Space::Generic => of_generic(at),
        space => (space, at),
    };
    if space == Space::Global {
        return Ok(Target::Global(at));
    }
    if !matches!(space, Space::SharedCta | Space::SharedCluster) {
        let what = format!("the {what} is neither in global nor in shared memory");
        return Err(step.fault(lane, Trap::IllegalAddress, what));
    }
    let found = step.world.find_shared(step.here, space, at, 0);
    match found.map_err(|(trap, what)| step.fault(lane, trap, what))? {
        Located::Shared { rank, offset } => Ok(Target::Shared(rank, offset)),
        _ => Ok(Target::Global(at)),
    }
}

/// A copy to be issued.
pub(crate) struct Issue {
    pub(crate) pieces: Vec<Piece>,
    pub(crate) completion: Completion,
    pub(crate) reduction: Option<Reduction>,
    pub(crate) rounds_to_tf32: bool,
    pub(crate) proxy: Proxy,
    /// Ordering of its writes.
    pub(crate) order: (Sem, Scope),
    /// The bytes that it reports to its barrier.
    pub(crate) report: Option<ReportCondition>,
}

impl Issue {
    /// Returns a bulk copy. For one that reduces, each reduction has its own ordering (PTX ISA, section
    /// 9.7.9.25.4.2).
    pub(crate) fn bulk(
        pieces: Vec<Piece>,
        completion: Completion,
        reduction: Option<Reduction>,
    ) -> Self {
        let order = match reduction {
            None => (Sem::Weak, Scope::Cta),
            Some(_) => (Sem::Relaxed, Scope::Gpu),
        };
        Self {
            pieces,
            completion,
            reduction,
            rounds_to_tf32: false,
            proxy: Proxy::Async,
            order,
            report: None,
        }
    }
}

/// Issues a copy and returns its number.
pub(crate) fn issue<A>(step: &mut Step<'_, A>, lane: usize, issue: Issue) -> u64 {
    let Issue {
        mut pieces,
        completion,
        reduction,
        rounds_to_tf32,
        proxy,
        order,
        report,
    } = issue;
    let id = step.world.next_copy;
    step.world.next_copy += 1;
    step.world.progress += 1;
    step.world.rng.shuffle(&mut pieces);
    let origin = step.origin(lane);
    let here = step.here;
    if step.world.watches {
        let bytes = pieces.iter().map(|piece| piece.bytes as u32).sum();
        step.tell(lane, |step| Event::CopyIssue {
            copy: id,
            completion: match completion {
                Completion::Bulk { group } => CopyCompletion::Group(GroupKind::Bulk, group),
                Completion::Async { group } => CopyCompletion::Group(GroupKind::Async, group),
                Completion::Mbarrier { rank, offset } => {
                    CopyCompletion::Mbarrier(step.range(Located::Shared { rank, offset }, 8))
                }
                Completion::Nobody | Completion::Arrival { .. } => CopyCompletion::Nothing,
            },
            bytes,
        });
        let writes = match reduction {
            Some(_) => AccessKind::Atomic,
            None => AccessKind::Write,
        };
        for piece in &pieces {
            if let Some(from) = piece.from {
                tell_plan(step, lane, id, proxy, AccessKind::Read, from, piece.bytes);
            }
            tell_plan(step, lane, id, proxy, writes, piece.to, piece.bytes);
        }
    }
    step.world.transfers.push(Transfer {
        id,
        origin,
        here,
        unread: pieces,
        unwritten: Vec::new(),
        completion,
        reduction,
        rounds_to_tf32,
        proxy,
        order,
        report: report.map(|report| (report, false)),
    });
    id
}

/// Reports one end of a piece. An address that does not exist is reported when it is accessed.
fn tell_plan<A>(
    step: &mut Step<'_, A>,
    lane: usize,
    copy: u64,
    proxy: Proxy,
    kind: AccessKind,
    target: Target,
    bytes: usize,
) {
    let here = step.here;
    if let Ok(located) = step.world.locate_target(here, target, bytes) {
        step.tell(lane, |step| Event::CopyPlan {
            copy,
            proxy,
            kind,
            range: step.range(located, bytes as u64),
        });
    }
}

/// Returns the blocks of the cluster selected by a mask.
pub(crate) fn ranks_of<A>(
    step: &Step<'_, A>,
    lane: usize,
    mask: u64,
) -> Result<Vec<usize>, Trapped> {
    let blocks = step.world.places.cluster_blocks() as usize;
    if mask == 0 || mask >> blocks != 0 {
        let what = format!("the mask {mask:#06x} for a cluster of {blocks} blocks");
        return Err(step.fault(lane, Trap::IllegalInstruction, what));
    }
    Ok((0..blocks).filter(|rank| mask >> rank & 1 != 0).collect())
}

/// The mbarriers on which a copy into shared memory completes.
#[derive(Clone, Debug)]
pub(crate) struct Signal {
    pub(crate) mbarrier: Address,
    /// Blocks of the cluster that get the copy.
    pub(crate) multicast: Option<Slot>,
    /// `.cta_group::2`: the mbarrier may be in the other block of a pair.
    pub(crate) pairs: bool,
}

impl Signal {
    /// Returns the blocks that a copy to `to` writes, each with the mbarrier that counts its bytes.
    pub(crate) fn receivers<A>(
        &self,
        step: &Step<'_, A>,
        lane: usize,
        to: Target,
    ) -> Result<Vec<(usize, Completion)>, Trapped> {
        let illegal = |what| Err(step.fault(lane, Trap::IllegalInstruction, what));
        let blocks = step.world.places.cluster_blocks() as usize;
        let Target::Shared(rank, _) = to else {
            return illegal("the destination is not in shared memory".into());
        };
        let mbarrier = target(step, &self.mbarrier, lane, 8, "mbarrier's address")?;
        let Target::Shared(barrier_rank, offset) = mbarrier else {
            return illegal("the barrier is not in shared memory".into());
        };
        let ranks: Vec<usize> = match self.multicast {
            None => vec![rank],
            Some(slot) => ranks_of(step, lane, step.get(slot)[lane])?,
        };
        let is_paired = self.pairs && barrier_rank == rank ^ 1;
        if barrier_rank != rank && !is_paired {
            return illegal(format!(
                "the barrier has rank {barrier_rank} in the cluster, the destination rank {rank}"
            ));
        }
        // Each block receives the bytes at the same address and counts them at its own barrier, or all count
        // them at the barrier of the even or odd block of their pair (PTX ISA, section 9.7.9.27.1.2).
        let signalled = |receiver: usize| match self.pairs {
            true => receiver & !1 | barrier_rank & 1,
            false => receiver,
        };
        if let Some(rank) = ranks.iter().find(|rank| signalled(**rank) >= blocks) {
            return illegal(format!(
                "rank {rank} has none to pair with in a cluster of {blocks} blocks"
            ));
        }
        let receivers = ranks.into_iter().map(|receiver| {
            let rank = signalled(receiver);
            (receiver, Completion::Mbarrier { rank, offset })
        });
        Ok(receivers.collect())
    }
}
