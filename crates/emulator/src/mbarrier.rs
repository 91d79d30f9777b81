//! `mbarrier`: barriers in shared memory that count arrivals and bytes. PTX ISA 9.7.13.15.

use ptx::{Instruction, OperandKind, Type};

use crate::{
    action::Action,
    decode::{Address, Decoder, Refusal, Slot, Space, Words},
    error::Trap,
    lanes::{LANES, lanes_of},
    ld_st::SPACES,
    machine::{Flow, Group, Here, Located, Step, Trapped, Wait, World, of_generic, of_shared},
    observer::{Event, MbarrierEvent, Observer, Scope, Sem},
};

/// The largest count of arrivals, and of bytes (PTX ISA, section 9.7.13.15.3).
const MAX_COUNT: u32 = (1 << 20) - 1;

/// A barrier object.
///
/// The truth about it is here; in memory stands a word that changes with it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mbarrier {
    /// Phases that are complete.
    pub(crate) phase: u64,
    /// Arrivals that later phases expect.
    expected: u32,
    /// Arrivals that this phase still expects.
    pending: u32,
    /// Bytes that are expected less those that came.
    tx: i64,
    /// Bytes of this phase: expected and come.
    bytes: (u64, u64),
}

impl Mbarrier {
    fn new(count: u32) -> Self {
        Self {
            expected: count,
            pending: count,
            ..Self::default()
        }
    }

    fn complete_if_over(&mut self) {
        if self.pending == 0 && self.tx == 0 {
            self.phase += 1;
            self.pending = self.expected;
            self.bytes = (0, 0);
        }
    }

    fn change_tx(&mut self, bytes: i64) -> Result<(), String> {
        self.tx += bytes;
        match self.tx.unsigned_abs() > u64::from(MAX_COUNT) {
            true => Err(format!(
                "the bytes that the barrier counts are {}, beyond its limit of {MAX_COUNT}",
                self.tx
            )),
            false => Ok(()),
        }
    }

    fn expect_tx(&mut self, bytes: u32) -> Result<(), String> {
        self.bytes.0 += u64::from(bytes);
        self.change_tx(bytes.into())
    }

    /// Bytes have come.
    pub(crate) fn complete_tx(&mut self, bytes: u32) -> Result<(), String> {
        self.bytes.1 += u64::from(bytes);
        self.change_tx(-i64::from(bytes))?;
        self.complete_if_over();
        Ok(())
    }

    fn arrive(&mut self, count: u32, drops: bool) -> Result<(), String> {
        if count > self.pending {
            return Err(format!(
                "{count} arrivals at a barrier that expects {} more",
                self.pending
            ));
        }
        if drops {
            self.expected = self.expected.saturating_sub(count);
        }
        self.pending -= count;
        self.complete_if_over();
        Ok(())
    }

    /// What the object's memory holds.
    pub(crate) fn store(&self, shared: &mut [u8], offset: usize) {
        let word = (self.phase & 7) << 61
            | (self.tx as u64 & 0x1f_ffff) << 40
            | u64::from(self.expected) << 20
            | u64::from(self.pending);
        if let Some(bytes) = shared.get_mut(offset..offset + 8) {
            crate::machine::write(bytes, word);
        }
    }

    /// What `arrive` gives back: the phase, and the arrivals that it still expected.
    fn token(&self) -> u64 {
        self.phase << 20 | u64::from(self.pending)
    }
}

/// One operation.
#[derive(Clone, Debug)]
pub(crate) struct MbarrierOperation {
    kind: Kind,
    address: Address,
    order: (Sem, Scope),
}

