//! `shfl.sync`: values of other lanes. PTX ISA 9.7.9.6.

use ptx::{Instruction, Type};
use ptx_isa::{Form, shfl_sync::Op};

use crate::{
    decode::{NotSupported, operands},
    inst::{
        Action, Decoder,
        collective::{Collective, CollectiveKind},
    },
    value::{LANES, Lanes, lanes_of},
};

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    _: &Form,
    mode: Op,
) -> Result<(), NotSupported> {
    let [d, a, b, c, members] = operands(instruction)?;
    let (d, p) = decoder.pair(d)?;
    let sources = [
        decoder.source(a, Type::B32)?,
        decoder.source(b, Type::B32)?,
        decoder.source(c, Type::B32)?,
    ];
    let members = decoder.source(members, Type::B32)?;
    decoder.emit(Action::Collective(Box::new(Collective {
        kind: CollectiveKind::Shfl(mode),
        d: Some(d.slot),
        p: p.map(|p| p.slot),
        sources,
        members: Some(members),
    })));
    Ok(())
}

/// Returns the source lane of a lane, if it is in its segment.
pub(crate) fn source(mode: Op, lane: usize, b: &Lanes, c: &Lanes) -> Option<usize> {
    let (index, by) = (lane as i64, (b[lane] & 31) as i64);
    let (clamp, segment) = ((c[lane] & 31) as i64, (c[lane] >> 8 & 31) as i64);
    let last = (index & segment) | (clamp & !segment);
    let first = index & segment;
    let (other, is_inside) = match mode {
        Op::Up => (index - by, index - by >= last),
        Op::Down => (index + by, index + by <= last),
        Op::Bfly => (index ^ by, (index ^ by) <= last),
        Op::Idx => {
            let other = first | (by & !segment);
            (other, other <= last)
        }
    };
    is_inside.then_some(other as usize & 31)
}

/// Computes a shuffle; a lane without a source in range gets its own value.
pub(crate) fn compute(mode: Op, there: u32, a: &Lanes, b: &Lanes, c: &Lanes) -> (Lanes, Lanes) {
    let (mut d, mut p) = ([0; LANES], [0; LANES]);
    for lane in lanes_of(there) {
        let source = source(mode, lane, b, c);
        let from = source.unwrap_or(lane);
        d[lane] = if there & 1 << from != 0 {
            a[from]
        } else {
            a[lane]
        };
        p[lane] = u64::from(source.is_some());
    }
    (d, p)
}
