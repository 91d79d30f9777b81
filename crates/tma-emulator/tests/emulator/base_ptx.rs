//! Further instructions that compilers emit: carries, bits, calls through tables, the heap, matrices of a warp.

use crate::common::{long, module, run, run_launch, word};
use tma_launch::{Buffer, Launch};

#[test]
fn carries_of_products() {
    let numbers = [0_u32, 1, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0x1234_5678];
    for a in numbers {
        for b in numbers {
            for c in [0_u64, u64::MAX, 0xdead_beef_0000_0001] {
                let body = format!(
                    "mov.u32 %r2, {a}; mov.u32 %r3, {b}; mov.u32 %r4, {}; mov.u32 %r5, {};
                    mad.lo.cc.u32 %r6, %r2, %r3, %r4; madc.hi.cc.u32 %r7, %r2, %r3, %r5; addc.u32 %r8, 0, 0;
                    st.global.v2.u32 [%out], {{%r6, %r7}}; st.global.u32 [%out+8], %r8;
                    mad.hi.cc.s32 %r6, %r2, %r3, %r4; madc.lo.s32 %r7, %r2, %r3, %r5;
                    st.global.v2.u32 [%out+16], {{%r6, %r7}};",
                    c as u32,
                    c >> 32
                );
                let got = run(&body, 1, 6).unwrap();
                let sum = u128::from(a) * u128::from(b) + u128::from(c);
                let words = [0, 32, 64].map(|shift| (sum >> shift) as u32);
                assert_eq!(got[..3], words, "{a:#x} {b:#x} {c:#x}");
                let high = (i64::from(a as i32) * i64::from(b as i32)) >> 32;
                let (high, carry) = (high as u32).overflowing_add(c as u32);
                let low = a.wrapping_mul(b).wrapping_add((c >> 32) as u32);
                assert_eq!(got[4..], [high, low.wrapping_add(carry.into())]);
            }
        }
    }
    let body = "mov.u64 %rd2, 0xffffffffffffffff; mov.u64 %rd3, 0xfffffffffffffffe; mad.lo.cc.u64 %rd4, %rd2, %rd3, %rd2;
        madc.hi.u64 %rd1, %rd2, %rd3, 5;";
    let product = u128::from(u64::MAX) * u128::from(u64::MAX - 1) + u128::from(u64::MAX);
    assert_eq!(long(body), ((product >> 64) as u64).wrapping_add(5));
}

#[test]
fn parts_of_a_register_are_computed_apart() {
    let (a, b, c) = (0x80ff_0712_u32, 0x7f01_10fe_u32, 0x0102_0304_u32);
    let result = |instruction: &str| {
        word(&format!(
            "mov.u32 %r2, {a}; mov.u32 %r3, {b}; mov.u32 %r4, {c}; {instruction} %r1, %r2, %r3, %r4;"
        ))
    };
    let bytes = |f: fn(u8, u8) -> u8| {
        let [x, y] = [a, b].map(u32::to_le_bytes);
        u32::from_le_bytes([0, 1, 2, 3].map(|i| f(x[i], y[i])))
    };
    let words = |f: fn(u16, u16) -> u16| {
        let part = |shift: u32| u32::from(f((a >> shift) as u16, (b >> shift) as u16)) << shift;
        part(0) | part(16)
    };
    let differences: u32 = [0, 1, 2, 3]
        .map(|i| u32::from(a.to_le_bytes()[i].abs_diff(b.to_le_bytes()[i])))
        .iter()
        .sum();
    assert_eq!(result("vabsdiff4.u32.u32.u32.add"), c + differences);
    assert_eq!(result("vabsdiff4.u32.u32.u32"), bytes(u8::abs_diff));
    let signed = |x: u8, y: u8| (x as i8).abs_diff(y as i8);
    assert_eq!(result("vabsdiff4.u32.s32.s32"), bytes(signed));
    assert_eq!(result("vadd4.u32.u32.u32"), bytes(u8::wrapping_add));
    assert_eq!(result("vadd4.u32.u32.u32.sat"), bytes(u8::saturating_add));
    assert_eq!(
        result("vsub2.s32.s32.s32.sat"),
        words(|x, y| (x as i16).saturating_sub(y as i16) as u16)
    );
    assert_eq!(
        result("vavrg2.u32.u32.u32"),
        words(|x, y| (u32::from(x) + u32::from(y)).div_ceil(2) as u16)
    );
    assert_eq!(
        result("vmin4.s32.s32.s32"),
        bytes(|x, y| (x as i8).min(y as i8) as u8)
    );
    assert_eq!(result("vmax2.u32.u32.u32"), words(u16::max));
}

