//! What copies of all kinds have in common when they are issued.

use crate::{
    decode::{Address, Slot, Space},
    error::Trap,
    machine::{Completion, Located, Piece, Step, Target, Transfer, Trapped},
    observer::{Event, Observer, Proxy},
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

/// Sends a copy on its way.
pub(crate) fn issue<O: Observer>(step: &mut Step<'_, O>, lane: usize, issue: Issue) {
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
    step.tell(lane, |step| Event::CopyIssue {
        copy: id,
        group: match completion {
            Completion::Bulk { group } | Completion::Async { group } => Some(group),
            _ => None,
        },
        mbarrier: match completion {
            Completion::Mbarrier { rank, offset } => {
                Some(step.range(Located::Shared { rank, offset }, 8))
            }
            _ => None,
        },
    });
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
