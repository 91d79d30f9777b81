//! Waits at an mbarrier, and the description of waits in a deadlock.

use super::{Mbarrier, MbarrierAddress, MbarrierOperation, OperationKind};
use crate::{
    inst::{Step, Waiting},
    machine::{
        Cta, Flow, Group, Slot, Space, Trap, Trapped, Wait, Warp, observer::MbarrierEvent,
        of_generic, of_shared,
    },
    value::{LANES, lanes_of},
};

/// Returns the parity that a wait names, or the phase of its state.
fn phase_or_parity(parity: bool, state: u64) -> u64 {
    match parity {
        true => state,
        false => Mbarrier::phase_of(state),
    }
}

impl MbarrierOperation {
    /// Returns whether the phase that a lane waits for is complete. The phase is known by its last
    /// bit, as the hardware knows it.
    fn is_done(&self, mbarrier: &Mbarrier, state: u64) -> bool {
        let OperationKind::Wait {
            parity,
            conditional,
            ..
        } = self.kind
        else {
            return true;
        };
        let bit = phase_or_parity(parity, state);
        let phase = match conditional {
            true => mbarrier.conditional,
            false => mbarrier.phase,
        };
        phase & 1 != bit & 1
    }

    /// Returns whether a group that waits could go on now.
    pub(super) fn can_go_on(&self, waiting: &Waiting<'_>) -> bool {
        let OperationKind::Wait { state, .. } = self.kind else {
            return true;
        };
        let (registers, group) = (&waiting.warp.registers, waiting.group);
        let (Some(states), Some(bases)) = (
            registers.get(group.base + state),
            registers.get(group.base + self.address.base),
        ) else {
            return true;
        };
        lanes_of(group.mask).all(|lane| {
            let (rank, offset) = self.object_at(bases[lane]);
            let cta = waiting.cluster().ctas.get(rank);
            // A missing barrier is reported when the operation goes on.
            cta.and_then(|cta| cta.mbarriers.get(&offset))
                .is_none_or(|mbarrier| self.is_done(mbarrier, states[lane]))
        })
    }

    /// Returns whether the barriers of a group's lanes are initialised.
    pub(super) fn are_initialised(&self, waiting: &Waiting<'_>) -> bool {
        let registers = &waiting.warp.registers;
        let bases = registers.get(waiting.group.base + self.address.base);
        bases.is_none_or(|bases| {
            lanes_of(waiting.group.mask).all(|lane| {
                let (rank, offset) = self.object_at(bases[lane]);
                let cta = waiting.cluster().ctas.get(rank);
                cta.is_none_or(|cta| cta.mbarriers.contains_key(&offset))
            })
        })
    }

    /// Returns the register with the result of a wait.
    pub(crate) fn results(&self) -> Vec<Slot> {
        match self.kind {
            OperationKind::Wait { d, .. } => vec![d],
            _ => Vec::new(),
        }
    }

    /// Returns the registers that a wait reads.
    pub(crate) fn reads(&self) -> Vec<Slot> {
        match self.kind {
            OperationKind::Wait { state, .. } => vec![self.address.base, state],
            _ => Vec::new(),
        }
    }

    /// Returns whether all lanes of a group wait at one barrier for one phase.
    pub(crate) fn is_one_wait(&self, warp: &Warp, group: &Group) -> bool {
        let OperationKind::Wait {
            state,
            parity,
            report: None,
            ..
        } = self.kind
        else {
            return false;
        };
        let register = |slot: Slot| warp.registers.get(group.base + slot);
        let (Some(bases), Some(states)) = (register(self.address.base), register(state)) else {
            return false;
        };
        let awaited = |lane: usize| (bases[lane], phase_or_parity(parity, states[lane]));
        let mut lanes = lanes_of(group.mask);
        let first = lanes.next().map(awaited);
        lanes.all(|lane| Some(awaited(lane)) == first)
    }

    fn object_at(&self, base: u64) -> MbarrierAddress {
        let address = base.wrapping_add(self.address.offset);
        of_shared(if self.address.space == Space::Generic {
            of_generic(address).1
        } else {
            address
        })
    }

