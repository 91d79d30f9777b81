//! `movmatrix`: a warp transposes a matrix in its registers. PTX ISA 9.7.14.5.17.

use ptx::Instruction;
use ptx_isa::{Form, movmatrix::Op};

use crate::{
    decode::{NotSupported, operands},
    inst::{
        Action, Decoder, Execute, Step, collective,
        matrix::{gather, spread, transposed},
    },
    machine::{Flow, Slot, Trapped},
};

/// Computes `d = transpose(a)`.
#[derive(Clone, Debug)]
pub(crate) struct Transpose {
    d: Slot,
    a: Slot,
}

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    _: &Form,
    op: Op,
) -> Result<(), NotSupported> {
    let Op::Transpose = op;
    let [d, a] = operands(instruction)?;
    let a = decoder.register(a)?.slot;
    let d = decoder.destination(d)?.slot;
    collective::align(decoder);
    decoder.emit(Action::Transpose(Transpose { d, a }));
    Ok(())
}

impl Execute for Transpose {
    fn run(&self, step: &mut Step<'_>) -> Result<Flow, Trapped> {
        collective::whole_warp(step)?;
        let value = spread(&transposed(&gather(step.get(self.a))));
        step.set(self.d, &value);
        Ok(Flow::Next)
    }
}
