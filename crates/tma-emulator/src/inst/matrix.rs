//! Matrices of 8 x 8 halves that a warp holds together. PTX ISA 9.7.14.5.15 to 9.7.14.5.17.
//!
//! Lane `t` holds the elements `2 * (t % 4)` and the next of row `t / 4`, in the two halves of a
//! register.

use ptx::Operand;
use ptx_isa::{Form, Matrices};

use crate::{
    decode::{NotSupported, space},
    inst::{Decoder, Step, mma},
    machine::{
        Address, Located, Slot, Trap, Trapped,
        observer::{AccessKind, Scope, Sem},
    },
    value::Lanes,
};

/// Bytes of a row, which has eight halves.
pub(super) const ROW_BYTES: u64 = 16;

/// A matrix of eight rows of eight halves.
pub(super) type Halves = [[u16; 8]; 8];

pub(super) fn transposed(matrix: &Halves) -> Halves {
    std::array::from_fn(|row| std::array::from_fn(|column| matrix[column][row]))
}

/// Reads a matrix from the registers of a warp.
pub(super) fn gather(register: &Lanes) -> Halves {
    std::array::from_fn(|row| {
        std::array::from_fn(|column| (register[4 * row + column / 2] >> (16 * (column % 2))) as u16)
    })
}

/// Writes a matrix into the registers of a warp.
pub(super) fn spread(matrix: &Halves) -> Lanes {
    std::array::from_fn(|lane| {
        let half = |at: usize| u64::from(matrix[lane / 4][2 * (lane % 4) + at]);
        half(0) | half(1) << 16
    })
}

/// Up to four matrices and the addresses of their rows, eight lanes for each.
#[derive(Clone, Debug)]
pub(crate) struct Rows {
    address: Address,
    pub(super) registers: Box<[Slot]>,
    pub(super) transposed: bool,
}

impl Rows {
    pub(super) fn decode(
        decoder: &mut Decoder<'_>,
        form: &Form,
        address: &Operand,
        registers: &Operand,
    ) -> Result<Self, NotSupported> {
        let count = match form.matrices() {
            Some(Matrices::X1) => 1,
            Some(Matrices::X2) => 2,
            Some(Matrices::X4) => 4,
            None => return Err(NotSupported::Part("number of matrices")),
        };
        let registers = mma::registers(decoder, registers)?;
        if registers.len() != count {
            return Err("the register count does not match the number of matrices".into());
        }
        Ok(Self {
            address: decoder.address(address, space(form))?,
            registers,
            transposed: form.has(ptx_isa::Flag::Trans),
        })
    }

    /// Locates the row at the address of this lane.
    pub(super) fn locate(
        &self,
        step: &mut Step<'_>,
        lane: usize,
        kind: AccessKind,
    ) -> Result<Located, Trapped> {
        let located = step.locate(lane, &self.address, ROW_BYTES, ROW_BYTES)?;
        if !matches!(located, Located::Shared { .. }) {
            let what = "the row of a matrix is not in shared memory".into();
            return Err(step.fault(lane, Trap::IllegalAddress, what));
        }
        step.tell_access(lane, located, ROW_BYTES, kind, (Sem::Weak, Scope::Cta));
        Ok(located)
    }
}
