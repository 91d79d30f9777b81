//! `mbarrier`: barriers in shared memory that count arrivals and bytes. PTX ISA 9.7.13.15.

mod wait;

use ptx::{Instruction, Type};
use ptx_isa::{Form, Layout, PhaseType, mbarrier::Op};

use crate::{
    decode::{NotSupported, operands, space},
    inst::{Action, Decoder, Execute, Step, Waiting},
    machine::{
        Address, Alu, Flow, Located, MAX_COUNT, Mbarrier, Slot, Stuck, Trap, Trapped, Wait,
        observer::{Event, MbarrierEvent, Scope, Sem},
        ranks_of,
    },
    value::{LANES, lanes_of, lift},
};

/// An operation on an mbarrier.
#[derive(Clone, Debug)]
pub(crate) struct MbarrierOperation {
    kind: OperationKind,
    address: Address,
    /// Blocks of the cluster in which it happens, at this offset.
    multicast: Option<Slot>,
    order: (Sem, Scope),
}

#[derive(Clone, Debug)]
enum OperationKind {
    Init {
        count: Slot,
        hears: bool,
    },
    Inval,
    CheckLayout {
        d: Slot,
        hears: bool,
    },
    ExpectTx {
        bytes: Slot,
    },
    CompleteTx {
        bytes: Slot,
    },
    Arrive {
        d: Slot,
        count: Option<Slot>,
        bytes: Option<Slot>,
        drops: bool,
        completes: bool,
    },
    Wait {
        d: Slot,
        state: Slot,
        parity: bool,
        /// Waits for the conditional phase.
        conditional: bool,
        /// True if the result is not used.
        is_unused: bool,
        /// Destinations for whether anything was reported, and for the report, which is always zero here.
        report: Option<(Slot, Option<Slot>)>,
    },
}

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    form: &Form,
    op: Op,
) -> Result<(), NotSupported> {
    let number = |decoder: &mut Decoder<'_>, operand| decoder.source(operand, Type::U32);
    let hears = form.layout() == Some(Layout::V1);
    let (multicast, all) = match (form.multicast(), instruction.operands.split_last()) {
        (Some(_), Some((mask, rest))) => (Some(number(decoder, mask)?), rest),
        _ => (None, instruction.operands.as_slice()),
    };
    let (address, kind, sem) = match op {
        Op::PendingCount => {
            let [d, state] = operands(instruction)?;
            let a = decoder.source(state, Type::B64)?;
            let d = decoder.destination(d)?.slot;
            decoder.read_pending_counts();
            let f = lift!(|a: u64| (a & u64::from(MAX_COUNT)) as u32);
            decoder.emit(Action::Alu(Alu::Unary { f, d, a }));
            return Ok(());
        }
        Op::CheckLayout => {
            let [d, address] = operands(instruction)?;
            let d = decoder.destination(d)?.slot;
            (
                address,
                OperationKind::CheckLayout { d, hears },
                Sem::Relaxed,
            )
        }
        Op::Init => {
            let [address, count] = operands(instruction)?;
            let count = number(decoder, count)?;
            (address, OperationKind::Init { count, hears }, Sem::Relaxed)
        }
        Op::Inval => {
            let [address] = operands(instruction)?;
            (address, OperationKind::Inval, Sem::Relaxed)
        }
        Op::ExpectTx => {
            let [address, bytes] = all else {
                return Err(NotSupported::Operands);
            };
            let bytes = number(decoder, bytes)?;
            (address, OperationKind::ExpectTx { bytes }, Sem::Relaxed)
        }
        Op::CompleteTx => {
            let [address, bytes] = all else {
                return Err(NotSupported::Operands);
            };
            let bytes = number(decoder, bytes)?;
            (address, OperationKind::CompleteTx { bytes }, Sem::Relaxed)
        }
        Op::Arrive
        | Op::ArriveExpectTx
        | Op::ArriveNoComplete
        | Op::ArriveDrop
        | Op::ArriveDropExpectTx
        | Op::ArriveDropNoComplete => {
            let (d, address, last) = match all {
                [d, address] => (d, address, None),
                [d, address, last] => (d, address, Some(number(decoder, last)?)),
                _ => return Err(NotSupported::Operands),
            };
            let (count, bytes) = match op {
                Op::ArriveExpectTx | Op::ArriveDropExpectTx => (None, last),
                _ => (last, None),
            };
            let kind = OperationKind::Arrive {
                d: decoder.destination(d)?.slot,
                count,
                bytes,
                drops: matches!(
                    op,
                    Op::ArriveDrop | Op::ArriveDropExpectTx | Op::ArriveDropNoComplete
                ),
                completes: !matches!(op, Op::ArriveNoComplete | Op::ArriveDropNoComplete),
            };
            (address, kind, Sem::Release)
        }
        Op::TestWait | Op::TestWaitParity | Op::TryWait | Op::TryWaitParity => {
            // The time limit of the suspension is up to the hardware, so it is ignored.
            let ([d, rest @ ..], has_value) = (all, form.operands().contains(" b,")) else {
                return Err(NotSupported::Operands);
            };
            let (value, rest) = match rest.split_first() {
                Some((value, rest)) if has_value => (Some(decoder.register(value)?.slot), rest),
                _ => (None, rest),
            };
            let [address, state] = rest.first_chunk().ok_or(NotSupported::Operands)?;
            let (d, reported) = decoder.pair(d)?;
            let parity = matches!(op, Op::TestWaitParity | Op::TryWaitParity);
            let ty = if parity { Type::U32 } else { Type::B64 };
            let kind = OperationKind::Wait {
                state: decoder.source(state, ty)?,
                d: d.slot,
                parity,
                is_unused: decoder.decides_nothing(instruction),
                conditional: form.phase_type() == Some(PhaseType::Conditional),
                report: reported.map(|reported| (reported.slot, value)),
            };
            (address, kind, Sem::Acquire)
        }
    };
    let operation = MbarrierOperation {
        kind,
        address: decoder.address(address, space(form))?,
        multicast,
        order: (
            form.sem().map_or(sem, Sem::from),
            form.scope().map_or(Scope::Cta, Scope::from),
        ),
    };
    decoder.emit(Action::Mbarrier(Box::new(operation)));
    Ok(())
}

