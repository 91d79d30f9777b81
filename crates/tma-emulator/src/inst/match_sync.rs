//! `match.sync`: lanes with equal values. PTX ISA 9.7.13.10.

use ptx::{Instruction, Type};

use crate::{
    decode::{Modifiers, NotSupported, operands},
    inst::{
        Action, Decoder,
        collective::{Collective, CollectiveKind},
    },
    value::{LANES, Lanes, lanes_of},
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    All,
    Any,
}

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
) -> Result<(), NotSupported> {
    let mode = modifiers
        .one_of(&[("all", Mode::All), ("any", Mode::Any)])
        .ok_or(NotSupported::Part("mode"))?;
    modifiers
        .take("sync")
        .then_some(())
        .ok_or("it has no `.sync`")?;
    let ty = modifiers.ty()?;
    if !matches!(ty, Type::B32 | Type::B64) {
        return Err(NotSupported::Part("type"));
    }
    let [d, a, members] = operands(instruction)?;
    let (d, p) = decoder.pair(d)?;
    let a = decoder.source(a, ty)?;
    let members = decoder.source(members, Type::B32)?;
    decoder.emit(Action::Collective(Box::new(Collective {
        kind: CollectiveKind::Match(mode),
        d: Some(d.slot),
        p: p.map(|p| p.slot),
        sources: [a; 3],
        members: Some(members),
    })));
    Ok(())
}

pub(crate) fn compute(mode: Mode, there: u32, a: &Lanes) -> (Lanes, Lanes) {
    let mut d = [0; LANES];
    for lane in lanes_of(there) {
        let equal = lanes_of(there).filter(|other| a[*other] == a[lane]);
        d[lane] = equal.fold(0, |mask, other| mask | 1 << other);
    }
    let all = lanes_of(there).all(|lane| d[lane] == u64::from(there));
    match mode {
        Mode::Any => (d, [0; LANES]),
        Mode::All if all => (d, [1; LANES]),
        Mode::All => ([0; LANES], [0; LANES]),
    }
}
