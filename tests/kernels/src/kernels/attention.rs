//! Attention against its definition, in `f64`.

use half::{bf16, f16};
use kernels_gpu::{attention::Attention, gemm::Numbers};
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
            ..of([200, 300], 128)
        })
    },
    cases,
};

/// One head, with so many queries and keys.
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
        // Greater scores make some powers nearly all of a sum.
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
                // Less than a tile; whole ones; odd ones. Queries before the first key see none.
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
    cases.iter().map(scenario).collect()
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

fn scenario(attention: &Attention) -> Scenario {
    let Attention {
        numbers, is_causal, ..
    } = *attention;
    let [elements, sequences, queries, keys, heads, key_heads] = [
        attention.elements,
        attention.sequences,
        attention.queries,
        attention.keys,
        attention.heads,
        attention.key_heads,
    ]
    .map(|extent| extent as usize);
    let of_queries = sequences * queries * heads * elements;
    let of_keys = sequences * keys * key_heads * elements;
    let (q_bits, q) = random(numbers, of_queries, 0);
    let (k_bits, k) = random(numbers, of_keys, 1000);
    let (v_bits, v) = random(numbers, of_keys, 2000);
    let reference = Reference {
        elements,
        sequences,
        queries,
        keys,
        heads,
        key_heads,
        scale: f64::from(attention.scale),
        is_causal,
    };
    let (results, logarithms) = reference.of(&q, &k, &v);
    // The error of the results is that of the powers, which are rounded too.
    let (format, relative_l2) = match numbers {
        Numbers::Bf16 => (Format::Bf16, 4e-3),
        Numbers::F16 => (Format::F16, 5e-4),
    };
    Scenario {
        name: format!(
            "{elements}_{numbers:?}_causal_{is_causal}_{sequences}x{heads}_of_{key_heads}_{queries}x{keys}_scale_{}",
            attention.scale
        ),
        buffers: vec![
            Buffer::new("results", &vec![u16::MAX; of_queries]),
            Buffer::new("queries", &q_bits),
            Buffer::new("keys", &k_bits),
            Buffer::new("values", &v_bits),
            Buffer::new("logarithms", &vec![f32::NAN; logarithms.len()]),
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
