//! `vabsdiff4` and its like: arithmetic on the two or four parts of a register. PTX ISA 9.7.18.2.

use ptx::{Instruction, Type};

use crate::{
    decode::{Modifiers, NotSupported, operands},
    inst::{Action, Decoder, Execute, Step},
    machine::{Flow, Slot, Trapped},
    value::lanes_of,
};

/// `d = f(a, b)` in each part, or `c` and the sum of them.
#[derive(Clone, Debug)]
pub(crate) struct Video {
    f: fn(i64, i64) -> i64,
    parts: u32,
    /// Signs of `d`, `a` and `b`: true if signed.
    signs: [bool; 3],
    saturates: bool,
    adds: bool,
    d: Slot,
    sources: [Slot; 3],
}

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
) -> Result<(), NotSupported> {
    let stem = instruction.opcode.stem();
    let (name, parts) = stem.split_at(stem.len().saturating_sub(1));
    let parts = if parts == "4" { 4 } else { 2 };
    let f: fn(i64, i64) -> i64 = match name {
        "vadd" => |a, b| a + b,
        "vsub" => |a, b| a - b,
        "vavrg" => |a, b| (a + b + i64::from(a + b >= 0)) >> 1,
        "vabsdiff" => |a, b| (a - b).abs(),
        "vmin" => i64::min,
        "vmax" => i64::max,
        _ => return Err("the instruction is not known".into()),
    };
    let mut signs = [false; 3];
    for sign in &mut signs {
        *sign = match modifiers.ty()? {
            Type::U32 => false,
            Type::S32 => true,
            _ => return Err(NotSupported::Part("type")),
        };
    }
    let (saturates, adds) = (modifiers.take("sat"), modifiers.take("add"));
    let [d, a, b, c] = operands(instruction)?;
    let mut sources = [0; 3];
    for (slot, operand) in sources.iter_mut().zip([a, b, c]) {
        *slot = decoder.source(operand, Type::U32)?;
    }
    let d = decoder.destination(d)?.slot;
    decoder.emit(Action::Video(Box::new(Video {
        f,
        parts,
        signs,
        saturates,
        adds,
        d,
        sources,
    })));
    Ok(())
}

impl Video {
    /// Returns the destination and its sources.
    pub(crate) fn through(&self) -> (Slot, Vec<Slot>) {
        (self.d, self.sources.to_vec())
    }

    fn result(&self, [a, b, c]: [u32; 3]) -> u32 {
        let [sign, of_a, of_b] = self.signs;
        let bits = 32 / self.parts;
        let part = |value: u32, number: u32, signed: bool| {
            let high = value << (32 - bits * (number + 1));
            match signed {
                true => i64::from(high as i32 >> (32 - bits)),
                false => i64::from(high >> (32 - bits)),
            }
        };
        let (least, most) = match sign {
            true => (-1 << (bits - 1), (1 << (bits - 1)) - 1),
            false => (0, (1 << bits) - 1),
        };
        let (mut sum, mut together) = (i64::from(c), 0);
        for number in 0..self.parts {
            let mut value = (self.f)(part(a, number, of_a), part(b, number, of_b));
            if self.saturates {
                value = value.clamp(least, most);
            }
            sum += value;
            together |= (value as u32 & (u32::MAX >> (32 - bits))) << (bits * number);
        }
        match self.adds {
            true => sum as u32,
            false => together,
        }
    }
}

impl Execute for Video {
    fn run(&self, step: &mut Step<'_>) -> Result<Flow, Trapped> {
        let base = step.group.base;
        for lane in lanes_of(step.active) {
            let sources = self.sources.map(|slot| step.get(slot)[lane] as u32);
            step.warp.registers[base + self.d][lane] = self.result(sources).into();
        }
        Ok(Flow::Next)
    }
}
