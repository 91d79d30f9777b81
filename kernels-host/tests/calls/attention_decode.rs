//! Attention to keys and values in pages.

use kernels_host::{CacheElement, DecodeShape, DecodeTensors, Kernels};
use tma_host::{Device, half::bf16};

use crate::support::{Broken, Result, assert_near, assert_refused, e4m3, everywhere, numbers};

/// Two sequences with pages of 16 keys; two heads of queries share each head of keys.
const SHAPE: DecodeShape = DecodeShape {
    sequences: 2,
    queries: 2,
    heads: 4,
    key_heads: 2,
    page_keys: 16,
    pages: 8,
    sequence_pages: 5,
    is_by_heads: false,
    scale: 0.1,
    cache_scales: [0.5, 2.0],
};
const ELEMENTS: usize = 128;
const LENGTHS: [u32; 2] = [70, 5];
/// The pages of both sequences; those that a sequence does not reach do not exist.
const PAGES: [[u32; 5]; 2] = [[6, 0, 7, 2, 3], [5, 99, 99, 99, 99]];

#[test]
fn queries_find_the_values_of_keys_in_pages() -> Result {
    queries_find_values(bf16::from_f32)
}

#[test]
fn keys_and_values_may_be_e4m3() -> Result {
    queries_find_values(e4m3)
}

/// Compares results and logarithms with their definition. `stored` returns the element of the cache with a whole number.
fn queries_find_values<C: CacheElement<bf16>>(stored: fn(f32) -> C) -> Result {
    let q = numbers(2 * 2 * 4 * ELEMENTS, 1);
    let k = numbers(8 * 16 * 2 * ELEMENTS, 2);
    let v = numbers(8 * 16 * 2 * ELEMENTS, 3);
    let (mut expected, mut expected_logarithms) = (Vec::new(), Vec::new());
    for (length, pages) in LENGTHS.iter().zip(PAGES) {
        let length = *length as usize;
        for query in 0..2 {
            for head in 0..4 {
                let q = &q[expected.len()..][..ELEMENTS];
                let at = |key: usize| {
                    let position = pages[key / 16] as usize * 16 + key % 16;
                    (position * 2 + head / 2) * ELEMENTS
                };
                // The last query is at the last key.
                let power = |key: usize| {
                    let products = q.iter().zip(&k[at(key)..]).map(|(q, k)| f64::from(q * k));
                    (0.1 * 0.5 * products.sum::<f64>()).exp()
                };
                let powers: Vec<f64> = (0..length - 1 + query).map(power).collect();
                let sum: f64 = powers.iter().sum();
                expected.extend((0..ELEMENTS).map(|element| {
                    let parts = powers.iter().enumerate();
                    let parts =
                        parts.map(|(key, power)| power * 2.0 * f64::from(v[at(key) + element]));
                    parts.sum::<f64>() / sum
                }));
                expected_logarithms.push(sum.ln());
            }
        }
    }
    let queries: Vec<bf16> = q.into_iter().map(bf16::from_f32).collect();
    let [keys, values] = [k, v].map(|numbers| numbers.into_iter().map(stored).collect::<Vec<C>>());
    for device in everywhere() {
        let kernels = Kernels::new(&device);
        let mut memory = kernels.decode_memory(&SHAPE)?;
        let queries = device.upload(&queries)?;
        let (keys, values) = (device.upload(&keys)?, device.upload(&values)?);
        let (lengths, page_table) = (device.upload(&LENGTHS)?, device.upload(&PAGES.concat())?);
        // The memory serves one call after the other.
        for _ in 0..2 {
            let mut results = device.zeroed::<bf16>(expected.len())?;
            let mut logarithms = device.zeroed::<f32>(expected_logarithms.len())?;
            let tensors = DecodeTensors {
                queries: &queries,
                keys: &keys,
                values: &values,
                lengths: &lengths,
                page_table: &page_table,
                results: &mut results,
                logarithms: &mut logarithms,
            };
            kernels.attention_decode(&SHAPE, tensors, &mut memory)?;
            let results: Vec<f32> = results.read()?.iter().map(|it| it.to_f32()).collect();
            assert_near(&results, &expected, 2e-2);
            assert_near(&logarithms.read()?, &expected_logarithms, 1e-4);
        }
    }
    Ok(())
}

/// Returns the error of a call with buffers of these lengths: queries, keys, values, lengths, page table, results and
/// logarithms. Its memory is that of a call with `memory_of`.
fn refused(shape: DecodeShape, memory_of: DecodeShape, lens: [usize; 7]) -> Result<String> {
    let device = Device::emulator(0);
    let kernels = Kernels::new(&device);
    let mut memory = kernels.decode_memory(&memory_of)?;
    let [queries, keys, values] = [0, 1, 2].map(|number| device.zeroed::<bf16>(lens[number]));
    let [lengths, page_table] = [3, 4].map(|number| device.zeroed::<u32>(lens[number]));
    let tensors = DecodeTensors {
        queries: &queries?,
        keys: &keys?,
        values: &values?,
        lengths: &lengths?,
        page_table: &page_table?,
        results: &mut device.zeroed(lens[5])?,
        logarithms: &mut device.zeroed(lens[6])?,
    };
    let called = kernels.attention_decode(&shape, tensors, &mut memory);
    Ok(called.expect_err("it was started").to_string())
}