/// An object: rank of its block, and offset.
type MbarrierAddress = (usize, usize);

impl Execute for MbarrierOperation {
    /// Retries a barrier that is not initialised: it may be initialised a little later. So a kernel without
    /// synchronisation gets the same finding under every schedule.
    fn run(&self, step: &mut Step<'_>) -> Result<Flow, Trapped> {
        if self.is_missing(step) {
            let since = step.world.steps;
            return Ok(step.wait(Wait::MbarrierInit { since }));
        }
        self.execute(step)
    }

    fn splits(&self) -> bool {
        matches!(self.kind, OperationKind::Wait { .. })
    }

    fn is_over(&self, waiting: &Waiting<'_>) -> bool {
        match waiting.wait {
            Wait::MbarrierInit { .. } => self.are_initialised(waiting),
            _ => self.can_go_on(waiting),
        }
    }

    fn resume(&self, step: &mut Step<'_>, wait: Wait, gives_up: bool) -> Result<Flow, Trapped> {
        match wait {
            Wait::MbarrierInit { .. } => self.execute(step),
            _ => self.wait(step, gives_up),
        }
    }

    fn describe(&self, waiting: &Waiting<'_>) -> String {
        self.arithmetic(waiting)
    }

    fn stuck(&self, waiting: &Waiting<'_>) -> Option<Stuck> {
        let (_, _, mbarrier) = self.awaited(waiting)?;
        (mbarrier.added > 0 && mbarrier.pending > 0).then_some(Stuck::Cancelled)
    }
}

