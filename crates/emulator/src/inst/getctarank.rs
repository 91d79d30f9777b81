//! `getctarank`: which block of the cluster a shared address is in. PTX ISA 9.7.9.24.

use ptx::Instruction;

use crate::{
    decode::{Modifiers, NotSupported, operands},
    inst::{
        Action, Decoder,
        mapa::{Cluster, address_type},
    },
};

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
) -> Result<(), NotSupported> {
    let (generic, ty) = address_type(modifiers)?;
    let [d, a] = operands(instruction)?;
    let a = decoder.source(a, ty)?;
    let d = decoder.destination(d)?.slot;
    decoder.emit(Action::Cluster(Cluster {
        d,
        a,
        rank: None,
        generic,
    }));
    Ok(())
}
