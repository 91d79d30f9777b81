//! Boxes of tensors whose address, dimensions and strides are in the instruction. Every number of the box is
//! found by its coordinates.

use tensor_map::{DataType, Params, TensorMap};

use super::super::{
    bulk::{Block, WORDS, plan, reduced},
    plan::Plan,
};

/// Dimensions; the box below covers a part of some and exceeds others.
const DIMS: [u64; 5] = [4, 3, 4, 2, 3];
const BOX: [u32; 5] = [8, 4, 2, 2, 2];

/// Bytes from one element to the next in dimensions 1 and up.
const STRIDES: [u64; 4] = [64, 208, 848, 1712];

/// The offset of the tensor in global memory.
const AT: usize = 128;

const MEMORY_BYTES: usize = 6 << 10;
const REGION_BYTES: usize = 2 << 10;
const HERE: usize = 128;

/// A load, a store or reduction, or a prefetch.
pub(super) fn plans(opcode: &str, template: &str) -> Vec<Plan> {
    let rank = (1..=5).find(|rank| opcode.contains(&format!(".{rank}d.")));
    vec![of_rank(opcode, template, rank.unwrap_or(1))]
}

/// A map of a tensor of the same rank that only shares the box.
fn map(rank: usize) -> Params {
    let strides = [16, 32, 48, 64];
    TensorMap::tiled(DataType::U32, &[2; 5][..rank])
        .strides_bytes(&strides[..rank - 1])
        .box_dims(&BOX[..rank])
        .params()
}

fn of_rank(opcode: &str, template: &str, rank: usize) -> Plan {
    let number = |index: usize| (index as u32).wrapping_mul(0x9e37_79b9);
    let memory: Vec<u32> = (0..MEMORY_BYTES / 4).map(number).collect();
    let region: Vec<u32> = (0..REGION_BYTES / 4).map(|index| !number(index)).collect();
    let (mut memory_after, mut region_after) = (memory.clone(), region.clone());
    let elements: u32 = BOX[..rank].iter().product();
    for element in 0..elements {
        let (mut rest, mut at, mut is_inside) = (element, AT as u64, true);
        for dim in 0..rank {
            let coordinate = u64::from(rest % BOX[dim]);
            rest /= BOX[dim];
            is_inside &= coordinate < DIMS[dim];
            at += coordinate * if dim == 0 { 4 } else { STRIDES[dim - 1] };
        }
        let (global, shared) = (at as usize / 4, HERE / 4 + element as usize);
        match (template, is_inside) {
            ("resized_load", true) => region_after[shared] = memory[global],
            ("resized_load", false) => region_after[shared] = 0,
            ("resized_store", true) => {
                memory_after[global] = reduced(opcode, memory[global], region[shared]);
            }
            _ => {}
        }
    }
    let mut words = [0; WORDS];
    words[..4].copy_from_slice(&[REGION_BYTES as u32, HERE as u32, 0, 4 * elements]);
    words[15] = 1;
    words[23] = AT as u32;
    for (word, dim) in words[24..].iter_mut().zip(&DIMS[..rank]) {
        *word = *dim as u32;
    }
    for (word, stride) in [29, 30, 31, 16].into_iter().zip(&STRIDES[..rank - 1]) {
        words[word] = (*stride / 16) as u32;
    }
    let bytes = |words: &[u32]| bytemuck::cast_slice(words).to_vec();
    let (mut before, mut after) = (bytes(&region), bytes(&region_after));
    if template == "resized_prefetch" {
        // The region gets the contents of global memory.
        after = bytes(&memory)[..REGION_BYTES].to_vec();
        before = vec![0; REGION_BYTES];
    }
    let block = Block {
        words,
        before,
        after,
    };
    let mut plan = plan(&[block], (bytes(&memory), bytes(&memory_after)));
    plan.map = Some((map(rank), 0));
    plan
}