#[derive(Clone, Debug)]
enum Kind {
    Init {
        count: Slot,
    },
    Inval,
    ExpectTx {
        bytes: Slot,
    },
    CompleteTx {
        bytes: Slot,
    },
    Arrive {
        d: Option<Slot>,
        count: Option<Slot>,
        bytes: Option<Slot>,
        drops: bool,
        completes: bool,
    },
    Wait {
        d: Slot,
        state: Slot,
        parity: bool,
    },
}

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    words: &mut Words<'_>,
) -> Result<(), Refusal> {
    let kinds = [
        ("init", 0),
        ("inval", 1),
        ("expect_tx", 2),
        ("complete_tx", 3),
        ("arrive", 4),
        ("arrive_drop", 5),
        ("test_wait", 6),
        ("try_wait", 7),
        ("pending_count", 8),
    ];
    // `arrive.expect_tx` has two of these words; its kind is the first.
    let kind = words.one_of(&kinds).ok_or("its kind")?;
    let with_bytes = matches!(kind, 4 | 5) && words.take("expect_tx");
    let completes = !words.take("noComplete");
    let parity = words.take("parity");
    let sem = words.sem().unwrap_or(match kind {
        4 | 5 => Sem::Release,
        6 | 7 => Sem::Acquire,
        _ => Sem::Relaxed,
    });
    let scope = words.scope().unwrap_or(Scope::Cta);
    let space = words.one_of(&SPACES).unwrap_or(Space::Generic);
    words.take("b64").then_some(()).ok_or("its type")?;
    let operands = instruction.operands.as_slice();
    if kind == 8 {
        let [d, state] = operands else {
            return Err("the number of its operands".into());
        };
        let a = decoder.source(state, Type::B64)?;
        let d = decoder.destination(d)?.slot;
        let f = crate::lanes::lift!(|a: u64| (a & u64::from(MAX_COUNT)) as u32);
        decoder.emit(Action::Alu(crate::action::Alu::Unary { f, d, a }));
        return Ok(());
    }
    let at = operands
        .iter()
        .position(|operand| matches!(operand.kind, OperandKind::Memory { .. }));
    let at = at.ok_or("no address")?;
    let (before, after) = (&operands[..at], &operands[at + 1..]);
    let mut number = |operand| decoder.source(operand, Type::U32);
    let kind = match (kind, before, after) {
        (0, [], [count]) => Kind::Init {
            count: number(count)?,
        },
        (1, [], []) => Kind::Inval,
        (2, [], [bytes]) => Kind::ExpectTx {
            bytes: number(bytes)?,
        },
        (3, [], [bytes]) => Kind::CompleteTx {
            bytes: number(bytes)?,
        },
        (4 | 5, [] | [_], [] | [_]) => {
            let last = after.first().map(number).transpose()?;
            let d = before.first().map(|d| decoder.destination(d)).transpose()?;
            let (count, bytes) = if with_bytes {
                (None, last)
            } else {
                (last, None)
            };
            if with_bytes && bytes.is_none() {
                return Err("the number of its operands".into());
            }
            Kind::Arrive {
                d: d.map(|d| d.slot),
                count,
                bytes,
                drops: kind == 5,
                completes,
            }
        }
        (6, [d], [state]) | (7, [d], [state] | [state, _]) => {
            let ty = if parity { Type::U32 } else { Type::B64 };
            let state = decoder.source(state, ty)?;
            Kind::Wait {
                d: decoder.destination(d)?.slot,
                state,
                parity,
            }
        }
        _ => return Err("the number of its operands".into()),
    };
    let address = decoder.address(&operands[at], space)?;
    let operation = MbarrierOperation {
        kind,
        address,
        order: (sem, scope),
    };
    decoder.emit(Action::Mbarrier(Box::new(operation)));
    Ok(())
}

/// `cp.async.mbarrier.arrive` and other relatives are refused by name.
pub(crate) fn none(_: &mut Decoder<'_>, _: &Instruction, _: &mut Words<'_>) -> Result<(), Refusal> {
    Err("it is not modelled yet".into())
}

/// An object: rank of its block, and offset.
type Object = (usize, usize);

impl MbarrierOperation {
    pub(crate) fn waits(&self) -> bool {
        matches!(self.kind, Kind::Wait { .. })
    }

    fn object<O: Observer>(&self, step: &mut Step<'_, O>, lane: usize) -> Result<Object, Trapped> {
        match step.locate(lane, &self.address, 8, 8)? {
            Located::Shared { rank, offset } => Ok((rank, offset)),
            _ => {
                let what = "the barrier is not in shared memory".into();
                Err(step.fault(lane, Trap::IllegalAddress, what))
            }
        }
    }

    /// Changes the object of the lane and its word in memory.
    fn change<O: Observer, T>(
        &self,
        step: &mut Step<'_, O>,
        lane: usize,
        (rank, offset): Object,
        change: impl FnOnce(&mut Mbarrier) -> Result<T, String>,
    ) -> Result<T, Trapped> {
        let cta = &mut step.world.clusters[step.here.cluster].ctas[rank];
        let result = match cta.mbarriers.get_mut(&offset) {
            None => Err(format!("the barrier at {offset:#x} is not initialised")),
            Some(mbarrier) => change(mbarrier).inspect(|_| mbarrier.store(&mut cta.shared, offset)),
        };
        step.world.progress += 1;
        result.map_err(|what| step.fault(lane, Trap::LaunchFailed, what))
    }

