//! Directed rounding, and small formats, with results that are known or worked out by hand.

use crate::common::{long, word};

fn f32s(instruction: &str, a: f32, b: f32) -> u32 {
    word(&format!(
        "mov.b32 %f2, {}; mov.b32 %f3, {}; {instruction} mov.b32 %r1, %f1;",
        a.to_bits(),
        b.to_bits()
    ))
}

#[test]
fn single_precision_is_rounded_as_the_instruction_says() {
    let tiny = f32::from_bits(1);
    let next = 1.0 + f32::EPSILON;
    let cases: [(&str, f32, f32, u32); 24] = [
        ("add.rp.f32 %f1, %f2, %f3;", 1.0, 1e-30, next.to_bits()),
        ("add.rm.f32 %f1, %f2, %f3;", 1.0, 1e-30, 0x3f80_0000),
        ("add.rz.f32 %f1, %f2, %f3;", -1.0, -1e-30, 0xbf80_0000),
        ("add.rm.f32 %f1, %f2, %f3;", -1.0, -1e-30, 0xbf80_0001),
        ("add.rz.f32 %f1, %f2, %f3;", 1.0, -1e-30, 0x3f7f_ffff),
        // A sum of zero is negative in one direction alone.
        ("add.rm.f32 %f1, %f2, %f3;", 1.5, -1.5, 0x8000_0000),
        ("add.rp.f32 %f1, %f2, %f3;", 1.5, -1.5, 0),
        ("sub.rm.f32 %f1, %f2, %f3;", 0.0, 0.0, 0x8000_0000),
        ("sub.rz.f32 %f1, %f2, %f3;", 1.0, 3e-20, 0x3f7f_ffff),
        ("mul.rz.f32 %f1, %f2, %f3;", f32::MAX, 2.0, 0x7f7f_ffff),
        ("mul.rp.f32 %f1, %f2, %f3;", f32::MAX, 2.0, 0x7f80_0000),
        ("mul.rm.f32 %f1, %f2, %f3;", f32::MAX, -2.0, 0xff80_0000),
        ("mul.rp.f32 %f1, %f2, %f3;", tiny, 0.25, 1),
        ("mul.rm.f32 %f1, %f2, %f3;", tiny, -0.0, 0x8000_0000),
        ("div.rz.f32 %f1, %f2, %f3;", 1.0, 3.0, 0x3eaa_aaaa),
        ("div.rp.f32 %f1, %f2, %f3;", 1.0, 3.0, 0x3eaa_aaab),
        ("div.rm.f32 %f1, %f2, %f3;", 1.0, -3.0, 0xbeaa_aaab),
        ("div.rp.f32 %f1, %f2, %f3;", 1.0, 0.0, 0x7f80_0000),
        ("div.rp.f32 %f1, %f2, %f3;", 6.0, 3.0, 0x4000_0000),
        ("div.rm.f32 %f1, %f2, %f3;", -6.0, 3.0, 0xc000_0000),
        ("sqrt.rm.f32 %f1, %f2;", 2.0, 0.0, 0x3fb5_04f3),
        ("sqrt.rp.f32 %f1, %f2;", 2.0, 0.0, 0x3fb5_04f4),
        ("rcp.rm.f32 %f1, %f2;", 3.0, 0.0, 0x3eaa_aaaa),
        (
            "fma.rp.f32 %f1, %f2, %f2, %f3;",
            next,
            0.0,
            next.to_bits() + 2,
        ),
    ];
    for (instruction, a, b, expected) in cases {
        let got = f32s(instruction, a, b);
        assert_eq!(
            got, expected,
            "{instruction} of {a:e} and {b:e} is {got:#x}"
        );
    }
    // A NaN, and what flushes.
    assert_eq!(
        f32s(
            "add.rz.f32 %f1, %f2, %f3;",
            f32::INFINITY,
            f32::NEG_INFINITY
        ),
        0x7fff_ffff
    );
    assert_eq!(f32s("mul.rp.ftz.f32 %f1, %f2, %f3;", tiny, 1.0), 0);
    assert_eq!(
        f32s("add.rp.sat.f32 %f1, %f2, %f3;", 1.0, 1e-30),
        0x3f80_0000
    );
}

