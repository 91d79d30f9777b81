//! `cvta`: generic addresses and those of a space. PTX ISA 9.7.9.20.

use ptx::{Instruction, Type};

use crate::{
    decode::{Modifiers, NotSupported, operands},
    inst::{Action, Decoder, Execute, Step},
    machine::{
        CONST_WINDOW, Flow, LOCAL_WINDOW, PARAM_WINDOW, SHARED_RANK_SHIFT, SHARED_WINDOW, Slot,
        Trapped, WINDOW_BYTES, observer::Watch,
    },
    value::LANES,
};

/// What is asked of an address.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    d: Slot,
    a: Slot,
    space: WindowSpace,
    ask: Ask,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ask {
    ToGeneric,
    FromGeneric,
    Contains,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WindowSpace {
    Global,
    SharedCta,
    SharedCluster,
    Local,
    Param,
    Const,
}

pub(crate) const SPACES: [(&str, WindowSpace); 8] = [
    ("global", WindowSpace::Global),
    ("shared", WindowSpace::SharedCta),
    ("shared::cta", WindowSpace::SharedCta),
    ("shared::cluster", WindowSpace::SharedCluster),
    ("local", WindowSpace::Local),
    ("param", WindowSpace::Param),
    ("param::entry", WindowSpace::Param),
    ("const", WindowSpace::Const),
];

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
) -> Result<(), NotSupported> {
    let ask = match modifiers.take("to") {
        true => Ask::FromGeneric,
        false => Ask::ToGeneric,
    };
    let space = modifiers
        .one_of(&SPACES)
        .ok_or(NotSupported::Part("space"))?;
    if !matches!(modifiers.ty()?, Type::U64) {
        return Err("its addresses have 32 bits".into());
    }
    window(decoder, instruction, space, ask)
}

pub(crate) fn window(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    space: WindowSpace,
    ask: Ask,
) -> Result<(), NotSupported> {
    let [d, a] = operands(instruction)?;
    let a = decoder.source(a, Type::U64)?;
    let d = decoder.destination(d)?.slot;
    decoder.emit(Action::Window(Window { d, a, space, ask }));
    Ok(())
}

impl Execute for Window {
    fn run<O: Watch>(&self, step: &mut Step<'_, O>) -> Result<Flow, Trapped> {
        let window = match self.space {
            WindowSpace::Global => 0,
            WindowSpace::SharedCta | WindowSpace::SharedCluster => SHARED_WINDOW,
            WindowSpace::Local => LOCAL_WINDOW,
            WindowSpace::Param => PARAM_WINDOW,
            WindowSpace::Const => CONST_WINDOW,
        };
        let own = step.here.rank as u64;
        let mut d = [0; LANES];
        for (d, a) in d.iter_mut().zip(step.get(self.a)) {
            *d = match self.ask {
                Ask::ToGeneric => a.wrapping_add(window),
                Ask::FromGeneric => a.wrapping_sub(window),
                Ask::Contains if self.space == WindowSpace::Global => {
                    let windows = [SHARED_WINDOW, LOCAL_WINDOW, PARAM_WINDOW, CONST_WINDOW];
                    let elsewhere = windows.iter().any(|w| (*w..w + WINDOW_BYTES).contains(a));
                    u64::from(!elsewhere)
                }
                Ask::Contains => {
                    let inside = (window..window + WINDOW_BYTES).contains(a);
                    let is_own = a.wrapping_sub(window) >> SHARED_RANK_SHIFT == own;
                    u64::from(inside && (self.space != WindowSpace::SharedCta || is_own))
                }
            };
        }
        step.set(self.d, &d);
        Ok(Flow::Next)
    }
}
