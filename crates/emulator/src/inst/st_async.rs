//! `st.async`: stores that complete on an mbarrier of another block. PTX ISA 9.7.9.12.
//!
//! They use the generic proxy: only bulk copies use the async proxy (section 9.7.9.25.2).

use ptx::{Instruction, Operand, OperandKind, Type};

use crate::{
    decode::{Modifiers, NotSupported},
    inst::{Action, Decoder, Execute, Step, each_lane},
    machine::{
        Address, Completion, Flow, Issue, Piece, Signal, Slot, Space, Trap, Trapped, issue,
        observer::{Proxy, Scope, Sem, Watch},
        target,
    },
    value::Reduction,
};

/// A store or, with an operator, a reduction.
#[derive(Clone, Debug)]
pub(crate) struct AsyncStore {
    address: Address,
    values: Box<[Slot]>,
    element_bytes: usize,
    /// What counts the bytes; stores to global memory have none.
    signal: Option<Signal>,
    reduction: Option<Reduction>,
    order: (Sem, Scope),
}

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
) -> Result<(), NotSupported> {
    use Type::*;
    let place = Place::take(modifiers)?;
    let count = modifiers.vector();
    let ty = modifiers.ty()?;
    let bytes = ty.size_bytes().unwrap_or(0) as usize;
    let is_known = match place.to_global {
        true => {
            let of_bytes = matches!(ty, B8 | B16 | U8 | U16 | S8 | S16);
            count == 1 && (of_bytes || is_word(ty))
        }
        false => is_word(ty) && count * bytes <= 16,
    };
    if !is_known {
        return Err(NotSupported::Part("type"));
    }
    place.decode(decoder, instruction, ty, count, None)
}

fn is_word(ty: Type) -> bool {
    use Type::*;
    matches!(ty, B32 | B64 | U32 | U64 | S32 | S64 | F32 | F64)
}

/// Where a store or reduction goes, and in which order.
pub(crate) struct Place {
    pub(crate) to_global: bool,
    space: Space,
    order: (Sem, Scope),
}

impl Place {
    pub(crate) fn take(modifiers: &mut Modifiers<'_>) -> Result<Self, NotSupported> {
        let is_mmio = modifiers.take("mmio");
        let sem = modifiers.sem();
        let scope = modifiers.scope();
        let space = modifiers.one_of(&[
            ("global", Space::Global),
            ("shared::cluster", Space::SharedCluster),
        ]);
        let completes = modifiers.take("mbarrier::complete_tx::bytes");
        let to_global = sem == Some(Sem::Release);
        let fits = match to_global {
            true => {
                let scopes = match is_mmio {
                    true => matches!(scope, Some(Scope::Sys)),
                    false => matches!(scope, Some(Scope::Gpu | Scope::Sys)),
                };
                scopes && !completes && space != Some(Space::SharedCluster)
            }
            false => {
                let of_cluster = matches!(scope, None | Some(Scope::Cluster));
                of_cluster && completes && !is_mmio && space != Some(Space::Global)
            }
        };
        if !fits {
            return Err(NotSupported::Part(
                "combination of ordering, scope, space and way to complete",
            ));
        }
        Ok(Self {
            to_global,
            space: space.unwrap_or(Space::Generic),
            order: (sem.unwrap_or(Sem::Weak), scope.unwrap_or(Scope::Cta)),
        })
    }

    /// The operands.
    pub(crate) fn decode(
        self,
        decoder: &mut Decoder<'_>,
        instruction: &Instruction,
        ty: Type,
        count: usize,
        reduction: Option<Reduction>,
    ) -> Result<(), NotSupported> {
        let (address, value, mbarrier) = match instruction.operands.as_slice() {
            [address, value] if self.to_global => (address, value, None),
            [address, value, mbarrier] if !self.to_global => (address, value, Some(mbarrier)),
            _ => return Err(NotSupported::Operands),
        };
        let values: &[Operand] = match &value.kind {
            OperandKind::Vector(values) => values,
            _ => std::slice::from_ref(value),
        };
        if values.len() != count {
            return Err("it has not as many values as its vector".into());
        }
        let values = values.iter().map(|value| decoder.source(value, ty));
        let values = values.collect::<Result<_, _>>()?;
        let signal = mbarrier.map(|mbarrier| decoder.address(mbarrier, self.space));
        let signal = signal.transpose()?.map(|mbarrier| Signal {
            mbarrier,
            multicast: None,
            pairs: false,
        });
        let store = AsyncStore {
            address: decoder.address(address, self.space)?,
            values,
            element_bytes: ty.size_bytes().unwrap_or(1) as usize,
            signal,
            reduction,
            order: self.order,
        };
        decoder.emit(Action::AsyncStore(Box::new(store)));
        Ok(())
    }
}

impl Execute for AsyncStore {
    fn run<O: Watch>(&self, step: &mut Step<'_, O>) -> Result<Flow, Trapped> {
        each_lane(step, |step, lane| self.issue(step, lane))
    }
}

impl AsyncStore {
    fn issue<O: Watch>(&self, step: &mut Step<'_, O>, lane: usize) -> Result<(), Trapped> {
        let bytes = self.element_bytes * self.values.len();
        let to = target(step, &self.address, lane, bytes as u64, "destination")?;
        let here = step.here;
        if let Err((trap, what)) = step.world.locate_target(here, to, bytes) {
            return Err(step.fault(lane, trap, format!("the store accesses {what}")));
        }
        let completion = match (&self.signal, to) {
            (Some(signal), _) => {
                let receivers = signal.receivers(step, lane, to)?;
                receivers.first().map(|(_, completion)| *completion)
            }
            (None, crate::machine::Target::Global(_)) => Some(Completion::Nobody),
            _ => None,
        };
        let Some(completion) = completion else {
            let what = "the destination is not in global memory".into();
            return Err(step.fault(lane, Trap::IllegalAddress, what));
        };
        let mut data = vec![0; bytes];
        for (element, slot) in data.chunks_exact_mut(self.element_bytes).zip(&*self.values) {
            crate::value::write(element, step.get(*slot)[lane]);
        }
        let piece = Piece {
            from: None,
            to,
            bytes,
            data,
        };
        let store = Issue {
            proxy: Proxy::Generic,
            order: self.order,
            ..Issue::bulk(vec![piece], completion, self.reduction)
        };
        issue(step, lane, store);
        Ok(())
    }
}