    /// Waits until the phase is complete for all lanes, or until the wait gives up.
    pub(super) fn wait(&self, step: &mut Step<'_>, gives_up: bool) -> Result<Flow, Trapped> {
        let OperationKind::Wait {
            d,
            state,
            parity,
            conditional,
            is_unused,
            report,
        } = self.kind
        else {
            return Ok(Flow::Next);
        };
        let states = *step.get(state);
        let (mut done, mut reported) = ([0; LANES], [0; LANES]);
        let mut phases = [((0, 0), 0); LANES];
        for lane in lanes_of(step.active) {
            let object = self.object(step, lane)?;
            let cta = &step.world.clusters[step.here.cluster].ctas[object.0];
            let Some(mbarrier) = cta.mbarriers.get(&object.1) else {
                let name = step.program.shared_names.mbarrier(object.1 as u64);
                let what = format!("the {name} is not initialised");
                return Err(step.fault(lane, Trap::MbarrierUninitialised, what));
            };
            done[lane] = u64::from(self.is_done(mbarrier, states[lane]));
            reported[lane] = u64::from(done[lane] != 0 && mbarrier.reported.1);
            let of_parity = match conditional && done[lane] != 0 {
                true => mbarrier.last_conditional,
                false => mbarrier.phase.saturating_sub(done[lane]),
            };
            phases[lane] = (
                object,
                if parity {
                    of_parity
                } else {
                    Mbarrier::phase_of(states[lane])
                },
            );
        }
        let all = lanes_of(step.active).all(|lane| done[lane] != 0);
        if !all && !gives_up {
            return Ok(step.wait(Wait::Mbarrier));
        }
        for lane in lanes_of(step.active) {
            let (object, phase) = phases[lane];
            let by_parity = parity && !conditional;
            let event = match done[lane] {
                _ if is_unused => MbarrierEvent::WaitUnused,
                0 => MbarrierEvent::WaitPending { phase, by_parity },
                _ => MbarrierEvent::WaitDone { phase, by_parity },
            };
            self.tell(step, lane, object, event);
        }
        step.set(d, &done);
        if let Some((predicate, value)) = report {
            step.set(predicate, &reported);
            if let Some(value) = value {
                step.set(value, &[0; LANES]);
            }
        }
        Ok(Flow::Next)
    }

    /// Returns the object that a group waits at.
    fn awaited_at(&self, waiting: &Waiting<'_>) -> MbarrierAddress {
        let group = waiting.group;
        let lane = lanes_of(group.mask).next().unwrap_or(0);
        let bases = waiting.warp.registers.get(group.base + self.address.base);
        self.object_at(bases.map_or(0, |bases| bases[lane]))
    }

    /// Returns the barrier that a group waits at, and its block, if it is initialised.
    pub(crate) fn awaited<'a>(
        &self,
        waiting: &Waiting<'a>,
    ) -> Option<(MbarrierAddress, &'a Cta, &'a Mbarrier)> {
        let (rank, offset) = self.awaited_at(waiting);
        let cta = waiting.cluster().ctas.get(rank)?;
        Some(((rank, offset), cta, cta.mbarriers.get(&offset)?))
    }

    /// Describes the wait of a group, with the barrier's counts.
    pub(super) fn arithmetic(&self, waiting: &Waiting<'_>) -> String {
        let (_, offset) = self.awaited_at(waiting);
        let Some(((rank, _), cta, mbarrier)) = self.awaited(waiting) else {
            let name = waiting.program.shared_names.mbarrier(offset as u64);
            return format!("at the {name}, which is not initialised");
        };
        let name = waiting.program.names_in(cta).mbarrier(offset as u64);
        let Mbarrier {
            phase,
            expected,
            pending,
            added,
            tx,
            bytes,
            ..
        } = mbarrier;
        let whose = if rank == waiting.here.rank {
            String::new()
        } else {
            format!(" of block {:?}", cta.id)
        };
        let cancelled = match (*added, *pending) {
            (0, _) | (_, 0) => String::new(),
            (1, _) => "; 1 arrival of `cp.async.mbarrier.arrive` came and cancelled itself: \
                       without `.noinc` it adds one to those that the phase expects"
                .to_owned(),
            (added, _) => format!(
                "; {added} arrivals of `cp.async.mbarrier.arrive` came and cancelled themselves: \
                 without `.noinc` each adds one to those that the phase expects"
            ),
        };
        format!(
            "for phase {phase} of the {name}{whose}: {} of {expected} \
             arrivals came, {} of {} expected bytes came, {}{cancelled}",
            expected.saturating_sub(*pending),
            bytes.1,
            bytes.0,
            match (*pending, *tx) {
                (0, tx) if tx > 0 => format!("{tx} bytes are missing"),
                (0, tx) => format!("{} bytes are too many", -tx),
                (1, 0) => "1 arrival is missing".to_owned(),
                (pending, 0) => format!("{pending} arrivals are missing"),
                (pending, tx) if tx > 0 => {
                    format!("{pending} arrivals and {tx} bytes are missing")
                }
                (pending, tx) => {
                    let more = -tx;
                    format!("arrivals missing: {pending}; bytes too many: {more}")
                }
            }
        )
    }
}