/// Compares the results of an instruction for all pairs of these numbers.
fn pairs(instruction: &str, expected: impl Fn(u32, u32) -> u32) {
    let numbers = [
        0_u32,
        1,
        5,
        31,
        32,
        33,
        63,
        0x7f,
        0x8000_0000,
        0xffff_ffff,
        0xdead_beef,
    ];
    let (mut body, mut wanted) = (String::new(), Vec::new());
    for a in numbers {
        for b in numbers {
            let at = 4 * wanted.len();
            body += &format!(
                "mov.b32 %r2, {a}; mov.b32 %r3, {b}; {instruction} %r1, %r2, %r3; st.global.b32 [%out+{at}], %r1;\n"
            );
            wanted.push(expected(a, b));
        }
    }
    assert_eq!(
        run(&body, 1, wanted.len()).unwrap(),
        wanted,
        "{instruction}"
    );
}

#[test]
fn set_bits_are_counted_from_a_place() {
    let mask = 0b1001_0110_u32;
    for base in 0..32 {
        for offset in -5..=5_i32 {
            // The pseudocode of the manual.
            let is_set = |bit: i64| mask >> bit & 1 == 1;
            let mut expected = u32::MAX;
            if offset == 0 {
                if is_set(base) {
                    expected = base as u32;
                }
            } else {
                let (mut bit, mut left) = (base, offset.abs());
                while (0..32).contains(&bit) {
                    left -= i32::from(is_set(bit));
                    if left == 0 {
                        expected = bit as u32;
                        break;
                    }
                    bit += i64::from(offset.signum());
                }
            }
            let body = format!(
                "mov.b32 %r2, {mask}; mov.b32 %r3, {base}; fns.b32 %r1, %r2, %r3, {offset};"
            );
            assert_eq!(word(&body), expected, "base {base}, offset {offset}");
        }
    }
    let beyond = "mov.b32 %r2, -1; mov.b32 %r3, 32; fns.b32 %r1, %r2, %r3, 0;";
    assert_eq!(word(beyond), u32::MAX);
}

