//! Attention against its definition, in `f64`.

use half::{bf16, f16};
use kernels_gpu::{
    attention::{Attention, Packed},
    gemm::Numbers,
};
use tests_references::Attention as Reference;
use tma_launch::Buffer;

use super::{Kernel, kept, numbers};
use crate::{Expected, Format, Scenario};

pub(super) const KERNEL: Kernel = Kernel {
    name: "attention",
    summary: "attention by tensor cores: softmax of one tile of keys while values of another are multiplied",
    golden: &["attention_128_bf16_true"],
    showcase: || {
        scenario(&Attention {
            is_causal: true,
            ..of([150, 200], 128)
        })
    },
    cases,
};

/// One head, with this many queries and keys.
fn of([queries, keys]: [u32; 2], elements: u32) -> Attention {
    Attention {
        elements,
        queries,
        keys,
        scale: 1.0 / (elements as f32).sqrt(),
        ..Attention::default()
    }
}

fn cases() -> Vec<Scenario> {
    let mut cases = vec![
        // No keys at all.
        of([3, 0], 128),
        // Greater scores let a few powers dominate a sum.
        Attention {
            scale: 2.0,
            ..of([70, 130], 128)
        },
        // More tiles of keys than the pipeline has stages.
        of([65, 1000], 128),
        // Heads of several sequences, three for each head of keys.
        Attention {
            sequences: 2,
            heads: 6,
            key_heads: 2,
            ..of([130, 131], 64)
        },
        // Blocks have several items each.
        Attention {
            multiprocessors: 5,
            heads: 6,
            ..of([130, 140], 128)
        },
        Attention {
            multiprocessors: 1,
            heads: 5,
            ..of([20, 100], 128)
        },
        Attention {
            multiprocessors: 2,
            heads: 3,
            ..of([129, 0], 256)
        },
        Attention {
            multiprocessors: 1,
            heads: 4,
            ..of([40, 100], 256)
        },
        Attention {
            multiprocessors: 1,
            heads: 5,
            is_causal: true,
            ..of([20, 100], 64)
        },
        // Several items, with fewer tiles of keys in later ones.
        Attention {
            multiprocessors: 3,
            heads: 4,
            is_causal: true,
            ..of([400, 450], 64)
        },
        Attention {
            multiprocessors: 4,
            heads: 3,
            is_causal: true,
            ..of([300, 290], 256)
        },
        Attention {
            sequences: 3,
            heads: 2,
            key_heads: 1,
            is_causal: true,
            ..of([9, 40], 128)
        },
    ];
    for elements in [64, 128, 256] {
        for numbers in [Numbers::Bf16, Numbers::F16] {
            for is_causal in [false, true] {
                // Less than a tile; whole ones; odd ones. Queries before the first key have no keys.
                for extents in [[1, 1], [128, 128], [257, 143], [77, 259]] {
                    cases.push(Attention {
                        numbers,
                        is_causal,
                        ..of(extents, elements)
                    });
                }
            }
        }
    }
    let mut cases: Vec<Scenario> = cases.iter().map(scenario).collect();
    // Sequences with their own lengths: none, one, whole tiles, and an invalid length; the longest is not the first.
    let lengths = [
        [1, 1],
        [0, 7],
        [128, 128],
        [130, 70],
        [64, 200],
        [65, 0],
        [3, 129],
    ];
    cases.push(packed(&of([130, 70], 128), &[[130, 70], [3, 9]]));
    // Equal scores have equal weights, though exponents of this size are rounded, in all tiles.
    for elements in [64, 128, 256] {
        let attention = Attention {
            scale: 1e5,
            ..of([70, 1000], elements)
        };
        cases.push(of_lengths(&attention, &[[70, 1000]], true));
    }
    for elements in [64, 128, 256] {
        for is_causal in [false, true] {
            let attention = Attention {
                heads: 2,
                is_causal,
                numbers: if is_causal {
                    Numbers::F16
                } else {
                    Numbers::Bf16
                },
                ..of([130, 200], elements)
            };
            cases.push(packed(&attention, &lengths));
        }
    }
    cases
}