impl MbarrierOperation {
    fn execute(&self, step: &mut Step<'_>) -> Result<Flow, Trapped> {
        match &self.kind {
            OperationKind::Wait { .. } => return self.wait(step, false),
            OperationKind::Arrive {
                d,
                count,
                bytes,
                drops,
                completes,
            } => {
                self.arrive(step, *d, *count, *bytes, *drops, *completes)?;
            }
            OperationKind::Init { count, hears } => {
                for lane in lanes_of(step.active) {
                    let count = step.get(*count)[lane] as u32;
                    let (rank, offset) = self.object(step, lane)?;
                    let most = Mbarrier::max_count(*hears);
                    if !(1..=most).contains(&count) {
                        let what = format!("the arrival count {count} must be 1 to {most}");
                        return Err(step.fault(lane, Trap::MbarrierOverflow, what));
                    }
                    let (made_by, made_at) = (step.group.pc, step.world.progress);
                    let cta = &mut step.world.clusters[step.here.cluster].ctas[rank];
                    let mbarrier = Mbarrier {
                        made_by,
                        made_at,
                        ..match hears {
                            true => Mbarrier::that_hears(count),
                            false => Mbarrier::new(count),
                        }
                    };
                    mbarrier.store(&mut cta.shared, offset);
                    cta.mbarriers.insert(offset, mbarrier);
                    step.world.progress += 1;
                    self.tell(step, lane, (rank, offset), MbarrierEvent::Init { count });
                }
            }
            // No effect on the hardware can be observed: the barrier keeps working.
            OperationKind::Inval => {
                for lane in lanes_of(step.active) {
                    let object = self.object(step, lane)?;
                    self.change(step, lane, object, |_| Ok(()))?;
                    self.tell(step, lane, object, MbarrierEvent::Inval);
                }
            }
            OperationKind::CheckLayout { d, hears } => {
                let mut same = [0; LANES];
                for lane in lanes_of(step.active) {
                    let object = self.object(step, lane)?;
                    let of_barrier =
                        self.change(step, lane, object, |mbarrier| Ok(mbarrier.hears))?;
                    same[lane] = u64::from(of_barrier == *hears);
                }
                step.set(*d, &same);
            }
            OperationKind::ExpectTx { bytes } | OperationKind::CompleteTx { bytes } => {
                let expects = matches!(self.kind, OperationKind::ExpectTx { .. });
                for lane in lanes_of(step.active) {
                    let bytes = step.get(*bytes)[lane] as u32;
                    for object in self.objects(step, lane)? {
                        let phase = self.change(step, lane, object, |mbarrier| {
                            let phase = mbarrier.phase;
                            match expects {
                                true => mbarrier.expect_tx(bytes)?,
                                false => mbarrier.complete_tx(bytes)?,
                            }
                            Ok(phase)
                        })?;
                        let event = match expects {
                            true => MbarrierEvent::ExpectTx { bytes, phase },
                            false => MbarrierEvent::CompleteTx {
                                bytes,
                                phase,
                                copy: None,
                            },
                        };
                        self.tell(step, lane, object, event);
                        self.tell_if_done(step, lane, object, phase);
                    }
                }
            }
        }
        Ok(Flow::Next)
    }

    /// Returns whether the barrier of the first lane is uninitialised; usually all lanes use the same one.
    fn is_missing(&self, step: &mut Step<'_>) -> bool {
        if matches!(self.kind, OperationKind::Init { .. }) || self.multicast.is_some() {
            return false;
        }
        let first = lanes_of(step.active).next().unwrap_or(0);
        // An address without shared memory is reported when the operation is executed.
        self.object(step, first).is_ok_and(|(rank, offset)| {
            let cta = step.world.clusters[step.here.cluster].ctas.get(rank);
            cta.is_some_and(|cta| !cta.mbarriers.contains_key(&offset))
        })
    }

    fn object(&self, step: &mut Step<'_>, lane: usize) -> Result<MbarrierAddress, Trapped> {
        match step.locate(lane, &self.address, 8, 8)? {
            Located::Shared { rank, offset } => Ok((rank, offset)),
            _ => {
                let what = "the barrier is not in shared memory".into();
                Err(step.fault(lane, Trap::IllegalAddress, what))
            }
        }
    }

    /// Returns the barriers in the blocks of a mask, or the one at the address.
    fn objects(&self, step: &mut Step<'_>, lane: usize) -> Result<Vec<MbarrierAddress>, Trapped> {
        let (rank, offset) = self.object(step, lane)?;
        let ranks = match self.multicast {
            Some(mask) => ranks_of(step, lane, step.get(mask)[lane] & u64::from(u32::MAX))?,
            None => vec![rank],
        };
        Ok(ranks.into_iter().map(|rank| (rank, offset)).collect())
    }

    /// Changes the object of the lane and its word in memory.
    fn change<T>(
        &self,
        step: &mut Step<'_>,
        lane: usize,
        (rank, offset): MbarrierAddress,
        change: impl FnOnce(&mut Mbarrier) -> Result<T, String>,
    ) -> Result<T, Trapped> {
        let cta = &mut step.world.clusters[step.here.cluster].ctas[rank];
        let result = match cta.mbarriers.get_mut(&offset) {
            None => Err((Trap::MbarrierUninitialised, None)),
            Some(mbarrier) => change(mbarrier)
                .inspect(|_| mbarrier.store(&mut cta.shared, offset))
                .map_err(|what| (Trap::MbarrierOverflow, Some(what))),
        };
        let result = result.map_err(|(trap, what)| {
            let name = step.program.names_in(cta).mbarrier(offset as u64);
            let what = match what {
                None => format!("the {name} is not initialised"),
                Some(what) => format!("{what}, at the {name}"),
            };
            (trap, what)
        });
        step.world.progress += 1;
        result.map_err(|(trap, what)| step.fault(lane, trap, what))
    }

