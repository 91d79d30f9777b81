//! Arithmetic, logic, comparison and conversion, against values computed by Rust or by hand.

use crate::common::{long, run, single, word};

const NUMBERS: [u32; 8] = [
    0,
    1,
    7,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x1234_5678,
    0xdead_beef,
];

fn of_pairs(instruction: &str, expected: impl Fn(u32, u32) -> u32) {
    let mut body = String::new();
    let mut wanted = Vec::new();
    for a in NUMBERS {
        for b in NUMBERS {
            let at = 4 * wanted.len();
            body += &format!(
                "mov.b32 %r2, {a}; mov.b32 %r3, {b}; {instruction} %r1, %r2, %r3; st.global.b32 [%out+{at}], %r1;\n"
            );
            wanted.push(expected(a, b));
        }
    }
    let got = run(&body, 1, wanted.len()).unwrap_or_else(|failure| panic!("{failure}"));
    assert_eq!(got, wanted, "{instruction}");
}

#[test]
fn integers_of_32_bits() {
    of_pairs("add.u32", u32::wrapping_add);
    of_pairs("add.sat.s32", |a, b| {
        (a as i32).saturating_add(b as i32) as u32
    });
    of_pairs("sub.s32", u32::wrapping_sub);
    of_pairs("mul.lo.u32", u32::wrapping_mul);
    of_pairs("mul.hi.u32", |a, b| {
        ((u64::from(a) * u64::from(b)) >> 32) as u32
    });
    of_pairs("mul.hi.s32", |a, b| {
        ((i64::from(a as i32) * i64::from(b as i32)) >> 32) as u32
    });
    of_pairs("min.s32", |a, b| (a as i32).min(b as i32) as u32);
    of_pairs("max.u32", u32::max);
    of_pairs("and.b32", |a, b| a & b);
    of_pairs("xor.b32", |a, b| a ^ b);
    of_pairs("shl.b32", |a, b| if b > 31 { 0 } else { a << b });
    of_pairs("shr.u32", |a, b| if b > 31 { 0 } else { a >> b });
    of_pairs("shr.s32", |a, b| (a as i32 >> b.min(31)) as u32);
    let quotient = |a: u32, b: u32| {
        if b == 0 {
            u32::MAX
        } else {
            (a as i32).wrapping_div(b as i32) as u32
        }
    };
    of_pairs("div.s32", quotient);
    of_pairs("rem.u32", |a, b| if b == 0 { a } else { a % b });
}

#[test]
fn integers_of_other_widths() {
    assert_eq!(
        word(
            "mov.b16 %h1, 0xfff0; mov.b16 %h2, 0x20; add.u16 %h3, %h1, %h2; cvt.u32.u16 %r1, %h3;"
        ),
        0x10
    );
    assert_eq!(
        word("mov.b16 %h1, 0x8000; cvt.s32.s16 %r1, %h1;"),
        0xffff_8000
    );
    assert_eq!(
        word("mov.b16 %h1, -3; mov.b16 %h2, 5; mul.wide.s16 %r1, %h1, %h2;"),
        -15_i32 as u32
    );
    assert_eq!(
        long("mov.b32 %r2, -2; mul.wide.s32 %rd1, %r2, 3;"),
        -6_i64 as u64
    );
    assert_eq!(
        long("mov.b32 %r2, -2; mul.wide.u32 %rd1, %r2, 3;"),
        0xffff_fffe * 3
    );
    assert_eq!(
        long("mov.u64 %rd2, -1; mul.hi.u64 %rd1, %rd2, %rd2;"),
        u64::MAX - 1
    );
    assert_eq!(
        long("mov.u64 %rd2, -7; mov.u64 %rd3, 2; div.s64 %rd1, %rd2, %rd3;"),
        -3_i64 as u64
    );
    assert_eq!(
        word("mov.b32 %r2, 5; mov.b32 %r3, 9; sad.u32 %r1, %r2, %r3, 100;"),
        104
    );
    assert_eq!(
        word("mov.b32 %r2, 0x01ff02fe; mov.b32 %r3, 0x01010101; dp4a.s32.s32 %r1, %r2, %r3, 10;"),
        10
    );
}

