//! Attention.

use kernels_host::{AttentionShape, AttentionTensors, Kernels, Starts};
use tma_host::{Device, half::bf16};

use crate::support::{Result, assert_near, everywhere, numbers};

/// Two sequences of 70 queries and 90 keys; two heads share one head of keys.
const SHAPE: AttentionShape = AttentionShape {
    elements: 64,
    sequences: 2,
    queries: 70,
    keys: 90,
    heads: 2,
    key_heads: 1,
    is_causal: true,
    scale: 0.125,
};

#[test]
fn queries_find_the_values_of_keys() -> Result {
    let AttentionShape {
        elements,
        sequences,
        queries,
        keys,
        heads,
        ..
    } = SHAPE;
    let [elements, sequences, queries, keys, heads] =
        [elements, sequences, queries, keys, heads].map(|extent| extent as usize);
    let q = numbers(sequences * queries * heads * elements, 1);
    let k = numbers(sequences * keys * elements, 2);
    let v = numbers(sequences * keys * elements, 3);
    let mut expected = vec![0.0; q.len()];
    let mut of_sums = vec![0.0; sequences * heads * queries];
    for sequence in 0..sequences {
        for head in 0..heads {
            for query in 0..queries {
                let at = ((sequence * queries + query) * heads + head) * elements;
                // The last of both are at the same position.
                let seen = query + keys - queries + 1;
                let key = |key: usize| (sequence * keys + key) * elements;
                let power = |number: usize| {
                    let products =
                        (0..elements).map(|it| f64::from(q[at + it] * k[key(number) + it]));
                    (0.125 * products.sum::<f64>()).exp()
                };
                let powers: Vec<f64> = (0..seen).map(power).collect();
                let sum: f64 = powers.iter().sum();
                of_sums[(sequence * heads + head) * queries + query] = sum.ln();
                for element in 0..elements {
                    let parts = powers.iter().enumerate();
                    let parts =
                        parts.map(|(number, power)| power * f64::from(v[key(number) + element]));
                    expected[at + element] = parts.sum::<f64>() / sum;
                }
            }
        }
    }
    let rounded =
        |numbers: &[f32]| -> Vec<bf16> { numbers.iter().copied().map(bf16::from_f32).collect() };
    for device in everywhere() {
        let mut results = device.zeroed::<bf16>(expected.len())?;
        let mut logarithms = device.zeroed::<f32>(of_sums.len())?;
        Kernels::new(&device).attention(
            &SHAPE,
            AttentionTensors {
                queries: &device.upload(&rounded(&q))?,
                keys: &device.upload(&rounded(&k))?,
                values: &device.upload(&rounded(&v))?,
                results: &mut results,
                logarithms: &mut logarithms,
            },
        )?;
        let results: Vec<f32> = results.read()?.iter().map(|it| it.to_f32()).collect();
        assert_near(&results, &expected, 2e-2);
        assert_near(&logarithms.read()?, &of_sums, 1e-4);
    }
    Ok(())
}

