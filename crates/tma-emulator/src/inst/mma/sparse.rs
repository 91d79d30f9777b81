//! Sparse A: metadata selects the elements kept of each group of K. PTX ISA 9.7.14.6.

use ptx::{Operand, Type};
use ptx_isa::Shape;

use super::{Element, Format, Product, Sum};
use crate::{
    decode::NotSupported,
    inst::{Decoder, Step},
    machine::{Slot, Trap, Trapped},
    value::Lanes,
};

/// Source of a product's metadata.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Selector {
    metadata: Slot,
    /// The sparsity selector: it names the lanes that have the metadata.
    number: usize,
    /// Elements of 8 bits.
    bytes: bool,
    /// One of two elements is kept, instead of two of four.
    pairs: bool,
    /// The smaller K of the type.
    half: bool,
}

/// Returns whether the results of a sparse `mma` were compared with an H200.
pub(super) fn is_settled(product: &Product, shape: Shape) -> bool {
    let signed = Element::Integer {
        bits: 8,
        signed: true,
    };
    match (product.a, product.b) {
        (Element::Float(Format::Bf16), _) => shape.k == 32,
        (Element::Float(Format::E4m3), Element::Float(Format::E4m3)) => product.d == Sum::F32,
        (Element::Float(Format::F16 | Format::Tf32), _) => true,
        (a, b) => a == signed && b == signed,
    }
}

impl Selector {
    pub(crate) fn new(
        decoder: &mut Decoder<'_>,
        metadata: &Operand,
        number: &Operand,
        product: &Product,
        shape: Shape,
    ) -> Result<Self, NotSupported> {
        let number = number
            .as_integer()
            .and_then(|number| usize::try_from(number).ok());
        let number = number.ok_or("its sparsity selector is not constant")?;
        let bits = product.a.bits();
        let half = shape.k * bits == 256;
        let most = match (bits, half) {
            (8, false) => 0,
            (8, true) | (_, false) => 1,
            (_, true) => 3,
        };
        if number > most {
            let reason = format!("its sparsity selector is {number} but must be at most {most}");
            return Err(reason.into());
        }
        Ok(Self {
            metadata: decoder.source(metadata, Type::U32)?,
            number,
            bytes: bits == 8,
            pairs: product.a == Element::Float(Format::Tf32),
            half,
        })
    }

    /// Returns the index in K of each element of A, by rows.
    pub(crate) fn kept(
        &self,
        step: &Step<'_>,
        rows: usize,
        depth: usize,
    ) -> Result<Vec<u8>, Trapped> {
        let mut kept = vec![0; rows * depth / 2];
        self.spread(step, step.get(self.metadata), depth, &mut kept)?;
        Ok(kept)
    }

    /// Returns the register with the metadata.
    pub(crate) const fn metadata(&self) -> Slot {
        self.metadata
    }

    /// Collects the metadata of 16 rows from the registers of a warp.
    pub(crate) fn spread(
        &self,
        step: &Step<'_>,
        words: &Lanes,
        depth: usize,
        kept: &mut [u8],
    ) -> Result<(), Trapped> {
        for (lane, word) in words.iter().enumerate() {
            for q in 0..8 {
                let Some((row, group)) = self.describes(lane, q) else {
                    continue;
                };
                let nibble = (word >> (4 * q)) as u32 & 15;
                let start = row * depth / 2;
                let of = |index: u32, size: usize| (size * group) as u8 + index as u8;
                match (self.pairs, nibble) {
                    (true, 0x4 | 0xe) => kept[start + group] = of(u32::from(nibble == 0xe), 2),
                    (false, 0x4 | 0x8 | 0x9 | 0xc | 0xd | 0xe) => {
                        kept[start + 2 * group] = of(nibble & 3, 4);
                        kept[start + 2 * group + 1] = of(nibble >> 2, 4);
                    }
                    _ => {
                        let what =
                            format!("the result for metadata {nibble:#x} of a group is not known");
                        return Err(step.trapped(Trap::IllegalInstruction, what));
                    }
                }
            }
        }
        Ok(())
    }

    /// Returns the row and the group of K that nibble `q` of a lane describes, if it is used.
    fn describes(&self, lane: usize, q: usize) -> Option<(usize, usize)> {
        let (g, t) = (lane / 4, lane % 4);
        let found = match (self.bytes, self.half) {
            (true, true) => (t >> 1 == self.number, g + 8 * (t & 1), q),
            (true, false) => (true, g + 8 * (t & 1), q + 8 * (t >> 1)),
            (false, true) => (t == self.number, g + 8 * (q >> 2), q & 3),
            (false, false) => (
                t >> 1 == self.number,
                g + 8 * (q >> 2),
                (q & 3) + 4 * (t & 1),
            ),
        };
        let (is_read, row, group) = found;
        is_read.then_some((row, group))
    }
}
