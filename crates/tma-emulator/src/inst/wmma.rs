//! `wmma`: products of matrices that a warp loads and stores itself. PTX ISA 9.7.14.4.
//!
//! The manual leaves open which elements a lane holds; these are the fragments of an H200.

mod fragment;

use ptx::{Instruction, Operand, Type};

use crate::{
    decode::{Modifiers, NotSupported},
    inst::{
        Action, Decoder, Execute, Step, collective,
        mma::{self, Element, Format, Product, ProductGrouping, Sum},
    },
    machine::{
        Address, Flow, Located, Slot, Space, Trapped,
        observer::{AccessKind, Scope, Sem},
    },
    value::{LANES, Rounding},
};
use fragment::{Fragment, FragmentMatrix, Shape};

/// One of the instructions.
#[derive(Clone, Debug)]
pub(crate) enum Wmma {
    Load(Transfer),
    Store(Transfer),
    Multiply(Multiply),
}

/// A fragment and the matrix in memory.
#[derive(Clone, Debug)]
pub(crate) struct Transfer {
    fragment: Fragment,
    registers: Box<[Slot]>,
    address: Address,
    /// Elements from a row, or column, to the next.
    stride: Option<Slot>,
    by_rows: bool,
}

/// Computes `d = a * b + c`.
#[derive(Clone, Debug)]
pub(crate) struct Multiply {
    product: Product,
    shape: Shape,
    d: Box<[Slot]>,
    a: Box<[Slot]>,
    b: Box<[Slot]>,
    c: Box<[Slot]>,
}

/// Shapes, and K where it depends on the type.
const SHAPES: &[(&str, Shape)] = &[
    (
        "m16n16k16",
        Shape {
            m: 16,
            n: 16,
            k: 16,
        },
    ),
    ("m32n8k16", Shape { m: 32, n: 8, k: 16 }),
    ("m8n32k16", Shape { m: 8, n: 32, k: 16 }),
    ("m16n16k8", Shape { m: 16, n: 16, k: 8 }),
    ("m8n8k4", Shape { m: 8, n: 8, k: 4 }),
];

const ELEMENTS: &[(&str, Element)] = &[
    ("f16", Element::Float(Format::F16)),
    ("bf16", Element::Float(Format::Bf16)),
    ("tf32", Element::Float(Format::Tf32)),
    (
        "s8",
        Element::Integer {
            bits: 8,
            signed: true,
        },
    ),
    (
        "u8",
        Element::Integer {
            bits: 8,
            signed: false,
        },
    ),
    ("f64", Element::Double),
];

const SUMS: &[(&str, Sum)] = &[
    ("f16", Sum::F16),
    ("f32", Sum::F32),
    ("s32", Sum::S32),
    ("f64", Sum::F64),
];

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
) -> Result<(), NotSupported> {
    let aligned = modifiers.take("sync") && modifiers.take("aligned");
    aligned.then_some(()).ok_or("it has no `.sync.aligned`")?;
    let shape = modifiers
        .one_of(SHAPES)
        .ok_or(NotSupported::Part("shape"))?;
    let wmma = if modifiers.take("mma") {
        Wmma::Multiply(multiply(decoder, instruction, modifiers, shape)?)
    } else {
        let stores = modifiers.take("store");
        if !stores && !modifiers.take("load") {
            return Err(NotSupported::Part("operation"));
        }
        let transfer = transfer(decoder, instruction, modifiers, (shape, stores))?;
        match stores {
            true => Wmma::Store(transfer),
            false => Wmma::Load(transfer),
        }
    };
    collective::align(decoder);
    decoder.emit(Action::Wmma(Box::new(wmma)));
    Ok(())
}

fn by_rows(modifiers: &mut Modifiers<'_>) -> Result<bool, NotSupported> {
    let by_rows = modifiers.one_of(&[("row", true), ("col", false)]);
    by_rows.ok_or(NotSupported::Part("layout"))
}