/// The bits of numbers of a type from -1 to 1, and their values.
pub(super) fn random(numbers_are: Numbers, len: usize, seed: usize) -> (Vec<u16>, Vec<f64>) {
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

/// The number of the first query and of the first key of each sequence, and after them the number of all.
pub(super) fn starts(lengths: &[[u32; 2]]) -> [Vec<u32>; 2] {
    [0, 1].map(|which| {
        let sum = |sum: &mut u32, length: &[u32; 2]| {
            *sum += length[which];
            Some(*sum)
        };
        let ends = lengths.iter().scan(0, sum);
        [0].into_iter().chain(ends).collect()
    })
}

/// The logarithms of all sequences in the order of their tensor. If sequences are packed, the queries of a head are contiguous
/// over all sequences.
pub(super) fn in_tensor(
    of_sequences: &[Vec<f64>],
    heads: usize,
    packed: Option<Packed>,
) -> Vec<f64> {
    if packed.is_none() {
        return of_sequences.concat();
    }
    let of_head = |head: usize| {
        of_sequences.iter().flat_map(move |all| {
            let each = all.len() / heads;
            all[head * each..][..each].to_vec()
        })
    };
    (0..heads).flat_map(of_head).collect()
}

/// Sequences of equal lengths.
fn scenario(attention: &Attention) -> Scenario {
    let lengths = vec![[attention.queries, attention.keys]; attention.sequences as usize];
    of_lengths(attention, &lengths, false)
}

/// Sequences of this many queries and keys, one after the other.
fn packed(attention: &Attention, lengths: &[[u32; 2]]) -> Scenario {
    let all = |which: usize| lengths.iter().map(|length| length[which]).sum();
    let attention = Attention {
        sequences: lengths.len() as u32,
        packed: Some(Packed {
            queries: all(0),
            keys: all(1),
            query_starts: 5,
            key_starts: 6,
        }),
        ..*attention
    };
    of_lengths(&attention, lengths, false)
}

/// The same, where all keys may be equal.
fn of_lengths(attention: &Attention, lengths: &[[u32; 2]], has_equal_keys: bool) -> Scenario {
    let Attention {
        numbers,
        is_causal,
        sequences,
        ..
    } = *attention;
    let [elements, heads, key_heads] =
        [attention.elements, attention.heads, attention.key_heads].map(|extent| extent as usize);
    let starts = starts(lengths);
    let [all_queries, all_keys] = [0, 1].map(|which| starts[which][lengths.len()] as usize);
    let of_queries = all_queries * heads * elements;
    let of_keys = all_keys * key_heads * elements;
    let (q_bits, q) = random(numbers, of_queries, 0);
    let (mut k_bits, mut k) = random(numbers, of_keys, 1000);
    if has_equal_keys {
        let of_key = key_heads * elements;
        k_bits = k_bits[..of_key].repeat(all_keys);
        k = k[..of_key].repeat(all_keys);
    }
    let (v_bits, v) = random(numbers, of_keys, 2000);
    let mut results = Vec::new();
    let of_sequence = |number: usize| {
        let ends = [0, 1].map(|which| starts[which][number..][..2].iter());
        let [queries, keys] = ends.map(|ends| ends.map(|end| *end as usize).collect::<Vec<_>>());
        let of = |numbers: &[f64], ends: &[usize], heads: usize| {
            numbers[ends[0] * heads * elements..ends[1] * heads * elements].to_vec()
        };
        let reference = Reference {
            elements,
            sequences: 1,
            queries: queries[1] - queries[0],
            keys: keys[1] - keys[0],
            heads,
            key_heads,
            scale: f64::from(attention.scale),
            is_causal,
        };
        let (of_keys, of_values) = (of(&k, &keys, key_heads), of(&v, &keys, key_heads));
        let (more, logarithms) = reference.of(&of(&q, &queries, heads), &of_keys, &of_values);
        results.extend(more);
        logarithms
    };
    let logarithms: Vec<Vec<f64>> = (0..lengths.len()).map(of_sequence).collect();
    let logarithms = in_tensor(&logarithms, heads, attention.packed);
    // The error of the results is dominated by the powers, which are rounded too.
    let (format, relative_l2) = match numbers {
        Numbers::Bf16 => (Format::Bf16, 4e-3),
        Numbers::F16 => (Format::F16, 5e-4),
    };
    Scenario {
        name: format!(
            "{elements}_{numbers:?}_causal_{is_causal}_{sequences}x{heads}_of_{key_heads}_{}x{}_scale_{}{}{}",
            attention.queries,
            attention.keys,
            attention.scale,
            attention.packed.map_or("", |_| "_packed"),
            if has_equal_keys { "_equal_keys" } else { "" },
        ),
        buffers: vec![
            Buffer::new("results", &vec![u16::MAX; of_queries]),
            Buffer::new("queries", &q_bits),
            Buffer::new("keys", &k_bits),
            Buffer::new("values", &v_bits),
            Buffer::new("logarithms", &vec![f32::NAN; logarithms.len()]),
            Buffer::new("query starts", &starts[0]),
            Buffer::new("key starts", &starts[1]),
        ],
        launches: vec![kept(attention.launch())],
        expected: vec![
            Expected::near(0, format, results, relative_l2),
            Expected::near(4, Format::F32, logarithms, 1e-5),
            Expected::of(1, &q_bits),
            Expected::of(2, &k_bits),
            Expected::of(3, &v_bits),
        ],
    }
}