#[test]
fn packed_sequences_are_as_if_each_were_alone() -> Result {
    let lengths = [[3_usize, 5], [70, 90], [65, 64]];
    let [all_queries, all_keys] = [0, 1].map(|which| lengths.iter().map(|it| it[which]).sum());
    let row = SHAPE.elements as usize;
    let rounded = |positions: usize, heads: usize, seed| -> Vec<bf16> {
        let numbers = numbers(positions * heads * row, seed);
        numbers.into_iter().map(bf16::from_f32).collect()
    };
    let (q, k, v) = (
        rounded(all_queries, 2, 1),
        rounded(all_keys, 1, 2),
        rounded(all_keys, 1, 3),
    );
    for device in everywhere() {
        let kernels = Kernels::new(&device);
        let (mut starts, mut first) = ([vec![0_u32], vec![0]], [0, 0]);
        let (mut expected, mut of_heads) = (Vec::new(), [Vec::new(), Vec::new()]);
        for [queries, keys] in lengths {
            let of = |all: &[bf16], which: usize, count: usize, heads: usize| {
                let each = row * heads;
                device.upload(&all[first[which] * each..][..count * each])
            };
            let mut results = device.zeroed::<bf16>(queries * 2 * row)?;
            let mut logarithms = device.zeroed::<f32>(queries * 2)?;
            let shape = AttentionShape {
                sequences: 1,
                queries: queries as u32,
                keys: keys as u32,
                ..SHAPE
            };
            kernels.attention(
                &shape,
                AttentionTensors {
                    queries: &of(&q, 0, queries, 2)?,
                    keys: &of(&k, 1, keys, 1)?,
                    values: &of(&v, 1, keys, 1)?,
                    results: &mut results,
                    logarithms: &mut logarithms,
                },
            )?;
            expected.extend(results.read()?);
            for (of_head, logarithms) in of_heads.iter_mut().zip(logarithms.read()?.chunks(queries))
            {
                of_head.extend_from_slice(logarithms);
            }
            first = [first[0] + queries, first[1] + keys];
            starts[0].push(first[0] as u32);
            starts[1].push(first[1] as u32);
        }
        let shape = AttentionShape {
            sequences: 3,
            ..SHAPE
        };
        let starts = [&starts[0], &starts[1]].map(|starts| Starts::new(device.upload(starts)?));
        let [query_starts, key_starts] = starts;
        let starts = [query_starts?, key_starts?];
        let (q, k, v) = (device.upload(&q)?, device.upload(&k)?, device.upload(&v)?);
        let mut results = device.zeroed::<bf16>(expected.len())?;
        let mut logarithms = device.zeroed::<f32>(2 * all_queries)?;
        let mut attend = |starts: [&_; 2]| {
            let tensors = AttentionTensors {
                queries: &q,
                keys: &k,
                values: &v,
                results: &mut results,
                logarithms: &mut logarithms,
            };
            kernels.attention_packed(&shape, starts, tensors)
        };
        attend([&starts[0], &starts[1]])?;
        let short = Starts::new(device.upload(&[0_u32, 1, 2])?)?;
        let refused = attend([&short, &starts[1]]).expect_err("it was started");
        let expected_text = "elements of the queries' starts is 3; must be at least 4 (elements that the kernel uses); use 4";
        assert!(refused.to_string().contains(expected_text), "{refused}");
        assert_eq!(results.read()?, expected);
        assert_eq!(logarithms.read()?, of_heads.concat());
    }
    Ok(())
}

/// The first and the third sequence would have the same queries, and so the same results.
#[test]
fn starts_that_descend_are_refused() -> Result {
    for device in everywhere() {
        let refused = Starts::new(device.upload(&[0, 100, 0, 100])?).expect_err("they were taken");
        assert_eq!(
            refused.to_string(),
            "check: the starts of the sequences are not valid\n  \
             ascending: number 2 of starts is 0; numbers must not decrease, and the previous one is 100; use 100 or more"
        );
        // Empty sequences have the start of the next one.
        Starts::new(device.upload(&[0, 100, 100])?)?;
    }
    Ok(())
}

#[test]
fn extents_and_buffers_that_do_not_fit_are_refused() -> Result {
    let device = Device::emulator(0);
    let kernels = Kernels::new(&device);
    let some = device.zeroed::<bf16>(2 * 70 * 2 * 64)?;
    let mut results = device.zeroed::<bf16>(100)?;
    let mut logarithms = device.zeroed::<f32>(280)?;
    let keys = device.zeroed::<bf16>(2 * 90 * 64 - 1)?;
    let mut attend = |shape| {
        let tensors = AttentionTensors {
            queries: &some,
            keys: &keys,
            values: &some,
            results: &mut results,
            logarithms: &mut logarithms,
        };
        kernels
            .attention(&shape, tensors)
            .expect_err("it was started")
            .to_string()
    };
    assert_eq!(
        attend(SHAPE),
        "check: the launch of `attention` cannot work\n  \
         kernel-condition: elements of the results is 100; must be at least 17920 (elements that the kernel uses); \
         use 17920 or more\n  \
         kernel-condition: elements of the keys is 11519; must be at least 11520 (elements that the kernel uses); \
         use 11520 or more"
    );
    let refused = attend(AttentionShape {
        elements: 96,
        ..SHAPE
    });
    let expected =
        "head size is 96; must be one of 64, 128, 256 (compiled instances); use 64 or 128";
    assert!(refused.contains(expected), "{refused}");
    assert_eq!(
        attend(AttentionShape {
            sequences: 0,
            scale: 3e38,
            ..SHAPE
        }),
        "check: the launch of `attention` cannot work\n  \
         kernel-condition: sequences is 0; must be at least 1 (the grid must not be empty); use 1 or more\n  \
         kernel-condition: scale is 300000000000000000000000000000000000000; must be finite times log2(e) (powers of 2 are \
         computed); use 0.125"
    );
    Ok(())
}