#[test]
fn threads_know_their_places() {
    const NAMES: [&str; 12] = [
        "laneid",
        "warpid",
        "lanemask_eq",
        "lanemask_lt",
        "lanemask_le",
        "lanemask_gt",
        "lanemask_ge",
        "cluster_ctaid.x",
        "cluster_ctaid.y",
        "clusterid.x",
        "clusterid.y",
        "cluster_ctarank",
    ];
    const THREADS: u32 = 64;
    const GRID: [u32; 2] = [6, 4];
    const CLUSTER: [u32; 2] = [3, 2];
    let stores = NAMES.iter().enumerate().map(|(number, name)| {
        format!(
            "mov.u32 %v, %{name}; st.global.u32 [%out+{}], %v;",
            4 * number
        )
    });
    let text = module(&format!(
        ".entry k(.param .u64 out) {{
            .reg .b32 %v; .reg .b32 %at; .reg .b32 %n; .reg .b64 %out; .reg .b64 %offset;
            ld.param.u64 %out, [out];
            mov.u32 %at, %ctaid.y; mov.u32 %n, %ctaid.x; mad.lo.u32 %at, %at, {}, %n;
            mov.u32 %n, %tid.x; mad.lo.u32 %at, %at, {THREADS}, %n;
            mul.wide.u32 %offset, %at, {}; add.u64 %out, %out, %offset;
            {}
            ret;
        }}",
        GRID[0],
        4 * NAMES.len(),
        stores.collect::<String>()
    ));
    let count = (GRID[0] * GRID[1] * THREADS) as usize * NAMES.len();
    let launch = Launch::new("k", (GRID[0], GRID[1]), THREADS);
    let launch = launch.cluster((CLUSTER[0], CLUSTER[1])).buffer(0);
    let buffers = vec![Buffer::zeroed::<u32>("out", count)];
    let got = run_launch(&text, launch, buffers, 0).unwrap()[0]
        .to_vec::<u32>()
        .unwrap();
    let (rows, _) = got.as_chunks::<{ NAMES.len() }>();
    for (at, row) in (0..).zip(rows) {
        let (block, thread) = (at / THREADS, at % THREADS);
        let [x, y] = [block % GRID[0], block / GRID[0]];
        let lane = thread % 32;
        let lanes = |is_set: &dyn Fn(u32) -> bool| {
            (0..32)
                .filter(|other| is_set(*other))
                .map(|other| 1 << other)
                .sum::<u32>()
        };
        let expected = [
            lane,
            thread / 32,
            lanes(&|other| other == lane),
            lanes(&|other| other < lane),
            lanes(&|other| other <= lane),
            lanes(&|other| other > lane),
            lanes(&|other| other >= lane),
            x % CLUSTER[0],
            y % CLUSTER[1],
            x / CLUSTER[0],
            y / CLUSTER[1],
            y % CLUSTER[1] * CLUSTER[0] + x % CLUSTER[0],
        ];
        assert_eq!(*row, expected, "thread {thread} of block {x}, {y}");
    }
}

#[test]
fn signs_are_multiplied() {
    let numbers = [1.5_f32, -1.5, 2.5, -2.5];
    for (a, b) in numbers.iter().flat_map(|a| numbers.map(|b| (*a, b))) {
        let result = |name: &str| {
            let (a, b) = (a.to_bits(), b.to_bits());
            word(&format!(
                "mov.b32 %f2, {a}; mov.b32 %f3, {b}; {name}.xorsign.abs.f32 %f1, %f2, %f3; mov.b32 %r1, %f1;"
            ))
        };
        let sign = if a * b < 0.0 { -1.0_f32 } else { 1.0 };
        let (least, most) = if a.abs() < b.abs() { (a, b) } else { (b, a) };
        assert_eq!(f32::from_bits(result("min")), sign * least.abs(), "{a} {b}");
        assert_eq!(f32::from_bits(result("max")), sign * most.abs(), "{a} {b}");
    }
}

#[test]
fn runs_of_bits() {
    // Bit by bit.
    let bits = |set: &dyn Fn(u32) -> bool| {
        (0..32)
            .filter(|bit| set(*bit))
            .fold(0, |mask, bit| mask | 1 << bit)
    };
    let mask = |start: u32, width: u32| {
        let end = u64::from(start) + u64::from(width);
        bits(&|bit| bit >= start && u64::from(bit) < end)
    };
    pairs("bmsk.clamp.b32", mask);
    pairs("bmsk.wrap.b32", |a, b| mask(a % 32, b % 32));
    let extended = |a: u32, width: u32, signed: bool| {
        bits(&|bit| match bit {
            bit if bit < width => a >> bit & 1 != 0,
            _ => signed && width > 0 && a >> (width - 1) & 1 != 0,
        })
    };
    pairs("szext.clamp.u32", |a, b| extended(a, b.min(32), false));
    pairs("szext.clamp.s32", |a, b| extended(a, b.min(32), true));
    pairs("szext.wrap.u32", |a, b| extended(a, b % 32, false));
    pairs("szext.wrap.s32", |a, b| extended(a, b % 32, true));
}

