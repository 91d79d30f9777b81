//! What copies of all kinds have in common when they are issued.

use crate::{
    decode::{Address, Slot, Space},
    error::Trap,
    machine::{Completion, Located, Piece, Step, Target, Transfer, Trapped},
    observer::{AccessKind, CopyCompletion, Event, GroupKind, Observer, Proxy},
    reduce::Reduction,
};

/// Where a copy's end is, for an address that must be a multiple of `align`.
pub(crate) fn target<O: Observer>(
    step: &Step<'_, O>,
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
    if address.space == Space::Global {
        return Ok(Target::Global(at));
    }
    let found = step.world.find_shared(step.here, address.space, at, 0);
    match found.map_err(|what| step.fault(lane, Trap::IllegalAddress, what))? {
        Located::Shared { rank, offset } => Ok(Target::Shared(rank, offset)),
        _ => Ok(Target::Global(at)),
    }
}

/// What a copy that was issued needs to know.
pub(crate) struct Issue {
    pub(crate) pieces: Vec<Piece>,
    pub(crate) completion: Completion,
    pub(crate) reduction: Option<Reduction>,
    pub(crate) rounds_to_tf32: bool,
    pub(crate) proxy: Proxy,
}

/// Sends a copy on its way; gives its number.
pub(crate) fn issue<O: Observer>(step: &mut Step<'_, O>, lane: usize, issue: Issue) -> u64 {
    let Issue {
        mut pieces,
        completion,
        reduction,
        rounds_to_tf32,
        proxy,
    } = issue;
    let id = step.world.next_copy;
    step.world.next_copy += 1;
    step.world.progress += 1;
    step.world.rng.shuffle(&mut pieces);
    let origin = step.origin(lane);
    let here = step.here;
    if O::WATCHES {
        let bytes = pieces.iter().map(|piece| piece.bytes as u32).sum();
        step.tell(lane, |step| Event::CopyIssue {
            copy: id,
            completion: match completion {
                Completion::Bulk { group } => CopyCompletion::Group(GroupKind::Bulk, group),
                Completion::Async { group } => CopyCompletion::Group(GroupKind::Async, group),
                Completion::Mbarrier { rank, offset } => {
                    CopyCompletion::Mbarrier(step.range(Located::Shared { rank, offset }, 8))
                }
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
    });
    id
}

/// Tells of one end of a piece. What is not there is told when it is accessed.
fn tell_plan<O: Observer>(
    step: &mut Step<'_, O>,
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

/// The destinations of a copy into shared memory: each with its barrier.
pub(crate) fn receivers<O: Observer>(
    step: &Step<'_, O>,
    lane: usize,
    to: Target,
    mbarrier: &Address,
    multicast: Option<Slot>,
) -> Result<Vec<(usize, Completion)>, Trapped> {
    let blocks = step.world.places.cluster_blocks() as usize;
    let Target::Shared(rank, _) = to else {
        return Ok(Vec::new());
    };
    let Target::Shared(barrier_rank, offset) =
        target(step, mbarrier, lane, 8, "mbarrier's address")?
    else {
        return Ok(Vec::new());
    };
    let ranks: Vec<usize> = match multicast {
        None => vec![rank],
        Some(slot) => {
            let mask = step.get(slot)[lane] & 0xffff;
            if mask == 0 || mask >> blocks != 0 {
                let what = format!("the mask {mask:#06x} for a cluster of {blocks} blocks");
                return Err(step.fault(lane, Trap::IllegalInstruction, what));
            }
            (0..blocks).filter(|rank| mask >> rank & 1 != 0).collect()
        }
    };
    if barrier_rank != rank {
        let what = format!(
            "the barrier is in block {barrier_rank} of the cluster, the destination in {rank}"
        );
        return Err(step.fault(lane, Trap::IllegalInstruction, what));
    }
    // Each block gets the bytes at the same place, and counts them with its own barrier.
    Ok(ranks
        .into_iter()
        .map(|rank| (rank, Completion::Mbarrier { rank, offset }))
        .collect())
}
