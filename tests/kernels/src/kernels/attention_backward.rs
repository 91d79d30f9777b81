//! The gradients of attention against their definition, in `f64`.

use half::{bf16, f16};
use kernels_gpu::{attention_backward::AttentionBackward, gemm::Numbers};
use tests_references::Attention as Reference;
use tma_launch::Buffer;

use super::{Kernel, attention::random};
use crate::{Expected, Format, Scenario};

pub(super) const KERNEL: Kernel = Kernel {
    name: "attention_backward",
    summary: "gradients of attention by tensor cores: of keys in registers, of queries by bulk reductions",
    golden: &["attention_backward_128_bf16_true_false"],
    showcase: || {
        scenario(&AttentionBackward {
            is_causal: true,
            ..of([150, 200])
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
    cases.iter().map(scenario).collect()
}

fn scenario(backward: &AttentionBackward) -> Scenario {
    let AttentionBackward {
        numbers,
        elements,
        sequences,
        queries,
        keys,
        heads,
        key_heads,
        is_causal,
        is_ordered,
        scale,
        ..
    } = *backward;
    let reference = Reference {
        elements: elements as usize,
        sequences: sequences as usize,
        queries: queries as usize,
        keys: keys as usize,
        heads: heads as usize,
        key_heads: key_heads as usize,
        scale: f64::from(scale),
        is_causal,
    };
    let of_queries = (elements * sequences * heads * queries) as usize;
    let of_keys = (elements * sequences * key_heads * keys) as usize;
    let (q_bits, q) = random(numbers, of_queries, 0);
    let (k_bits, k) = random(numbers, of_keys, 1000);
    let (v_bits, v) = random(numbers, of_keys, 2000);
    let (gradient_bits, gradients) = random(numbers, of_queries, 3000);
    let (results, logarithms) = reference.of(&q, &k, &v);
    let rounded = results.iter().map(|result| match numbers {
        Numbers::Bf16 => bf16::from_f64(*result).to_bits(),
        Numbers::F16 => f16::from_f64(*result).to_bits(),
    });
    let rounded: Vec<u16> = rounded.collect();
    let logarithms: Vec<f32> = logarithms.iter().map(|number| *number as f32).collect();
    let [of_q, of_k, of_v] = reference.gradients(&q, &k, &v, &gradients);
    // The error is dominated by the powers and the gradients of scores, which are rounded, too.
    let (format, relative_l2) = match numbers {
        Numbers::Bf16 => (Format::Bf16, 8e-3),
        Numbers::F16 => (Format::F16, 1e-3),
    };
    let sums = vec![0.0_f32; backward.sums_len() as usize];
    let statistics = vec![f32::NAN; backward.statistics_len() as usize];
    Scenario {
        name: format!(
            "{numbers:?}_{elements}_causal_{is_causal}_ordered_{is_ordered}_{sequences}x{heads}_of_{key_heads}_{queries}x{keys}_scale_{scale}"
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
