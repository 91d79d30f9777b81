//! `getctarank`: the rank of the block that a shared address is in. PTX ISA 9.7.9.24.

use ptx::Instruction;
use ptx_isa::{Form, getctarank::Op};

use crate::{
    decode::{NotSupported, operands, space, ty},
    inst::{Action, Decoder, mapa::Cluster},
    machine::Space,
};

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    form: &Form,
    op: Op,
) -> Result<(), NotSupported> {
    let Op::Rank = op;
    let (generic, ty) = (space(form) == Space::Generic, ty(form)?);
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
