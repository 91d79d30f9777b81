//! Comparison and selection. PTX ISA 9.7.6 and 9.7.7.

mod halves;

use half::{bf16, f16};
use ptx::{Instruction, Type};

use crate::{
    decode::{Modifiers, NotSupported, operands},
    inst::{Action, Decoder},
    machine::{Alu, Slot},
    value::{Binary, Float, for_type, lift},
};

/// Comparison operators. Those that end with `u` also hold if one value is a NaN.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Relation {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Equ,
    Neu,
    Ltu,
    Leu,
    Gtu,
    Geu,
    Num,
    Nan,
}

const RELATIONS: [(&str, Relation); 18] = [
    ("eq", Relation::Eq),
    ("ne", Relation::Ne),
    ("lt", Relation::Lt),
    ("le", Relation::Le),
    ("gt", Relation::Gt),
    ("ge", Relation::Ge),
    ("lo", Relation::Lt),
    ("ls", Relation::Le),
    ("hi", Relation::Gt),
    ("hs", Relation::Ge),
    ("equ", Relation::Equ),
    ("neu", Relation::Neu),
    ("ltu", Relation::Ltu),
    ("leu", Relation::Leu),
    ("gtu", Relation::Gtu),
    ("geu", Relation::Geu),
    ("num", Relation::Num),
    ("nan", Relation::Nan),
];

#[allow(
    clippy::neg_cmp_op_on_partial_ord,
    clippy::nonminimal_bool,
    clippy::double_comparisons,
    reason = "with a NaN, `!(a < b)` is not `a >= b`"
)]
fn relation(relation: Relation, ty: Type, flushes: bool) -> Option<Binary> {
    macro_rules! ordered {
        (|$a:ident, $b:ident| $body:expr) => {
            for_type!(ty, T in [
                B16 => u16, B32 => u32, B64 => u64, U16 => u16, U32 => u32, U64 => u64,
                S16 => i16, S32 => i32, S64 => i64, F16 => f16, Bf16 => bf16, F32 => f32, F64 => f64,
            ], lift!(|$a: T, $b: T| $body))
        };
    }
    // For floating-point numbers only (PTX ISA 9.7.6.2).
    macro_rules! unordered {
        (|$a:ident, $b:ident| $body:expr) => {
            for_type!(ty, T in [F16 => f16, Bf16 => bf16, F32 => f32, F64 => f64], lift!(|$a: T, $b: T| $body))
        };
    }
    if flushes {
        macro_rules! flushed {
            ($($variant:ident |$a:ident, $b:ident| $body:expr;)*) => {
                match (relation, ty) {
                    $((Relation::$variant, Type::F32) => Some(lift!(|$a: f32, $b: f32| {
                        let ($a, $b) = ($a.flush(), $b.flush());
                        $body
                    })),)*
                    _ => None,
                }
            };
        }
        return flushed! {
            Eq |a, b| a == b; Ne |a, b| a < b || a > b; Lt |a, b| a < b; Le |a, b| a <= b;
            Gt |a, b| a > b; Ge |a, b| a >= b; Equ |a, b| !(a < b || a > b); Neu |a, b| a != b;
            Ltu |a, b| !(a >= b); Leu |a, b| !(a > b); Gtu |a, b| !(a <= b); Geu |a, b| !(a < b);
            Num |a, b| a.partial_cmp(&b).is_some(); Nan |a, b| a.partial_cmp(&b).is_none();
        };
    }
    match relation {
        Relation::Eq => ordered!(|a, b| a == b),
        Relation::Ne => ordered!(|a, b| a < b || a > b),
        Relation::Lt => ordered!(|a, b| a < b),
        Relation::Le => ordered!(|a, b| a <= b),
        Relation::Gt => ordered!(|a, b| a > b),
        Relation::Ge => ordered!(|a, b| a >= b),
        Relation::Equ => unordered!(|a, b| !(a < b || a > b)),
        Relation::Neu => unordered!(|a, b| a != b),
        Relation::Ltu => unordered!(|a, b| !(a >= b)),
        Relation::Leu => unordered!(|a, b| !(a > b)),
        Relation::Gtu => unordered!(|a, b| !(a <= b)),
        Relation::Geu => unordered!(|a, b| !(a < b)),
        Relation::Num => unordered!(|a, b| a.partial_cmp(&b).is_some()),
        Relation::Nan => unordered!(|a, b| a.partial_cmp(&b).is_none()),
    }
}

/// The operator that combines a comparison with another predicate.
#[derive(Clone, Copy)]
enum Combine {
    And,
    Or,
    Xor,
}

const COMBINATIONS: [(&str, Combine); 3] = [
    ("and", Combine::And),
    ("or", Combine::Or),
    ("xor", Combine::Xor),
];

fn combined(combine: Combine) -> Binary {
    match combine {
        Combine::And => lift!(|a: bool, b: bool| a & b),
        Combine::Or => lift!(|a: bool, b: bool| a | b),
        Combine::Xor => lift!(|a: bool, b: bool| a ^ b),
    }
}