#[test]
fn sums_of_wide_products() {
    let halves = "mov.b16 %h1, -3; mov.b16 %h2, 5;";
    for (instruction, expected) in [
        ("mad.wide.u16 %r1, %h1, %h2, -7;", 0xfffd * 5 - 7),
        ("mad.wide.s16 %r1, %h1, %h2, -7;", -22_i32 as u32),
        ("mad.lo.u16 %h3, %h1, %h2, 16; cvt.u32.u16 %r1, %h3;", 1),
    ] {
        assert_eq!(
            word(&format!("{halves} {instruction}")),
            expected,
            "{instruction}"
        );
    }
}

#[test]
fn carries_go_from_one_to_the_next() {
    let add = "mov.b32 %r2, -1; mov.b32 %r3, 1; add.cc.u32 %r4, %r2, %r3; addc.u32 %r1, %r2, 5;";
    assert_eq!(word(add), 5);
    let sub = "mov.b32 %r2, 0; mov.b32 %r3, 1; sub.cc.u32 %r4, %r2, %r3; subc.u32 %r1, 10, 3;";
    assert_eq!(word(sub), 6);
    let wide = "mov.u64 %rd2, -1; add.cc.u64 %rd3, %rd2, 1; addc.u64 %rd1, 0, 0;";
    assert_eq!(long(wide), 1);
}

/// The sequence of nvcc's division of 128 bits.
#[test]
fn an_addition_behind_a_subtraction_takes_the_carry_of_the_complement() {
    let after_sub = |a: i32, b: i32| {
        format!("mov.b32 %r2, {a}; mov.b32 %r3, {b}; sub.cc.u32 %r4, %r2, %r3; addc.u32 %r1, 0, 0;")
    };
    assert_eq!(word(&after_sub(3, 5)), 0);
    assert_eq!(word(&after_sub(5, 3)), 1);
    assert_eq!(word(&after_sub(5, 5)), 1);
    let after_add = |a: i32, b: i32| {
        format!("mov.b32 %r2, {a}; mov.b32 %r3, {b}; add.cc.u32 %r4, %r2, %r3; subc.u32 %r1, 9, 4;")
    };
    assert_eq!(word(&after_add(3, 5)), 4);
    assert_eq!(word(&after_add(-1, 5)), 5);
    let wide = "mov.u64 %rd2, 3; sub.cc.u64 %rd3, %rd2, 5; addc.u64 %rd1, 0, 0;";
    assert_eq!(long(wide), 0);
}

