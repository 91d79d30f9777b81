//! Attention of two sequences in one call, with heads of queries that share a head of keys.

use half::bf16;
use host_examples::{Result, check, device};
use kernels_host::{AttentionShape, AttentionTensors, Kernels};

fn main() -> Result<()> {
    let shape = AttentionShape {
        sequences: 2,
        heads: 4,
        key_heads: 2,
        is_causal: true,
        ..AttentionShape::new(64, 70, 90)
    };
    let elements = |heads: u32, positions: u32| {
        (shape.elements * heads * positions * shape.sequences) as usize
    };
    let (of_queries, of_keys) = (elements(4, 70), elements(2, 90));
    let numbers = |count: usize, period: usize| -> Vec<bf16> {
        (0..count)
            .map(|i| bf16::from_f32((i % period) as f32 / period as f32))
            .collect()
    };
    // Head 0 of the values is all 3, head 1 all 5: a mean of them, whatever the weights, is the same.
    let value = |i: usize| [3.0, 5.0][i / 64 % 2];
    let values: Vec<bf16> = (0..of_keys).map(|i| bf16::from_f32(value(i))).collect();

    let device = device()?;
    let mut results = device.zeroed::<bf16>(of_queries)?;
    let mut logarithms = device.zeroed::<f32>(70 * 4 * 2)?;
    let tensors = AttentionTensors {
        queries: &device.upload(&numbers(of_queries, 13))?,
        keys: &device.upload(&numbers(of_keys, 17))?,
        values: &device.upload(&values)?,
        results: &mut results,
        logarithms: &mut logarithms,
    };
    Kernels::new(&device).attention(&shape, tensors)?;

    // Heads 0 and 1 of the queries have head 0 of the keys. Weights are rounded, means are near whole numbers.
    let expected: Vec<i32> = (0..of_queries).map(|i| [3, 3, 5, 5][i / 64 % 4]).collect();
    let results = results.read()?;
    let rounded: Vec<i32> = results
        .iter()
        .map(|it| it.to_f32().round() as i32)
        .collect();
    check("attention of two sequences", &expected, &rounded)
}
