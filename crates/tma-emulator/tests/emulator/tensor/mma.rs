//! `mma.sync` with the fragments of PTX ISA 9.7.14.5.1 to 9.7.14.5.13: the place of each element, independent
//! of the emulator's own mapping.

use tma_launch::{Buffer, Launch};

use super::{Sample, forms, samples::Array};
use crate::common::{module, run_launch};

/// Lane, register and the first bit in it.
pub(super) type Place = (usize, usize, usize);

/// The place of A's element, of `bits` bits.
pub(super) fn place_a(rows: usize, bits: usize, row: usize, k: usize) -> Place {
    let per = (32 / bits).max(1);
    let (block, within) = (k / (4 * per), k % (4 * per));
    let register = block * (rows / 8) + row / 8;
    (row % 8 * 4 + within / per, register, within % per * bits)
}

fn place_b(bits: usize, k: usize, column: usize) -> Place {
    let (lane, register, bit) = place_a(8, bits, column, k);
    (lane, register, bit)
}

pub(super) fn place_sum(bits: usize, row: usize, column: usize) -> Place {
    let lane = row % 8 * 4 + column / 2;
    match bits {
        16 => (lane, row / 8, column % 2 * 16),
        _ => (lane, row / 8 * 2 + column % 2, 0),
    }
}

/// `mma.sync.m8n8k4` with half precision: the place within each quad pair, which consists of lanes `0..4` and
/// `16..20`.
fn quad_factor(along: bool, line: usize, k: usize) -> Place {
    let at = |lane: usize, element: usize| (lane, element / 2, element % 2 * 16);
    match along {
        true => at(line % 4 + line / 4 * 16, k),
        false => at(k + line / 4 * 16, line % 4),
    }
}

fn quad_sum(bits: usize, row: usize, column: usize) -> Place {
    match bits {
        16 => (row % 4 + row / 4 * 16, column / 2, column % 2 * 16),
        _ => {
            let lane = row % 2 + column / 2 % 2 * 2 + row / 4 * 16;
            (lane, column % 2 + row / 2 % 2 * 2 + column / 4 * 4, 0)
        }
    }
}

/// A form as a test runs it.
struct Case {
    opcode: String,
    /// Bits of an element of A and B, of C, and of D.
    bits: [usize; 3],
    /// True if A of `m8n8k4` is by rows, and B by columns.
    quads: Option<[bool; 2]>,
}

fn case(name: &str) -> Case {
    let words: Vec<&str> = name.split('_').collect();
    let bits = |ty: &str| match ty {
        "f64" => 64,
        "f32" | "tf32" | "s32" | "b1" => 32,
        "f16" | "bf16" => 16,
        "s4" | "u4" => 4,
        _ => 8,
    };
    let shape = words[0];
    let opcode = |middle: &str, d: &str, a: &str, b: &str, c: &str, end: &str| {
        format!("mma.sync.aligned.{shape}.{middle}.{d}.{a}.{b}.{c}{end}")
    };
    match words[1..] {
        [row, col, d, c] if matches!(row, "row" | "col") => Case {
            opcode: opcode(&format!("{row}.{col}"), d, "f16", "f16", c, ""),
            bits: [16, bits(c), bits(d)],
            quads: Some([row == "row", col == "col"]),
        },
        ["f64"] => Case {
            opcode: opcode("row.col", "f64", "f64", "f64", "f64", ""),
            bits: [64; 3],
            quads: None,
        },
        ["f64", rounding] => Case {
            opcode: opcode(
                &format!("row.col.{rounding}"),
                "f64",
                "f64",
                "f64",
                "f64",
                "",
            ),
            bits: [64; 3],
            quads: None,
        },
        ["b1", operation] => Case {
            opcode: opcode(
                "row.col",
                "s32",
                "b1",
                "b1",
                "s32",
                &format!(".{operation}.popc"),
            ),
            bits: [32; 3],
            quads: None,
        },
        [d @ ("f32" | "f16"), a, ref rest @ ..] => Case {
            opcode: opcode("row.col", d, a, rest.first().unwrap_or(&a), d, ""),
            bits: [bits(a), bits(d), bits(d)],
            quads: None,
        },
        [a, b, ref rest @ ..] => Case {
            opcode: opcode(
                if rest == ["sat"] {
                    "row.col.satfinite"
                } else {
                    "row.col"
                },
                "s32",
                a,
                b,
                "s32",
                "",
            ),
            bits: [bits(a), 32, 32],
            quads: None,
        },
        _ => panic!("{name}"),
    }
}

/// Registers of a warp, with the registers of a lane 32 words apart.
#[derive(Default)]
pub(super) struct Registers(pub(super) Vec<u64>);

impl Registers {
    pub(super) fn put(&mut self, (lane, register, bit): Place, element: u64) {
        let at = register * 32 + lane;
        if self.0.len() <= at {
            self.0.resize((register + 1) * 32, 0);
        }
        self.0[at] |= element << bit;
    }

    pub(super) fn count(&self) -> usize {
        self.0.len() / 32
    }
}

