//! `mma.sync`: matrix products with the operands in the registers of a warp. PTX ISA 9.7.14.5.

mod arithmetic;
mod dot;
mod double;
mod format;
pub(crate) mod fragment;
mod sparse;

pub(crate) use arithmetic::{Element, Product, ProductGrouping, Sum};
pub(crate) use format::Format;
pub(crate) use sparse::Selector;

use ptx::{Instruction, Operand, OperandKind};
use ptx_isa::{Flag, Form, MatrixLayout, Shape, Type, mma::Op};

use crate::{
    decode::NotSupported,
    inst::{Action, Decoder, Execute, Step, collective},
    machine::{Flow, Slot, Trapped},
    value::{Lanes, Rounding},
};

/// A matrix product of a warp.
#[derive(Clone, Debug)]
pub(crate) struct Mma {
    product: Product,
    shape: Shape,
    /// True if A is stored by rows, and if B is stored by columns, where that can be chosen.
    along: [bool; 2],
    d: Box<[Slot]>,
    a: Box<[Slot]>,
    b: Box<[Slot]>,
    c: Box<[Slot]>,
    selector: Option<Selector>,
}

/// Returns the registers of a list, or a single register.
pub(crate) fn registers(
    decoder: &mut Decoder<'_>,
    operand: &Operand,
) -> Result<Box<[Slot]>, NotSupported> {
    let registers: &[Operand] = match &operand.kind {
        OperandKind::Vector(registers) => registers,
        _ => std::slice::from_ref(operand),
    };
    let slots = registers.iter();
    slots
        .map(|register| Ok(decoder.register(register)?.slot))
        .collect()
}

/// Returns the type of an element of A or B.
pub(crate) fn element(ty: Type) -> Result<Element, NotSupported> {
    let integer = |bits, signed| Element::Integer { bits, signed };
    Ok(match ty {
        Type::F16 => Element::Float(Format::F16),
        Type::Bf16 => Element::Float(Format::Bf16),
        Type::Tf32 => Element::Float(Format::Tf32),
        Type::E4m3 => Element::Float(Format::E4m3),
        Type::E5m2 => Element::Float(Format::E5m2),
        Type::S8 => integer(8, true),
        Type::U8 => integer(8, false),
        Type::S4 => integer(4, true),
        Type::U4 => integer(4, false),
        Type::B1 => Element::Bit,
        Type::F64 => Element::Double,
        _ => return Err(NotSupported::Part("type of elements")),
    })
}

/// Returns the type of C or D.
pub(crate) fn sum(ty: Type) -> Result<Sum, NotSupported> {
    Ok(match ty {
        Type::F16 => Sum::F16,
        Type::F32 => Sum::F32,
        Type::S32 => Sum::S32,
        Type::F64 => Sum::F64,
        _ => return Err(NotSupported::Part("type of sums")),
    })
}

/// Returns the rounding of the result, from the opcode if it has one.
pub(crate) fn rounding(form: &Form) -> Rounding {
    use ptx_isa::Rounding::*;
    match form.rounding() {
        None | Some(Rn) => Rounding::Nearest,
        Some(Rz) => Rounding::Zero,
        Some(Rm) => Rounding::Down,
        Some(Rp) => Rounding::Up,
    }
}

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    form: &Form,
    op: Op,
) -> Result<(), NotSupported> {
    if op == Op::Narrow {
        return Err(NotSupported::NotExecuted(form.isa()));
    }
    let shape = form.shape().ok_or(NotSupported::Part("shape"))?;
    let types: Vec<Type> = form.types().collect();
    let [d, a, b, c] = types[..] else {
        return Err(NotSupported::Part("types"));
    };
    let (a, b) = (element(a)?, element(b)?);
    let is_small = a.bits() == 8 && matches!(a, Element::Float(_));
    let product = Product {
        a,
        b,
        c: sum(c)?,
        d: sum(d)?,
        way: match shape {
            Shape { m: 8, n: 8, k: 4 } if a != Element::Double => ProductGrouping::Scalar,
            _ if is_small => ProductGrouping::Widened,
            _ => ProductGrouping::Whole,
        },
        clamps: form.has(Flag::Satfinite),
        xor: form.reduction() == Some(ptx_isa::Reduction::Xor),
        rounding: rounding(form),
    };
    if op == Op::Sparse && !sparse::is_settled(&product, shape) {
        return Err(NotSupported::NotExecuted(form.isa()));
    }
    let selector = match (op, &instruction.operands[..]) {
        (Op::Dense, [_, _, _, _]) => None,
        (Op::Sparse, [_, _, _, _, metadata, selector]) => {
            Some(Selector::new(decoder, metadata, selector, &product, shape)?)
        }
        _ => return Err(NotSupported::Operands),
    };
    let [d, a, b, c] = &instruction.operands[..4] else {
        return Err(NotSupported::Operands);
    };
    let layouts: Vec<_> = form.parts().filter_map(MatrixLayout::of).collect();
    let mma = Mma {
        product,
        shape,
        along: [
            layouts.first() != Some(&MatrixLayout::Col),
            layouts.last() != Some(&MatrixLayout::Row),
        ],
        d: registers(decoder, d)?,
        a: registers(decoder, a)?,
        b: registers(decoder, b)?,
        c: registers(decoder, c)?,
        selector,
    };
    collective::align(decoder);
    decoder.emit(Action::Mma(Box::new(mma)));
    Ok(())
}