    fn tell(
        &self,
        step: &mut Step<'_>,
        lane: usize,
        (rank, offset): MbarrierAddress,
        operation: MbarrierEvent,
    ) {
        let (sem, scope) = self.order;
        step.tell(lane, |step| Event::Mbarrier {
            range: step.range(Located::Shared { rank, offset }, 8),
            operation,
            sem,
            scope,
        });
    }

    /// Reports the end of a phase, if an operation completed it.
    fn tell_if_done(&self, step: &mut Step<'_>, lane: usize, object: MbarrierAddress, phase: u64) {
        let cta = &step.world.clusters[step.here.cluster].ctas[object.0];
        let now = cta.mbarriers.get(&object.1).map(|mbarrier| mbarrier.phase);
        if now.is_some_and(|now| now > phase) {
            self.tell(step, lane, object, MbarrierEvent::PhaseDone { phase });
        }
    }

    /// Performs the arrivals of a warp at one barrier as one step; all get the same token.
    fn arrive(
        &self,
        step: &mut Step<'_>,
        d: Slot,
        count: Option<Slot>,
        bytes: Option<Slot>,
        drops: bool,
        completes: bool,
    ) -> Result<(), Trapped> {
        let value = |step: &Step<'_>, slot: Option<Slot>, lane, default| {
            slot.map_or(default, |slot| step.get(slot)[lane] as u32)
        };
        let mut objects: Vec<(MbarrierAddress, u32)> = Vec::new();
        for lane in lanes_of(step.active) {
            for object in self.objects(step, lane)? {
                match objects.iter_mut().find(|(known, _)| *known == object) {
                    Some((_, lanes)) => *lanes |= 1 << lane,
                    None => objects.push((object, 1 << lane)),
                }
            }
        }
        let mut tokens = [0; LANES];
        for (object, lanes) in objects {
            let first = lanes_of(lanes).next().unwrap_or(0);
            let mut total = 0_u32;
            for lane in lanes_of(lanes) {
                let count = value(step, count, lane, 1);
                if !(1..=MAX_COUNT).contains(&count) {
                    let what = format!("{count} arrivals must be 1 to {MAX_COUNT}");
                    return Err(step.fault(lane, Trap::MbarrierOverflow, what));
                }
                total = total.saturating_add(count);
            }
            for lane in lanes_of(lanes) {
                let bytes = value(step, bytes, lane, 0);
                let phase = self.change(step, lane, object, |mbarrier| {
                    mbarrier.expect_tx(bytes)?;
                    Ok(mbarrier.phase)
                })?;
                if bytes > 0 {
                    self.tell(step, lane, object, MbarrierEvent::ExpectTx { bytes, phase });
                }
            }
            let mut too_many = None;
            let has_pending = step.program.reads_pending_counts;
            let came = (step.cta().number, step.here.warp, lanes);
            let arrived = self.change(step, first, object, |mbarrier| {
                let before = (mbarrier.token(has_pending), mbarrier.phase);
                too_many = Some(before.1);
                mbarrier.came.push(came);
                mbarrier.arrive(total, drops)?;
                too_many = None;
                match completes || mbarrier.phase == before.1 {
                    true => Ok(before),
                    false => Err("an arrival with `.noComplete` completes the phase".into()),
                }
            });
            if let Some(phase) = too_many {
                self.tell(step, first, object, MbarrierEvent::TooMany { phase });
            }
            let (token, phase) = arrived?;
            for lane in lanes_of(lanes) {
                tokens[lane] = token;
                let count = value(step, count, lane, 1);
                self.tell(
                    step,
                    lane,
                    object,
                    MbarrierEvent::Arrive {
                        count,
                        phase,
                        drops,
                    },
                );
            }
            self.tell_if_done(step, lanes_of(lanes).last().unwrap_or(first), object, phase);
        }
        step.set(d, &tokens);
        Ok(())
    }
}