/// Returns the registers of each tile.
fn registers(
    array: &Array,
    groups: usize,
    place: impl Fn(usize, usize) -> Place,
) -> Vec<Registers> {
    let columns = array.shape[2];
    let tiles = (0..array.shape[0]).map(|tile| {
        let mut registers = Registers::default();
        for (at, element) in array.tile(tile).iter().enumerate() {
            for group in 0..groups {
                let (lane, register, bit) = place(at / columns, at % columns);
                registers.put((lane + 4 * group, register, bit), *element);
            }
        }
        registers
    });
    tiles.collect()
}

/// Returns `%a0, %a1, ...`.
pub(super) fn list(name: &str, count: usize) -> String {
    let names: Vec<String> = (0..count).map(|index| format!("%{name}{index}")).collect();
    format!("{{{}}}", names.join(", "))
}

fn check(name: &str, sample: &Sample) -> usize {
    let case = case(name);
    let [factor, c_bits, d_bits] = case.bits;
    let rows = sample.a.shape[1];
    let groups = if case.quads.is_some() { 4 } else { 1 };
    let a = |row, k| match case.quads {
        Some([along, _]) => quad_factor(along, row, k),
        None => place_a(rows, factor, row, k),
    };
    let b = |k, column| match case.quads {
        Some([_, along]) => quad_factor(along, column, k),
        None => place_b(factor, k, column),
    };
    let sum = |bits: usize| {
        let quads = case.quads.is_some();
        move |row, column| match quads {
            true => quad_sum(bits, row, column),
            false => place_sum(bits, row, column),
        }
    };
    let operands = [
        registers(sample.a, groups, a),
        registers(sample.b, groups, b),
        registers(sample.c, groups, sum(c_bits)),
        registers(sample.d, groups, sum(d_bits)),
    ];
    let [a_count, b_count, c_count, d_count] = operands.each_ref().map(|tiles| tiles[0].count());
    let words = |tiles: &[Vec<Registers>]| -> Vec<u64> {
        let tile = |index: usize| tiles.iter().flat_map(move |operand| &operand[index].0);
        (0..tiles[0].len()).flat_map(tile).copied().collect()
    };
    let tiles = operands[0].len();
    let input = words(&operands[..3]);
    let mut body = String::new();
    let wide = factor == 64;
    let ty = if wide { "b64" } else { "b32" };
    let names = [("a", a_count), ("b", b_count), ("c", c_count)];
    let all = names
        .iter()
        .flat_map(|(name, count)| (0..*count).map(move |index| format!("%{name}{index}")));
    for (at, register) in all.enumerate() {
        body += &format!("ld.global.{ty} {register}, [%rd1+{}];\n", at * 256);
    }
    body += &format!(
        "{} {}, {}, {}, {};\n",
        case.opcode,
        list("d", d_count),
        list("a", a_count),
        list("b", b_count),
        list("c", c_count)
    );
    for register in 0..d_count {
        let value = if wide {
            format!("%d{register}")
        } else {
            "%rd3".to_owned()
        };
        if !wide {
            body += &format!("cvt.u64.u32 %rd3, %d{register};\n");
        }
        body += &format!("st.global.b64 [%rd2+{}], {value};\n", register * 256);
    }
    let text = module(&format!(
        ".visible .entry k(.param .u64 out, .param .u64 in) {{
            .reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .{ty} %a<8>, %b<8>, %c<8>, %d<8>;
            ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out];
            mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;
            mul.wide.u32 %rd3, %r1, 8; add.u64 %rd1, %rd1, %rd3; add.u64 %rd2, %rd2, %rd3;
            mul.wide.u32 %rd3, %r2, {}; add.u64 %rd1, %rd1, %rd3;
            mul.wide.u32 %rd3, %r2, {}; add.u64 %rd2, %rd2, %rd3;
            {body} ret; }}",
        256 * (a_count + b_count + c_count),
        256 * d_count,
    ));
    let wanted = words(&operands[3..]);
    let buffers = vec![
        Buffer::new("out", &vec![0_u64; wanted.len()]),
        Buffer::new("in", &input),
    ];
    let launch = Launch::new("k", tiles as u32, 32).buffer(0).buffer(1);
    let got = run_launch(&text, launch, buffers, 0).unwrap_or_else(|failure| panic!("{failure}"));
    let got = got[0].to_vec::<u64>().unwrap();
    let wrong = got
        .iter()
        .zip(&wanted)
        .filter(|(got, wanted)| got != wanted);
    let wrong: Vec<String> = wrong
        .map(|(got, wanted)| format!("{got:#x} for {wanted:#x}"))
        .collect();
    assert!(
        wrong.is_empty(),
        "{name}: {} of {}, {:?}",
        wrong.len(),
        wanted.len(),
        &wrong[..wrong.len().min(5)]
    );
    sample.d.numbers.len()
}

#[test]
fn products_of_a_warp_are_those_of_an_h200() {
    let forms = forms("mma_");
    assert_eq!(forms.len(), 41);
    let outputs: usize = forms.iter().map(|(name, sample)| check(name, sample)).sum();
    assert!(outputs > 8_000, "{outputs}");
}
