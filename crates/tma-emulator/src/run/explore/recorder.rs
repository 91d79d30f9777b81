//! Observes an execution, and records the objects that the current event uses.

use std::{
    cell::RefCell,
    collections::{BTreeMap, HashMap},
    rc::Rc,
};

use tma_launch::Shape;

use super::event::{BarrierName, BarrierUse, MbarrierUse, Registers, Use};
use crate::{
    machine::{
        Fault, Places, Program,
        observer::{
            AccessKind, Accesses, CopyCompletion, CopyId, Event, FenceKind, GroupKind,
            MbarrierEvent, Memory, Observer, OrdinaryAccess, Origin, Range, Sem, Turn, View,
        },
    },
    value::LANES,
};

/// The record of the current event.
#[derive(Debug, Default)]
pub(super) struct Record {
    pub(super) uses: Vec<Use>,
    /// The copies that the event issued.
    pub(super) issued: Vec<CopyId>,
    /// The instructions that were executed, in order.
    pub(super) executed: Vec<usize>,
    /// The lanes that arrived at a barrier with a number of threads, which other lanes of the warp need not execute.
    pub(super) counted: u32,
}

/// An observer in front of another one.
pub(crate) struct Recorder<'a> {
    inner: &'a mut dyn Observer,
    record: Rc<RefCell<Record>>,
    places: Option<Places>,
    mbarriers: HashMap<(u64, u64), Phase>,
    /// The registers that warps of a block have given back.
    free: HashMap<u64, u32>,
    groups: HashMap<CopyId, (u64, u32, GroupKind, u64)>,
    /// Lanes that have arrived at a barrier with a number of threads, by their warp, and the generation.
    arrived: HashMap<(u64, u32), BTreeMap<u32, (u64, u32)>>,
}

/// The phase of an mbarrier that is not complete.
#[derive(Clone, Copy, Default)]
struct Phase {
    number: u64,
    /// Arrivals that it waits for, and those that the next one will wait for.
    pending: u32,
    next: u32,
}

impl<'a> Recorder<'a> {
    pub(super) fn new(inner: &'a mut dyn Observer, record: Rc<RefCell<Record>>) -> Self {
        Self {
            inner,
            record,
            places: None,
            mbarriers: HashMap::new(),
            free: HashMap::new(),
            groups: HashMap::new(),
            arrived: HashMap::new(),
        }
    }

    fn add(&self, used: Use) {
        let uses = &mut self.record.borrow_mut().uses;
        let is_merged = uses.iter_mut().any(|other| other.merge(&used));
        if !is_merged {
            uses.push(used);
        }
    }

    fn access(&self, kind: AccessKind, sem: Sem, range: Range) {
        if kind == AccessKind::Atomic || sem != Sem::Weak {
            let writes = kind != AccessKind::Read;
            let stores = (kind == AccessKind::Write).then_some(sem);
            self.add(Use::Bytes {
                range,
                writes,
                stores,
            });
        }
    }

    fn registers(&mut self, block: u64, count: u32, before: u32, increases: bool) {
        let free = self.free.entry(block).or_insert(0);
        let (gives, takes) = match increases {
            true => (0, count.saturating_sub(before)),
            false => (before.saturating_sub(count), 0),
        };
        let used = Use::Registers(Registers {
            block,
            gives,
            takes,
            free: *free,
        });
        *free = (*free + gives).saturating_sub(takes);
        self.add(used);
    }