    fn tell<O: Observer>(
        &self,
        step: &mut Step<'_, O>,
        lane: usize,
        (rank, offset): Object,
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

    pub(crate) fn run<O: Observer>(&self, step: &mut Step<'_, O>) -> Result<Flow, Trapped> {
        match &self.kind {
            Kind::Wait { .. } => return self.wait(step, false),
            Kind::Arrive {
                d,
                count,
                bytes,
                drops,
                completes,
            } => {
                self.arrive(step, *d, *count, *bytes, *drops, *completes)?;
            }
            Kind::Init { count } => {
                for lane in lanes_of(step.active) {
                    let count = step.get(*count)[lane] as u32;
                    let (rank, offset) = self.object(step, lane)?;
                    if !(1..=MAX_COUNT).contains(&count) {
                        let what =
                            format!("a barrier for {count} arrivals: can be 1 to {MAX_COUNT}");
                        return Err(step.fault(lane, Trap::LaunchFailed, what));
                    }
                    let cta = &mut step.world.clusters[step.here.cluster].ctas[rank];
                    let mbarrier = Mbarrier::new(count);
                    mbarrier.store(&mut cta.shared, offset);
                    cta.mbarriers.insert(offset, mbarrier);
                    step.world.progress += 1;
                    self.tell(step, lane, (rank, offset), MbarrierEvent::Init { count });
                }
            }
            // The hardware does nothing that could be seen: the barrier works on.
            Kind::Inval => {
                for lane in lanes_of(step.active) {
                    let object = self.object(step, lane)?;
                    self.change(step, lane, object, |_| Ok(()))?;
                    self.tell(step, lane, object, MbarrierEvent::Inval);
                }
            }
            Kind::ExpectTx { bytes } | Kind::CompleteTx { bytes } => {
                let expects = matches!(self.kind, Kind::ExpectTx { .. });
                for lane in lanes_of(step.active) {
                    let bytes = step.get(*bytes)[lane] as u32;
                    let object = self.object(step, lane)?;
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
                }
            }
        }
        Ok(Flow::Next)
    }

    /// The arrivals of a warp at one barrier count as one step, and all get the same token.
    fn arrive<O: Observer>(
        &self,
        step: &mut Step<'_, O>,
        d: Option<Slot>,
        count: Option<Slot>,
        bytes: Option<Slot>,
        drops: bool,
        completes: bool,
    ) -> Result<(), Trapped> {
        let value = |step: &Step<'_, O>, slot: Option<Slot>, lane, default| {
            slot.map_or(default, |slot| step.get(slot)[lane] as u32)
        };
        let mut objects: Vec<(Object, u32)> = Vec::new();
        for lane in lanes_of(step.active) {
            let object = self.object(step, lane)?;
            match objects.iter_mut().find(|(known, _)| *known == object) {
                Some((_, lanes)) => *lanes |= 1 << lane,
                None => objects.push((object, 1 << lane)),
            }
        }
        let mut tokens = [0; LANES];
        for (object, lanes) in objects {
            let first = lanes_of(lanes).next().unwrap_or(0);
            let mut total = 0_u32;
            for lane in lanes_of(lanes) {
                let count = value(step, count, lane, 1);
                if !(1..=MAX_COUNT).contains(&count) {
                    let what = format!("{count} arrivals: can be 1 to {MAX_COUNT}");
                    return Err(step.fault(lane, Trap::LaunchFailed, what));
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
            let (token, phase) = self.change(step, first, object, |mbarrier| {
                let before = (mbarrier.token(), mbarrier.phase);
                mbarrier.arrive(total, drops)?;
                match completes || mbarrier.phase == before.1 {
                    true => Ok(before),
                    false => Err("an arrival with `.noComplete` completes the phase".into()),
                }
            })?;
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
        }
        if let Some(d) = d {
            step.set(d, &tokens);
        }
        Ok(())
    }

    /// What a lane waits for, and whether it is complete. The phase is known by its last bit, as
    /// the hardware knows it.
    fn is_done(&self, mbarrier: &Mbarrier, state: u64) -> bool {
        let Kind::Wait { parity, .. } = self.kind else {
            return true;
        };
        let bit = if parity { state } else { state >> 20 };
        mbarrier.phase & 1 != bit & 1
    }

    /// Whether a group that waits could go on now.
    pub(crate) fn can_go_on(
        &self,
        world: &World,
        here: Here,
        registers: &[[u64; LANES]],
        group: &Group,
    ) -> bool {
        let Kind::Wait { state, .. } = self.kind else {
            return true;
        };
        let (Some(states), Some(bases)) = (
            registers.get(group.base + state),
            registers.get(group.base + self.address.base),
        ) else {
            return true;
        };
        lanes_of(group.mask).all(|lane| {
            let (rank, offset) = self.object_at(bases[lane]);
            let cta = world.clusters[here.cluster].ctas.get(rank);
            // What is not there is found out when the operation goes on.
            cta.and_then(|cta| cta.mbarriers.get(&offset))
                .is_none_or(|mbarrier| self.is_done(mbarrier, states[lane]))
        })
    }

    fn object_at(&self, base: u64) -> Object {
        let address = base.wrapping_add(self.address.offset);
        of_shared(if self.address.space == Space::Generic {
            of_generic(address).1
        } else {
            address
        })
    }

    /// Waits until the phase is complete for all lanes, or gives up.
    pub(crate) fn wait<O: Observer>(
        &self,
        step: &mut Step<'_, O>,
        gives_up: bool,
    ) -> Result<Flow, Trapped> {
        let Kind::Wait { d, state, parity } = self.kind else {
            return Ok(Flow::Next);
        };
        let states = *step.get(state);
        let mut done = [0; LANES];
        let mut phases = [((0, 0), 0); LANES];
        for lane in lanes_of(step.active) {
            let object = self.object(step, lane)?;
            let cta = &step.world.clusters[step.here.cluster].ctas[object.0];
            let Some(mbarrier) = cta.mbarriers.get(&object.1) else {
                let what = format!("the barrier at {:#x} is not initialised", object.1);
                return Err(step.fault(lane, Trap::LaunchFailed, what));
            };
            done[lane] = u64::from(self.is_done(mbarrier, states[lane]));
            let of_parity = mbarrier.phase.saturating_sub(done[lane]);
            phases[lane] = (
                object,
                if parity {
                    of_parity
                } else {
                    states[lane] >> 20
                },
            );
        }
        let all = lanes_of(step.active).all(|lane| done[lane] != 0);
        if !all && !gives_up {
            return Ok(step.wait(Wait::Mbarrier));
        }
        for lane in lanes_of(step.active) {
            let (object, phase) = phases[lane];
            let event = match done[lane] {
                0 => MbarrierEvent::WaitPending { phase },
                _ => MbarrierEvent::WaitDone { phase },
            };
            self.tell(step, lane, object, event);
        }
        step.set(d, &done);
        Ok(Flow::Next)
    }

    /// What a group waits for, with the barrier's arithmetic.
    pub(crate) fn describe(&self, world: &World, here: Here, group: &Group) -> String {
        let cluster = &world.clusters[here.cluster];
        let registers = &cluster.ctas[here.rank].warps[here.warp].registers;
        let lane = lanes_of(group.mask).next().unwrap_or(0);
        let base = registers
            .get(group.base + self.address.base)
            .map_or(0, |base| base[lane]);
        let (rank, offset) = self.object_at(base);
        let Some(mbarrier) = cluster
            .ctas
            .get(rank)
            .and_then(|cta| cta.mbarriers.get(&offset))
        else {
            return format!("at an mbarrier at {offset:#x} that is not initialised");
        };
        let Mbarrier {
            phase,
            expected,
            pending,
            tx,
            bytes,
        } = mbarrier;
        let whose = if rank == here.rank {
            String::new()
        } else {
            format!(" of block {rank} of the cluster")
        };
        format!(
            "for phase {phase} of the mbarrier at shared address {offset:#x}{whose}: {} of {expected} \
             arrivals came, {} of {} expected bytes came, {}",
            expected.saturating_sub(*pending),
            bytes.1,
            bytes.0,
            match (*pending, *tx) {
                (0, tx) if tx > 0 => format!("{tx} bytes are missing"),
                (0, tx) => format!("{} bytes are too many", -tx),
                (pending, 0) => format!("{pending} arrivals are missing"),
                (pending, tx) => format!("{pending} arrivals and {tx} bytes are missing"),
            }
        )
    }
}
