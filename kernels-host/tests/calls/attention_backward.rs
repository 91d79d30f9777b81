//! The gradients of attention.

use kernels_host::{AttentionShape, BackwardTensors, Kernels, Starts};
use tma_host::{Device, half::bf16};

use crate::support::{Broken, Result, assert_near, assert_refused, everywhere, numbers};

/// One query that sees two keys: everything can be computed by hand.
const SHAPE: AttentionShape = AttentionShape {
    elements: 128,
    sequences: 1,
    queries: 1,
    keys: 2,
    heads: 1,
    key_heads: 1,
    is_causal: true,
    scale: 0.01,
};

fn rounded(numbers: &[f32]) -> Vec<bf16> {
    numbers.iter().copied().map(bf16::from_f32).collect()
}

fn dot(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(a, b)| f64::from(a * b)).sum()
}

#[test]
fn gradients_follow_from_those_of_the_results() -> Result {
    for elements in [64, 128] {
        gradients_follow(&AttentionShape { elements, ..SHAPE })?;
    }
    Ok(())
}

fn gradients_follow(shape: &AttentionShape) -> Result {
    let elements = shape.elements as usize;
    let q = numbers(elements, 1);
    let k = numbers(2 * elements, 2);
    let v = numbers(2 * elements, 3);
    let of_results = numbers(elements, 4);
    let scale = f64::from(shape.scale);
    let of_key = |tensor: &[f32], key: usize| tensor[key * elements..][..elements].to_vec();
    let powers = [0, 1].map(|key| (scale * dot(&q, &of_key(&k, key))).exp());
    let sum = powers[0] + powers[1];
    let weights = powers.map(|power| power / sum);
    let results: Vec<f32> = (0..elements)
        .map(|at| (weights[0] * f64::from(v[at]) + weights[1] * f64::from(v[elements + at])) as f32)
        .collect();
    let of_weights = [0, 1].map(|key| dot(&of_results, &of_key(&v, key)));
    let mean = weights[0] * of_weights[0] + weights[1] * of_weights[1];
    let of_scores = [0, 1].map(|key| scale * weights[key] * (of_weights[key] - mean));
    let mut expected = [vec![0.0; elements], Vec::new(), Vec::new()];
    for key in 0..2 {
        for at in 0..elements {
            expected[0][at] += of_scores[key] * f64::from(k[key * elements + at]);
            expected[1].push(of_scores[key] * f64::from(q[at]));
            expected[2].push(weights[key] * f64::from(of_results[at]));
        }
    }
    for device in everywhere() {
        let kernels = Kernels::new(&device);
        let mut memory = kernels.backward_memory(shape)?;
        // The memory serves one call after the other.
        for is_ordered in [false, true, true] {
            let mut of_queries = device.zeroed::<bf16>(elements)?;
            let [mut of_keys, mut of_values] = [
                device.zeroed::<bf16>(2 * elements)?,
                device.zeroed(2 * elements)?,
            ];
            let tensors = BackwardTensors {
                queries: &device.upload(&rounded(&q))?,
                keys: &device.upload(&rounded(&k))?,
                values: &device.upload(&rounded(&v))?,
                results: &device.upload(&rounded(&results))?,
                logarithms: &device.upload(&[sum.ln() as f32])?,
                result_gradients: &device.upload(&rounded(&of_results))?,
                query_gradients: &mut of_queries,
                key_gradients: &mut of_keys,
                value_gradients: &mut of_values,
            };
            kernels.attention_backward(shape, is_ordered, tensors, &mut memory)?;
            for (got, expected) in [of_queries, of_keys, of_values].iter().zip(&expected) {
                let got: Vec<f32> = got.read()?.iter().map(|it| it.to_f32()).collect();
                assert_near(&got, expected, 3e-2);
            }
        }
    }
    Ok(())
}