#[test]
fn bits_and_fields() {
    assert_eq!(word("mov.b32 %r2, 0xf0f00001; popc.b32 %r1, %r2;"), 9);
    assert_eq!(word("mov.b32 %r2, 0x00010000; clz.b32 %r1, %r2;"), 15);
    assert_eq!(word("mov.b32 %r2, 1; brev.b32 %r1, %r2;"), 1 << 31);
    assert_eq!(
        word("mov.b32 %r2, 0x00f00000; bfe.u32 %r1, %r2, 20, 4;"),
        15
    );
    assert_eq!(
        word("mov.b32 %r2, 0x00f00000; bfe.s32 %r1, %r2, 20, 4;"),
        u32::MAX
    );
    assert_eq!(
        word("mov.b32 %r2, 0x80000000; bfe.s32 %r1, %r2, 24, 16;"),
        0xffff_ff80
    );
    assert_eq!(
        word("mov.b32 %r2, 5; mov.b32 %r3, 0xffffffff; bfi.b32 %r1, %r2, %r3, 4, 8;"),
        0xffff_f05f
    );
    assert_eq!(
        word("mov.b32 %r2, 0x33221100; mov.b32 %r3, 0x77665544; prmt.b32 %r1, %r2, %r3, 0x7250;"),
        0x7722_5500
    );
    assert_eq!(
        word("mov.b32 %r2, 0x00008000; prmt.b32 %r1, %r2, 0, 0x0009;"),
        0x0000_00ff
    );
    assert_eq!(
        word("mov.b32 %r2, 0x12345678; mov.b32 %r3, 0x9abcdef0; shf.l.wrap.b32 %r1, %r2, %r3, 8;"),
        0xbcde_f012
    );
    assert_eq!(
        word(
            "mov.b32 %r2, 0xaa; mov.b32 %r3, 0xcc; mov.b32 %r4, 0xf0; lop3.b32 %r1, %r4, %r3, %r2, 0x96;"
        ),
        0xf0 ^ 0xcc ^ 0xaa
    );
    assert_eq!(
        word(
            "mov.b32 %r2, 0xaa; mov.b32 %r3, 0xcc; mov.b32 %r4, 0xf0; lop3.b32 %r1, %r4, %r3, %r2, 0xca;"
        ),
        (0xf0 & 0xcc) | (0x0f & 0xaa)
    );
    assert_eq!(word("mov.b32 %r2, 0x10; bfind.u32 %r1, %r2;"), 4);
    assert_eq!(word("mov.b32 %r2, 0xaa; fns.b32 %r1, %r2, 0, 3;"), 5);
}

#[test]
fn comparisons_and_selection() {
    of_pairs("set.lt.u32.s32", |a, b| {
        if (a as i32) < b as i32 { u32::MAX } else { 0 }
    });
    of_pairs("set.hs.u32.u32", |a, b| if a >= b { u32::MAX } else { 0 });
    assert_eq!(
        word(
            "mov.b32 %r2, 3; setp.gt.s32 %p1|%p2, %r2, 5; selp.b32 %r3, 1, 0, %p1; selp.b32 %r4, 2, 0, %p2; or.b32 %r1, %r3, %r4;"
        ),
        2
    );
    assert_eq!(
        word("setp.eq.u32 %p1, 1, 1; setp.lt.and.u32 %p2, 1, 2, !%p1; selp.u32 %r1, 7, 8, %p2;"),
        8
    );
    assert_eq!(
        word(
            "mov.f32 %f1, 0f7FC00000; setp.lt.f32 %p1, %f1, %f1; setp.geu.f32 %p2, %f1, %f1; selp.u32 %r2, 1, 0, %p1; selp.u32 %r3, 2, 0, %p2; add.u32 %r1, %r2, %r3;"
        ),
        2
    );
    assert_eq!(word("slct.u32.s32 %r1, 4, 5, -1;"), 5);
    assert_eq!(
        word(
            "setp.ne.u32 %p1, %t, %t; mov.b32 %r1, 1; @%p1 mov.b32 %r1, 2; @!%p1 add.u32 %r1, %r1, 10;"
        ),
        11
    );
}

