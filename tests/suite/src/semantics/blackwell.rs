//! The semantics of forms that came after sm_90, which run on the emulator only.

mod reported;
mod resized;

use tensor_map::{DataType, Params, TensorMap, WideMode};

use super::{
    bulk::{Block, WORDS, plan},
    plan::Plan,
};

/// Plans by template, for forms that resemble no earlier ones.
pub(super) fn plans(text: &str, template: &str) -> Option<Vec<Plan>> {
    let opcode = text.split(' ').next().unwrap_or_default();
    let has = |word: &str| opcode.split('.').any(|part| part == word);
    Some(match template {
        "published" => published(opcode),
        "zeroed" => vec![zeroed()],
        "cancelled" | "is_cancelled" | "first_cancelled" => {
            vec![cancelled(opcode.contains(".multicast"))]
        }
        "resized_load" | "resized_store" | "resized_prefetch" => resized::plans(opcode, template),
        _ if has("tile::gather4") || has("tile::scatter4") => rows(opcode, template),
        _ if has("im2col::w") || has("im2col::w::128") => wide(opcode, template),
        "reported" if has("tensor") => reported::plans(opcode),
        _ => return None,
    })
}

/// A value of each size at its address in global memory.
fn published(opcode: &str) -> Vec<Plan> {
    let old: Vec<u8> = (0..48).map(|index| 0xf0 | index).collect();
    let values: [[u32; 2]; 2] = [[0x8765_4321, 0x0fed_cba9], [0xffff_fff1, 0xffff_ffff]];
    let plan = |value: [u32; 2]| {
        let bytes = match opcode.rsplit('.').next() {
            Some("b8") => 1,
            Some("b16") => 2,
            Some("b64" | "u64" | "s64") => 8,
            _ => 4,
        };
        let mut all = [0; 8];
        all[..bytes].copy_from_slice(&old[16..][..bytes]);
        let was = u64::from_le_bytes(all);
        let value64 = u64::from(value[0]) | u64::from(value[1]) << 32;
        let is = if opcode.starts_with("red.") {
            was.wrapping_add(value64)
        } else {
            value64
        };
        let mut after = old.clone();
        after[16..][..bytes].copy_from_slice(&is.to_le_bytes()[..bytes]);
        Plan {
            memory: old.clone(),
            memory_after: after,
            ..Plan::new(&value, vec![value[0]])
        }
    };
    values.map(plan).into()
}

fn zeroed() -> Plan {
    const REGION: usize = 512;
    let (here, bytes) = (48, 328);
    let before: Vec<u8> = (0..REGION).map(|index| index as u8 | 1).collect();
    let mut after = before.clone();
    after[here..][..bytes].fill(0);
    let mut words = [0; WORDS];
    words[..3].copy_from_slice(&[REGION as u32, here as u32, bytes as u32]);
    let block = Block {
        words,
        before,
        after,
    };
    plan(&[block], (Vec::new(), Vec::new()))
}

/// The work of every block is done once, by any block.
fn cancelled(is_multicast: bool) -> Plan {
    let blocks = if is_multicast { 2 } else { 1 };
    let clusters = 24;
    let all = (clusters * blocks) as usize;
    Plan {
        clusters,
        blocks,
        out: Some(vec![0; all]),
        ..Plan::new(&[0], vec![1; all])
    }
}

/// A region around a box, and the words of a block that copies it.
struct Box {
    params: Params,
    /// Coordinates, innermost first, and offsets.
    at: Vec<i32>,
    offsets: Vec<u16>,
    /// Words of global memory.
    memory: Vec<u32>,
    /// The words that a load writes.
    loaded: Vec<u32>,
    /// True if it contains a number that is reported.
    is_reported: bool,
}

/// Two words of a pixel or row whose 16-bit numbers are all -0.
const NEGATIVE_ZEROS: u32 = 0x8000_8000;

/// Adds a map of a tensor in global memory at `at` to a plan; the map has another address if the
/// instruction has the address.
pub(super) fn with_map(plan: &mut Plan, opcode: &str, params: Params, at: usize) {
    const ELSEWHERE: usize = 64;
    if !opcode.contains(".override::global_address") {
        plan.map = Some((params, at));
        return;
    }
    plan.map = Some((params, at + ELSEWHERE));
    for words in plan.words.chunks_exact_mut(WORDS) {
        words[23] = at as u32;
    }
    for memory in [&mut plan.memory, &mut plan.memory_after] {
        memory.resize(memory.len() + ELSEWHERE, 0);
    }
}

const REGION_BYTES: usize = 12 << 10;
const HERE: usize = 256;

