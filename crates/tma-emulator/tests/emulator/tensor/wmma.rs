//! `wmma`: where the elements are, and what comes out.

use tma_launch::{Buffer, Launch};

use super::{Sample, forms, samples::SAMPLES};
use crate::common::{module, run_launch};

/// Registers of fragments of A, B and C, and of D.
fn registers(shape: [usize; 3], factor: &str, sums: [&str; 2]) -> [usize; 4] {
    let [m, n, k] = shape;
    let of = |elements: usize, ty: &str| match ty {
        "f16" | "bf16" => elements / 2,
        "u8" | "s8" => elements / 4,
        _ => elements,
    };
    let factors = match factor {
        "f16" => [8, 8],
        _ => [of(m * k / 32, factor), of(n * k / 32, factor)],
    };
    let [c, d] = sums.map(|ty| of(m * n / 32, ty));
    [factors[0], factors[1], c, d]
}

fn bytes(ty: &str) -> usize {
    match ty {
        "f16" | "bf16" => 2,
        "u8" | "s8" => 1,
        "f64" => 8,
        _ => 4,
    }
}

fn list(name: &str, count: usize) -> String {
    let names: Vec<String> = (0..count).map(|index| format!("%{name}{index}")).collect();
    format!("{{{}}}", names.join(", "))
}

/// Little-endian bytes of numbers, in whole words.
fn packed(numbers: &[u64], size: usize) -> Vec<u32> {
    let bytes: Vec<u8> = numbers
        .iter()
        .flat_map(|number| number.to_le_bytes()[..size].to_vec())
        .collect();
    bytes
        .chunks(4)
        .map(|word| u32::from_le_bytes(word.try_into().unwrap()))
        .collect()
}

fn unpacked(words: &[u32], size: usize) -> Vec<u64> {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let number = |bytes: &[u8]| {
        bytes
            .iter()
            .rev()
            .fold(0, |n, byte| n << 8 | u64::from(*byte))
    };
    bytes.chunks_exact(size).map(number).collect()
}

/// Runs a kernel of one warp.
fn run(body: &str, wide: bool, input: Vec<u32>, words: usize) -> Vec<u32> {
    let ty = if wide { "f64" } else { "b32" };
    let text = module(&format!(
        ".visible .entry k(.param .u64 out, .param .u64 in) {{
            .reg .b32 %r<4>; .reg .b64 %rd<8>; .reg .{ty} %a<8>, %b<8>, %c<8>, %d<8>;
            ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; mov.u32 %r1, %tid.x;
            {body} ret; }}"
    ));
    let buffers = vec![
        Buffer::new("out", &vec![0_u32; words]),
        Buffer::new("in", &input),
    ];
    let launch = Launch::new("k", 1, 32).buffer(0).buffer(1);
    let got =
        run_launch(&text, launch, buffers, 0).unwrap_or_else(|failure| panic!("{body}: {failure}"));
    got[0].to_vec().unwrap()
}

