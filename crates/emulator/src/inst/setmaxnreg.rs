//! `setmaxnreg`: registers that a warp gives back or gets. PTX ISA 9.7.19.5.
//!
//! The emulator has registers enough for all.

use ptx::Instruction;
use ptx_isa::{Form, setmaxnreg::Op};

use crate::{
    decode::{NotSupported, operands},
    inst::{Action, Decoder, nothing::Nothing},
};

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    _: &Form,
    op: Op,
) -> Result<(), NotSupported> {
    let (Op::Inc | Op::Dec) = op;
    let [count] = operands(instruction)?;
    let count = count
        .as_integer()
        .ok_or("its number of registers is not constant")?;
    if !(24..=256).contains(&count) || count % 8 != 0 {
        let reason = format!(
            "its number of registers is {count}, and must be 24 to 256 and a multiple of 8"
        );
        return Err(reason.into());
    }
    decoder.emit(Action::Nothing(Nothing));
    Ok(())
}
