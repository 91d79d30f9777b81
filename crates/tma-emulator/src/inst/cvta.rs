//! `cvta`: conversion between generic addresses and addresses of a state space. PTX ISA 9.7.9.20.

use ptx::{Instruction, Type};
use ptx_isa::{Form, cvta::Op};

use crate::{
    decode::{NotSupported, operands, space},
    inst::{Action, Decoder, Execute, Step},
    machine::{
        CONST_WINDOW, Flow, LOCAL_WINDOW, PARAM_WINDOW, SHARED_RANK_SHIFT, SHARED_WINDOW, Slot,
        Space, Trapped, WINDOW_BYTES,
    },
    value::LANES,
};

/// A conversion or a test of an address.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    d: Slot,
    a: Slot,
    space: Space,
    ask: Ask,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ask {
    ToGeneric,
    FromGeneric,
    Contains,
}

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    form: &Form,
    op: Op,
) -> Result<(), NotSupported> {
    let ask = match op {
        Op::ToSpace => Ask::FromGeneric,
        Op::ToGeneric => Ask::ToGeneric,
    };
    window(decoder, instruction, form, ask)
}

pub(crate) fn window(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    form: &Form,
    ask: Ask,
) -> Result<(), NotSupported> {
    let [d, a] = operands(instruction)?;
    let a = decoder.source(a, Type::U64)?;
    let d = decoder.destination(d)?.slot;
    let space = space(form);
    decoder.emit(Action::Window(Window { d, a, space, ask }));
    Ok(())
}

impl Window {
    /// Returns the destination slot and its source slot.
    pub(crate) fn through(&self) -> (Slot, Vec<Slot>) {
        (self.d, vec![self.a])
    }
}

impl Execute for Window {
    fn run(&self, step: &mut Step<'_>) -> Result<Flow, Trapped> {
        let window = match self.space {
            Space::Global | Space::Generic => 0,
            Space::SharedCta | Space::SharedCluster => SHARED_WINDOW,
            Space::Local => LOCAL_WINDOW,
            Space::Param => PARAM_WINDOW,
            Space::Const => CONST_WINDOW,
        };
        let own = step.here.rank as u64;
        let mut d = [0; LANES];
        for (d, a) in d.iter_mut().zip(step.get(self.a)) {
            *d = match self.ask {
                Ask::ToGeneric => a.wrapping_add(window),
                Ask::FromGeneric => a.wrapping_sub(window),
                Ask::Contains if self.space == Space::Global => {
                    let windows = [SHARED_WINDOW, LOCAL_WINDOW, PARAM_WINDOW, CONST_WINDOW];
                    let elsewhere = windows.iter().any(|w| (*w..w + WINDOW_BYTES).contains(a));
                    u64::from(!elsewhere)
                }
                Ask::Contains => {
                    let inside = (window..window + WINDOW_BYTES).contains(a);
                    let is_own = a.wrapping_sub(window) >> SHARED_RANK_SHIFT == own;
                    u64::from(inside && (self.space != Space::SharedCta || is_own))
                }
            };
        }
        step.set(self.d, &d);
        Ok(Flow::Next)
    }
}
