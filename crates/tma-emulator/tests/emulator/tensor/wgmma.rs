//! `wgmma`, with the fragments of PTX ISA 9.7.14.7.1 and matrices in shared memory without a swizzle.

use tma_launch::{Buffer, Launch};

use super::{
    Sample, forms,
    mma::{Registers, list, place_a, place_sum},
};
use crate::common::{module, run_launch};

/// Bytes between core matrices of 8 lines of 16 bytes, along K and across it.
const LEADING: usize = 128;
const STRIDE: usize = 256;

/// A descriptor of a matrix at this address, without a swizzle.
fn descriptor(address: u64) -> u64 {
    address >> 4 | (LEADING as u64 >> 4) << 16 | (STRIDE as u64 >> 4) << 32
}

/// Returns the bytes of a matrix with elements of `bits` bits, by lines of K.
fn stored(lines: usize, bits: usize, element: impl Fn(usize, usize) -> u64) -> Vec<u32> {
    let size = bits / 8;
    let mut bytes = vec![0_u8; lines * 32];
    for line in 0..lines {
        for k in 0..32 / size {
            let byte = k * size;
            let at = line % 8 * 16 + line / 8 * STRIDE + byte / 16 * LEADING + byte % 16;
            bytes[at..at + size].copy_from_slice(&element(line, k).to_le_bytes()[..size]);
        }
    }
    let words = bytes.chunks_exact(4);
    words
        .map(|word| u32::from_le_bytes(word.try_into().unwrap()))
        .collect()
}

/// Returns the registers of a warpgroup, with the registers of a thread 128 words apart.
fn of_warpgroup(warps: &[Registers]) -> Vec<u32> {
    let count = warps[0].count();
    let of = |register: usize| {
        let warps = warps.iter();
        warps.flat_map(move |warp| &warp.0[register * 32..(register + 1) * 32])
    };
    (0..count).flat_map(of).map(|word| *word as u32).collect()
}