/// The lengths of the buffers of [`SHAPE`].
const LENS: [usize; 7] = [2048, 32768, 32768, 2, 10, 2048, 16];

/// Returns the results and logarithms of two queries of one head, whose elements are all this one, and of one sequence.
fn attend<C: CacheElement<bf16>>(
    query: f32,
    length: u32,
    [keys, values]: [&[C]; 2],
) -> Result<(Vec<bf16>, Vec<f32>)> {
    let device = Device::emulator(0);
    let kernels = Kernels::new(&device);
    let shape = DecodeShape {
        sequences: 1,
        heads: 1,
        key_heads: 1,
        pages: 1,
        sequence_pages: 1,
        ..SHAPE
    };
    let mut results = device.zeroed::<bf16>(2 * ELEMENTS)?;
    let mut logarithms = device.zeroed::<f32>(2)?;
    let tensors = DecodeTensors {
        queries: &device.upload(&[bf16::from_f32(query); 2 * ELEMENTS])?,
        keys: &device.upload(keys)?,
        values: &device.upload(values)?,
        lengths: &device.upload(&[length])?,
        page_table: &device.zeroed(1)?,
        results: &mut results,
        logarithms: &mut logarithms,
    };
    let mut memory = kernels.decode_memory(&shape)?;
    kernels.attention_decode(&shape, tensors, &mut memory)?;
    Ok((results.read()?, logarithms.read()?))
}

#[test]
fn a_query_without_keys_has_no_results() -> Result {
    let ones = [bf16::ONE; 16 * ELEMENTS];
    // The first query would be before the only key.
    let (results, logarithms) = attend(1.0, 1, [&ones, &ones])?;
    assert_eq!(results[..ELEMENTS], [bf16::ZERO; ELEMENTS]);
    assert_eq!(results[ELEMENTS..], [bf16::from_f32(2.0); ELEMENTS]);
    assert_eq!(logarithms[0], f32::NEG_INFINITY);
    assert_near(&logarithms[1..], &[0.1 * 0.5 * 128.0], 1e-4);
    // The only page has 16 keys.
    assert_eq!(
        attend(1.0, 17, [&ones, &ones])?,
        attend(1.0, 16, [&ones, &ones])?
    );
    Ok(())
}

#[test]
fn nan_in_a_value_spreads_to_queries_that_do_not_see_its_key() -> Result {
    let keys = [bf16::ONE; 16 * ELEMENTS];
    let mut values = keys;
    values[ELEMENTS] = bf16::NAN;
    let (results, _) = attend(1.0, 2, [&keys, &values])?;
    let are_nan: Vec<usize> = (0..2 * ELEMENTS)
        .filter(|at| results[*at].is_nan())
        .collect();
    assert_eq!(are_nan, [0, ELEMENTS]);
    Ok(())
}

#[test]
fn queries_beside_e4m3_end_at_a_power_of_two() -> Result {
    // Zero, and the bits of the least number of `e4m3`, 1 / 512, in turn.
    let keys: Vec<u8> = (0..16 * ELEMENTS)
        .map(|at| (at / ELEMENTS % 2) as u8)
        .collect();
    let values = vec![e4m3(1.0); 16 * ELEMENTS];
    let (results, logarithms) = attend(f32::INFINITY, 2, [&keys, &values])?;
    assert_eq!(results, [bf16::from_f32(2.0); 2 * ELEMENTS]);
    // The scores are 0, and 128 / 512 times the query.
    let of_query = |query: f32| {
        let score = 0.1 * 0.5 * 128.0 / 512.0 * f64::from(query);
        [score + (-score).exp().ln_1p()]
    };
    let most = 2_f32.powi(64);
    assert_near(&logarithms[1..], &of_query(most), 1e-5);
    for query in [f32::MAX, most] {
        assert_eq!(attend(query, 2, [&keys, &values])?.1, logarithms);
    }
    // All eight bits of a query count.
    for query in [255.0 * 256.0, 255.0 / 4.0, 255.0 / 1024.0] {
        let logarithms = attend(query, 2, [&keys, &values])?.1;
        assert_near(&logarithms[1..], &of_query(query), 1e-6);
    }
    Ok(())
}

#[test]
fn memory_of_another_device_is_refused() -> Result {
    let [device, other] = [Device::emulator(0), Device::emulator(0)];
    let mut memory = Kernels::new(&other).decode_memory(&SHAPE)?;
    let cache = device.zeroed::<bf16>(LENS[1])?;
    let tensors = DecodeTensors {
        queries: &device.zeroed(LENS[0])?,
        keys: &cache,
        values: &cache,
        lengths: &device.zeroed(LENS[3])?,
        page_table: &device.zeroed(LENS[4])?,
        results: &mut device.zeroed(LENS[5])?,
        logarithms: &mut device.zeroed(LENS[6])?,
    };
    let called = Kernels::new(&device).attention_decode(&SHAPE, tensors, &mut memory);
    assert_eq!(
        called.expect_err("it was started").to_string(),
        "check: `attention_decode` is on emulator (sm_90a), with the memory for parts on another device: use buffers of one \
         `Device` or its clones; opening the same GPU again creates another device"
    );
    Ok(())
}

