//! `fence` and `membar`: the order of accesses. PTX ISA 9.7.13.4.
//!
//! The emulator makes every access visible at once, so a fence does nothing but to be seen by the
//! observer.

use ptx::{Instruction, OperandKind};

use crate::{
    decode::{Modifiers, NotSupported},
    inst::{Action, Decoder, Execute, Step},
    machine::{
        Address, Flow, Space, Trapped,
        observer::{Event, FenceKind, Scope, Sem, Watch},
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
    modifiers: &mut Modifiers<'_>,
) -> Result<(), NotSupported> {
    let mut address = None;
    let proxy = modifiers.take("proxy");
    let kind = if modifiers.take("mbarrier_init") {
        modifiers.take("release");
        modifiers.take("cluster");
        FenceKind::MbarrierInit
    } else if proxy && modifiers.take("alias") {
        FenceKind::ProxyAlias
    } else if proxy && modifiers.take("async") {
        let spaces = [
            ("global", (true, false)),
            ("shared::cta", (false, true)),
            ("shared::cluster", (false, true)),
        ];
        let (global, shared) = modifiers.one_of(&spaces).unwrap_or((true, true));
        FenceKind::ProxyAsync { global, shared }
    } else if proxy && modifiers.take("async::generic") {
        let sem = modifiers.sem().ok_or(NotSupported::Part("ordering"))?;
        let restriction = match sem {
            Sem::Acquire => "sync_restrict::shared::cluster",
            Sem::Release => "sync_restrict::shared::cta",
            _ => return Err(NotSupported::Part("ordering")),
        };
        modifiers
            .take(restriction)
            .then_some(())
            .ok_or(NotSupported::Part("restriction"))?;
        let scope = modifiers.scope().ok_or(NotSupported::Part("scope"))?;
        FenceKind::ProxyAsyncGeneric { sem, scope }
    } else if proxy && modifiers.take("tensormap::generic") {
        let sem = modifiers.sem().ok_or(NotSupported::Part("ordering"))?;
        let scope = modifiers.scope().ok_or(NotSupported::Part("scope"))?;
        if let [map, bytes] = instruction.operands.as_slice() {
            if bytes.as_integer() != Some(128) {
                return Err("its size is not 128 bytes".into());
            }
            let OperandKind::Memory { address: place, .. } = &map.kind else {
                return Err("an operand that must be an address is none".into());
            };
            address = Some(decoder.place(place, Space::Generic)?);
        }
        FenceKind::ProxyTensorMap {
            sem,
            scope,
            address: 0,
        }
    } else if proxy {
        return Err(NotSupported::Part("proxy"));
    } else if instruction.opcode.stem() == "membar" {
        let scopes = [("cta", Scope::Cta), ("gl", Scope::Gpu), ("sys", Scope::Sys)];
        FenceKind::Thread {
            sem: Sem::Sc,
            scope: modifiers
                .one_of(&scopes)
                .ok_or(NotSupported::Part("level"))?,
        }
    } else {
        let sem = modifiers.sem().unwrap_or(Sem::AcqRel);
        modifiers.take("sync_restrict::shared::cta");
        modifiers.take("sync_restrict::shared::cluster");
        FenceKind::Thread {
            sem,
            scope: modifiers.scope().ok_or(NotSupported::Part("scope"))?,
        }
    };
    decoder.emit(Action::Fence(Fence { kind, address }));
    Ok(())
}

impl Execute for Fence {
    fn run<O: Watch>(&self, step: &mut Step<'_, O>) -> Result<Flow, Trapped> {
        if !O::WATCHES {
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
