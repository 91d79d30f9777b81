//! `mapa` and `getctarank`: shared addresses of other blocks of the cluster. PTX ISA 9.7.9.22, 9.7.9.23.

use ptx::{Instruction, Type};

use crate::{
    action::Action,
    decode::{Decoder, Refusal, Slot, Words, table::operands},
    error::Trap,
    lanes::{LANES, lanes_of},
    machine::{SHARED_RANK_SHIFT, SHARED_WINDOW, Step, Trapped, WINDOW_BYTES},
    observer::Observer,
};

/// One of the two.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cluster {
    d: Slot,
    a: Slot,
    /// The block whose address is wanted; without it, the block of the address is.
    rank: Option<Slot>,
    generic: bool,
}

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    words: &mut Words<'_>,
) -> Result<(), Refusal> {
    let generic = !words.take("shared::cluster");
    let ty = words.ty()?;
    if !matches!(ty, Type::U32 | Type::U64) || (generic && ty == Type::U32) {
        return Err("its type".into());
    }
    let (d, a, rank) = if instruction.opcode.stem() == "mapa" {
        let [d, a, rank] = operands(instruction)?;
        (d, a, Some(decoder.source(rank, Type::U32)?))
    } else {
        let [d, a] = operands(instruction)?;
        (d, a, None)
    };
    let a = decoder.source(a, ty)?;
    let d = decoder.destination(d)?.slot;
    decoder.emit(Action::Cluster(Cluster {
        d,
        a,
        rank,
        generic,
    }));
    Ok(())
}

impl Cluster {
    pub(crate) fn run<O: Observer>(&self, step: &mut Step<'_, O>) -> Result<(), Trapped> {
        let blocks = u64::from(step.world.places.cluster_blocks());
        let mut d = [0; LANES];
        for lane in lanes_of(step.active) {
            let address = step.get(self.a)[lane];
            let window = if self.generic { SHARED_WINDOW } else { 0 };
            if !(window..window + WINDOW_BYTES).contains(&address) {
                let what = format!("{address:#x} is no address of shared memory");
                return Err(step.fault(lane, Trap::IllegalAddress, what));
            }
            let local = address - window;
            d[lane] = match self.rank {
                None => local >> SHARED_RANK_SHIFT,
                Some(rank) => {
                    let rank = step.get(rank)[lane] & 0xffff_ffff;
                    if rank >= blocks {
                        let what = format!("block {rank} of a cluster of {blocks}");
                        return Err(step.fault(lane, Trap::IllegalInstruction, what));
                    }
                    window + (rank << SHARED_RANK_SHIFT | local & ((1 << SHARED_RANK_SHIFT) - 1))
                }
            };
        }
        step.set(self.d, &d);
        Ok(())
    }
}
