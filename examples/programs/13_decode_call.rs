//! Attention of the newest queries of two sequences to keys and values of `e4m3` in pages.

use half::bf16;
use host_examples::{Result, check, device};
use kernels_host::{DecodeShape, DecodeTensors, Kernels};

fn main() -> Result<()> {
    let shape = DecodeShape {
        sequences: 2,
        queries: 1,
        heads: 4,
        key_heads: 2,
        page_keys: 16,
        pages: 6,
        sequence_pages: 3,
        is_by_heads: false,
        scale: 128.0_f32.sqrt().recip(),
        // Keys were multiplied by 4 before they were rounded, and values divided by 3.
        cache_scales: [0.25, 3.0],
    };
    // The sequences have 40 and 20 keys, in pages in any order. The last page of the second one does not exist.
    let (lengths, page_table) = ([40, 20], [4, 0, 2, 5, 1, u32::MAX]);
    let queries: Vec<bf16> = (0..2 * 4 * 128)
        .map(|i| bf16::from_f32((i % 13) as f32 / 13.0))
        .collect();
    let of_cache = 6 * 16 * 2 * 128;
    // Bits of numbers from 0.5 to 1.875.
    let keys: Vec<u8> = (0..of_cache).map(|i| 0x30 + (i % 15) as u8).collect();
    // Head 0 of the values is all 1, head 1 all 2: a mean of them, whatever the weights, is the same.
    let values: Vec<u8> = (0..of_cache).map(|i| [0x38, 0x40][i / 128 % 2]).collect();

    let device = device()?;
    let kernels = Kernels::new(&device);
    let mut memory = kernels.decode_memory(&shape)?;
    let mut results = device.zeroed::<bf16>(queries.len())?;
    let mut logarithms = device.zeroed::<f32>(2 * 4)?;
    let tensors = DecodeTensors {
        queries: &device.upload(&queries)?,
        keys: &device.upload(&keys)?,
        values: &device.upload(&values)?,
        lengths: &device.upload(&lengths)?,
        page_table: &device.upload(&page_table)?,
        results: &mut results,
        logarithms: &mut logarithms,
    };
    kernels.attention_decode(&shape, tensors, &mut memory)?;

    // Heads 0 and 1 of the queries have head 0 of the keys. Weights are rounded, means are near whole numbers.
    let expected: Vec<i32> = (0..queries.len())
        .map(|i| [3, 3, 6, 6][i / 128 % 4])
        .collect();
    let results = results.read()?;
    let rounded: Vec<i32> = results
        .iter()
        .map(|it| it.to_f32().round() as i32)
        .collect();
    check("attention to a cache in pages", &expected, &rounded)
}
