//! The gradients of attention against their definition, in `f64`.

use half::{bf16, f16};
use kernels_gpu::{attention::Packed, attention_backward::AttentionBackward, gemm::Numbers};
use tests_references::Attention as Reference;
use tma_launch::Buffer;

use super::{
    Kernel,
    attention::{in_tensor, random, starts},
};
use crate::{Expected, Format, Scenario};

pub(super) const KERNEL: Kernel = Kernel {
    name: "attention_backward",
    summary: "gradients of attention by tensor cores: of keys in registers, of queries by bulk reductions",
    golden: &["attention_backward_128_bf16_true_false"],
    showcase: || {
        scenario(&AttentionBackward {
            is_causal: true,
            ..of([70, 140])
        })
    },
    cases,
};

/// One head, with this many queries and keys.
fn of([queries, keys]: [u32; 2]) -> AttentionBackward {
    AttentionBackward {
        queries,
        keys,
        ..AttentionBackward::default()
    }
}

fn cases() -> Vec<Scenario> {
    let mut cases = vec![
        // Greater scores let a few powers dominate a sum.
        AttentionBackward {
            scale: 2.0,
            ..of([70, 130])
        },
        // Each stage is filled several times, and two blocks finish the queries.
        of([600, 65]),
        // Heads of several sequences, three for each head of keys.
        AttentionBackward {
            sequences: 2,
            heads: 6,
            key_heads: 2,
            ..of([130, 131])
        },
        // A block fills each stage five times.
        AttentionBackward {
            heads: 5,
            is_causal: true,
            ..of([70, 70])
        },
        AttentionBackward {
            sequences: 3,
            heads: 2,
            key_heads: 1,
            is_causal: true,
            is_ordered: true,
            ..of([70, 140])
        },
    ];
    for numbers in [Numbers::Bf16, Numbers::F16] {
        for is_causal in [false, true] {
            for is_ordered in [false, true] {
                // Less than a tile; whole ones; odd ones. Queries before the first key have no keys.
                for extents in [[5, 3], [128, 256], [257, 143], [77, 259]] {
                    cases.push(AttentionBackward {
                        numbers,
                        is_causal,
                        is_ordered,
                        ..of(extents)
                    });
                }
            }
        }
    }
    let of_64 = cases.clone().into_iter().map(|of_128| AttentionBackward {
        elements: 64,
        ..of_128
    });
    cases.extend(of_64);
    let mut cases: Vec<Scenario> = cases.iter().map(scenario).collect();
    // Sequences with their own lengths: none, one, whole tiles; the longest is not the first.
    let lengths = [
        [1, 1],
        [0, 7],
        [128, 128],
        [130, 70],
        [64, 200],
        [65, 0],
        [3, 129],
    ];
    for elements in [64, 128] {
        for is_causal in [false, true] {
            for is_ordered in [false, true] {
                let backward = AttentionBackward {
                    numbers: if is_causal {
                        Numbers::F16
                    } else {
                        Numbers::Bf16
                    },
                    elements,
                    heads: 2,
                    key_heads: if is_ordered { 1 } else { 2 },
                    is_causal,
                    is_ordered,
                    ..of([130, 200])
                };
                cases.push(packed(&backward, &lengths));
            }
        }
    }
    cases
}

/// Sequences of equal lengths.
fn scenario(backward: &AttentionBackward) -> Scenario {
    let lengths = vec![[backward.queries, backward.keys]; backward.sequences as usize];
    of_lengths(backward, &lengths)
}

/// Sequences of this many queries and keys, one after the other.
fn packed(backward: &AttentionBackward, lengths: &[[u32; 2]]) -> Scenario {
    let all = |which: usize| lengths.iter().map(|length| length[which]).sum();
    let backward = AttentionBackward {
        sequences: lengths.len() as u32,
        packed: Some(Packed {
            queries: all(0),
            keys: all(1),
            query_starts: 12,
            key_starts: 13,
        }),
        ..*backward
    };
    of_lengths(&backward, lengths)
}