impl Box {
    fn plans(&self, opcode: &str, template: &str) -> Vec<Plan> {
        let masks: Vec<u32> = match opcode.contains(".multicast") {
            true => (1..16).collect(),
            false => vec![0],
        };
        let pairs = opcode.contains("cta_group::2");
        let blocks = match (masks.len(), opcode.contains(".shared::cluster")) {
            (2.., _) => 4,
            (_, true) => 2,
            _ => 1,
        };
        masks
            .iter()
            .map(|mask| self.plan(opcode, template, blocks, *mask, pairs))
            .collect()
    }

    fn plan(&self, opcode: &str, template: &str, blocks: u32, mask: u32, pairs: bool) -> Plan {
        let bytes: &[u8] = bytemuck::cast_slice(&self.loaded);
        let region: Vec<u8> = (0..REGION_BYTES).map(|index| (index * 7) as u8).collect();
        let memory: &[u8] = bytemuck::cast_slice(&self.memory);
        let block = |rank: u32| {
            let gets = |rank: u32| mask == 0 || mask >> rank & 1 != 0;
            let mut words = [0; WORDS];
            words[0] = REGION_BYTES as u32;
            words[1] = HERE as u32;
            words[3] = counted_boxes(rank, &gets, mask, pairs) * bytes.len() as u32;
            for (word, coordinate) in words[4..].iter_mut().zip(&self.at) {
                *word = *coordinate as u32;
            }
            for (word, offset) in words[9..].iter_mut().zip(&self.offsets) {
                *word = (*offset).into();
            }
            words[13] = mask;
            words[15] = u32::from(mask == 0 || rank == 0);
            words[16] = self.is_reported.into();
            let (mut before, mut after) = (region.clone(), region.clone());
            if template == "prefetched" {
                words[0] = memory.len() as u32;
                before.truncate(memory.len());
                after = memory.to_vec();
            } else if gets(rank) {
                after[HERE..][..bytes.len()].copy_from_slice(bytes);
            }
            Block {
                words,
                before,
                after,
            }
        };
        let blocks: Vec<Block> = (0..blocks).map(block).collect();
        let mut plan = plan(&blocks, (memory.to_vec(), memory.to_vec()));
        with_map(&mut plan, opcode, self.params, 0);
        plan
    }
}

/// Returns the number of boxes that a block's barrier counts. In pairs the even block's barrier counts for both, since
/// block 0 issues a multicast with its own barrier.
pub(super) fn counted_boxes(rank: u32, gets: &dyn Fn(u32) -> bool, mask: u32, pairs: bool) -> u32 {
    match (pairs && mask != 0, rank % 2) {
        (true, 0) => u32::from(gets(rank)) + u32::from(gets(rank + 1)),
        (true, _) => 0,
        _ => gets(rank).into(),
    }
}

/// Four rows of eight numbers, of a tensor of 10 x 6 numbers whose rows take 12.
fn rows(opcode: &str, template: &str) -> Vec<Plan> {
    let params = TensorMap::tiled(DataType::U32, &[10, 6])
        .strides_bytes(&[48])
        .box_dims(&[8, 1])
        .params();
    let mut memory: Vec<u32> = (0..72).map(|n| n / 12 * 100 + n % 12 + 1).collect();
    if template == "reported" {
        // The beginning of row 2.
        memory[24..28].fill(NEGATIVE_ZEROS);
    }
    if template == "grouped" {
        return [(0, [3, 0, 5, 1]), (4, [2, 6, 4, 0])]
            .map(|(column, rows)| scattered(opcode, params, &memory, column, rows))
            .into();
    }
    let gathered = |(column, rows): (i32, [i32; 4])| {
        let loaded = (0..32).map(|n| {
            let (x, y) = (column + n % 8, rows[n as usize / 8]);
            let is_inside = (0..10).contains(&x) && (0..6).contains(&y);
            if is_inside {
                memory[(y * 12 + x) as usize]
            } else {
                0
            }
        });
        let loaded: Vec<u32> = loaded.collect();
        let gather = Box {
            params,
            at: [&[column], &rows[..]].concat(),
            offsets: Vec::new(),
            memory: memory.clone(),
            is_reported: loaded.contains(&NEGATIVE_ZEROS),
            loaded,
        };
        gather.plans(opcode, template)
    };
    let coords = [(4, [5, 0, 5, 6]), (-4, [-1, 2, 100, 3])];
    coords.into_iter().flat_map(gathered).collect()
}

