//! `shfl` and `vote` without `.sync`, by the lanes that come to it together. PTX ISA 9.7.9.5, 9.7.13.8.

use ptx::{Instruction, Operand, Type};
use ptx_isa::{shfl_sync::Op as Shuffle, vote_sync::Op as Vote};

use crate::{
    decode::{Modifiers, NotSupported, operands},
    inst::{
        Action, Decoder,
        collective::{Collective, CollectiveKind},
    },
    machine::Slot,
};

pub(crate) fn shfl(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
) -> Result<(), NotSupported> {
    let modes = [
        ("idx", Shuffle::Idx),
        ("up", Shuffle::Up),
        ("down", Shuffle::Down),
        ("bfly", Shuffle::Bfly),
    ];
    let mode = mode(decoder, modifiers, &modes, &[Type::B32])?;
    let [d, sources @ ..] = operands::<4>(instruction)?;
    let mut slots = [0; 3];
    for (slot, source) in slots.iter_mut().zip(sources) {
        *slot = decoder.source(source, Type::B32)?;
    }
    emit(decoder, CollectiveKind::Shfl(mode), d, slots)
}

pub(crate) fn vote(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
) -> Result<(), NotSupported> {
    let modes = [
        ("all", Vote::All),
        ("any", Vote::Any),
        ("uni", Vote::Uni),
        ("ballot", Vote::Ballot),
    ];
    let mode = mode(decoder, modifiers, &modes, &[Type::Pred, Type::B32])?;
    let [d, a] = operands(instruction)?;
    let a = decoder.source(a, Type::Pred)?;
    emit(decoder, CollectiveKind::Vote(mode), d, [a; 3])
}

fn mode<M: Copy>(
    decoder: &Decoder<'_>,
    modifiers: &mut Modifiers<'_>,
    modes: &[(&str, M)],
    types: &[Type],
) -> Result<M, NotSupported> {
    if !decoder.is_before_sync() {
        return Err("without `.sync` it exists only for targets before sm_70, and before PTX ISA 6.4 for later ones".into());
    }
    let found = modes.iter().find(|(name, _)| modifiers.take(name));
    let (_, mode) = found.ok_or(NotSupported::Part("mode"))?;
    match types.contains(&modifiers.ty()?) {
        true => Ok(*mode),
        false => Err(NotSupported::Part("type")),
    }
}

fn emit(
    decoder: &mut Decoder<'_>,
    kind: CollectiveKind,
    d: &Operand,
    sources: [Slot; 3],
) -> Result<(), NotSupported> {
    let (d, p) = decoder.pair(d)?;
    decoder.emit(Action::Collective(Box::new(Collective {
        kind,
        d: Some(d.slot),
        p: p.map(|p| p.slot),
        sources,
        members: None,
    })));
    Ok(())
}
