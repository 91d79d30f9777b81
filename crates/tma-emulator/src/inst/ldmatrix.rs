//! `ldmatrix`: a warp loads matrices from shared memory. PTX ISA 9.7.14.5.15.

use ptx::Instruction;
use ptx_isa::{Form, ldmatrix::Op};

use crate::{
    decode::{NotSupported, operands},
    inst::{
        Action, Decoder, Execute, Step, collective,
        matrix::{Halves, ROW_BYTES, Rows, spread, transposed},
    },
    machine::{Flow, Trapped, observer::AccessKind},
};

/// Loads the matrices.
#[derive(Clone, Debug)]
pub(crate) struct Load(Rows);

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    form: &Form,
    op: Op,
) -> Result<(), NotSupported> {
    if op == Op::LoadBytes {
        return Err(NotSupported::NotExecuted(form.isa()));
    }
    let [registers, address] = operands(instruction)?;
    let rows = Rows::decode(decoder, form, address, registers)?;
    collective::align(decoder);
    decoder.emit(Action::LoadMatrix(Box::new(Load(rows))));
    Ok(())
}

impl Execute for Load {
    fn run(&self, step: &mut Step<'_>) -> Result<Flow, Trapped> {
        collective::whole_warp(step)?;
        let Self(rows) = self;
        let mut matrices = Vec::new();
        for number in 0..rows.registers.len() {
            let mut matrix = Halves::default();
            for (row, halves) in matrix.iter_mut().enumerate() {
                let lane = 8 * number + row;
                let located = rows.locate(step, lane, AccessKind::Read)?;
                let bytes = step.bytes(lane, located, ROW_BYTES as usize);
                for (half, bytes) in halves.iter_mut().zip(bytes.chunks_exact(2)) {
                    *half = crate::value::read(bytes) as u16;
                }
            }
            matrices.push(matrix);
        }
        // The address may be in a register that gets a matrix.
        for (d, matrix) in rows.registers.iter().zip(&matrices) {
            let value = match rows.transposed {
                true => spread(&transposed(matrix)),
                false => spread(matrix),
            };
            step.set(*d, &value);
        }
        Ok(Flow::Next)
    }
}
