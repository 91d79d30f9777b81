//! Attention to a cache in pages against its definition, in `f64`.

use half::{bf16, f16};
use kernels_gpu::{
    attention_decode::{AttentionDecode, ELEMENTS},
    gemm::Numbers,
};
use tests_references::{Attention as Reference, e4m3};
use tma_launch::Buffer;

use super::{Kernel, kept, numbers};
use crate::{Expected, Format, Scenario};

pub(super) const KERNEL: Kernel = Kernel {
    name: "attention_decode",
    summary: "attention of the last queries of sequences to keys and values in pages: every block has as many keys",
    golden: &["attention_decode_bf16", "attention_decode_fp8_bf16"],
    showcase: || scenario(&of([3, 8, 2], 64), &[70, 130, 5]),
    cases,
};

/// Queries of a sequence, heads of queries and of keys; pages of this many keys.
fn of([queries, heads, key_heads]: [u32; 3], page_keys: u32) -> AttentionDecode {
    AttentionDecode {
        queries,
        heads,
        key_heads,
        page_keys,
        // Blocks have several tiles, and most heads have several blocks.
        multiprocessors: 3,
        ..AttentionDecode::default()
    }
}

/// The same with keys and values of `e4m3`.
fn of_e4m3(decode: AttentionDecode) -> AttentionDecode {
    AttentionDecode {
        is_e4m3: true,
        cache_scales: [1.0 / 256.0, 0.02],
        ..decode
    }
}

/// The queries and keys.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Given {
    /// Numbers from -1 to 1.
    Random,
    /// The same, but all keys of a sequence are equal, and so are their scores.
    EqualKeys,
    /// All queries are zero.
    ZeroQueries,
}

fn cases() -> Vec<Scenario> {
    let mut cases = vec![
        // Fewer tiles than blocks.
        scenario(&of([1, 2, 1], 64), &[100, 10]),
        // Blocks have many short sequences, more than a warp has lanes.
        scenario(
            &AttentionDecode {
                multiprocessors: 1,
                ..of([1, 1, 1], 16)
            },
            &(0..40).map(|length| length % 19).collect::<Vec<_>>(),
        ),
        // Blocks have several sequences, and use all stages several times.
        scenario(
            &AttentionDecode {
                multiprocessors: 1,
                ..of([1, 1, 1], 64)
            },
            &[70; 10],
        ),
        // Greater scores let a few powers dominate a sum.
        scenario(
            &AttentionDecode {
                scale: 2.0,
                ..of([2, 2, 2], 32)
            },
            &[130, 70],
        ),
        // More rows than a block has.
        scenario(&of([16, 9, 1], 64), &[100, 16]),
        // All of the second stage of the ring, several times.
        scenario(
            &AttentionDecode {
                multiprocessors: 1,
                ..of([1, 1, 1], 128)
            },
            &[1000],
        ),
        scenario(
            &of_e4m3(AttentionDecode {
                multiprocessors: 1,
                ..of([1, 1, 1], 128)
            }),
            &[1000],
        ),
        scenario(&of_e4m3(of([16, 9, 1], 64)), &[100, 16]),
    ];
    // Parts are merged six at a time: one more than six; 37, in three rounds, beside others that share a block; parts of
    // 128 rows, whose heads share blocks.
    for (rows, multiprocessors, lengths) in [
        ([1, 2, 1], 4, &[440][..]),
        ([3, 4, 1], 20, &[130, 2500, 70]),
        ([16, 16, 2], 5, &[900, 300]),
    ] {
        let decode = AttentionDecode {
            multiprocessors,
            ..of(rows, 64)
        };
        cases.push(scenario(&decode, lengths));
        cases.push(scenario(&of_e4m3(decode), lengths));
    }
    // Equal scores have equal weights, though exponents of this size are rounded, in all tiles and in all parts.
    for multiprocessors in [1, 5] {
        let decode = AttentionDecode {
            scale: 1e5,
            multiprocessors,
            ..of([1, 2, 1], 64)
        };
        let e4m3 = AttentionDecode {
            scale: 1e7,
            ..of_e4m3(decode)
        };
        for decode in [decode, e4m3] {
            cases.push(scenario_of(&decode, &[1000], Given::EqualKeys));
        }
    }
    // The power of two of a row of zeros is the least, and the product of all factors less than a number can be.
    let decode = AttentionDecode {
        cache_scales: [1e-30, 0.02],
        ..of_e4m3(of([1, 2, 1], 64))
    };
    cases.push(scenario_of(&decode, &[100], Given::ZeroQueries));
    for page_keys in [16, 32, 64, 128] {
        for numbers in [Numbers::Bf16, Numbers::F16] {
            // One row; several of one warp; of all warps; of two warpgroups.
            for rows in [[1, 2, 2], [3, 8, 2], [16, 4, 1], [16, 5, 1]] {
                let decode = AttentionDecode {
                    numbers,
                    is_by_heads: rows[0] == 3,
                    ..of(rows, page_keys)
                };
                // No key; fewer than queries; whole tiles; a key more than a tile has.
                let lengths = [70, 0, 64, 2, 129];
                cases.push(scenario(&decode, &lengths));
                cases.push(scenario(&of_e4m3(decode), &lengths));
            }
        }
    }
    cases
}

