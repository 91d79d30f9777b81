//! `ldmatrix`, `stmatrix`, `movmatrix`: matrices of 8 x 8 halves that a warp holds together. PTX ISA
//! 9.7.14.5.15 to 9.7.14.5.17.
//!
//! Lane `t` holds the elements `2 * (t % 4)` and the next of row `t / 4`, in the two halves of a
//! register.

use ptx::{Instruction, Operand, OperandKind};

use crate::{
    decode::{Modifiers, NotSupported, operands},
    inst::{
        Action, Decoder, Execute, Step,
        collective::{Collective, Kind},
    },
    machine::{
        Address, Constant, Flow, Located, Slot, Space, Trap, Trapped,
        observer::{AccessKind, Scope, Sem, Watch},
    },
    value::Lanes,
};

/// One of the instructions.
#[derive(Clone, Debug)]
pub(crate) enum Matrix {
    Load(Rows),
    Store(Rows),
    /// `d = transpose(a)`
    Transpose {
        d: Slot,
        a: Slot,
    },
}

/// Up to four matrices and the addresses of their rows, eight lanes for each.
#[derive(Clone, Debug)]
pub(crate) struct Rows {
    address: Address,
    registers: Box<[Slot]>,
    transposed: bool,
}

/// A row is eight halves.
const ROW_BYTES: u64 = 16;

/// Takes `.sync.aligned.m8n8` and `.b16`.
fn shape(modifiers: &mut Modifiers<'_>) -> Result<(), NotSupported> {
    let aligned = modifiers.take("sync") && modifiers.take("aligned");
    aligned.then_some(()).ok_or("it has no `.sync.aligned`")?;
    let known = modifiers.take("m8n8") && modifiers.take("b16");
    known
        .then_some(())
        .ok_or_else(|| "its shape is not `.m8n8` of `.b16`".into())
}

/// All lanes come together, and then do it.
fn emit(decoder: &mut Decoder<'_>, matrix: Matrix) {
    let all = decoder.constant(Constant::Value(u32::MAX.into()));
    decoder.emit(Action::Collective(Box::new(Collective {
        kind: Kind::Align,
        d: None,
        p: None,
        sources: [all; 3],
        members: all,
    })));
    decoder.emit(Action::Matrix(Box::new(matrix)));
}

/// `ldmatrix`, `stmatrix`
pub(crate) fn rows(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
) -> Result<(), NotSupported> {
    shape(modifiers)?;
    let count = modifiers
        .one_of(&[("x1", 1), ("x2", 2), ("x4", 4)])
        .ok_or(NotSupported::Part("number of matrices"))?;
    let transposed = modifiers.take("trans");
    let spaces = [
        ("shared", Space::SharedCta),
        ("shared::cta", Space::SharedCta),
    ];
    let space = modifiers.one_of(&spaces).unwrap_or(Space::Generic);
    let stores = instruction.opcode.stem() == "stmatrix";
    let [first, second] = operands(instruction)?;
    let (address, registers) = if stores {
        (first, second)
    } else {
        (second, first)
    };
    let registers: &[Operand] = match &registers.kind {
        OperandKind::Vector(registers) => registers,
        _ => std::slice::from_ref(registers),
    };
    if registers.len() != count {
        return Err("it has not as many registers as matrices".into());
    }
    let registers = registers
        .iter()
        .map(|register| match stores {
            true => Ok(decoder.register(register)?.slot),
            false => Ok(decoder.destination(register)?.slot),
        })
        .collect::<Result<_, NotSupported>>()?;
    let rows = Rows {
        address: decoder.address(address, space)?,
        registers,
        transposed,
    };
    emit(
        decoder,
        match stores {
            true => Matrix::Store(rows),
            false => Matrix::Load(rows),
        },
    );
    Ok(())
}

/// `movmatrix`
pub(crate) fn transpose(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
) -> Result<(), NotSupported> {
    shape(modifiers)?;
    modifiers
        .take("trans")
        .then_some(())
        .ok_or("it has no `.trans`")?;
    let [d, a] = operands(instruction)?;
    let a = decoder.register(a)?.slot;
    let d = decoder.destination(d)?.slot;
    emit(decoder, Matrix::Transpose { d, a });
    Ok(())
}

/// Eight rows of eight halves.
type Halves = [[u16; 8]; 8];

fn transposed(matrix: &Halves) -> Halves {
    std::array::from_fn(|row| std::array::from_fn(|column| matrix[column][row]))
}

/// From the registers of a warp.
fn gather(register: &Lanes) -> Halves {
    std::array::from_fn(|row| {
        std::array::from_fn(|column| (register[4 * row + column / 2] >> (16 * (column % 2))) as u16)
    })
}

/// Into the registers of a warp.
fn spread(matrix: &Halves) -> Lanes {
    std::array::from_fn(|lane| {
        let half = |at: usize| u64::from(matrix[lane / 4][2 * (lane % 4) + at]);
        half(0) | half(1) << 16
    })
}

impl Execute for Matrix {
    fn run<O: Watch>(&self, step: &mut Step<'_, O>) -> Result<Flow, Trapped> {
        if step.active != u32::MAX {
            let what = format!("only the lanes {:#010x} of the warp are here", step.active);
            return Err(step.trapped(Trap::IllegalInstruction, what));
        }
        match self {
            Self::Transpose { d, a } => {
                let value = spread(&transposed(&gather(step.get(*a))));
                step.set(*d, &value);
            }
            Self::Load(rows) => {
                for (number, d) in rows.registers.iter().enumerate() {
                    let mut matrix = Halves::default();
                    for (row, halves) in matrix.iter_mut().enumerate() {
                        let lane = 8 * number + row;
                        let located = rows.locate(step, lane, AccessKind::Read)?;
                        let bytes = step.bytes(lane, located, ROW_BYTES as usize);
                        for (half, bytes) in halves.iter_mut().zip(bytes.chunks_exact(2)) {
                            *half = crate::value::read(bytes) as u16;
                        }
                    }
                    let matrix = match rows.transposed {
                        true => transposed(&matrix),
                        false => matrix,
                    };
                    step.set(*d, &spread(&matrix));
                }
            }
            Self::Store(rows) => {
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
            }
        }
        Ok(Flow::Next)
    }
}

impl Rows {
    /// The row whose address this lane has.
    fn locate<O: Watch>(
        &self,
        step: &mut Step<'_, O>,
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
