//! `mapa`: shared addresses of other blocks of the cluster. PTX ISA 9.7.9.23.

use ptx::{Instruction, Type};
use ptx_isa::{Form, mapa::Op};

use crate::{
    decode::{NotSupported, operands, space, ty},
    inst::{Action, Decoder, Execute, Step},
    machine::{Flow, SHARED_RANK_SHIFT, SHARED_WINDOW, Slot, Space, Trap, Trapped, WINDOW_BYTES},
    value::{LANES, lanes_of},
};

/// `mapa` or `getctarank`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cluster {
    pub(crate) d: Slot,
    pub(crate) a: Slot,
    /// Rank of the target block; without it, the operation returns the rank of the address.
    pub(crate) rank: Option<Slot>,
    pub(crate) generic: bool,
}

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    form: &Form,
    op: Op,
) -> Result<(), NotSupported> {
    let Op::Map = op;
    // No generic address of shared memory has 32 bits: such an instruction ends in a fault.
    let (generic, ty) = (space(form) == Space::Generic, ty(form)?);
    let [d, a, rank] = operands(instruction)?;
    let rank = Some(decoder.source(rank, Type::U32)?);
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

impl Execute for Cluster {
    fn run(&self, step: &mut Step<'_>) -> Result<Flow, Trapped> {
        let blocks = u64::from(step.world.places.cluster_blocks());
        let mut d = [0; LANES];
        for lane in lanes_of(step.active) {
            let address = step.get(self.a)[lane];
            let window = if self.generic { SHARED_WINDOW } else { 0 };
            if !(window..window + WINDOW_BYTES).contains(&address) {
                let what = format!("{address:#x} is not an address in shared memory");
                return Err(step.fault(lane, Trap::IllegalAddress, what));
            }
            let local = address - window;
            d[lane] = match self.rank {
                None => local >> SHARED_RANK_SHIFT,
                Some(rank) => {
                    let rank = step.get(rank)[lane] & 0xffff_ffff;
                    if rank >= blocks {
                        let what =
                            format!("rank {rank} does not exist in a cluster of {blocks} blocks");
                        return Err(step.fault(lane, Trap::IllegalInstruction, what));
                    }
                    window + (rank << SHARED_RANK_SHIFT | local & ((1 << SHARED_RANK_SHIFT) - 1))
                }
            };
        }
        step.set(self.d, &d);
        Ok(Flow::Next)
    }
}
