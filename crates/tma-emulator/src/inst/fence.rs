//! `fence` and `membar`: the order of accesses. PTX ISA 9.7.13.4.
//!
//! The emulator makes every access visible at once, so fences only report to the observer. A fence that orders
//! only reads is reported like one that orders writes too.

use ptx::Instruction;
use ptx_isa::{Form, fence::Op};

use crate::{
    decode::{NotSupported, exact, space},
    inst::{Action, Decoder, Execute, Step},
    machine::{
        Address, Flow, Space, Trapped,
        observer::{Event, FenceKind, Scope, Sem},
    },
    value::lanes_of,
};

/// A fence, and the address that it is about.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fence {
    kind: FenceKind,
    address: Option<Address>,
}

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    form: &Form,
    op: Op,
) -> Result<(), NotSupported> {
    let sem = form.sem().map(Sem::from);
    let scope = form.scope().map(Scope::from);
    let part = |what| move || NotSupported::Part(what);
    let mut address = None;
    let kind = match op {
        Op::Thread => FenceKind::Thread {
            sem: sem.unwrap_or(Sem::AcqRel),
            scope: scope.ok_or_else(part("scope"))?,
        },
        Op::SyncRestrict => FenceKind::Thread {
            sem: sem.ok_or_else(part("ordering"))?,
            scope: scope.ok_or_else(part("scope"))?,
        },
        // `.gl`, which no other instruction has, is the device.
        Op::Membar => FenceKind::Thread {
            sem: Sem::Sc,
            scope: scope.unwrap_or(Scope::Gpu),
        },
        Op::MbarrierInit => FenceKind::MbarrierInit,
        Op::ProxyAlias => FenceKind::ProxyAlias,
        Op::ProxyAsync => FenceKind::ProxyAsync {
            global: matches!(space(form), Space::Generic | Space::Global),
            shared: space(form) != Space::Global,
        },
        Op::ProxyAsyncGeneric => FenceKind::ProxyAsyncGeneric {
            sem: sem.ok_or_else(part("ordering"))?,
            scope: scope.ok_or_else(part("scope"))?,
        },
        Op::ProxyTensormap => {
            if let [map, bytes] = instruction.operands.as_slice() {
                exact(form, bytes)?;
                address = Some(decoder.address(map, Space::Generic)?);
            }
            FenceKind::ProxyTensorMap {
                sem: sem.ok_or_else(part("ordering"))?,
                scope: scope.ok_or_else(part("scope"))?,
                address: 0,
            }
        }
        // The text of PTX ISA 9.5, which defines this form, was not available.
        Op::Alias => return Err(NotSupported::NotExecuted(form.isa())),
    };
    decoder.emit(Action::Fence(Fence { kind, address }));
    Ok(())
}

impl Execute for Fence {
    fn run(&self, step: &mut Step<'_>) -> Result<Flow, Trapped> {
        if !step.world.watches {
            return Ok(Flow::Next);
        }
        for lane in lanes_of(step.active) {
            let mut kind = self.kind;
            if let (FenceKind::ProxyTensorMap { address, .. }, Some(place)) =
                (&mut kind, self.address)
            {
                *address = step.address_of(&place, lane);
            }
            step.tell(lane, |_| Event::Fence(kind));
        }
        Ok(Flow::Next)
    }
}
