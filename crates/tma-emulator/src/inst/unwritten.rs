//! Propagation of uninitialised values through registers.

use super::{Action, Step};
use crate::{
    machine::{Alu, Slot, observer::Used},
    value::{Lanes, lanes_of},
};

/// Instructions with a result that may not depend on one operand, because another operand decides it.
const DECIDED: [&str; 6] = ["selp", "slct", "and", "or", "mul", "lop3"];

/// The way of such values through an operation.
pub(crate) enum Flow {
    /// Each of these slots gets its value from those.
    Through(Vec<(Slot, Vec<Slot>)>),
    /// The operation handles them itself, and its guard is a use.
    Own,
    /// The values are not followed further: the results count as written.
    Nowhere,
}

impl Action {
    fn flow(&self) -> Flow {
        match self {
            Self::Alu(alu) => Flow::Through(through(alu)),
            Self::Convert(convert) => Flow::Through(vec![convert.through()]),
            Self::Window(window) => Flow::Through(vec![window.through()]),
            Self::Video(video) => Flow::Through(vec![video.through()]),
            Self::LoadStore(access) => match access.loads() {
                Some(registers) => {
                    Flow::Through(registers.map(|register| (register, vec![])).collect())
                }
                None => Flow::Own,
            },
            Self::Collective(_) => Flow::Own,
            _ => Flow::Nowhere,
        }
    }

    /// Returns the registers that an operation on registers alone computes, each with its sources; `None` for any other.
    pub(crate) fn computes(&self) -> Option<Vec<(Slot, Vec<Slot>)>> {
        match (self, self.flow()) {
            (Self::LoadStore(_), _) => None,
            (_, Flow::Through(all)) => Some(all),
            _ => None,
        }
    }

    /// Returns whether other threads can see when the operation happens, other than by a data race.
    pub(crate) fn is_visible(&self) -> bool {
        match self {
            Self::LoadStore(access) => access.has_order(),
            Self::Alu(_)
            | Self::Convert(_)
            | Self::Video(_)
            | Self::Window(_)
            | Self::Nothing(_)
            | Self::Branch(_)
            | Self::Sleep(_)
            | Self::Cluster(_)
            | Self::Mma(_)
            | Self::Wmma(_)
            | Self::Transpose(_)
            | Self::LoadMatrix(_)
            | Self::StoreMatrix(_)
            | Self::Collective(_)
            | Self::BulkCopy(_)
            | Self::TensorCopy(_)
            | Self::AsyncCopy(_)
            | Self::AsyncStore(_)
            | Self::Replace(_)
            | Self::Zeros(_) => false,
            _ => true,
        }
    }

    /// Returns whether the operation reads registers without following their values.
    fn takes_any(&self) -> bool {
        matches!(
            self,
            Self::Call(_)
                | Self::Mma(_)
                | Self::Wmma(_)
                | Self::Wgmma(_)
                | Self::Transpose(_)
                | Self::StoreMatrix(_)
                | Self::AsyncStore(_)
                | Self::Fetch(_)
                | Self::Gather(_)
                | Self::SurfaceReduce(_)
        )
    }

    /// Handles registers with uninitialised values before the operation runs. `guard` has the lanes with such a
    /// guard, active or not. Returns whether the caller must handle the other operands.
    #[cold]
    pub(crate) fn follow(&self, step: &mut Step<'_>, guard: Option<(Slot, u32)>) -> bool {
        match self {
            Self::LoadStore(access) => {
                step.use_unwritten(access.base(), step.active, Used::Address);
            }
            Self::Atomic(atomic) => {
                step.use_unwritten(atomic.base(), step.active, Used::Address);
                for slot in atomic.operands() {
                    step.use_unwritten(slot, step.active, Used::Store);
                }
            }
            Self::SurfaceStore(store) => {
                for slot in store.stored() {
                    step.use_unwritten(*slot, step.active, Used::Store);
                }
            }
            Self::Branch(branch) => {
                if let Some(index) = branch.index() {
                    step.use_unwritten(index, step.active, Used::Branch);
                }
            }
            _ if self.takes_any() => step.lose_unwritten(),
            _ => {}
        }
        let flow = self.flow();
        if let Flow::Through(all) = &flow {
            let doubtful = guard.map_or((0, 0), |(slot, group)| {
                let (lanes, read) = step.unwritten(slot);
                (lanes & group, read)
            });
            let lanes: Vec<u32> = all.iter().map(|(_, from)| self.lanes(step, from)).collect();
            for ((d, from), lanes) in all.iter().zip(lanes) {
                step.spread(*d, from, lanes, doubtful);
            }
        } else if let Some((slot, group)) = guard {
            step.use_unwritten(slot, group, Used::Branch);
        }
        matches!(flow, Flow::Nowhere)
    }

    /// Returns the active lanes with a result that depends on such a value.
    fn lanes(&self, step: &Step<'_>, sources: &[Slot]) -> u32 {
        let of = |slot: Slot| step.unwritten(slot).0 & step.active;
        let any = sources.iter().fold(0, |lanes, slot| lanes | of(*slot));
        let opcode = step.program.opcode(step.group.pc);
        let stem = opcode.split('.').next().unwrap_or_default();
        if any == 0 || !DECIDED.contains(&stem) {
            return any;
        }
        let with = |change: fn(u64) -> u64, slot: Slot| {
            let mut values = *step.get(slot);
            lanes_of(of(slot)).for_each(|lane| values[lane] = change(values[lane]));
            values
        };
        let compute = |change: fn(u64) -> u64| -> Option<Lanes> {
            Some(match self {
                Self::Alu(Alu::Binary { f, a, b, .. }) => f(&with(change, *a), &with(change, *b)),
                Self::Alu(Alu::Ternary { f, a, b, c, .. }) => {
                    f(&with(change, *a), &with(change, *b), &with(change, *c))
                }
                _ => return None,
            })
        };
        let Some(result) = compute(|value| value) else {
            return any;
        };
        let others: [fn(u64) -> u64; 3] = [|value| !value, |_| 0, |_| u64::MAX];
        let others = others.map(|change| compute(change).unwrap_or(result));
        let depends = |lane: &usize| others.iter().any(|other| other[*lane] != result[*lane]);
        let lanes = lanes_of(any).filter(depends);
        lanes.fold(0, |mask, lane| mask | 1 << lane)
    }
}

fn through(alu: &Alu) -> Vec<(Slot, Vec<Slot>)> {
    match alu {
        Alu::Unary { d, a, .. } => vec![(*d, vec![*a])],
        Alu::Binary { d, a, b, .. } => vec![(*d, vec![*a, *b])],
        Alu::Ternary { d, a, b, c, .. } => vec![(*d, vec![*a, *b, *c])],
        Alu::Carry {
            d,
            a,
            b,
            c,
            carry,
            writes,
            ..
        } => {
            let from = vec![*a, *b, *c, *carry];
            let out = writes.then(|| (*carry, from.clone()));
            out.into_iter().chain([(*d, from)]).collect()
        }
        Alu::Copy(copies) => copies.iter().map(|(d, a)| (*d, vec![*a])).collect(),
        Alu::Pack { d, parts, .. } => vec![(*d, parts.to_vec())],
        Alu::Unpack { parts, a, .. } => parts.iter().map(|d| (*d, vec![*a])).collect(),
    }
}
