//! Attention to keys and values in pages.

use kernels_host::{DecodeShape, DecodeTensors, Kernels};
use tma_host::{Device, half::bf16};

use crate::support::{Result, assert_near, everywhere, numbers};

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
};
const ELEMENTS: usize = 128;
const LENGTHS: [u32; 2] = [70, 5];
/// The pages of both sequences; those that a sequence does not reach do not exist.
const PAGES: [[u32; 5]; 2] = [[6, 0, 7, 2, 3], [5, 99, 99, 99, 99]];

#[test]
fn queries_find_the_values_of_keys_in_pages() -> Result {
    let q = numbers(2 * 2 * 4 * ELEMENTS, 1);
    let k = numbers(8 * 16 * 2 * ELEMENTS, 2);
    let v = numbers(8 * 16 * 2 * ELEMENTS, 3);
    let mut expected = Vec::new();
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
                    (0.1 * products.sum::<f64>()).exp()
                };
                let powers: Vec<f64> = (0..length - 1 + query).map(power).collect();
                let sum: f64 = powers.iter().sum();
                expected.extend((0..ELEMENTS).map(|element| {
                    let parts = powers.iter().enumerate();
                    let parts = parts.map(|(key, power)| power * f64::from(v[at(key) + element]));
                    parts.sum::<f64>() / sum
                }));
            }
        }
    }
    let rounded =
        |numbers: &[f32]| -> Vec<bf16> { numbers.iter().copied().map(bf16::from_f32).collect() };
    for device in everywhere() {
        let kernels = Kernels::new(&device);
        let mut memory = kernels.decode_memory(&SHAPE)?;
        let (q, k, v) = (
            device.upload(&rounded(&q))?,
            device.upload(&rounded(&k))?,
            device.upload(&rounded(&v))?,
        );
        let (lengths, page_table) = (device.upload(&LENGTHS)?, device.upload(&PAGES.concat())?);
        // The memory serves one call after the other.
        for _ in 0..2 {
            let mut results = device.zeroed::<bf16>(expected.len())?;
            let tensors = DecodeTensors {
                queries: &q,
                keys: &k,
                values: &v,
                lengths: &lengths,
                page_table: &page_table,
                results: &mut results,
            };
            kernels.attention_decode(&SHAPE, tensors, &mut memory)?;
            let results: Vec<f32> = results.read()?.iter().map(|it| it.to_f32()).collect();
            assert_near(&results, &expected, 2e-2);
        }
    }
    Ok(())
}

#[test]
fn extents_and_memory_that_do_not_fit_are_refused() -> Result {
    let device = Device::emulator(0);
    let kernels = Kernels::new(&device);
    let some = device.zeroed::<bf16>(8 * 16 * 2 * ELEMENTS)?;
    let (lengths, page_table) = (device.zeroed::<u32>(2)?, device.zeroed::<u32>(9)?);
    let mut results = device.zeroed::<bf16>(2 * 2 * 4 * ELEMENTS)?;
    let small = DecodeShape {
        sequence_pages: 0,
        ..SHAPE
    };
    let mut memory = kernels.decode_memory(&small)?;
    let mut attend = |shape| {
        let tensors = DecodeTensors {
            queries: &some,
            keys: &some,
            values: &some,
            lengths: &lengths,
            page_table: &page_table,
            results: &mut results,
        };
        kernels
            .attention_decode(&shape, tensors, &mut memory)
            .expect_err("it was started")
            .to_string()
    };
    assert_eq!(
        attend(SHAPE),
        "check: the launch of `attention_decode` cannot work\n  \
         kernel-condition: elements of the page table is 9; must be at least 10 (elements that the kernel uses); use 10 or \
         more\n  \
         kernel-condition: elements of the memory for parts is 17408; must be at least 34816 (elements that the kernel \
         uses); use 34816 or more\n  \
         kernel-condition: elements of the counters is 4; must be at least 8 (elements that the kernel uses); use 8 or more"
    );
    let refused = attend(DecodeShape {
        page_keys: 48,
        queries: 17,
        ..SHAPE
    });
    for expected in [
        "queries is 17; must be 1 to 16 (the last positions of a sequence); use 16",
        "keys of a page is 48; must be one of 16, 32, 64, 128 (tiles of 64 keys are whole pages or parts of one); use 32 or 64",
    ] {
        assert!(refused.contains(expected), "{refused}");
    }
    Ok(())
}