impl Execute for Mma {
    fn run(&self, step: &mut Step<'_>) -> Result<Flow, Trapped> {
        collective::whole_warp(step)?;
        match self.product.way {
            ProductGrouping::Scalar => self.quads(step),
            _ => self.warp(step)?,
        }
        Ok(Flow::Next)
    }
}

impl Mma {
    fn get<'s>(&self, step: &'s Step<'_>, slots: &[Slot]) -> Vec<&'s Lanes> {
        slots.iter().map(|slot| step.get(*slot)).collect()
    }

    /// Computes one product of the whole warp.
    fn warp(&self, step: &mut Step<'_>) -> Result<(), Trapped> {
        let Product { a, b, c, d, .. } = self.product;
        let (m, n) = (self.shape.m as usize, self.shape.n as usize);
        // Elements of one bit are taken by words of 32 here.
        let depth = match a {
            Element::Bit => self.shape.k / 32,
            _ => self.shape.k,
        } as usize;
        let kept = self
            .selector
            .as_ref()
            .map(|selector| selector.kept(step, m, depth));
        let kept = kept.transpose()?;
        let a_depth = if kept.is_some() { depth / 2 } else { depth };
        let per = |bits: u32| (32 / bits.min(32)) as usize;
        let every = |_| true;
        let (mut left, mut right) = (vec![0; m * a_depth], vec![0; n * depth]);
        fragment::gather(
            &self.get(step, &self.a),
            a.bits(),
            a_depth,
            &mut left,
            every,
            |lane, r, i| fragment::a(m, lane, r, i, per(a.bits())),
        );
        fragment::gather(
            &self.get(step, &self.b),
            b.bits(),
            depth,
            &mut right,
            every,
            |lane, r, i| fragment::b(lane, r, i, per(b.bits())),
        );
        let mut sums = vec![0; m * n];
        let place = |bits: u32| move |lane, r, i| fragment::c(m, lane, r * per(bits) + i);
        fragment::gather(
            &self.get(step, &self.c),
            c.bits(),
            n,
            &mut sums,
            every,
            place(c.bits()),
        );
        self.product
            .add(&left, &right, depth, &mut sums, kept.as_deref());
        for (r, slot) in self.d.iter().enumerate() {
            step.set(
                *slot,
                &fragment::spread(&sums, d.bits(), n, r, place(d.bits())),
            );
        }
        Ok(())
    }

    /// Computes four products of eight lanes each.
    fn quads(&self, step: &mut Step<'_>) {
        let Product { c, d, .. } = self.product;
        let mut results = vec![[0; 32]; self.d.len()];
        for quad in 0..4 {
            let is_in = |lane| fragment::quad_pair(lane) == quad;
            let (mut left, mut right) = ([0; 32], [0; 32]);
            let factor =
                |along: bool| move |lane, r, i| fragment::quad_factor(along, lane, 2 * r + i);
            fragment::gather(
                &self.get(step, &self.a),
                16,
                4,
                &mut left,
                is_in,
                factor(self.along[0]),
            );
            fragment::gather(
                &self.get(step, &self.b),
                16,
                4,
                &mut right,
                is_in,
                factor(self.along[1]),
            );
            let mut sums = [0; 64];
            let place = |bits: u32| {
                move |lane, r, i| fragment::quad_sum(bits, lane, r * (32 / bits) as usize + i)
            };
            fragment::gather(
                &self.get(step, &self.c),
                c.bits(),
                8,
                &mut sums,
                is_in,
                place(c.bits()),
            );
            self.product.add(&left, &right, 4, &mut sums, None);
            for (r, result) in results.iter_mut().enumerate() {
                let spread = fragment::spread(&sums, d.bits(), 8, r, place(d.bits()));
                let lanes = (0..32).filter(|lane| is_in(*lane));
                lanes.for_each(|lane| result[lane] = spread[lane]);
            }
        }
        for (slot, result) in self.d.iter().zip(&results) {
            step.set(*slot, result);
        }
    }
}