fn transfer(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
    (shape, stores): (Shape, bool),
) -> Result<Transfer, NotSupported> {
    let matrices = [
        ("a", FragmentMatrix::A),
        ("b", FragmentMatrix::B),
        ("c", FragmentMatrix::C),
        ("d", FragmentMatrix::C),
    ];
    let matrix = modifiers
        .one_of(&matrices)
        .ok_or(NotSupported::Part("matrix"))?;
    let by_rows = by_rows(modifiers)?;
    let spaces = [
        ("global", Space::Global),
        ("shared", Space::SharedCta),
        ("shared::cta", Space::SharedCta),
    ];
    let space = modifiers.one_of(&spaces).unwrap_or(Space::Generic);
    let fragment = match matrix {
        FragmentMatrix::C => modifiers.one_of(SUMS).map(|sum| Fragment::sums(shape, sum)),
        _ => {
            let element = modifiers.one_of(ELEMENTS);
            element.map(|element| Fragment::factor(shape, matrix, element))
        }
    };
    let fragment = fragment.ok_or(NotSupported::Part("type"))?;
    let (first, second, stride) = match &instruction.operands[..] {
        [first, second] => (first, second, None),
        [first, second, stride] => (first, second, Some(decoder.source(stride, Type::U32)?)),
        _ => return Err(NotSupported::Operands),
    };
    let (address, registers) = if stores {
        (first, second)
    } else {
        (second, first)
    };
    Ok(Transfer {
        registers: list(decoder, registers, &fragment)?,
        address: decoder.address(address, space)?,
        fragment,
        stride,
        by_rows,
    })
}

/// Decodes the registers of a fragment.
fn list(
    decoder: &mut Decoder<'_>,
    operand: &Operand,
    fragment: &Fragment,
) -> Result<Box<[Slot]>, NotSupported> {
    let registers = mma::registers(decoder, operand)?;
    match registers.len() == fragment.registers() {
        true => Ok(registers),
        false => Err(format!(
            "a fragment has {} registers but needs {}",
            registers.len(),
            fragment.registers()
        )
        .into()),
    }
}

fn multiply(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
    shape: Shape,
) -> Result<Multiply, NotSupported> {
    // The layouts with which the fragments were loaded do not affect the product.
    by_rows(modifiers)?;
    by_rows(modifiers)?;
    modifiers.take("rn");
    let clamps = modifiers.take("satfinite");
    let part = || NotSupported::Part("types");
    let d = modifiers.one_of(SUMS).ok_or_else(part)?;
    // Half precision is not named: `.f32.f16` are the types of D and C.
    let half = Element::Float(Format::F16);
    let element = modifiers.one_of(&ELEMENTS[1..]);
    let (a, b, c) = match element {
        None => (half, half, modifiers.one_of(SUMS).ok_or_else(part)?),
        Some(a) => {
            let b = modifiers.one_of(ELEMENTS).ok_or_else(part)?;
            (a, b, modifiers.one_of(SUMS).ok_or_else(part)?)
        }
    };
    if clamps && !matches!(a, Element::Integer { .. }) {
        return Err("`.satfinite` is not known for its types".into());
    }
    let product = Product {
        a,
        b,
        c,
        d,
        way: match a {
            Element::Float(Format::Tf32) => ProductGrouping::Fours,
            _ => ProductGrouping::Whole,
        },
        clamps,
        xor: false,
        rounding: Rounding::Nearest,
    };
    let [d_list, a_list, b_list, c_list] = &instruction.operands[..] else {
        return Err(NotSupported::Operands);
    };
    Ok(Multiply {
        product,
        shape,
        d: list(decoder, d_list, &Fragment::sums(shape, d))?,
        a: list(
            decoder,
            a_list,
            &Fragment::factor(shape, FragmentMatrix::A, a),
        )?,
        b: list(
            decoder,
            b_list,
            &Fragment::factor(shape, FragmentMatrix::B, b),
        )?,
        c: list(decoder, c_list, &Fragment::sums(shape, c))?,
    })
}

