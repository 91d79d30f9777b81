//! `discard`: drops the values of bytes. PTX ISA 9.7.9.17.
//!
//! It counts as a write of unknown values. The emulator writes values that depend on the schedule.

use ptx::Instruction;
use ptx_isa::{Form, discard::Op};

use crate::{
    decode::{NotSupported, exact, operands, space},
    inst::{Action, Decoder, Execute, Step},
    machine::{Address, Flow, Located, Trap, Trapped, observer::Event},
    value::lanes_of,
};

const BYTES: u64 = 128;

/// Range to discard.
#[derive(Clone, Debug)]
pub(crate) struct Discard(Address);

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    form: &Form,
    op: Op,
) -> Result<(), NotSupported> {
    let Op::Line = op;
    let [address, bytes] = operands(instruction)?;
    exact(form, bytes)?;
    let address = decoder.address(address, space(form))?;
    decoder.emit(Action::Discard(Discard(address)));
    Ok(())
}

impl Execute for Discard {
    fn run(&self, step: &mut Step<'_>) -> Result<Flow, Trapped> {
        step.world.progress += 1;
        for lane in lanes_of(step.active) {
            let located = step.locate(lane, &self.0, BYTES, BYTES)?;
            if !matches!(located, Located::Global { .. }) {
                let what = "the address is not one of global memory".into();
                return Err(step.fault(lane, Trap::IllegalAddress, what));
            }
            step.tell(lane, |step| Event::Discard(step.range(located, BYTES)));
            let values: [u64; BYTES as usize / 8] = std::array::from_fn(|_| step.world.rng.next());
            let bytes = step.bytes_mut(lane, located, BYTES as usize)?;
            for (bytes, value) in bytes.chunks_exact_mut(8).zip(values) {
                crate::value::write(bytes, value);
            }
        }
        Ok(Flow::Next)
    }
}
