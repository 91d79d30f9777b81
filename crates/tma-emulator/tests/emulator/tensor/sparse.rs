//! `mma.sp` of small whole numbers, with exact sums: tests which elements are multiplied with each other.

use half::f16;
use tma_launch::{Buffer, Launch};

use super::mma::{Registers, list, place_a, place_sum};
use crate::common::{module, run_launch};

/// A lane, and the nibble of its metadata that describes a group of a row (selector 0).
fn place_metadata(bits: usize, is_small: bool, row: usize, group: usize) -> (usize, usize) {
    let lane = row % 8 * 4;
    match (bits, is_small) {
        (8, true) => (lane + row / 8, group),
        (8, false) => (lane + row / 8 + group / 8 * 2, group % 8),
        (_, true) => (lane, row / 8 * 4 + group),
        (_, false) => (lane + group / 4, row / 8 * 4 + group % 4),
    }
}

fn check(ty: &str, bits: usize, k: usize) {
    let is_small = k * bits == 256;
    let number = |seed: usize| (seed * 7919 % 13) as i32 - 6;
    let of = |number: i32| match ty {
        "f16" => u64::from(f16::from_f32(number as f32).to_bits()),
        "tf32" => u64::from((number as f32).to_bits()),
        _ => u64::from(number as i8 as u8),
    };
    // In tf32 one of two is kept, in the other types two of four.
    let (size, choices): (usize, &[(u64, &[usize])]) = match ty {
        "tf32" => (2, &[(0x4, &[0]), (0xe, &[1])]),
        _ => (
            4,
            &[
                (0x4, &[0, 1]),
                (0x8, &[0, 2]),
                (0x9, &[1, 2]),
                (0xc, &[0, 3]),
                (0xd, &[1, 3]),
                (0xe, &[2, 3]),
            ],
        ),
    };
    let [mut a, mut b, mut metadata, mut d] = [(); 4].map(|()| Registers::default());
    metadata.put((0, 0, 0), 0);
    let mut whole = vec![0; 16 * k];
    for row in 0..16 {
        for group in 0..k / size {
            let (nibble, kept) = choices[(row * 5 + group * 3) % choices.len()];
            let (lane, q) = place_metadata(bits, is_small, row, group);
            metadata.put((lane, 0, 4 * q), nibble);
            for (at, index) in kept.iter().enumerate() {
                let value = number(row * 31 + group * 3 + at);
                whole[row * k + group * size + index] = value;
                a.put(place_a(16, bits, row, group * kept.len() + at), of(value));
            }
        }
    }
    let right = |k: usize, column: usize| number(k * 17 + column * 5);
    for k in 0..k {
        for column in 0..8 {
            b.put(place_a(8, bits, column, k), of(right(k, column)));
        }
    }
    let sum = if ty == "s8" { "s32" } else { "f32" };
    for row in 0..16 {
        for column in 0..8 {
            let products = (0..k).map(|k_of| whole[row * k + k_of] * right(k_of, column));
            let value: i32 = products.sum();
            let bits = match sum {
                "s32" => value as u32,
                _ => (value as f32).to_bits(),
            };
            d.put(place_sum(32, row, column), bits.into());
        }
    }
    let counts = [a.count(), b.count()];
    let loads = |name: &str, count: usize, from: usize| -> String {
        let one = |r| format!("ld.global.b32 %{name}{r}, [%rd1+{}];\n", (from + r) * 128);
        (0..count).map(one).collect()
    };
    let stores: String = (0..4)
        .map(|r| format!("st.global.b32 [%rd2+{}], %d{r};\n", r * 128))
        .collect();
    let text = module(&format!(
        ".visible .entry k(.param .u64 out, .param .u64 in) {{
            .reg .b32 %r<2>, %a<4>, %b<4>, %d<4>, %m<1>; .reg .b64 %rd<4>;
            ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; mov.u32 %r1, %tid.x;
            mul.wide.u32 %rd3, %r1, 4; add.u64 %rd1, %rd1, %rd3; add.u64 %rd2, %rd2, %rd3;
            {}{}{} mov.b32 %d0, 0; mov.b32 %d1, 0; mov.b32 %d2, 0; mov.b32 %d3, 0;
            mma.sp::ordered_metadata.sync.aligned.m16n8k{k}.row.col.{sum}.{ty}.{ty}.{sum} {}, {}, {}, {}, %m0, 0;
            {stores} ret; }}",
        loads("a", counts[0], 0),
        loads("b", counts[1], counts[0]),
        loads("m", 1, counts[0] + counts[1]),
        list("d", 4),
        list("a", counts[0]),
        list("b", counts[1]),
        list("d", 4),
    ));
    let words = |registers: &[&Registers]| -> Vec<u32> {
        let all = registers.iter().flat_map(|registers| &registers.0);
        all.map(|word| *word as u32).collect()
    };
    let buffers = vec![
        Buffer::new("out", &[0_u32; 128]),
        Buffer::new("in", &words(&[&a, &b, &metadata])),
    ];
    let launch = Launch::new("k", 1, 32).buffer(0).buffer(1);
    let got = run_launch(&text, launch, buffers, 0).unwrap_or_else(|failure| panic!("{failure}"));
    assert_eq!(got[0].to_vec::<u32>().unwrap(), words(&[&d]), "{ty} k{k}");
}

#[test]
fn kept_elements_meet_their_rows_of_b() {
    for (ty, bits, k) in [
        ("f16", 16, 16),
        ("f16", 16, 32),
        ("tf32", 32, 8),
        ("tf32", 32, 16),
        ("s8", 8, 32),
        ("s8", 8, 64),
    ] {
        check(ty, bits, k);
    }
}
