//! `lop3`: any function of three bits. PTX ISA 9.7.8.6.

use ptx::{Instruction, Type};

use crate::{
    decode::{Modifiers, NotSupported},
    inst::{Action, Decoder},
    machine::{Alu, Constant},
    value::lift,
};

pub(crate) fn lop3(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
) -> Result<(), NotSupported> {
    modifiers.take_type("b32")?;
    let combine = modifiers.one_of(&[("or", true), ("and", false)]);
    let ([d, a, b, c, table], q) = match (instruction.operands.as_slice(), combine) {
        ([d, a, b, c, table], None) => ([d, a, b, c, table], None),
        ([d, a, b, c, table, q], Some(or)) => ([d, a, b, c, table], Some((q, or))),
        _ => return Err(NotSupported::Operands),
    };
    let table = table.as_integer().ok_or("its table is not constant")? as u64;
    let sources = [a, b, c].map(|operand| decoder.source(operand, Type::B32));
    let [a, b, c] = sources;
    let (a, b, c) = (a?, b?, c?);
    let (d, p) = decoder.pair(d)?;
    // The sum of the products that the table has.
    let mut sum = decoder.constant(Constant::Value(0));
    for row in (0..8).filter(|row| table >> row & 1 != 0) {
        let pick = |decoder: &mut Decoder<'_>, a, set| match set {
            true => a,
            false => decoder.temporary(|d| Alu::Unary {
                f: lift!(|a: u32| !a),
                d,
                a,
            }),
        };
        let a = pick(decoder, a, row & 4 != 0);
        let b = pick(decoder, b, row & 2 != 0);
        let c = pick(decoder, c, row & 1 != 0);
        let f = lift!(|a: u32, b: u32, c: u32| a & b & c);
        let term = decoder.temporary(|d| Alu::Ternary { f, d, a, b, c });
        let f = lift!(|a: u32, b: u32| a | b);
        sum = decoder.temporary(|d| Alu::Binary {
            f,
            d,
            a: sum,
            b: term,
        });
    }
    let mut copies = vec![(d.slot, sum)];
    match (p, q) {
        (None, None) => {}
        // A predicate that is true if any bit is set, combined with another one.
        (Some(p), Some((q, or))) => {
            let q = decoder.source(q, Type::Pred)?;
            let f = match or {
                true => lift!(|d: u32, q: bool| d != 0 || q),
                false => lift!(|d: u32, q: bool| d != 0 && q),
            };
            let combined = decoder.temporary(|d| Alu::Binary { f, d, a: sum, b: q });
            copies.push((p.slot, combined));
        }
        _ => return Err("a predicate and an operator must be given together".into()),
    }
    decoder.emit(Action::Alu(Alu::Copy(copies.into())));
    Ok(())
}