impl Execute for Wmma {
    fn run(&self, step: &mut Step<'_>) -> Result<Flow, Trapped> {
        collective::whole_warp(step)?;
        match self {
            Self::Load(transfer) => transfer.load(step)?,
            Self::Store(transfer) => transfer.store(step)?,
            Self::Multiply(multiply) => multiply.run(step),
        }
        Ok(Flow::Next)
    }
}

impl Multiply {
    fn run(&self, step: &mut Step<'_>) {
        let Product { a, b, c, d, .. } = self.product;
        let gather = |fragment: Fragment, slots: &[Slot]| {
            let registers: Vec<_> = slots.iter().map(|slot| step.get(*slot)).collect();
            fragment.gather(&registers)
        };
        let left = gather(Fragment::factor(self.shape, FragmentMatrix::A, a), &self.a);
        let right = gather(Fragment::factor(self.shape, FragmentMatrix::B, b), &self.b);
        let mut sums = gather(Fragment::sums(self.shape, c), &self.c);
        self.product
            .add(&left, &right, self.shape.k, &mut sums, None);
        let fragment = Fragment::sums(self.shape, d);
        for (r, slot) in self.d.iter().enumerate() {
            step.set(*slot, &fragment.spread(&sums, r));
        }
    }
}

impl Transfer {
    /// Locates the element of a lane.
    fn locate(
        &self,
        step: &mut Step<'_>,
        lane: usize,
        index: usize,
        kind: AccessKind,
    ) -> Result<Located, Trapped> {
        let (line, k) = self.fragment.place(lane, index);
        // The lines of B are its columns.
        let (row, column) = match self.fragment.matrix() {
            FragmentMatrix::B => (k, line),
            _ => (line, k),
        };
        let (outer, inner, length) = match self.by_rows {
            true => (row, column, self.fragment.extent().1),
            false => (column, row, self.fragment.extent().0),
        };
        let stride = self
            .stride
            .map_or(length as u64, |slot| u64::from(step.get(slot)[lane] as u32));
        let bytes = u64::from(self.fragment.bits() / 8);
        let offset = (outer as u64)
            .wrapping_mul(stride)
            .wrapping_add(inner as u64)
            .wrapping_mul(bytes);
        let base = step.address_of(&self.address, lane);
        let at = base.wrapping_add(offset);
        let located = step.locate_at(lane, self.address.space, at, bytes, bytes)?;
        step.tell_access(lane, located, bytes, kind, (Sem::Weak, Scope::Cta));
        Ok(located)
    }

    fn load(&self, step: &mut Step<'_>) -> Result<(), Trapped> {
        let bits = self.fragment.bits();
        let per = (32 / bits.min(32)) as usize;
        let mut loaded = vec![[0; LANES]; self.registers.len()];
        for (r, register) in loaded.iter_mut().enumerate() {
            for (lane, value) in register.iter_mut().enumerate() {
                for i in 0..per {
                    let located = self.locate(step, lane, r * per + i, AccessKind::Read)?;
                    let bytes = step.bytes(lane, located, bits as usize / 8);
                    *value |= crate::value::read(bytes) << (i as u32 * bits);
                }
            }
        }
        // The address may be in a register of the fragment.
        for (slot, value) in self.registers.iter().zip(&loaded) {
            step.set(*slot, value);
        }
        Ok(())
    }

    fn store(&self, step: &mut Step<'_>) -> Result<(), Trapped> {
        step.world.progress += 1;
        let bits = self.fragment.bits();
        let per = (32 / bits.min(32)) as usize;
        for (r, slot) in self.registers.iter().enumerate() {
            for lane in 0..LANES {
                for i in 0..per {
                    let value = mma::fragment::element(step.get(*slot)[lane], i, bits);
                    let located = self.locate(step, lane, r * per + i, AccessKind::Write)?;
                    let bytes = step.bytes_mut(lane, located, bits as usize / 8)?;
                    crate::value::write(bytes, value);
                }
            }
        }
        Ok(())
    }
}