#[test]
fn single_and_double_precision() {
    assert_eq!(
        single(
            "mov.f32 %f2, 0f3F800001; mov.f32 %f3, 0f3F800001; mov.f32 %f4, 0fBF800002; fma.rn.f32 %f1, %f2, %f3, %f4;"
        ),
        f32::EPSILON * f32::EPSILON
    );
    assert_eq!(
        single("mov.f32 %f2, 0f40400000; rcp.rn.f32 %f1, %f2;"),
        1.0 / 3.0
    );
    assert_eq!(
        single("mov.f32 %f2, 0f40000000; sqrt.rn.f32 %f1, %f2;"),
        2.0_f32.sqrt()
    );
    assert_eq!(
        single("mov.f32 %f2, 0f00000001; add.ftz.f32 %f1, %f2, %f2;").to_bits(),
        0
    );
    assert_eq!(
        single("mov.f32 %f2, 0f40A00000; mul.sat.f32 %f1, %f2, %f2;"),
        1.0
    );
    assert_eq!(
        word("mov.f32 %f2, 0f7F800000; sub.f32 %f1, %f2, %f2; mov.b32 %r1, %f1;"),
        0x7fff_ffff
    );
    assert_eq!(
        single("mov.f32 %f2, 0f7FC00000; mov.f32 %f3, 0f3F800000; max.f32 %f1, %f2, %f3;"),
        1.0
    );
    assert_eq!(
        single("mov.f32 %f2, 0f80000000; mov.f32 %f3, 0f00000000; min.f32 %f1, %f2, %f3;")
            .to_bits(),
        1 << 31
    );
    let double = "mov.f64 %fd1, 0d3FF8000000000000; mov.f64 %fd2, 0d4008000000000000; div.rn.f64 %fd3, %fd1, %fd2; mov.b64 %rd1, %fd3;";
    assert_eq!(long(double), 0.5_f64.to_bits());
}

#[test]
fn half_precision_rounds_once() {
    let fma = |a: u32, b: u32, c: u32| {
        word(&format!(
            "mov.b16 %h1, {a}; mov.b16 %h2, {b}; mov.b16 %h3, {c}; fma.rn.f16 %h4, %h1, %h2, %h3; cvt.u32.u16 %r1, %h4;"
        ))
    };
    assert_eq!(fma(0x3c00, 0x4000, 0x3c00), 0x4200);
    // 65504 is the largest; what rounds beyond is infinity.
    assert_eq!(fma(0x7bff, 0x4000, 0), 0x7c00);
    assert_eq!(
        word("mov.b32 %r2, 0x3c004000; mov.b32 %r3, 0x40003c00; add.f16x2 %r1, %r2, %r3;"),
        0x4200_4200
    );
    assert_eq!(
        word("mov.f32 %f2, 0f3F808000; mov.f32 %f3, 0f40000000; cvt.rn.bf16x2.f32 %r1, %f3, %f2;"),
        0x4000_3f80
    );
}

#[test]
fn conversions() {
    let from = |bits: f32, cvt: &str| {
        word(&format!(
            "mov.f32 %f1, 0f{:08X}; {cvt} %r1, %f1;",
            bits.to_bits()
        ))
    };
    assert_eq!(from(-2.5, "cvt.rzi.s32.f32"), -2_i32 as u32);
    assert_eq!(from(-2.5, "cvt.rni.s32.f32"), -2_i32 as u32);
    assert_eq!(from(-2.5, "cvt.rmi.s32.f32"), -3_i32 as u32);
    assert_eq!(from(1e20, "cvt.rzi.u32.f32"), u32::MAX);
    assert_eq!(from(f32::NAN, "cvt.rzi.s32.f32"), 0);
    assert_eq!(
        single("mov.b32 %r2, 16777217; cvt.rn.f32.s32 %f1, %r2;"),
        16777216.0
    );
    assert_eq!(
        single("mov.b32 %r2, 16777217; cvt.rp.f32.s32 %f1, %r2;"),
        16777218.0
    );
    assert_eq!(word("mov.b32 %r2, 0x1ff; cvt.u8.u32 %r1, %r2;"), 0xff);
    assert_eq!(word("mov.b32 %r2, 0x1ff; cvt.s8.s32 %r1, %r2;"), u32::MAX);
    assert_eq!(word("mov.b32 %r2, 300; cvt.sat.s8.s32 %r1, %r2;"), 127);
    assert_eq!(
        long("mov.b32 %r2, -5; cvt.s64.s32 %rd1, %r2;"),
        -5_i64 as u64
    );
    // A shift, which keeps the payload of a NaN.
    for bits in [0x7f81_u32, 0xffc5, 0x3f80] {
        let cvt = format!("mov.b16 %h1, {bits}; cvt.f32.bf16 %f1, %h1; mov.b32 %r1, %f1;");
        assert_eq!(word(&cvt), bits << 16);
    }
}

