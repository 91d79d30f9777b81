use tma_launch::{Buffer, Launch};

use super::writes;
use crate::{Expected, Scenario};

pub(super) fn cases() -> Vec<Scenario> {
    vec![integers(), atomics(), last_block(), handed_over(), copies()]
}

fn scenario(name: &str, launch: Launch, buffers: Vec<Buffer>, expected: Vec<Expected>) -> Scenario {
    Scenario {
        name: name.to_owned(),
        buffers,
        launches: vec![launch],
        expected,
    }
}

/// Numbers of all kinds.
fn number(index: u32) -> u32 {
    match index % 7 {
        0 => index.wrapping_mul(0x9e37_79b9),
        1 => !(1 << (index % 32)),
        2 => 1 << (index % 32),
        _ => index.wrapping_mul(0x85eb_ca6b) ^ index << 13,
    }
}

fn integers() -> Scenario {
    const THREADS: u32 = 256;
    let input: Vec<u32> = (0..2 * THREADS).map(number).collect();
    let results = input
        .chunks_exact(2)
        .flat_map(|pair| of_integers(pair[0], pair[1]));
    let expected: Vec<u32> = results.collect();
    scenario(
        "integers",
        Launch::new("integers", 1, THREADS).buffer(0).buffer(1),
        vec![
            Buffer::new("output", &vec![0xdead_beef_u32; expected.len()]),
            Buffer::new("input", &input),
        ],
        vec![Expected::of(0, &expected)],
    )
}

fn of_integers(a: u32, b: u32) -> [u32; 20] {
    let wide = u64::from(a) << 32 | u64::from(b);
    let (position, length) = (b & 63, b >> 8 & 63);
    let mask = (1_u128 << length) - 1;
    // The bits after the value are zeros, or its sign.
    let field = |value: i128| (value >> position) as u128 & mask;
    let extended = |value: i128, width: u32| {
        let top = (position + length).clamp(1, width) - 1;
        let is_negative = length > 0 && value >> top & 1 != 0;
        let bits = field(value & ((1_i128 << width) - 1));
        let taken = length.min(width.saturating_sub(position));
        if is_negative {
            (bits | u128::MAX << taken) as u32
        } else {
            bits as u32
        }
    };
    let insert = |value: u64, into: u64, width: u32| {
        let mask = if position < width {
            (mask as u64) << position
        } else {
            0
        };
        let value = if position < width {
            value << position
        } else {
            0
        };
        (into & !mask | value & mask) as u32
    };
    let bytes = |value: u32, signed: bool| {
        value.to_le_bytes().map(|byte| {
            if signed {
                i64::from(byte as i8)
            } else {
                i64::from(byte)
            }
        })
    };
    let dot = |a: [i64; 4], b: [i64; 4], c: i64| {
        let sum: i64 = a.iter().zip(b).map(|(a, b)| a * b).sum();
        (sum + c) as u32
    };
    let halves = |value: u32, signed: bool| {
        let of = |bits: u32| {
            if signed {
                i64::from(bits as i16)
            } else {
                i64::from(bits as u16)
            }
        };
        [of(value), of(value >> 16), 0, 0]
    };
    let upper = |bytes: [i64; 4]| [bytes[2], bytes[3], 0, 0];
    let lower = |bytes: [i64; 4]| [bytes[0], bytes[1], 0, 0];
    let selected = (0..4).map(|index| {
        let selector = (a ^ b) >> (4 * index) & 15;
        let byte = (u64::from(b) << 32 | u64::from(a)) >> (8 * (selector & 7)) & 0xff;
        let sign = if byte >= 128 { 255 } else { 0 };
        (if selector < 8 { byte as u32 } else { sign }) << (8 * index)
    });
    let folded = |high: u128| high as u32 ^ (high >> 32) as u32;
    let counts = |text: &str| {
        let leading = text.find('1').unwrap_or(text.len());
        let trailing = text.rfind('1').map_or(text.len(), |at| text.len() - 1 - at);
        (text.matches('1').count() + leading * 100 + trailing * 10_000) as u32
    };
    let (text, wide_text) = (format!("{a:032b}"), format!("{wide:064b}"));
    let reversed: String = text.chars().rev().collect();
    let swapped: [u8; 4] = std::array::from_fn(|index| b.to_le_bytes()[3 - index]);
    [
        selected.sum(),
        field(i128::from(a)) as u32,
        extended(i128::from(a), 32),
        field(i128::from(wide)) as u32,
        extended(i128::from(wide), 64),
        insert(a.into(), b.into(), 32),
        insert(wide, !wide, 64),
        dot(bytes(a, false), bytes(b, false), 7),
        dot(bytes(a, true), bytes(b, true), -7),
        dot(bytes(a, false), bytes(b, true), 1),
        dot(halves(a, true), lower(bytes(b, false)), 3),
        dot(halves(a, false), upper(bytes(b, false)), 5),
        ((u128::from(a) * u128::from(b)) >> 32) as u32,
        ((i128::from(a as i32) * i128::from(b as i32)) >> 32) as u32,
        folded((u128::from(wide) * u128::from(!wide)) >> 64),
        folded(((i128::from(wide as i64) * i128::from(3 - wide as i64)) >> 64) as u128),
        counts(&text),
        counts(&wide_text),
        u32::from_str_radix(&reversed, 2).unwrap_or_default() ^ u32::from_le_bytes(swapped),
        (u64::from(a) << (b & 31) | u64::from(a) << (b & 31) >> 32) as u32,
    ]
}