/// The bits of numbers of a type from -1 to 1, and their values.
fn random(numbers_are: Numbers, len: usize, seed: usize) -> (Vec<u16>, Vec<f64>) {
    let random = numbers(seed + len).into_iter().skip(seed);
    let random = random.map(|number| f64::from(number) / f64::from(1 << 23));
    let rounded = random.map(|value| match numbers_are {
        Numbers::Bf16 => {
            let number = bf16::from_f64(value);
            (number.to_bits(), number.to_f64())
        }
        Numbers::F16 => {
            let number = f16::from_f64(value);
            (number.to_bits(), number.to_f64())
        }
    });
    rounded.unzip()
}

/// The bytes of the elements of a cache, and their values.
fn random_cache(decode: &AttentionDecode, len: usize, seed: usize) -> (Vec<u8>, Vec<f64>) {
    if decode.is_e4m3 {
        let any = numbers(seed + len).into_iter().skip(seed);
        // All but NaN.
        let bits = any.map(|number| {
            if number & 0x7f == 0x7f {
                0
            } else {
                number as u8
            }
        });
        return bits.map(|bits| (bits, e4m3(bits))).unzip();
    }
    let (bits, values) = random(decode.numbers, len, seed);
    (
        bits.into_iter().flat_map(u16::to_le_bytes).collect(),
        values,
    )
}

fn scenario(decode: &AttentionDecode, lengths: &[u32]) -> Scenario {
    scenario_of(decode, lengths, Given::Random)
}