/// Emits the comparison and its combination with `c`, without the final write.
fn compared(
    decoder: &mut Decoder<'_>,
    modifiers: &mut Modifiers<'_>,
    a: &ptx::Operand,
    b: &ptx::Operand,
    c: Option<&ptx::Operand>,
) -> Result<(Slot, Option<Slot>), NotSupported> {
    let which = modifiers
        .one_of(&RELATIONS)
        .ok_or(NotSupported::Part("comparison"))?;
    let combine = modifiers.one_of(&COMBINATIONS);
    let flushes = modifiers.take("ftz");
    let ty = modifiers.ty()?;
    let f = relation(which, ty, flushes).ok_or(NotSupported::Part("type"))?;
    let (a, b) = (decoder.source(a, ty)?, decoder.source(b, ty)?);
    let holds = decoder.temporary(|d| Alu::Binary { f, d, a, b });
    let (f, c) = match (combine, c) {
        (None, None) => return Ok((holds, None)),
        (Some(combine), Some(c)) => (combined(combine), decoder.source(c, Type::Pred)?),
        _ => return Err(NotSupported::Operands),
    };
    let p = decoder.temporary(|d| Alu::Binary {
        f,
        d,
        a: holds,
        b: c,
    });
    let not = decoder.temporary(|d| Alu::Unary {
        f: lift!(|p: bool| !p),
        d,
        a: holds,
    });
    let q = decoder.temporary(|d| Alu::Binary { f, d, a: not, b: c });
    Ok((p, Some(q)))
}

/// Decodes `setp`.
pub(crate) fn setp(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
) -> Result<(), NotSupported> {
    let (d, a, b, c) = match instruction.operands.as_slice() {
        [d, a, b] => (d, a, b, None),
        [d, a, b, c] => (d, a, b, Some(c)),
        _ => return Err(NotSupported::Operands),
    };
    if halves::is_packed(instruction) {
        return halves::setp(decoder, modifiers, d, [a, b], c);
    }
    let (p, not) = decoder.pair(d)?;
    // The plain form needs no second step.
    if c.is_none() && not.is_none() {
        let which = modifiers
            .one_of(&RELATIONS)
            .ok_or(NotSupported::Part("comparison"))?;
        let flushes = modifiers.take("ftz");
        let ty = modifiers.ty()?;
        let f = relation(which, ty, flushes).ok_or(NotSupported::Part("type"))?;
        let (a, b) = (decoder.source(a, ty)?, decoder.source(b, ty)?);
        decoder.emit(Action::Alu(Alu::Binary { f, d: p.slot, a, b }));
        return Ok(());
    }
    let (holds, combined) = compared(decoder, modifiers, a, b, c)?;
    let mut copies = vec![(p.slot, holds)];
    if let Some(q) = not {
        let value = match combined {
            Some(value) => value,
            None => decoder.temporary(|d| Alu::Unary {
                f: lift!(|p: bool| !p),
                d,
                a: holds,
            }),
        };
        copies.push((q.slot, value));
    }
    decoder.emit(Action::Alu(Alu::Copy(copies.into())));
    Ok(())
}

/// Decodes `set`: the comparison as a number.
pub(crate) fn set(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
) -> Result<(), NotSupported> {
    // The combination is between comparison and types, so modifiers can be taken in any order.
    let (d, a, b, c) = match instruction.operands.as_slice() {
        [d, a, b] => (d, a, b, None),
        [d, a, b, c] => (d, a, b, Some(c)),
        _ => return Err(NotSupported::Operands),
    };
    let to = modifiers.ty()?;
    if halves::is_packed(instruction) {
        return halves::set(decoder, modifiers, to, d, [a, b], c);
    }
    let (holds, _) = compared(decoder, modifiers, a, b, c)?;
    let f = match to {
        Type::U32 | Type::S32 => lift!(|p: bool| if p { u32::MAX } else { 0 }),
        Type::U16 | Type::S16 => lift!(|p: bool| if p { u16::MAX } else { 0 }),
        Type::F32 => lift!(|p: bool| if p { 1.0_f32 } else { 0.0 }),
        Type::F16 => lift!(|p: bool| if p { f16::ONE } else { f16::ZERO }),
        Type::Bf16 => lift!(|p: bool| if p { bf16::ONE } else { bf16::ZERO }),
        _ => return Err(NotSupported::Part("type")),
    };
    let d = decoder.destination(d)?.slot;
    decoder.emit(Action::Alu(Alu::Unary { f, d, a: holds }));
    Ok(())
}

/// Decodes `selp` and `slct`.
pub(crate) fn select(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
) -> Result<(), NotSupported> {
    let flushes = modifiers.take("ftz");
    let ty = modifiers.ty()?;
    let [d, a, b, c] = operands(instruction)?;
    let (f, by) = match (instruction.opcode.stem(), modifiers.try_ty()) {
        ("selp", None) => (
            lift!(|a: u64, b: u64, c: bool| if c { a } else { b }),
            Type::Pred,
        ),
        ("slct", Some(Type::S32)) => (
            lift!(|a: u64, b: u64, c: i32| if c >= 0 { a } else { b }),
            Type::S32,
        ),
        ("slct", Some(Type::F32)) if flushes => (
            lift!(|a: u64, b: u64, c: f32| if c.flush() >= 0.0 { a } else { b }),
            Type::F32,
        ),
        ("slct", Some(Type::F32)) => (
            lift!(|a: u64, b: u64, c: f32| if c >= 0.0 { a } else { b }),
            Type::F32,
        ),
        _ => return Err(NotSupported::Part("combination of types")),
    };
    let (a, b, c) = (
        decoder.source(a, ty)?,
        decoder.source(b, ty)?,
        decoder.source(c, by)?,
    );
    let d = decoder.destination(d)?.slot;
    decoder.emit(Action::Alu(Alu::Ternary { f, d, a, b, c }));
    Ok(())
}
