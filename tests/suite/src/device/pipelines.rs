use tensor_map::{DataType, Swizzle, TensorMap, Tiled};
use tests_device::{self as kernels, ITEM};
use tma_launch::{Buffer, BufferRef, Call, MapRef, Shape};

use super::{compared, launched};
use crate::{Expected, Scenario};

pub(super) fn cases() -> Vec<Scenario> {
    let [output, input, counts, counter] = [0, 1, 2, 3].map(BufferRef::new);
    let mut cases = Vec::new();
    for stages in 1..=8 {
        for (blocks, items) in sizes(stages) {
            let call = kernels::dealt_items(stages, output, input, counts, items);
            let dealt = |block| (block..items).step_by(blocks as usize).count() as u32;
            let of_blocks: Vec<u32> = (0..blocks).map(dealt).collect();
            cases.push(case(call, blocks, items, 3, 1, &of_blocks, 0));
            let from = MapRef::new(map(items.max(1), Swizzle::B64), 1);
            let to = MapRef::new(map(items.max(1), Swizzle::B64), 0);
            let ended = vec![1; blocks as usize];
            let call = kernels::drawn_tiles(stages, output, from, counts, items, counter);
            cases.push(case(call, blocks, items, 3, 1, &ended, items));
            if stages == 1 {
                continue;
            }
            let call = kernels::stored_tiles(stages, to, from, counts, items, counter);
            cases.push(case(call, blocks, items, 3, 1, &ended, items));
            for is_drawn in [true, false] {
                let call = kernels::streamed_items(
                    stages, is_drawn, output, input, counts, items, counter,
                );
                // Each but the first ones of a block is drawn, and so is the end.
                let dealt = items.min(blocks * (stages - 1));
                let last = (0..blocks).filter(|block| block + blocks * (stages - 2) < items);
                let drawn = if is_drawn {
                    items - dealt + last.count() as u32
                } else {
                    0
                };
                cases.push(case(call, blocks, items, 1, 0, &ended, drawn));
            }
        }
    }
    for (blocks, items) in [(1, 1), (2, 3), (1, 14), (3, 37)] {
        cases.push(pairs(blocks, items));
    }
    for tiles in [1, 2, 3, 4, 8] {
        for (is_part, blocks, items) in
            [(true, 1, 11), (false, 1, 11), (true, 3, 20), (false, 3, 2)]
        {
            let map = MapRef::new(map(items, Swizzle::None), 0);
            let call = kernels::output_tiles(tiles, is_part, map, items);
            let name = format!("{}_{blocks}_blocks_{items}_items", call.entry());
            let of_item = |item| (0..ITEM).map(move |index| 1000 * item + index);
            let expected: Vec<u32> = (0..items).flat_map(of_item).collect();
            let launch = launched(call, Shape::new(blocks, 96));
            cases.push(compared(&name, &expected, Vec::new(), launch));
        }
    }
    cases
}

/// Blocks and items: none, fewer than the stages, as many, more than all stages of all blocks.
fn sizes(stages: u32) -> Vec<(u32, u32)> {
    let mut sizes = vec![
        (1, 0),
        (1, stages - 1),
        (2, stages),
        (1, 2 * stages + 1),
        (3, 3 * stages + 5),
    ];
    // Fewer items than a stage make no stage.
    sizes.dedup();
    sizes
}

/// Adds neighbouring items, the second one doubled; without a second one, the first stays.
fn pairs(blocks: u32, items: u32) -> Scenario {
    let (len, pairs) = (items * ITEM, items.div_ceil(2));
    let numbers: Vec<u32> = (0..len).map(|i| i.wrapping_mul(0x9e37_79b9)).collect();
    let sum = |index: u32| {
        let first = index / ITEM * 2 * ITEM + index % ITEM;
        let second = numbers.get((first + ITEM) as usize).copied().unwrap_or(0);
        numbers[first as usize].wrapping_add(second.wrapping_mul(2))
    };
    let expected: Vec<u32> = (0..pairs * ITEM).map(sum).collect();
    let input = MapRef::new(map(items, Swizzle::B64), 1);
    let call = kernels::pairs_of_tiles(BufferRef::new(0), input, pairs);
    let name = format!("{}_{blocks}_blocks_{items}_items", call.entry());
    let launch = launched(call, Shape::new(blocks, 96));
    let input = Buffer::new("input", &numbers);
    compared(&name, &expected, vec![input], launch)
}

/// Items as rows of a matrix.
fn map(items: u32, swizzle: Swizzle) -> Tiled {
    TensorMap::tiled(DataType::U32, &[16, 6 * u64::from(items)])
        .strides_bytes(&[64])
        .box_dims(&[16, 6])
        .swizzle(swizzle)
}

/// Makes `factor * x + term` of each number `x` of the items, and leaves `counts` of the blocks and
/// `drawn` of the counter.
fn case(
    call: Call<'_>,
    blocks: u32,
    items: u32,
    factor: u32,
    term: u32,
    counts: &[u32],
    drawn: u32,
) -> Scenario {
    let name = format!("{}_{blocks}_blocks_{items}_items", call.entry());
    let launch = launched(call, Shape::new(blocks, 96));
    // One more item stays unchanged.
    let numbers = (0..ITEM * (items + 1)).map(|i| i.wrapping_mul(0x9e37_79b9));
    let numbers: Vec<u32> = numbers.collect();
    let change = |number: &u32| number.wrapping_mul(factor).wrapping_add(term);
    let mut expected: Vec<u32> = numbers.iter().map(change).collect();
    expected[(ITEM * items) as usize..].fill(0xa5a5_a5a5);
    let others = vec![
        Buffer::new("input", &numbers),
        Buffer::new("counts", &vec![u32::MAX; counts.len()]),
        Buffer::new("counter", &[0_u32]),
    ];
    let mut case = compared(&name, &expected, others, launch);
    let counts = Expected::of(2, counts);
    case.expected.extend([counts, Expected::of(3, &[drawn])]);
    case
}