    fn mbarrier(&mut self, range: Range, operation: MbarrierEvent) {
        let Memory::Shared { block } = range.memory else {
            return;
        };
        let at = (block, range.address);
        let now = self.mbarriers.entry(at).or_default();
        let current = now.number;
        let used = match operation {
            MbarrierEvent::ExpectTx { phase, .. } => MbarrierUse::Expect { phase, arrivals: 0 },
            MbarrierEvent::CompleteTx { phase, .. } => now.update(phase, 0),
            MbarrierEvent::AsyncArrive { phase, .. } => now.update(phase, 1),
            MbarrierEvent::Arrive {
                phase,
                count,
                drops,
            } => {
                now.next -= if drops { count.min(now.next) } else { 0 };
                now.update(phase, count)
            }
            MbarrierEvent::AsyncArriveIssue { increments } => {
                let arrivals = u32::from(increments);
                now.pending += arrivals;
                MbarrierUse::Expect {
                    phase: current,
                    arrivals,
                }
            }
            MbarrierEvent::WaitDone { .. }
            | MbarrierEvent::WaitUnused
            | MbarrierEvent::WaitPending { .. } => MbarrierUse::Test { current },
            MbarrierEvent::PhaseDone { phase } => {
                (now.number, now.pending) = (phase + 1, now.next);
                let mut record = self.record.borrow_mut();
                for used in &mut record.uses {
                    if let Use::Mbarrier(
                        of,
                        MbarrierUse::Update {
                            phase: its,
                            completes,
                            ..
                        },
                    ) = used
                        && (*of, *its) == (at, phase)
                    {
                        *completes = true;
                    }
                }
                return;
            }
            MbarrierEvent::Init { count } => {
                *now = Phase {
                    number: 0,
                    pending: count,
                    next: count,
                };
                MbarrierUse::Whole
            }
            MbarrierEvent::Inval | MbarrierEvent::TooMany { .. } => MbarrierUse::Whole,
        };
        self.expect_with_arrival(at, used);
    }

    /// Bytes that an arrival expects belong to the arrival, without which the phase does not complete.
    fn expect_with_arrival(&self, at: (u64, u64), used: MbarrierUse) {
        self.add(Use::Mbarrier(at, used));
        let mut record = self.record.borrow_mut();
        let arrives = record.uses.iter().any(
            |other| matches!(other, Use::Mbarrier(of, MbarrierUse::Update { .. }) if *of == at),
        );
        if arrives {
            record.uses.retain(|other| {
                !matches!(other, Use::Mbarrier(of, MbarrierUse::Expect { .. }) if *of == at)
            });
        }
    }

    fn cluster(&self, block: u64) -> [u32; 3] {
        let Some(places) = &self.places else {
            return [0; 3];
        };
        let at = places.block(block);
        [0, 1, 2].map(|axis| at[axis] / places.cluster[axis].max(1))
    }

    /// Adds that lanes of the thread's warp end, or that all of them must execute an instruction.
    fn warp(&self, origin: Origin, ends: bool) {
        let of = warp_of(origin);
        self.add(Use::Warp { of, ends });
    }

    /// Adds an arrival at a barrier that completes with a number of threads.
    fn arrive_counted(&mut self, origin: Origin, barrier: u32, generation: u64) {
        let all = self.arrived.entry(warp_of(origin)).or_default();
        let arrived = all.entry(barrier).or_default();
        let before = if arrived.0 == generation {
            arrived.1
        } else {
            0
        };
        *arrived = (generation, before | 1 << (origin.thread % LANES as u32));
        // Whether the warp counts as complete depends on the lanes that have ended.
        self.warp(origin, false);
    }

    /// Adds that a lane ends: where others of its warp have arrived at a barrier with a number of threads, that may complete
    /// the warp, so that it counts as an arrival.
    fn exit(&self, origin: Origin) {
        self.warp(origin, true);
        for (barrier, (generation, lanes)) in
            self.arrived.get(&warp_of(origin)).into_iter().flatten()
        {
            if *lanes != u32::MAX {
                self.add(Use::Barrier(
                    BarrierName::Block(origin.block, *barrier),
                    BarrierUse::End(*generation),
                ));
            }
        }
    }