#[test]
fn fragments_are_those_of_an_h200() {
    let mut compared = 0;
    for (name, table) in SAMPLES.iter() {
        let Some(of) = name.strip_prefix("wmma_frag/") else {
            continue;
        };
        let words: Vec<&str> = of.split('_').collect();
        let shape = [0, 1, 2].map(|at| words[at].parse::<usize>().unwrap());
        let [m, n, k] = shape;
        let (factor, sum) = (words[3], words[4]);
        let counts = registers(shape, factor, [sum; 2]);
        let operands = [("a", factor, m, k), ("b", factor, k, n), ("c", sum, m, n)];
        for (load, wanted) in (0..6).map(|load| (load, table.tile(load))) {
            let (operand, ty, rows, columns) = operands[load / 2];
            let layout = ["row", "col"][load % 2];
            let count = counts[load / 2];
            let size = bytes(ty);
            // Each element is its own index; one byte has no room for more than 255.
            let indices: Vec<u64> = (0..rows * columns).map(|index| index as u64).collect();
            let mask = if size == 1 { 0xff } else { u64::MAX };
            let stride = [columns, rows][load % 2];
            let (store, width) = if factor == "f64" {
                ("f64", 8)
            } else {
                ("b32", 4)
            };
            let stores = (0..count).map(|r| {
                let at = width * 32 * r;
                format!("st.global.{store} [%rd2+{at}], %a{r};\n")
            });
            let body = format!(
                "mul.wide.u32 %rd3, %r1, {width}; add.u64 %rd2, %rd2, %rd3;
                wmma.load.{operand}.sync.aligned.{layout}.m{m}n{n}k{k}.global.{ty} {list}, [%rd1], {stride};
                {stores}",
                list = list("a", count),
                stores = stores.collect::<String>(),
            );
            let got = run(
                &body,
                factor == "f64",
                packed(&indices, size),
                count * 32 * width / 4,
            );
            let per = (4 / size).max(1);
            let elements = unpacked(&got, size);
            for lane in 0..32 {
                for element in 0..count * per {
                    let got = elements[(element / per * 32 + lane) * per + element % per];
                    let wanted = wanted[lane * 64 + element];
                    assert_eq!(
                        got,
                        wanted & mask,
                        "{of} {operand} {layout}, lane {lane}, {element}"
                    );
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 20_000, "{compared}");
}

/// Computes `d = a * b + c`, with A, B, C and D by rows, as words; the types are given for A and B, for C and
/// for D.
fn product(
    [m, n, k]: [usize; 3],
    [factor, c, d]: [&str; 3],
    satfinite: &str,
    packed: [Vec<u32>; 3],
) -> Vec<u64> {
    let counts = registers([m, n, k], factor, [c, d]);
    let named = match factor {
        "f16" => format!("{d}.{c}"),
        _ => format!("{d}.{factor}.{factor}.{c}"),
    };
    let of = format!("m{m}n{n}k{k}");
    let [b_at, c_at] = [4 * packed[0].len(), 4 * (packed[0].len() + packed[1].len())];
    let body = format!(
        "wmma.load.a.sync.aligned.row.{of}.global.{factor} {a}, [%rd1], {k};
        add.u64 %rd4, %rd1, {b_at}; wmma.load.b.sync.aligned.row.{of}.{factor} {b}, [%rd4], {n};
        add.u64 %rd5, %rd1, {c_at}; wmma.load.c.sync.aligned.row.{of}.global.{c} {c_list}, [%rd5];
        wmma.mma.sync.aligned.row.row.{of}.{named}{satfinite} {d_list}, {a}, {b}, {c_list};
        wmma.store.d.sync.aligned.row.{of}.global.{d} [%rd2], {d_list}, {n};",
        a = list("a", counts[0]),
        b = list("b", counts[1]),
        c_list = list("c", counts[2]),
        d_list = list("d", counts[3]),
    );
    let words = m * n * bytes(d) / 4;
    unpacked(
        &run(&body, factor == "f64", packed.concat(), words),
        bytes(d),
    )
}

fn check(name: &str, sample: &Sample) -> usize {
    let words: Vec<&str> = name.split('_').collect();
    let (shape, types) = match words[..] {
        ["mixed"] => ([16, 16, 16], ["f16", "f16", "f32"]),
        ["mixed2"] => ([16, 16, 16], ["f16", "f32", "f16"]),
        [m, n, k, ref types @ ..] => {
            let shape = [m, n, k].map(|extent| extent.parse::<usize>().unwrap());
            let types = match *types {
                ["f64"] => ["f64", "f64", "f64"],
                [integer @ ("s8" | "u8"), ..] => [integer, "s32", "s32"],
                [sum, factor] => [factor, sum, sum],
                _ => panic!("{name}"),
            };
            (shape, types)
        }
        _ => panic!("{name}"),
    };
    let [factor, c, _] = types;
    let satfinite = if words.contains(&"sat") {
        ".satfinite"
    } else {
        ""
    };
    // B is by rows in the samples.
    let parts = [(sample.a, factor), (sample.b, factor), (sample.c, c)];
    let mut outputs = 0;
    for tile in 0..sample.a.shape[0] {
        let packed = parts.map(|(array, ty)| packed(array.tile(tile), bytes(ty)));
        let wanted = sample.d.tile(tile);
        assert_eq!(product(shape, types, satfinite, packed), wanted, "{name}");
        outputs += wanted.len();
    }
    outputs
}

#[test]
fn products_are_those_of_an_h200() {
    let forms = forms("wm_");
    assert_eq!(forms.len(), 12);
    let outputs: usize = forms.iter().map(|(name, sample)| check(name, sample)).sum();
    assert!(outputs > 3_000, "{outputs}");
}

/// The first sum has 2^30 - 2^30 in the first four products and 1 in the others. Added all at once, 1 is below the last
/// bit that is kept beside 2^30. The recorded products of an H200 are too small to show it.
#[test]
fn products_of_tf32_are_added_four_at_a_time() {
    let shape @ [m, n, k] = [16, 16, 8];
    let matrix = |words: usize, numbers: &[(usize, f32)]| {
        let mut matrix = vec![0_u32; words];
        for (at, number) in numbers {
            matrix[*at] = number.to_bits();
        }
        matrix
    };
    let large = 32768.0;
    // A by rows, and B by rows: elements along K are `n` apart.
    let a = matrix(m * k, &[(0, large), (1, large), (5, 1.0)]);
    let b = matrix(k * n, &[(0, large), (n, -large), (5 * n, 1.0)]);
    let sums = product(
        shape,
        ["tf32", "f32", "f32"],
        "",
        [a, b, matrix(m * n, &[])],
    );
    let expected = matrix(m * n, &[(0, 1.0)]).into_iter().map(u64::from);
    assert_eq!(sums, expected.collect::<Vec<_>>());
}