#[test]
fn integers_and_floating_point_numbers_saturate_and_round() {
    let of_float =
        |instruction: &str, a: f32| word(&format!("mov.b32 %f2, {}; {instruction}", a.to_bits()));
    let unsigned = "cvt.rzi.u32.f32 %r1, %f2;";
    for (a, expected) in [(1e10, u32::MAX), (-1.0, 0), (4e9, 4_000_000_000), (0.9, 0)] {
        assert_eq!(of_float(unsigned, a), expected, "{a}");
    }
    let signed = "cvt.rzi.s32.f32 %r1, %f2;";
    for (a, expected) in [(1e10, i32::MAX), (-1e10, i32::MIN), (-1.9, -1)] {
        assert_eq!(of_float(signed, a), expected as u32, "{a}");
    }
    let of_integer = |instruction: &str, a: i32| {
        f32::from_bits(word(&format!(
            "mov.b32 %r2, {a}; {instruction} %f1, %r2; mov.b32 %r1, %f1;"
        )))
    };
    // One more than 24 bits.
    let odd = (1 << 24) + 1;
    for (instruction, a, expected) in [
        ("cvt.rz.f32.s32", odd, 16_777_216.0),
        ("cvt.rm.f32.s32", odd, 16_777_216.0),
        ("cvt.rp.f32.s32", odd, 16_777_218.0),
        ("cvt.rz.f32.s32", -odd, -16_777_216.0),
        ("cvt.rm.f32.s32", -odd, -16_777_218.0),
        ("cvt.rp.f32.s32", -odd, -16_777_216.0),
        ("cvt.rp.f32.u32", odd, 16_777_218.0),
        ("cvt.rz.f32.u32", -1, 4_294_967_040.0),
        ("cvt.rn.f32.u32", -1, 4_294_967_296.0),
    ] {
        assert_eq!(of_integer(instruction, a), expected, "{instruction} of {a}");
    }
}

#[test]
fn loads_extend_numbers_by_their_type() {
    let store = "mov.b64 %rd2, 0x80818283f4f5f6f7; st.global.b64 [%out], %rd2;";
    for (load, expected) in [
        ("ld.global.s8 %r1, [%out+7];", 0xffff_ff80),
        ("ld.global.u8 %r1, [%out+7];", 0x80),
        ("ld.global.s16 %r1, [%out+6];", 0xffff_8081),
        ("ld.global.u16 %r1, [%out+6];", 0x8081),
        ("ld.global.s8 %h1, [%out+7]; cvt.u32.u16 %r1, %h1;", 0xff80),
        (
            "ld.global.v2.s16 {%r1, %r2}, [%out+4]; add.u32 %r1, %r1, %r2;",
            0xffff_0304,
        ),
    ] {
        let body = format!("{store} {load} st.global.b32 [%out], %r1;");
        assert_eq!(run(&body, 1, 2).unwrap()[0], expected, "{load}");
    }
    let body = format!("{store} ld.global.s32 %rd1, [%out+4];");
    assert_eq!(long(&body), 0xffff_ffff_8081_8283);
}

#[test]
fn values_are_joined_and_taken_apart() {
    assert_eq!(
        long("mov.b32 %r2, 1; mov.b32 %r3, 2; mov.b64 %rd1, {%r2, %r3};"),
        0x2_0000_0001
    );
    assert_eq!(
        word("mov.u64 %rd2, 0x1122334455667788; mov.b64 {%r2, %r3}, %rd2; sub.u32 %r1, %r2, %r3;"),
        0x4444_4444
    );
    assert_eq!(
        word("mov.b32 %r2, 0x11223344; mov.b32 {%h1, _}, %r2; cvt.u32.u16 %r1, %h1;"),
        0x3344
    );
}