fn scattered(opcode: &str, params: Params, memory: &[u32], column: i32, rows: [i32; 4]) -> Plan {
    let region: Vec<u32> = (0..64).map(|n| 5000 + n).collect();
    let mut after = memory.to_vec();
    for (row, y) in rows.iter().enumerate().filter(|(_, y)| **y < 6) {
        // A row has 10 numbers; the 16 bytes of the last reach to 12.
        for x in (0..8).filter(|x| x + column < 12) {
            after[(y * 12 + x + column) as usize] = region[32 + 8 * row + x as usize];
        }
    }
    let mut words = [0; WORDS];
    words[..2].copy_from_slice(&[256, 128]);
    words[4] = column as u32;
    words[5..9].copy_from_slice(&rows.map(|row| row as u32));
    let bytes: &[u8] = bytemuck::cast_slice(&region);
    let block = Block {
        words,
        before: bytes.to_vec(),
        after: bytes.to_vec(),
    };
    let as_bytes = |words: &[u32]| bytemuck::cast_slice(words).to_vec();
    let mut plan = plan(&[block], (as_bytes(memory), as_bytes(&after)));
    with_map(&mut plan, opcode, params, 0);
    plan
}

/// Pixels along W of one image after the other, followed by the halo.
fn wide(opcode: &str, template: &str) -> Vec<Plan> {
    let mut plans = columns(opcode, template, false);
    if template == "reported" {
        plans.extend(columns(opcode, template, true));
    }
    plans
}

/// Works like [`wide`], with numbers or with only the reported ones.
fn columns(opcode: &str, template: &str, is_reported: bool) -> Vec<Plan> {
    const CHANNELS: u64 = 4;
    let rank: usize = (3..=5)
        .find(|rank| opcode.contains(&format!(".{rank}d.")))
        .unwrap_or(3);
    let is_128 = opcode.contains("im2col::w::128");
    let dims: Vec<u64> = [CHANNELS, 5, 3, 2, 2][..rank - 1]
        .iter()
        .copied()
        .chain([3])
        .collect();
    let (lower, upper, pixels) = (-1, -1, 7);
    let mode = if is_128 { WideMode::W128 } else { WideMode::W };
    let params = TensorMap::im2col_wide(DataType::U32, &dims)
        .pixel_box(lower, upper)
        .channels_per_pixel(CHANNELS as u32)
        .pixels_per_column(pixels)
        .mode(mode)
        .params();
    let memory: Vec<u32> = (1..=dims.iter().product::<u64>() as u32)
        .map(|n| if is_reported { NEGATIVE_ZEROS } else { n * 3 })
        .collect();
    let (halo, offset) = if is_128 { (3, 0) } else { (2, 1) };
    let mut at = vec![0; rank];
    at[1] = 2;
    at[2..rank - 1].fill(1);
    // The addresses of the pixels, one after the other.
    let count = if is_128 {
        128 + halo
    } else {
        pixels as usize + halo
    };
    let mut pixel: Vec<i64> = at.iter().map(|at| i64::from(*at)).collect();
    let mut coords = Vec::new();
    for _ in 0..count {
        coords.push(pixel.clone());
        pixel[1] += 1;
        if pixel[1] < dims[1] as i64 + i64::from(upper) {
            continue;
        }
        pixel[1] = i64::from(lower);
        // The box of pixels is one pixel along H and D (PTX ISA, section 5.5.5).
        pixel[rank - 1] += 1;
    }
    let groups: Vec<&[Vec<i64>]> = match is_128 {
        true => (0..4)
            .map(|group| &coords[32 * group..][..32 + halo])
            .collect(),
        false => vec![&coords],
    };
    let pixel = |coords: &Vec<i64>| {
        let (mut index, mut stride, mut is_inside) = (0, CHANNELS as i64, true);
        for dim in 1..rank {
            let at = coords[dim] + if dim == 1 { offset } else { 0 };
            is_inside &= (0..dims[dim] as i64).contains(&at);
            index += at * stride;
            stride *= dims[dim] as i64;
        }
        let word = |channel: i64| {
            if is_inside {
                memory[(index + channel) as usize]
            } else {
                0
            }
        };
        [word(0), word(1), word(2), word(3)]
    };
    let loaded = groups
        .iter()
        .flat_map(|group| group.iter().flat_map(pixel))
        .collect();
    let column = Box {
        params,
        at,
        offsets: vec![halo as u16, offset as u16],
        memory: memory.clone(),
        loaded,
        is_reported,
    };
    column.plans(opcode, template)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_counts_at_its_even_block() {
        let counts = |mask: u32, pairs| {
            [0, 1, 2, 3].map(|rank| counted_boxes(rank, &|rank| mask >> rank & 1 != 0, mask, pairs))
        };
        assert_eq!(counts(0b1110, true), [1, 0, 2, 0]);
        assert_eq!(counts(0b1110, false), [0, 1, 1, 1]);
    }
}