#[test]
fn every_function_of_three_bits() {
    let (a, b, c) = (0xf0f0_1234_u32, 0xcccc_9876, 0xaaaa_5500);
    let mut body = format!("mov.b32 %r2, {a}; mov.b32 %r3, {b}; mov.b32 %r4, {c};\n");
    for table in 0..256 {
        body += &format!(
            "lop3.b32 %r1, %r2, %r3, %r4, {table}; st.global.b32 [%out+{}], %r1;\n",
            4 * table
        );
    }
    let expected = (0..256_u32).map(|table| {
        (0..32).fold(0, |word, bit| {
            let of = |x: u32| x >> bit & 1;
            word | (table >> (of(a) << 2 | of(b) << 1 | of(c)) & 1) << bit
        })
    });
    assert_eq!(run(&body, 1, 256).unwrap(), expected.collect::<Vec<_>>());
    // With a predicate: whether any bit is set, and another one.
    let body = "mov.b32 %r2, 5; setp.eq.u32 %p2, %r2, 0; setp.eq.u32 %p3, %r2, 5;
        lop3.or.b32 %r3|%p4, %r2, %r2, %r2, 0, %p3; lop3.and.b32 %r4|%p5, %r2, %r2, %r2, 0xf0, %p3;
        lop3.or.b32 _|%p6, %r2, %r2, %r2, 0, %p2; selp.u32 %r5, 1, 0, %p4; selp.u32 %r6, 2, 0, %p5; selp.u32 %r7, 4, 0, %p6;
        add.u32 %r1, %r5, %r6; add.u32 %r1, %r1, %r7; mad.lo.u32 %r1, %r4, 100, %r1;";
    assert_eq!(word(body), 503);
}

#[test]
fn sums_of_small_products() {
    let (a, b, c) = (0x8001_fffe_u32, 0x80ff_017f_u32, 1000_u32);
    let of = |instruction: &str| {
        word(&format!(
            "mov.b32 %r2, {a}; mov.b32 %r3, {b}; mov.b32 %r4, {c}; {instruction} %r1, %r2, %r3, %r4;"
        ))
    };
    let (unsigned, signed) = ([0xfffe, 0x8001], [-2, -0x7fff]);
    let sum = |halves: [i64; 2], bytes: [i64; 2]| {
        (i64::from(c) + halves[0] * bytes[0] + halves[1] * bytes[1]) as u32
    };
    assert_eq!(of("dp2a.lo.u32.u32"), sum(unsigned, [0x7f, 1]));
    assert_eq!(of("dp2a.hi.u32.u32"), sum(unsigned, [0xff, 0x80]));
    assert_eq!(of("dp2a.lo.s32.u32"), sum(signed, [0x7f, 1]));
    assert_eq!(of("dp2a.hi.s32.s32"), sum(signed, [-1, -0x80]));
    assert_eq!(of("dp2a.hi.u32.s32"), sum(unsigned, [-1, -0x80]));
    let bytes: i64 = [(0xfe, 0x7f), (0xff, 1), (1, -1), (0x80, -0x80)]
        .iter()
        .map(|(a, b)| a * b)
        .sum();
    assert_eq!(of("dp4a.u32.s32"), (1000 + bytes) as u32);
}