fn atomics() -> Scenario {
    const BLOCKS: u32 = 3;
    const THREADS: u32 = 64;
    let all = u64::from(BLOCKS * THREADS);
    let half = |value: f32| u64::from(half::f16::from_f32(value).to_bits());
    let brain = |value: f32| u64::from(half::bf16::from_f32(value).to_bits());
    let threads = f32::from(THREADS as u16);
    let results: [u64; 16] = [
        3 * all,
        u64::from((0.5 * all as f32).to_bits()),
        half(2.0 * all as f32) | half(all as f32) << 16,
        brain(2.0 * all as f32) | brain(all as f32) << 16,
        all - 1,
        u64::MAX,
        (0.25 * all as f64).to_bits(),
        all * (all - 1) / 2,
        THREADS.into(),
        (2.0 * threads).to_bits().into(),
        half(0.5 * threads) | half(threads) << 16,
        -i64::from(THREADS - 1) as u64,
        0,
        0,
        0,
        0,
    ];
    let words: Vec<u32> = results
        .iter()
        .flat_map(|long| [*long as u32, (long >> 32) as u32])
        .collect();
    scenario(
        "atomics",
        Launch::new("atomics", BLOCKS, THREADS).buffer(0),
        vec![Buffer::zeroed::<u64>("output", 16)],
        vec![Expected::of(0, &words)],
    )
}

fn last_block() -> Scenario {
    const BLOCKS: u32 = 9;
    let parts: Vec<u32> = (0..BLOCKS).map(|block| 3 * block + 1).collect();
    scenario(
        "last_block_adds",
        Launch::new("last_block_adds", BLOCKS, 32)
            .buffer(0)
            .buffer(1)
            .buffer(2)
            .scalar(BLOCKS),
        vec![
            Buffer::zeroed::<u32>("output", 1),
            Buffer::zeroed::<u32>("parts", BLOCKS as usize),
            Buffer::zeroed::<u32>("count", 1),
        ],
        vec![
            Expected::of(0, &[parts.iter().sum::<u32>()]),
            Expected::of(1, &parts),
            Expected::of(2, &[BLOCKS]),
        ],
    )
}

fn handed_over() -> Scenario {
    let mut case = writes(
        "handed_over",
        Launch::new("handed_over", 2, 32).buffer(0).buffer(1),
        &[42, 43],
    );
    case.buffers.push(Buffer::zeroed::<u32>("flag", 1));
    case
}

fn copies() -> Scenario {
    const THREADS: u32 = 96;
    let input: Vec<f32> = (0..4 * THREADS).map(|index| index as f32 / -3.0).collect();
    let mut output: Vec<f32> = input
        .chunks_exact(4)
        .flat_map(|four| four.repeat(5))
        .collect();
    output.push(1.0);
    scenario(
        "cached_copies",
        Launch::new("cached_copies", 1, THREADS).buffer(0).buffer(1),
        vec![
            Buffer::zeroed::<f32>("output", output.len()),
            Buffer::new("input", &input),
        ],
        vec![Expected::of(0, &output)],
    )
}
