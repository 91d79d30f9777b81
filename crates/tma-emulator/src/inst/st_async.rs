//! `st.async`: stores that complete on an mbarrier of another block. PTX ISA 9.7.9.12.
//!
//! They use the generic proxy: only bulk copies use the async proxy (section 9.7.9.25.2).

use ptx::{Instruction, Operand, OperandKind, Type};
use ptx_isa::{Form, st_async::Op};

use crate::{
    decode::{NotSupported, space, ty},
    inst::{Action, Decoder, Execute, Step, each_lane},
    machine::{
        Address, Completion, Flow, Issue, Piece, Signal, Slot, Trap, Trapped, issue,
        observer::{Proxy, Scope, Sem},
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
    /// The mbarrier that counts the bytes; stores to global memory have none.
    signal: Option<Signal>,
    reduction: Option<Reduction>,
    order: (Sem, Scope),
}

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    form: &Form,
    op: Op,
) -> Result<(), NotSupported> {
    let Op::Store = op;
    decode_store(decoder, instruction, form, None)
}

/// Decodes a store or, with an operator, a reduction.
pub(crate) fn decode_store(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    form: &Form,
    reduction: Option<Reduction>,
) -> Result<(), NotSupported> {
    let (space, ty) = (space(form), ty(form)?);
    let (address, value, mbarrier) = match instruction.operands.as_slice() {
        [address, value] => (address, value, None),
        [address, value, mbarrier] => (address, value, Some(mbarrier)),
        _ => return Err(NotSupported::Operands),
    };
    let (values, element_bytes) = match (&value.kind, ty.size_bytes().unwrap_or(1) as usize) {
        (_, 16) => (decoder.wide_register(value)?.into(), 8),
        (OperandKind::Vector(values), bytes) => (sources(decoder, values, ty)?, bytes),
        (_, bytes) => (sources(decoder, std::slice::from_ref(value), ty)?, bytes),
    };
    let signal = mbarrier.map(|mbarrier| decoder.address(mbarrier, space));
    let signal = signal.transpose()?.map(|mbarrier| Signal {
        mbarrier,
        multicast: None,
        pairs: false,
    });
    let store = AsyncStore {
        address: decoder.address(address, space)?,
        values,
        element_bytes,
        signal,
        reduction,
        order: (
            form.sem().map_or(Sem::Weak, Sem::from),
            form.scope().map_or(Scope::Cta, Scope::from),
        ),
    };
    decoder.emit(Action::AsyncStore(Box::new(store)));
    Ok(())
}

fn sources(
    decoder: &mut Decoder<'_>,
    values: &[Operand],
    ty: Type,
) -> Result<Box<[Slot]>, NotSupported> {
    let values = values.iter().map(|value| decoder.source(value, ty));
    values.collect()
}

impl Execute for AsyncStore {
    fn run(&self, step: &mut Step<'_>) -> Result<Flow, Trapped> {
        each_lane(step, |step, lane| self.issue(step, lane))
    }
}

impl AsyncStore {
    fn issue(&self, step: &mut Step<'_>, lane: usize) -> Result<(), Trapped> {
        let bytes = self.element_bytes * self.values.len();
        let to = target(step, &self.address, lane, bytes as u64, "destination")?;
        let here = step.here;
        if let Err((trap, what)) = step.world.locate_target(here, to, bytes) {
            return Err(step.fault(lane, trap, format!("the store's {what}")));
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