#[test]
fn policies_of_ordinary_accesses_and_vectors_of_atomics() {
    let body = "createpolicy.fractional.L2::evict_first.b64 %rd5; mov.u32 %r2, 7; mov.f32 %f2, 0f3F800000; mov.f32 %f3, 0f40000000;
        st.global.L2::cache_hint.u32 [%out], %r2, %rd5; ld.global.L1::no_allocate.L2::cache_hint.u32 %r3, [%out], %rd5;
        atom.global.add.L2::cache_hint.u32 %r4, [%out], %r3, %rd5; red.global.add.L2::cache_hint.u32 [%out], %r4, %rd5;
        st.global.v4.f32 [%out+16], {%f2, %f2, %f2, %f2}; red.global.add.v4.f32 [%out+16], {%f2, %f3, %f2, %f3};
        atom.global.add.v2.f32 {%f4, _}, [%out+16], {%f3, %f3}; st.global.f32 [%out+4], %f4;
        mov.b32 %r5, 0x3c004000; st.global.v2.u32 [%out+8], {%r5, %r5}; red.global.add.noftz.v2.f16x2 [%out+8], {%r5, %r5};";
    let out = run(body, 1, 8).unwrap();
    let [two, three, four, five] = [2.0_f32, 3.0, 4.0, 5.0].map(f32::to_bits);
    assert_eq!(
        out,
        [21, two, 0x4000_4400, 0x4000_4400, four, five, two, three]
    );
}

/// Functions in a table in global memory, one in a table of constants, a table of tables, one after the start of a
/// table, and one as bytes.
const TABLES: &str = "
    .func (.reg .u32 %r) add_one(.reg .u32 %a) { add.u32 %r, %a, 1; ret; }
    .func (.reg .u32 %r) twice(.reg .u32 %a) { add.u32 %r, %a, %a; ret; }
    .func (.reg .u32 %r) square(.reg .u32 %a) { mul.lo.u32 %r, %a, %a; ret; }
    .global .align 8 .u64 table[3] = {add_one, twice, square};
    .const .align 8 .u64 fixed[2] = {square, add_one};
    .global .align 8 .u64 tables[2] = {generic(table), generic(fixed)};
    .func (.reg .u32 %r) cube(.reg .u32 %a) { mul.lo.u32 %r, %a, %a; mul.lo.u32 %r, %r, %a; ret; }
    .func (.reg .u32 %r) flip(.reg .u32 %a) { not.b32 %r, %a; ret; }
    .global .align 8 .u64 cubes[2] = {0, cube};
    .global .align 8 .u64 last = cubes + 8;
    .global .align 8 .u8 bytes[8] = {0xFF(flip), 0xFF00(flip), 0xFF0000(flip), 0xFF000000(flip),
        0xFF00000000(flip), 0xFF0000000000(flip), 0xFF000000000000(flip), 0xFF00000000000000(flip)};
    .visible .entry k(.param .u64 out) {
        .reg .b32 %r<6>; .reg .b64 %rd<8>; .reg .pred %p;
        ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x;
        prototype: .callprototype (.reg .u32 _) _ (.reg .u32 _);
        rem.u32 %r2, %r1, 3; mov.u64 %rd2, table; mad.wide.u32 %rd2, %r2, 8, %rd2; ld.global.u64 %rd3, [%rd2];
        call (%r3), %rd3, (%r1), prototype;
        and.b32 %r2, %r1, 1; mov.u64 %rd2, tables; ld.global.u64 %rd4, [%rd2+8]; mad.wide.u32 %rd4, %r2, 8, %rd4; ld.u64 %rd3, [%rd4];
        call (%r4), %rd3, (%r1), prototype;
        ld.global.u64 %rd3, [last]; ld.global.u64 %rd3, [%rd3]; call (%r5), %rd3, (%r1), prototype; add.u32 %r3, %r3, %r5;
        ld.global.u64 %rd3, [bytes]; call (%r5), %rd3, (%r1), prototype; xor.b32 %r3, %r3, %r5;
        mad.lo.u32 %r4, %r4, 10000, %r3; mul.wide.u32 %rd5, %r1, 4; add.u64 %rd5, %rd5, %rd1; st.global.u32 [%rd5], %r4;
        ret;
    }";