#[test]
fn short_buffers_are_refused_together() -> Result {
    let small = DecodeShape {
        sequence_pages: 0,
        ..SHAPE
    };
    let message = refused(SHAPE, small, LENS.map(|len| len - 1))?;
    let mut expected = "check: the launch of `attention_decode` cannot work".to_owned();
    for (name, len, needed) in [
        ("the results", 2047, 2048),
        ("the queries", 2047, 2048),
        ("the keys", 32767, 32768),
        ("the values", 32767, 32768),
        ("the lengths", 1, 2),
        ("the page table", 9, 10),
        ("the memory for parts", 17408, 34816),
        ("the counters", 4, 8),
        ("the logarithms", 15, 16),
    ] {
        expected += &format!(
            "\n  kernel-condition: elements of {name} is {len}; must be at least {needed} (elements that the kernel uses); \
             use {needed} or more"
        );
    }
    assert_eq!(message, expected);
    Ok(())
}

#[test]
fn each_argument_that_does_not_fit_is_refused() -> Result {
    let cases: &[Broken<'_, DecodeShape>] = &[
        (
            |shape| shape.queries = 0,
            "queries is 0; must be 1 to 16 (the last positions of a sequence); use 1",
        ),
        (
            |shape| shape.queries = 17,
            "queries is 17; must be 1 to 16 (the last positions of a sequence); use 16",
        ),
        (
            |shape| shape.heads = 0,
            "heads is 0; must be 1 to 4194304 (coordinates have 32 bits); use 1",
        ),
        (
            |shape| shape.heads = (1 << 22) + 2,
            "heads is 4194306; must be 1 to 4194304 (coordinates have 32 bits); use 4194304",
        ),
        (
            |shape| shape.heads = 5,
            "heads is 5; must be a multiple of 2 (each head of keys serves the same number of heads of queries); use 4 or 6",
        ),
        (
            |shape| shape.key_heads = 0,
            "heads of keys is 0; must be 1 to 4 (each head of keys serves one or more heads of queries); use 1",
        ),
        (
            |shape| shape.key_heads = 5,
            "heads of keys is 5; must be 1 to 4 (each head of keys serves one or more heads of queries); use 4",
        ),
        (
            |shape| shape.page_keys = 0,
            "keys of a page is 0; must be one of 16, 32, 64, 128 (tiles of 64 keys are whole pages or parts of one); use 16",
        ),
        (
            |shape| shape.page_keys = 48,
            "keys of a page is 48; must be one of 16, 32, 64, 128 (tiles of 64 keys are whole pages or parts of one); use 32 \
             or 64",
        ),
        (
            |shape| shape.sequences = 0,
            "sequences is 0; must be 1 to 4194304; use 1",
        ),
        (
            |shape| shape.sequences = (1 << 22) + 1,
            "sequences is 4194305; must be 1 to 4194304; use 4194304",
        ),
        (
            |shape| shape.pages = 0,
            "pages is 0; must be 1 to 2147483647 (coordinates have 31 bits); use 1",
        ),
        (
            |shape| shape.sequence_pages = (1 << 26) + 1,
            "pages of a sequence is 67108865; must be 0 to 67108864 (differences of positions have 32 bits); use 67108864",
        ),
        (
            |shape| (shape.sequences, shape.sequence_pages) = (1 << 22, 1 << 20),
            "tiles of all sequences and heads of keys is 2199023255552; must be 1 to 2147483647 (a sequence has the tiles of its \
             pages, of 64 or 128 keys; all are counted in 31 bits); use 2147483647",
        ),
        (
            |shape| shape.scale = -1.0,
            "scale is -1; must be positive and finite (the greatest score must stay the greatest); use 0.088388346",
        ),
        (
            |shape| shape.scale = 3e38,
            "scale is 300000000000000000000000000000000000000; must be finite times log2(e) (powers of 2 are computed); \
             use 0.088388346",
        ),
        (
            |shape| shape.page_keys = u32::MAX,
            "keys of a page is 4294967295; must be one of 16, 32, 64, 128 (tiles of 64 keys are whole pages or parts of \
             one); use 128",
        ),
        (
            |shape| shape.cache_scales = [f32::NAN, 1.0],
            "scale of keys is NaN; must be positive and finite; use 1",
        ),
        (
            |shape| shape.cache_scales = [1.0, 0.0],
            "scale of values is 0; must be positive and finite; use 1",
        ),
        (
            |shape| (shape.scale, shape.cache_scales[0]) = (1e30, 1e30),
            "scale of keys is 1000000000000000000000000000000; must leave the factor of the scores positive and finite; use 1",
        ),
    ];
    assert_refused("attention_decode", SHAPE, cases, |shape| {
        refused(shape, SHAPE, LENS).expect("the buffers are allocated")
    });
    Ok(())
}