#[test]
fn gradients_of_packed_sequences_are_as_if_each_were_alone() -> Result {
    let lengths = [[3_usize, 5], [0, 2], [70, 90], [65, 64]];
    let [all_queries, all_keys] = [0, 1].map(|which| lengths.iter().map(|it| it[which]).sum());
    let alone = AttentionShape {
        elements: 64,
        heads: 2,
        ..SHAPE
    };
    let row = alone.elements as usize;
    let some =
        |positions: usize, heads: usize, seed| rounded(&numbers(positions * heads * row, seed));
    let (q, k, v) = (
        some(all_queries, 2, 1),
        some(all_keys, 1, 2),
        some(all_keys, 1, 3),
    );
    let (results, of_results) = (some(all_queries, 2, 4), some(all_queries, 2, 5));
    let logarithms = numbers(2 * all_queries, 6);
    for device in everywhere() {
        let kernels = Kernels::new(&device);
        let (mut starts, mut first) = ([vec![0_u32], vec![0]], [0, 0]);
        let mut expected = [Vec::new(), Vec::new(), Vec::new()];
        for [queries, keys] in lengths {
            let of = |all: &[bf16], which: usize, count: usize, heads: usize| {
                let each = row * heads;
                device.upload(&all[first[which] * each..][..count * each])
            };
            if queries == 0 {
                expected[1].extend(vec![bf16::ZERO; keys * row]);
                expected[2].extend(vec![bf16::ZERO; keys * row]);
            } else {
                let shape = AttentionShape {
                    queries: queries as u32,
                    keys: keys as u32,
                    ..alone
                };
                let of_heads =
                    [0, all_queries].map(|head| &logarithms[head + first[0]..][..queries]);
                let mut of_queries = device.zeroed(queries * 2 * row)?;
                let (mut of_keys, mut of_values) =
                    (device.zeroed(keys * row)?, device.zeroed(keys * row)?);
                let tensors = BackwardTensors {
                    queries: &of(&q, 0, queries, 2)?,
                    keys: &of(&k, 1, keys, 1)?,
                    values: &of(&v, 1, keys, 1)?,
                    results: &of(&results, 0, queries, 2)?,
                    logarithms: &device.upload(&of_heads.concat())?,
                    result_gradients: &of(&of_results, 0, queries, 2)?,
                    query_gradients: &mut of_queries,
                    key_gradients: &mut of_keys,
                    value_gradients: &mut of_values,
                };
                let mut memory = kernels.backward_memory(&shape)?;
                kernels.attention_backward(&shape, true, tensors, &mut memory)?;
                for (all, more) in expected.iter_mut().zip([of_queries, of_keys, of_values]) {
                    all.extend(more.read()?);
                }
            }
            first = [first[0] + queries, first[1] + keys];
            starts[0].push(first[0] as u32);
            starts[1].push(first[1] as u32);
        }
        let shape = AttentionShape {
            sequences: 4,
            queries: 70,
            keys: 90,
            ..alone
        };
        let query_starts = Starts::new(device.upload(&starts[0])?)?;
        let key_starts = Starts::new(device.upload(&starts[1])?)?;
        let mut of_queries = device.zeroed(all_queries * 2 * row)?;
        let (mut of_keys, mut of_values) = (
            device.zeroed(all_keys * row)?,
            device.zeroed(all_keys * row)?,
        );
        let tensors = BackwardTensors {
            queries: &device.upload(&q)?,
            keys: &device.upload(&k)?,
            values: &device.upload(&v)?,
            results: &device.upload(&results)?,
            logarithms: &device.upload(&logarithms)?,
            result_gradients: &device.upload(&of_results)?,
            query_gradients: &mut of_queries,
            key_gradients: &mut of_keys,
            value_gradients: &mut of_values,
        };
        let mut memory = kernels.backward_memory(&shape)?;
        let starts = [&query_starts, &key_starts];
        kernels.attention_backward_packed(&shape, starts, true, tensors, &mut memory)?;
        for (got, expected) in [of_queries, of_keys, of_values].iter().zip(expected) {
            assert_eq!(got.read()?, expected);
        }
    }
    Ok(())
}

#[test]
fn extents_and_memory_that_do_not_fit_are_refused() -> Result {
    let device = Device::emulator(0);
    let kernels = Kernels::new(&device);
    let some = device.zeroed::<bf16>(4 * 128)?;
    let logarithms = device.zeroed::<f32>(4)?;
    let mut memory = kernels.backward_memory(&SHAPE)?;
    let zeros = || device.zeroed::<bf16>(4 * 128);
    let (mut of_queries, mut of_keys, mut of_values) = (zeros()?, zeros()?, zeros()?);
    let mut refused = |shape| {
        let tensors = BackwardTensors {
            queries: &some,
            keys: &some,
            values: &some,
            results: &some,
            logarithms: &logarithms,
            result_gradients: &some,
            query_gradients: &mut of_queries,
            key_gradients: &mut of_keys,
            value_gradients: &mut of_values,
        };
        kernels
            .attention_backward(&shape, false, tensors, &mut memory)
            .expect_err("it was started")
            .to_string()
    };
    let cases: &[Broken<'_, AttentionShape>] = &[
        (
            |shape| shape.elements = 256,
            "head size is 256; must be one of 64, 128 (compiled instances); use 128",
        ),
        (
            |shape| shape.sequences = 0,
            "sequences is 0; must be 1 to 4194304 (coordinates have 32 bits); use 1",
        ),
        (
            |shape| shape.queries = 0,
            "queries is 0; must be 1 to 1073741824 (differences of positions have 32 bits); use 1",
        ),
        (
            |shape| shape.heads = 0,
            "heads is 0; must be 1 to 4194304 (coordinates have 32 bits); use 1",
        ),
        (
            |shape| shape.key_heads = 3,
            "heads of keys is 3; must be 1 (each head of keys serves one or more heads of queries); use 1",
        ),
        (
            |shape| shape.scale = 3e38,
            "scale is 300000000000000000000000000000000000000; must be finite times log2(e) (powers of 2 are computed); \
             use 0.088388346",
        ),
        (
            |shape| shape.scale = 1e-38,
            "scale is 0.00000000000000000000000000000000000001; must be at least 1e-36 (logarithms are divided by it); \
             use 0.088388346",
        ),
    ];
    assert_refused("attention_backward", SHAPE, cases, &mut refused);
    let short = refused(AttentionShape {
        queries: 70,
        ..SHAPE
    });
    for expected in [
        "elements of the queries is 512; must be at least 8960",
        "elements of the results is 512; must be at least 8960",
        "elements of the logarithms is 4; must be at least 70",
        "elements of the memory for sums is 8192; must be at least 16384",
        "elements of the counters is 2; must be at least 3",
    ] {
        assert!(short.contains(expected), "{short}");
    }
    Ok(())
}