#[test]
fn functions_are_called_through_tables() {
    let text = module(TABLES);
    for seed in crate::common::SEEDS {
        let launch = Launch::new("k", 1, 64).buffer(0);
        let buffers = vec![Buffer::zeroed::<u32>("out", 64)];
        let out =
            run_launch(&text, launch, buffers, seed).unwrap_or_else(|failure| panic!("{failure}"));
        let expected = (0..64_u32).map(|t| {
            let first = [t + 1, 2 * t, t * t][t as usize % 3];
            let second = [t * t, t + 1][t as usize % 2];
            (second * 10_000).wrapping_add((first + t * t * t) ^ !t)
        });
        assert_eq!(
            out[0].to_vec::<u32>().unwrap(),
            expected.collect::<Vec<_>>()
        );
    }
    let message = crate::common::failure(
        "mov.u64 %rd2, 64; { prototype: .callprototype _ (); call %rd2, (), prototype; }",
        1,
    );
    assert!(
        message.contains("0x40 is not the address of a function"),
        "{message}"
    );
}

#[test]
fn kernels_have_a_heap() {
    let text = module(
        ".extern .func (.param .b64 result) malloc(.param .b64 bytes);
        .extern .func free(.param .b64 pointer);
        .visible .entry k(.param .u64 out) {
            .reg .b32 %r<4>; .reg .b64 %rd<8>; .reg .pred %p;
            ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x;
            { .param .b64 bytes; .param .b64 result; st.param.b64 [bytes], 100; call.uni (result), malloc, (bytes); ld.param.b64 %rd2, [result]; }
            st.u32 [%rd2+96], %r1; bar.sync 0; ld.u32 %r2, [%rd2+96]; add.u32 %r2, %r2, 1;
            mul.wide.u32 %rd3, %r1, 4; add.u64 %rd3, %rd3, %rd1; st.global.u32 [%rd3], %r2;
            { .param .b64 pointer; st.param.b64 [pointer], %rd2; call.uni free, (pointer); }
            { .param .b64 bytes; .param .b64 result; st.param.b64 [bytes], 1073741824; call.uni (result), malloc, (bytes); ld.param.b64 %rd2, [result]; }
            setp.ne.u64 %p, %rd2, 0; @%p trap; ret;
        }",
    );
    let run = |text: &str| {
        let buffers = vec![Buffer::zeroed::<u32>("out", 48)];
        run_launch(text, Launch::new("k", 1, 48).buffer(0), buffers, 3)
    };
    let numbers: Vec<u32> = (1..49).collect();
    assert_eq!(run(&text).unwrap()[0].to_vec::<u32>().unwrap(), numbers);
    let unwritten = text.replace("st.u32 [%rd2+96], %r1;", "");
    let said = run(&unwritten).unwrap_err().to_string();
    assert!(said.contains("uninitialised"), "{said}");
}

/// The heap has 8 MiB: 6 beside 3 have no room.
#[test]
fn freed_memory_of_the_heap_counts_no_longer() {
    let malloc = |bytes: u32, into: &str| {
        format!(
            "{{ .param .b64 bytes; .param .b64 result; st.param.b64 [bytes], {bytes};
            call.uni (result), malloc, (bytes); ld.param.b64 {into}, [result]; }}"
        )
    };
    let free = "{ .param .b64 pointer; st.param.b64 [pointer], %rd3; call.uni free, (pointer); }";
    for (again, fits) in [(4 << 20, 1), (6 << 20, 0)] {
        let body = format!(
            "{} {} {free} {} setp.ne.u64 %p, %rd2, 0; selp.u32 %r1, 1, 0, %p; st.global.u32 [%rd1], %r1; ret;",
            malloc(3 << 20, "%rd2"),
            malloc(3 << 20, "%rd3"),
            malloc(again, "%rd2"),
        );
        let text = module(&format!(
            ".extern .func (.param .b64 result) malloc(.param .b64 bytes);
            .extern .func free(.param .b64 pointer);
            .visible .entry k(.param .u64 out) {{
            .reg .b32 %r<4>; .reg .b64 %rd<8>; .reg .pred %p; ld.param.u64 %rd1, [out]; {body} }}"
        ));
        let buffers = vec![Buffer::zeroed::<u32>("out", 1)];
        let out = run_launch(&text, Launch::new("k", 1, 1).buffer(0), buffers, 3).unwrap();
        assert_eq!(out[0].to_vec::<u32>().unwrap(), [fits], "{again}");
    }
}

