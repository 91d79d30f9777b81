//! `stmatrix`: a warp stores matrices to shared memory. PTX ISA 9.7.14.5.16.

use ptx::Instruction;
use ptx_isa::{Form, stmatrix::Op};

use crate::{
    decode::{NotSupported, operands},
    inst::{
        Action, Decoder, Execute, Step, collective,
        matrix::{ROW_BYTES, Rows, gather, transposed},
    },
    machine::{Flow, Trapped, observer::AccessKind},
};

/// Stores the matrices.
#[derive(Clone, Debug)]
pub(crate) struct Store(Rows);

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    form: &Form,
    op: Op,
) -> Result<(), NotSupported> {
    if op == Op::StoreBytes {
        return Err(NotSupported::NotExecuted(form.isa()));
    }
    let [address, registers] = operands(instruction)?;
    let rows = Rows::decode(decoder, form, address, registers)?;
    collective::align(decoder);
    decoder.emit(Action::StoreMatrix(Box::new(Store(rows))));
    Ok(())
}

impl Execute for Store {
    fn run(&self, step: &mut Step<'_>) -> Result<Flow, Trapped> {
        collective::whole_warp(step)?;
        let Self(rows) = self;
        step.world.progress += 1;
        for (number, a) in rows.registers.iter().enumerate() {
            let matrix = gather(step.get(*a));
            let matrix = match rows.transposed {
                true => transposed(&matrix),
                false => matrix,
            };
            for (row, halves) in matrix.iter().enumerate() {
                let lane = 8 * number + row;
                let located = rows.locate(step, lane, AccessKind::Write)?;
                let bytes = step.bytes_mut(lane, located, ROW_BYTES as usize)?;
                for (bytes, half) in bytes.chunks_exact_mut(2).zip(halves) {
                    crate::value::write(bytes, u64::from(*half));
                }
            }
        }
        Ok(Flow::Next)
    }
}