/// Sequences of these lengths, with a page more than they need. Keys and values that do not exist are NaN.
fn scenario_of(decode: &AttentionDecode, lengths: &[u32], given: Given) -> Scenario {
    let longest = lengths.iter().copied().max().unwrap_or(0);
    let sequence_pages = longest.div_ceil(decode.page_keys) + 1;
    let sequences = lengths.len() as u32;
    let decode = AttentionDecode {
        sequences,
        sequence_pages,
        pages: sequences * sequence_pages,
        ..*decode
    };
    let AttentionDecode { numbers, pages, .. } = decode;
    let [elements, queries, heads, key_heads, page_keys] = [
        ELEMENTS,
        decode.queries,
        decode.heads,
        decode.key_heads,
        decode.page_keys,
    ]
    .map(|extent| extent as usize);
    // Neighbouring pages of a sequence are far apart. The last one of each does not exist.
    let table: Vec<u32> = (0..pages)
        .map(|number| match (number + 1) % sequence_pages {
            0 => u32::MAX,
            _ => (7 * number + 3) % pages,
        })
        .collect();
    assert!(pages % 7 != 0, "no two places have the same page");
    let of_queries = sequences as usize * queries * heads * elements;
    let of_cache = pages as usize * page_keys * key_heads * elements;
    let (mut q_bits, mut q) = random(numbers, of_queries, 0);
    if given == Given::ZeroQueries {
        q_bits.fill(0);
        q.fill(0.0);
    }
    let element_bytes = if decode.is_e4m3 { 1 } else { 2 };
    // A NaN of each type.
    let nan = [0xff, 0x7f][..element_bytes].repeat(of_cache);
    let of_keys = lengths.iter().sum::<u32>() as usize * key_heads * elements;
    let mut seeds = [1000, 2000].into_iter().zip(decode.cache_scales);
    let mut caches = [(); 2].map(|()| {
        let (seed, scale) = seeds.next().expect("there are two");
        let (mut bytes, mut values) = random_cache(&decode, of_keys, seed);
        if given == Given::EqualKeys && seed == 1000 {
            let of_key = key_heads * elements;
            bytes = bytes[..of_key * element_bytes].repeat(of_keys / of_key);
            values = values[..of_key].repeat(of_keys / of_key);
        }
        let values = values.iter().map(|value| value * f64::from(scale));
        (nan.clone(), bytes, values.collect::<Vec<f64>>())
    });
    let (mut results, mut logarithms) = (Vec::new(), Vec::new());
    let mut before = 0;
    for (sequence, length) in lengths.iter().enumerate() {
        let length = *length as usize;
        let row = key_heads * elements;
        let mut values = Vec::new();
        for (cache, bytes, exact) in &mut caches {
            for key in 0..length {
                let page = table[sequence * sequence_pages as usize + key / page_keys] as usize;
                for head in 0..key_heads {
                    let of_key = key % page_keys;
                    let place = match decode.is_by_heads {
                        true => (page * key_heads + head) * page_keys + of_key,
                        false => (page * page_keys + of_key) * key_heads + head,
                    };
                    let from = (before + key) * row + head * elements;
                    let [to, from] = [place * elements, from].map(|at| at * element_bytes);
                    let of_head = elements * element_bytes;
                    cache[to..][..of_head].copy_from_slice(&bytes[from..][..of_head]);
                }
            }
            values.push(exact[before * row..][..length * row].to_vec());
        }
        let reference = Reference {
            elements,
            sequences: 1,
            queries,
            keys: length,
            heads,
            key_heads,
            scale: f64::from(decode.scale),
            is_causal: true,
        };
        let of_sequence = queries * heads * elements;
        let q = &q[sequence * of_sequence..][..of_sequence];
        let (of_queries, of_sums) = reference.of(q, &values[0], &values[1]);
        results.extend(of_queries);
        // The reference has the queries of a head one after the other.
        let heads_of = |query| (0..heads).map(move |head| head * queries + query);
        logarithms.extend((0..queries).flat_map(heads_of).map(|at| of_sums[at]));
        before += length;
    }
    // The error of the results is dominated by the powers, which are rounded too, or by the scores: beside `e4m3`, queries have
    // eight bits, and sums of products 13.
    let (format, relative_l2) = match numbers {
        Numbers::Bf16 => (Format::Bf16, 4e-3),
        Numbers::F16 if decode.is_e4m3 => (Format::F16, 1e-3),
        Numbers::F16 => (Format::F16, 5e-4),
    };
    let of_logarithms = if decode.is_e4m3 { 2e-4 } else { 1e-5 };
    let partials = vec![f32::NAN; decode.partials_len() as usize];
    let counters = vec![0_u32; decode.counters_len() as usize];
    let [(keys, ..), (values, ..)] = caches;
    Scenario {
        name: format!(
            "{numbers:?}{}_{queries}x{heads}_of_{key_heads}_pages_of_{page_keys}_lengths_{}x{longest}_scale_{}{}{}",
            if decode.is_e4m3 { "_e4m3" } else { "" },
            lengths.len(),
            decode.scale,
            if decode.is_by_heads { "_by_heads" } else { "" },
            match given {
                Given::Random => String::new(),
                _ => format!("_{given:?}_{}_blocks", decode.multiprocessors),
            },
        ),
        buffers: vec![
            Buffer::new("results", &vec![u16::MAX; of_queries]),
            Buffer::new("queries", &q_bits),
            Buffer::new("keys", &keys),
            Buffer::new("values", &values),
            Buffer::new("lengths", lengths),
            Buffer::new("page table", &table),
            Buffer::new("partials", &partials),
            Buffer::new("counters", &counters),
            Buffer::new("logarithms", &vec![f32::NAN; logarithms.len()]),
        ],
        // The counters are zero again.
        launches: vec![kept(decode.launch()), kept(decode.launch())],
        expected: vec![
            Expected::near(0, format, results, relative_l2),
            Expected::of(7, &counters),
            Expected::near(8, Format::F32, logarithms, of_logarithms),
        ],
    }
}