fn of_lengths(backward: &AttentionBackward, lengths: &[[u32; 2]]) -> Scenario {
    let AttentionBackward {
        numbers,
        sequences,
        queries,
        keys,
        is_causal,
        is_ordered,
        scale,
        ..
    } = *backward;
    let [elements, heads, key_heads] =
        [backward.elements, backward.heads, backward.key_heads].map(|extent| extent as usize);
    let starts = starts(lengths);
    let of_queries = starts[0][lengths.len()] as usize * heads * elements;
    let of_keys = starts[1][lengths.len()] as usize * key_heads * elements;
    let (q_bits, q) = random(numbers, of_queries, 0);
    let (k_bits, k) = random(numbers, of_keys, 1000);
    let (v_bits, v) = random(numbers, of_keys, 2000);
    let (gradient_bits, gradients) = random(numbers, of_queries, 3000);
    let mut results = Vec::new();
    let mut expected = [Vec::new(), Vec::new(), Vec::new()];
    let mut of_sequence = |number: usize| {
        let own = |numbers: &[f64], which: usize, heads: usize| {
            let [start, end] =
                [0, 1].map(|at| starts[which][number + at] as usize * heads * elements);
            numbers[start..end].to_vec()
        };
        let reference = Reference {
            elements,
            sequences: 1,
            queries: lengths[number][0] as usize,
            keys: lengths[number][1] as usize,
            heads,
            key_heads,
            scale: f64::from(scale),
            is_causal,
        };
        let (q, gradients) = (own(&q, 0, heads), own(&gradients, 0, heads));
        let (k, v) = (own(&k, 1, key_heads), own(&v, 1, key_heads));
        let (more, logarithms) = reference.of(&q, &k, &v);
        results.extend(more);
        for (all, more) in expected
            .iter_mut()
            .zip(reference.gradients(&q, &k, &v, &gradients))
        {
            all.extend(more);
        }
        logarithms
    };
    let logarithms: Vec<Vec<f64>> = (0..lengths.len()).map(&mut of_sequence).collect();
    let logarithms = in_tensor(&logarithms, heads, backward.packed);
    let logarithms: Vec<f32> = logarithms.iter().map(|number| *number as f32).collect();
    let rounded = results.iter().map(|result| match numbers {
        Numbers::Bf16 => bf16::from_f64(*result).to_bits(),
        Numbers::F16 => f16::from_f64(*result).to_bits(),
    });
    let rounded: Vec<u16> = rounded.collect();
    let [of_q, of_k, of_v] = expected;
    // The error is dominated by the powers and the gradients of scores, which are rounded, too.
    let (format, relative_l2) = match numbers {
        Numbers::Bf16 => (Format::Bf16, 8e-3),
        Numbers::F16 => (Format::F16, 1e-3),
    };
    let sums = vec![0.0_f32; backward.sums_len() as usize];
    let statistics = vec![f32::NAN; backward.statistics_len() as usize];
    Scenario {
        name: format!(
            "{numbers:?}_{elements}_causal_{is_causal}_ordered_{is_ordered}_{sequences}x{heads}_of_{key_heads}_{queries}x{keys}_scale_{scale}{}",
            backward.packed.map_or("", |_| "_packed"),
        ),
        buffers: vec![
            Buffer::new("query gradients", &vec![u16::MAX; of_queries]),
            Buffer::new("key gradients", &vec![u16::MAX; of_keys]),
            Buffer::new("value gradients", &vec![u16::MAX; of_keys]),
            Buffer::new("queries", &q_bits),
            Buffer::new("keys", &k_bits),
            Buffer::new("values", &v_bits),
            Buffer::new("results", &rounded),
            Buffer::new("result gradients", &gradient_bits),
            Buffer::new("logarithms", &logarithms),
            Buffer::new("statistics", &statistics),
            Buffer::new("sums", &sums),
            Buffer::new(
                "counters",
                &vec![u32::MAX; backward.counters_len() as usize],
            ),
            Buffer::new("query starts", &starts[0]),
            Buffer::new("key starts", &starts[1]),
        ],
        launches: backward
            .launches()
            .unwrap_or_else(|violations| {
                panic!("a case breaks its kernel's conditions:\n{violations}")
            })
            .into(),
        expected: vec![
            Expected::near(0, format, of_q, relative_l2),
            Expected::near(1, format, of_k, relative_l2),
            Expected::near(2, format, of_v, relative_l2),
            Expected::of(3, &q_bits),
            Expected::of(4, &k_bits),
            Expected::of(5, &v_bits),
            Expected::of(10, &sums),
        ],
    }
}