#[test]
fn double_precision_is_rounded_as_the_instruction_says() {
    let of = |instruction: &str, a: f64, b: f64| {
        long(&format!(
            "mov.b64 %fd2, {}; mov.b64 %fd3, {}; {instruction} mov.b64 %rd1, %fd1;",
            a.to_bits(),
            b.to_bits()
        ))
    };
    let cases: [(&str, f64, f64, u64); 10] = [
        (
            "div.rp.f64 %fd1, %fd2, %fd3;",
            1.0,
            3.0,
            0x3fd5_5555_5555_5556,
        ),
        (
            "div.rm.f64 %fd1, %fd2, %fd3;",
            1.0,
            3.0,
            0x3fd5_5555_5555_5555,
        ),
        ("rcp.rp.f64 %fd1, %fd2;", -3.0, 0.0, 0xbfd5_5555_5555_5555),
        ("sqrt.rm.f64 %fd1, %fd2;", 2.0, 0.0, 0x3ff6_a09e_667f_3bcc),
        ("sqrt.rp.f64 %fd1, %fd2;", 2.0, 0.0, 0x3ff6_a09e_667f_3bcd),
        (
            "add.rp.f64 %fd1, %fd2, %fd3;",
            1.0,
            5e-324,
            0x3ff0_0000_0000_0001,
        ),
        (
            "sub.rz.f64 %fd1, %fd2, %fd3;",
            1.0,
            5e-324,
            0x3fef_ffff_ffff_ffff,
        ),
        (
            "mul.rz.f64 %fd1, %fd2, %fd3;",
            1e308,
            -1e308,
            0xffef_ffff_ffff_ffff,
        ),
        (
            "mul.rp.f64 %fd1, %fd2, %fd3;",
            1e-308,
            -1e-308,
            0x8000_0000_0000_0000,
        ),
        (
            "fma.rm.f64 %fd1, %fd2, %fd2, %fd3;",
            1e200,
            1.0,
            0x7fef_ffff_ffff_ffff,
        ),
    ];
    for (instruction, a, b, expected) in cases {
        let got = of(instruction, a, b);
        assert_eq!(
            got, expected,
            "{instruction} of {a:e} and {b:e} is {got:#x}"
        );
    }
}

#[test]
fn numbers_of_eight_bits_and_halves_in_pairs() {
    let pair = |instruction: &str, a: f32, b: f32| {
        let (a, b) = (a.to_bits(), b.to_bits());
        word(&format!(
            "mov.b32 %f2, {a}; mov.b32 %f3, {b}; {instruction} %h1, %f2, %f3; cvt.u32.u16 %r1, %h1;"
        ))
    };
    assert_eq!(pair("cvt.rn.satfinite.e4m3x2.f32", 1.0, -2.5), 0x38c2);
    assert_eq!(
        pair("cvt.rn.satfinite.e4m3x2.f32", 1000.0, 0.001_953_125),
        0x7e01
    );
    assert_eq!(
        pair("cvt.rn.satfinite.relu.e4m3x2.f32", -3.0, f32::NAN),
        0x007f
    );
    assert_eq!(pair("cvt.rn.satfinite.e5m2x2.f32", 1.75, -1e9), 0x3ffb);
    // 1.0 and 2.5 as halves, there and back.
    assert_eq!(
        word(
            "mov.b32 %r2, 0x3c004100; cvt.rn.satfinite.e5m2x2.f16x2 %h1, %r2; cvt.u32.u16 %r1, %h1;"
        ),
        0x3c41
    );
    assert_eq!(
        word("mov.b16 %h1, 0x38c2; cvt.rn.f16x2.e4m3x2 %r1, %h1;"),
        0x3c00_c100
    );
    assert_eq!(
        word("mov.b16 %h1, 0x38c2; cvt.rn.relu.f16x2.e4m3x2 %r1, %h1;"),
        0x3c00_0000
    );
    assert_eq!(
        word("mov.b16 %h1, 0xbcfb; cvt.rn.f16x2.e5m2x2 %r1, %h1;"),
        0xbc00_fb00
    );
    // 1 + 2^-11 is halfway between two numbers of TensorFloat-32.
    let tie = (1.0 + 2.0_f32.powi(-11)).to_bits();
    assert_eq!(
        word(&format!("mov.b32 %f2, {tie}; cvt.rna.tf32.f32 %r1, %f2;")),
        0x3f80_2000
    );
    assert_eq!(
        word(&format!("mov.b32 %f2, {tie}; cvt.rn.tf32.f32 %r1, %f2;")),
        0x3f80_0000
    );
    // 1e30 has no half: infinity, or the largest.
    let large = 1e30_f32.to_bits();
    assert_eq!(
        word(&format!(
            "mov.b32 %f2, {large}; cvt.rn.f16x2.f32 %r1, %f2, %f2;"
        )),
        0x7c00_7c00
    );
    assert_eq!(
        word(&format!(
            "mov.b32 %f2, {large}; cvt.rn.satfinite.f16x2.f32 %r1, %f2, %f2;"
        )),
        0x7bff_7bff
    );
    // Comparisons of both halves: (1, 2) and (1, 3).
    let halves = "mov.b32 %r2, 0x40003c00; mov.b32 %r3, 0x42003c00;";
    assert_eq!(
        word(&format!("{halves} set.lt.u32.f16x2 %r1, %r2, %r3;")),
        0xffff_0000
    );
    assert_eq!(
        word(&format!("{halves} set.eq.f16x2.f16x2 %r1, %r2, %r3;")),
        0x0000_3c00
    );
    let setp = format!(
        "{halves} setp.ge.f16x2 %p2|%p3, %r2, %r3; selp.u32 %r1, 1, 0, %p2; @%p3 add.u32 %r1, %r1, 2;"
    );
    assert_eq!(word(&setp), 1);
    let setp = format!(
        "{halves} setp.eq.u32 %p1, %r2, %r2; setp.gt.and.bf16x2 %p2|%p3, %r3, %r2, %p1; selp.u32 %r1, 1, 0, %p2; @%p3 add.u32 %r1, %r1, 2;"
    );
    assert_eq!(word(&setp), 2);
}