    fn note(&mut self, origin: Origin, event: &Event) {
        match *event {
            Event::BarrierArrive {
                barrier,
                generation,
                threads,
                aligned,
                ..
            } if threads != 0 => {
                self.arrive_counted(origin, barrier, generation);
                // An aligned barrier has all lanes of the warp.
                if !aligned {
                    self.record.borrow_mut().counted |= 1 << (origin.thread % LANES as u32);
                }
            }
            Event::BarrierArrive { aligned: true, .. }
            | Event::ClusterArrive { aligned: true, .. }
            | Event::SetMaxRegisters { .. } => self.warp(origin, false),
            Event::ThreadExit => self.exit(origin),
            _ => {}
        }
        match *event {
            Event::Access {
                kind, sem, range, ..
            } => self.access(kind, sem, range),
            Event::BarrierArrive {
                barrier,
                generation,
                threads,
                ..
            } => self.add(Use::Barrier(
                BarrierName::Block(origin.block, barrier),
                BarrierUse::Arrive {
                    generation,
                    counts: threads != 0,
                },
            )),
            Event::BarrierPass {
                barrier,
                generation,
            } => self.add(Use::Barrier(
                BarrierName::Block(origin.block, barrier),
                BarrierUse::Pass(generation),
            )),
            Event::ClusterArrive { generation, .. } => self.add(Use::Barrier(
                BarrierName::Cluster(self.cluster(origin.block)),
                BarrierUse::Arrive {
                    generation,
                    counts: false,
                },
            )),
            Event::ClusterPass { generation } => self.add(Use::Barrier(
                BarrierName::Cluster(self.cluster(origin.block)),
                BarrierUse::Pass(generation),
            )),
            Event::SetMaxRegisters {
                count,
                before: Some(before),
                increases,
            } => self.registers(origin.block, count, before, increases),
            Event::Mbarrier {
                range, operation, ..
            } => self.mbarrier(range, operation),
            Event::Fence(FenceKind::Thread { sem: Sem::Sc, .. }) => self.add(Use::Fences),
            Event::CopyIssue {
                copy, completion, ..
            } => {
                if let CopyCompletion::Group(kind, group) = completion {
                    self.groups
                        .insert(copy, (origin.block, origin.thread, kind, group));
                }
                self.record.borrow_mut().issued.push(copy);
            }
            Event::CopyRead(copy) | Event::CopyDone(copy) => {
                if let Some((block, thread, kind, group)) = self.groups.get(&copy) {
                    self.add(Use::Group {
                        of: (*block, *thread, *kind),
                        group: *group,
                        waits: false,
                    });
                }
            }
            Event::GroupWait { kind, until, .. } => self.add(Use::Group {
                of: (origin.block, origin.thread, kind),
                group: until,
                waits: true,
            }),
            Event::Malloc { .. } | Event::Free { .. } => self.add(Use::Heap),
            _ => {}
        }
    }
}

fn warp_of(origin: Origin) -> (u64, u32) {
    (origin.block, origin.thread / LANES as u32)
}

impl Phase {
    fn update(&mut self, phase: u64, arrivals: u32) -> MbarrierUse {
        self.pending = self.pending.saturating_sub(arrivals);
        MbarrierUse::Update {
            phase,
            arrivals,
            completes: false,
            pending: self.pending,
        }
    }
}

impl Observer for Recorder<'_> {
    fn begin(&mut self, program: &Program, shape: &Shape, cluster: [u32; 3]) {
        self.places = Some(Places::new(shape, Some(cluster)));
        self.inner.begin(program, shape, cluster);
    }

    fn end(&mut self, fault: Option<&Fault>) {
        self.inner.end(fault);
    }

    fn turn(&mut self, turn: Turn) {
        self.inner.turn(turn);
    }

    fn execute(&mut self, instruction: usize) {
        self.record.borrow_mut().executed.push(instruction);
        self.inner.execute(instruction);
    }

    fn inspects(&self) -> bool {
        self.inner.inspects()
    }

    fn inspect(&mut self, view: View<'_>) {
        self.inner.inspect(view);
    }

    fn see(&mut self, origin: Origin, event: Event) {
        self.note(origin, &event);
        self.inner.see(origin, event);
    }

    fn see_access(&mut self, origin: Origin, access: OrdinaryAccess) -> u32 {
        self.access(access.kind, access.sem, access.range);
        self.inner.see_access(origin, access)
    }

    fn see_accesses(&mut self, origin: Origin, accesses: &Accesses) -> [u32; LANES] {
        // A warp's accesses come together only if they have no order.
        self.inner.see_accesses(origin, accesses)
    }

    fn print(&mut self, text: &str) {
        self.inner.print(text);
    }
}