fn check(name: &str, sample: &Sample) -> usize {
    let words: Vec<&str> = name.split('_').collect();
    let has = |word: &str| words.contains(&word);
    let n = sample.b.shape[2];
    let depth = sample.a.shape[2];
    let is_float = matches!(words[1], "f16" | "f32");
    let (d, a, b) = match words[1..] {
        ["b1", ..] => ("s32", "b1", "b1"),
        [d, a, b, ..] if is_float => (d, a, b),
        [a, b, ..] => ("s32", a, b),
        _ => panic!("{name}"),
    };
    let bits = 256 / depth;
    let d_bits = if d == "f16" { 16 } else { 32 };
    let k = if a == "b1" { 256 } else { depth };
    let ending = match a {
        "b1" => ".and.popc",
        _ if has("sat") => ".satfinite",
        _ => "",
    };
    let sign = if has("smm") { -1 } else { 1 };
    let immediates = match (is_float, bits, has("areg")) {
        (false, ..) => String::new(),
        (true, 16, false) => format!(", {sign}, {sign}, 0, 0"),
        (true, 16, true) => format!(", {sign}, {sign}, 0"),
        _ => format!(", {sign}, {sign}"),
    };
    let scale_d = if has("sd0") { "0" } else { "1" };
    let mut outputs = 0;
    for tile in 0..sample.a.shape[0] {
        let [left, right, c, wanted] =
            [sample.a, sample.b, sample.c, sample.d].map(|array| array.tile(tile));
        let warps = |bits: usize, columns: usize, matrix: &[u64], is_sum: bool| -> Vec<Registers> {
            let rows = matrix.chunks_exact(16 * columns);
            let warps = rows.map(|rows| {
                let mut registers = Registers::default();
                for (at, element) in rows.iter().enumerate() {
                    let (row, column) = (at / columns, at % columns);
                    let place = match is_sum {
                        // The sums of 8 columns after the other.
                        true => {
                            let (lane, register, bit) = place_sum(bits, row, column % 8);
                            (lane, register + column / 8 * bits / 8, bit)
                        }
                        false => place_a(16, bits, row, column),
                    };
                    registers.put(place, *element);
                }
                registers
            });
            warps.collect()
        };
        let sums = of_warpgroup(&warps(d_bits, n, c, true));
        let expected = of_warpgroup(&warps(d_bits, n, wanted, true));
        let factors = of_warpgroup(&warps(bits, depth, left, false));
        let shared = [
            stored(64, bits, |row, k| left[row * depth + k]),
            stored(n, bits, |column, k| right[k * n + column]),
        ]
        .concat();
        let registers = sums.len() / 128;
        let load = |name: &str, count: usize, from: usize| -> String {
            let one = |index| {
                format!(
                    "ld.global.b32 %{name}{index}, [%rd1+{}];\n",
                    from + index * 512
                )
            };
            (0..count).map(one).collect()
        };
        let (first, second) = (4 * shared.len(), 4 * (shared.len() + sums.len()));
        let operand = if has("areg") {
            list("a", 4)
        } else {
            "%rd5".to_owned()
        };
        let stores = (0..registers).map(|r| format!("st.global.b32 [%rd2+{}], %d{r};\n", r * 512));
        let text = module(&format!(
            ".shared .align 128 .b8 tiles[16384];
            .visible .entry k(.param .u64 out, .param .u64 in) {{
            .reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .b32 %a<4>, %d<128>;
            ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out];
            mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 4;
            add.u64 %rd1, %rd1, %rd3; add.u64 %rd2, %rd2, %rd3;
            mov.u32 %r2, tiles; mov.u32 %r3, %r1; mov.u64 %rd4, %rd1;
            NEXT: setp.ge.u32 %p1, %r3, {words}; @%p1 bra DONE;
            ld.global.b32 %r4, [%rd4]; mad.lo.u32 %r5, %r3, 4, %r2; st.shared.b32 [%r5], %r4;
            add.u32 %r3, %r3, 128; add.u64 %rd4, %rd4, 512; bra NEXT;
            DONE: fence.proxy.async.shared::cta; bar.sync 0;
            {sums}{factors}
            cvt.u64.u32 %rd5, %r2; shr.u64 %rd5, %rd5, 4; or.b64 %rd5, %rd5, {base};
            add.u64 %rd6, %rd5, {behind};
            wgmma.fence.sync.aligned;
            wgmma.mma_async.sync.aligned.m64n{n}k{k}.{d}.{a}.{b}{ending} {list}, {operand}, %rd6, {scale_d}{immediates};
            wgmma.commit_group.sync.aligned;
            wgmma.wait_group.sync.aligned 0;
            {stores} ret; }}",
            words = shared.len(),
            sums = load("d", registers, first),
            factors = load("a", 4, second),
            base = descriptor(0),
            behind = (64 * 32) >> 4,
            list = list("d", registers),
            stores = stores.collect::<String>(),
        ));
        let buffers = vec![
            Buffer::new("out", &vec![0_u32; expected.len()]),
            Buffer::new("in", &[shared, sums, factors].concat()),
        ];
        let launch = Launch::new("k", 1, 128).buffer(0).buffer(1);
        let got = run_launch(&text, launch, buffers, tile as u64);
        let got = got.unwrap_or_else(|failure| panic!("{name}: {failure}"));
        let got = got[0].to_vec::<u32>().unwrap();
        let wrong = got
            .iter()
            .zip(&expected)
            .filter(|(got, wanted)| got != wanted);
        let wrong: Vec<_> = wrong
            .map(|(got, wanted)| format!("{got:#x} for {wanted:#x}"))
            .collect();
        assert!(
            wrong.is_empty(),
            "{name}: {} of {}, {:?}",
            wrong.len(),
            expected.len(),
            &wrong[..wrong.len().min(5)]
        );
        outputs += wanted.len();
    }
    outputs
}

#[test]
fn products_of_a_warpgroup_are_those_of_an_h200() {
    let forms = forms("wg_");
    assert_eq!(forms.len(), 39);
    let outputs: usize = forms.iter().map(|(name, sample)| check(name, sample)).sum();
    assert!(outputs > 20_000, "{outputs}");
}