/// Returns four matrices of 8 x 8 halves, row by row, with their indices as elements.
fn matrices(body: &str) -> Vec<u32> {
    let body = format!(
        ".shared .align 16 .b8 s[1024]; mov.u32 %r20, s; mad.lo.u32 %r21, %t, 16, %r20;
        mul.lo.u32 %r22, %t, 8; mov.u32 %r23, 0x00020002; shl.b32 %r24, %r22, 16; or.b32 %r25, %r22, %r24; add.u32 %r25, %r25, 0x10000;
        add.u32 %r26, %r25, %r23; add.u32 %r27, %r26, %r23; add.u32 %r28, %r27, %r23;
        st.shared.v4.u32 [%r21], {{%r25, %r26, %r27, %r28}}; bar.warp.sync 0xffffffff;
        {body}
        mul.wide.u32 %rd2, %t, 16; add.u64 %rd2, %rd2, %out; st.global.v4.u32 [%rd2], {{%r1, %r2, %r3, %r4}};"
    );
    run(&body, 32, 128).unwrap_or_else(|failure| panic!("{failure}"))
}

#[test]
fn matrices_of_a_warp() {
    let element = |matrix: u32, row: u32, column: u32| 64 * matrix + 8 * row + column;
    // Lane t has row t / 4, and two of its columns; transposed, two rows of column t / 4.
    let fragment = |lane: u32, matrix: u32, transposed: bool| {
        let of = |at| match transposed {
            false => element(matrix, lane / 4, 2 * (lane % 4) + at),
            true => element(matrix, 2 * (lane % 4) + at, lane / 4),
        };
        of(0) | of(1) << 16
    };
    let load = |trans: &str| {
        format!("ldmatrix.sync.aligned.m8n8.x4{trans}.shared.b16 {{%r1, %r2, %r3, %r4}}, [%r21];")
    };
    for (trans, transposed) in [("", false), (".trans", true)] {
        let expected = (0..128).map(|n| fragment(n / 4, n % 4, transposed));
        assert_eq!(
            matrices(&load(trans)),
            expected.collect::<Vec<_>>(),
            "{trans}"
        );
        // Storing them the same way restores them at another place.
        let there_and_back = format!(
            "{} stmatrix.sync.aligned.m8n8.x4{trans}.shared::cta.b16 [%r21+512], {{%r1, %r2, %r3, %r4}};
            bar.warp.sync 0xffffffff; ld.shared.v4.u32 {{%r1, %r2, %r3, %r4}}, [%r21+512];",
            load(trans)
        );
        let expected = (0..128).map(|n| (2 * n) | ((2 * n + 1) << 16));
        assert_eq!(
            matrices(&there_and_back),
            expected.collect::<Vec<_>>(),
            "{trans}"
        );
    }
    let moved = matrices(
        "ldmatrix.sync.aligned.m8n8.x2.shared::cta.b16 {%r2, %r3}, [%r21]; movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r3;
        ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%r4}, [%r21];",
    );
    let expected = (0..32).flat_map(|t| {
        [
            fragment(t, 1, true),
            fragment(t, 0, false),
            fragment(t, 1, false),
            fragment(t, 0, true),
        ]
    });
    assert_eq!(moved, expected.collect::<Vec<_>>());
    let few = ".shared .align 16 .b8 s[128]; mov.u32 %r2, s; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r2];";
    assert!(crate::common::failure(few, 16).contains("only lanes 0 to 15 of the warp are here"));
}
