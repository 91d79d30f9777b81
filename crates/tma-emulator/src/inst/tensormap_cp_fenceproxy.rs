//! `tensormap.cp_fenceproxy`: a tensor map from shared to global memory, and a release of it. PTX
//! ISA 9.7.13.16.

use ptx::Instruction;
use ptx_isa::{Form, tensormap_cp_fenceproxy::Op};

use crate::{
    decode::{NotSupported, exact, operands},
    inst::{
        Action, Decoder, Execute, Step,
        collective::{Collective, CollectiveKind},
    },
    machine::{
        Address, Constant, Flow, Space, Trapped,
        observer::{AccessKind, Event, FenceKind, Scope, Sem},
    },
    value::lanes_of,
};

/// The copy and the fence, without the meeting of the warp.
#[derive(Clone, Debug)]
pub(crate) struct CopyFence {
    to: Address,
    from: Address,
    scope: Scope,
}

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    form: &Form,
    op: Op,
) -> Result<(), NotSupported> {
    let Op::Copy = op;
    let scope = form.scope().map(Scope::from);
    let scope = scope.ok_or(NotSupported::Part("scope"))?;
    let [to, from, bytes] = operands(instruction)?;
    exact(form, bytes)?;
    let to = decoder.address(to, Space::Global)?;
    let from = decoder.address(from, Space::SharedCta)?;
    let all = decoder.constant(Constant::Value(u32::MAX.into()));
    let meet = |decoder: &mut Decoder<'_>, kind| {
        let collective = Collective {
            kind,
            d: None,
            p: None,
            sources: [all; 3],
            members: Some(all),
        };
        decoder.emit(Action::Collective(Box::new(collective)));
    };
    // The convergence does not order earlier steps of the lanes; the copy is before their later ones.
    meet(decoder, CollectiveKind::Align);
    let copy = CopyFence { to, from, scope };
    decoder.emit(Action::CopyFence(Box::new(copy)));
    meet(decoder, CollectiveKind::Meet);
    Ok(())
}

impl Execute for CopyFence {
    /// Copies four bytes for each lane, as the code of `ptxas` 13.0 for sm_90a does: a warp with missing lanes
    /// copies less.
    fn run(&self, step: &mut Step<'_>) -> Result<Flow, Trapped> {
        const BYTES: usize = 4;
        let order = (Sem::Weak, Scope::Cta);
        step.world.progress += 1;
        for lane in lanes_of(step.active) {
            let part = |address: Address| Address {
                offset: address.offset.wrapping_add((lane * BYTES) as u64),
                ..address
            };
            let from = step.locate(lane, &part(self.from), BYTES as u64, BYTES as u64)?;
            let to = step.locate(lane, &part(self.to), BYTES as u64, BYTES as u64)?;
            step.tell_access(lane, from, BYTES as u64, AccessKind::Read, order);
            step.tell_access(lane, to, BYTES as u64, AccessKind::Write, order);
            let value = crate::value::read(step.bytes(lane, from, BYTES));
            crate::value::write(step.bytes_mut(lane, to, BYTES)?, value);
            let fence = FenceKind::ProxyTensorMap {
                sem: Sem::Release,
                scope: self.scope,
                address: step.address_of(&self.to, lane),
            };
            step.tell(lane, |_| Event::Fence(fence));
        }
        Ok(Flow::Next)
    }
}
