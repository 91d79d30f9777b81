//! Checks that a text that can be parsed is valid: names, sizes, versions and types. It refuses
//! what ptxas refuses, whatever the emulator can execute.

mod function;
mod module;
mod names;
mod opcodes;
mod types;

use ptx::{LineIndex, Module, Span};
use tma_launch::{Failure, Stage};

/// The number of mistakes that are reported.
const MOST: usize = 50;

/// The mistakes of a text, with their locations.
struct Mistakes(Vec<(Span, String)>);

impl Mistakes {
    /// Adds a mistake: a sentence, and the section of PTX ISA 9.1 with the rule.
    fn add(&mut self, span: Span, rule: &str, what: String) {
        self.0.push((span, format!("{what} (PTX ISA {rule})")));
    }
}

/// Refuses a module that breaks a rule of PTX, with all locations.
pub(crate) fn check(module: &Module, name: &str, text: &str) -> Result<(), Failure> {
    let mut mistakes = Mistakes(Vec::new());
    module::check(module, text, &mut mistakes);
    let mut found = mistakes.0;
    if found.is_empty() {
        return Ok(());
    }
    found.sort();
    let lines = LineIndex::new(text);
    let shown = found.iter().take(MOST).map(|(span, what)| {
        let at = lines.line_column(span.start());
        format!("{name}:{}:{}: {what}", at.line, at.column)
    });
    let mut shown: Vec<String> = shown.collect();
    if let Some(rest) = found.len().checked_sub(MOST + 1) {
        shown.push(format!("{} more mistakes are not shown", rest + 1));
    }
    Err(Failure::new(Stage::Load, shown.join("\n")))
}

#[cfg(test)]
mod tests {
    use super::{MOST, check};

    /// Returns the first mistake of a module, or an empty text.
    fn mistake(items: &str) -> String {
        let text = format!(".version 8.6\n.target sm_90a\n.address_size 64\n{items}\n");
        of(&text)
    }

    fn of(text: &str) -> String {
        let module = ptx::parse(text).unwrap_or_else(|errors| panic!("{errors}"));
        match check(&module, "t", text) {
            Ok(()) => String::new(),
            Err(failure) => failure.what.lines().next().unwrap_or("").to_owned(),
        }
    }

    #[test]
    fn mistakes_that_are_not_shown_are_counted() {
        let said = |count: usize| {
            let text = format!(
                ".version 8.6 .target sm_90a .entry k() {{ {} ret; }}",
                "bra L; ".repeat(count)
            );
            let module = ptx::parse(&text).unwrap_or_else(|errors| panic!("{errors}"));
            check(&module, "t", &text).unwrap_err().what
        };
        assert_eq!(said(MOST).lines().count(), MOST);
        assert!(said(MOST + 1).ends_with("\n1 more mistakes are not shown"));
        assert!(said(MOST + 3).ends_with("\n3 more mistakes are not shown"));
    }

    fn in_kernel(body: &str) -> String {
        mistake(&format!(
            ".visible .entry k(.param .u64 a) {{\n.reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<4>; \
             .reg .b64 %rd<4>; .reg .f32 %f<4>; .reg .f64 %fd<4>; .reg .u32 %u<4>; .reg .s32 %s<4>;\n{body}\nret; }}"
        ))
    }

    #[test]
    fn what_ptxas_takes_is_valid() {
        for body in [
            "mov.b64 %rd1, {%tid.x, %f1}; mov.b64 {%r1, _}, %clock64; mov.b32 %r1, {1, %h1};",
            "mov.b64 %rd1, {%h1, %h1, %h2, %h2}; mov.b32 %f1, {%h1, %h2}; mov.b64 {%f1, %r2}, %fd1;",
            "L: { L: bra L; } bra L;",
            ".reg .b32 x; { .reg .b32 x; mov.u32 x, 1; }",
            "{ bra L; } L:",
            "mov.f32 %r1, 0f00000000; mov.b32 %f1, %r1; add.u32 %s1, %u1, %r1; add.f32 %r1, %r1, %r2;",
            "ld.global.u8 %r1, [%rd1]; ld.global.u32 %rd2, [%rd1]; ld.global.b32 %fd1, [%rd1];",
            "ld.global.f32 %rd2, [%rd1]; st.global.u32 [%rd1], %rd2; st.global.u64 [%rd1], 5;",
            "cvt.u32.u16 %r1, %r2; cvt.u16.u32 %r1, %r2; cvt.rn.f32.u32 %f1, %r2; cvt.u64.u32 %rd1, %tid.x;",
            "mov.u32 %r1, %tid.x; mov.u16 %h1, %tid.x; mov.u64 %rd1, %clock64; mov.b32 %r1, %envreg3;",
            "shl.b64 %rd1, %rd1, %r1; mul.wide.s16 %r1, %h1, %h2; popc.b64 %r1, %rd2; mov.u64 %rd1, k;",
            "setp.eq.and.u32 %p1|%p2, %r1, %r2, !%p3; selp.b32 %r1, %f1, 3, %p1; mov.pred %p1, !%p2;",
            "add.f64 %fd1, %fd1, 0f3F800000; add.f32 %f1, %f1, 0d3FF0000000000000; mov.b32 %r1, 0f3F800000;",
            "atom.global.exch.b32 %f1, [%rd1], %f2; add.u32 %r1, %r2, WARP_SZ; and.b32 %r1, %f1, %r2;",
            "lop3.or.b32 %r1|%p1, %r1, %r2, %r3, 0x80, %p2; atom.global.v2.f32.add {%f1, %f2}, [%rd1], {%f1, %f2};",
            ".reg .b128 %q<2>; mov.b128 %q1, {%rd1, %rd2}; ld.global.b128 %q1, [%rd1]; cvt.rn.bf16x2.f32 %r1, %f1, %f2;",
            ".local .b8 s[4294967296]; .param .b32 x; mov.b64 %rd1, {%r1, %r2};",
        ] {
            assert_eq!(in_kernel(body), "", "{body}");
        }
        for items in [
            ".extern .global .b32 x; .extern .global .b32 x;",
            ".func f(); .func f() { ret; }",
            ".extern .shared .align 16 .b8 s[];",
            ".visible .entry z() .maxntid 32, 1, 1 .minnctapersm 1 { ret; }",
            ".global .b32 v; .global .u64 a[2] = {1, v+4}; .global .u32 b = generic(v); .func f() { ret; } .const .u64 c = f;",
            ".global .b32 v; .global .u8 bytes[8] = {0xFF(v), 0xFF00(generic(v))}; .global .u32 z = 0xFF(v);",
        ] {
            assert_eq!(mistake(items), "", "{items}");
        }
    }

    #[test]
    fn what_ptxas_refuses_is_invalid() {
        for (body, expected) in [
            ("bra L; L: L:", "`L` is defined twice"),
            (".reg .b32 x; .reg .b64 x;", "`x` is defined twice"),
            (".reg .b32 q<4>; .reg .b32 q3;", "`q3` is defined twice"),
            (".reg .b32 q3; .reg .b32 q<4>;", "`q3` is defined twice"),
            (
                ".reg .b32 q3, q1, q2, q0; .reg .b32 q<4>;",
                "`q0` is defined twice",
            ),
            (".reg .b32 q<4>; .reg .b32 q<5>;", "`q<5>` is defined twice"),
            (".reg .b32 a;", "`a` is defined twice"),
            ("bra NO;", "`NO` is not declared"),
            ("mov.u32 %r1, %zz;", "`%zz` is not declared"),
            ("mov.u32 x, 1; .reg .b32 x;", "`x` is not declared"),
            ("{ L: } bra L;", "`L` is not declared"),
            ("@%q bra L; L:", "`%q` is not declared"),
            (
                "@%r1 bra L; L:",
                "is `.b32`, but a guard must be a predicate",
            ),
            ("bra %r1;", "`%r1` is not a label"),
            ("ts: .branchtargets Z;", "`Z` is not declared"),
            (
                "ts: .branchtargets L; L: brx.idx %rd1, ts;",
                "`%rd1` is `.b64`",
            ),
            ("foo.u32 %r1, 1;", "there is no instruction `foo`"),
            (
                "mov.u64 %r1, -1;",
                "`%r1` is `.b32`, but the instruction takes `.u64` here",
            ),
            ("mov.u32 %f1, 1;", "`%f1` is `.f32`"),
            (
                "mov.f32 %f1, 1;",
                "an integer is given where the instruction takes `.f32`",
            ),
            (
                "mov.u32 %r1, 0f3F800000;",
                "a floating-point number is given where",
            ),
            ("add.f32 %u1, %r1, %r2;", "`%u1` is `.u32`"),
            ("add.u32 %r1, %tid.x, 1;", "the special register `%tid`"),
            ("mov.u64 %rd1, %tid.x;", "`%tid` is `.u32`"),
            ("mov.u32 %tid.x, 1;", "the special register `%tid`"),
            (
                "mul.wide.u32 %r1, %r1, %r2;",
                "`%r1` is `.b32`, but the instruction takes `.u64`",
            ),
            ("st.global.u64 [%rd1], %r2;", "`%r2` is `.b32`"),
            ("ld.global.u32 %h1, [%rd1];", "`%h1` is `.b16`"),
            (
                "ld.global.u32 %r1, [%r2];",
                "`%r2` is `.b32`, but an address must have 64 bits",
            ),
            (
                "ld.global.u32 %r1, [%fd2];",
                "`%fd2` is `.f64`, but an address must be an integer",
            ),
            (
                "setp.eq.u32 %r1, %r1, %r1;",
                "`%r1` is `.b32`, but the instruction takes `.pred`",
            ),
            ("shl.b32 %r1, %r1, %rd1;", "`%rd1` is `.b64`"),
            (
                "mov.b32 %r1, {%p1, %h1};",
                "`%p1` is `.pred`, but the instruction takes `.b16`",
            ),
            (
                "mov.b64 {%p1, %r1}, %rd1;",
                "`%p1` is `.pred`, but the instruction takes `.b32`",
            ),
            ("mov.b64 %rd1, {%h1, %h2};", "`%h1` is `.b16`"),
            ("mov.b32 {%f1, %h2}, %r1;", "`%f1` is `.f32`"),
            ("mov.b64 %r1, {%r1, %r2};", "`%r1` is `.b32`"),
            ("cvt.u64.u32 %r1, %r2;", "`%r1` is `.b32`"),
            ("cvt.rn.bf16.f32 %h1, %h2;", "`%h2` is `.b16`"),
            ("atom.global.add.u64 %rd1, [%rd2], %r1;", "`%r1` is `.b32`"),
            ("red.global.add.u32 [%rd1], %rd2;", "`%rd2` is `.b64`"),
            ("ld.global.b128 %rd1, [%rd2];", "`%rd1` is `.b64`"),
            (
                ".shared .align 3 .b8 s[4];",
                "an alignment of 3 is not a power of two",
            ),
            (".shared .b8 s[0];", "`s` has no elements"),
            (".shared .b8 s[1-2];", "`s` has -1 elements"),
            (
                ".shared .b8 s[9223372036854775808];",
                "the size of `s` overflows",
            ),
            (
                ".shared .b8 s[4294967296][4294967296];",
                "the size of `s` overflows",
            ),
            (".shared .b32 s = 4;", "`s` has an initial value"),
        ] {
            let mistake = in_kernel(body);
            assert!(mistake.contains(expected), "{body}: {mistake}");
            assert!(
                mistake.starts_with("t:6:") && mistake.contains("(PTX ISA "),
                "{mistake}"
            );
        }
        for (items, expected) in [
            (
                ".entry k() { ret; } .entry k() { ret; }",
                "`k` is defined twice",
            ),
            (
                ".entry k() { ret; } .func k() { ret; }",
                "`k` is defined twice",
            ),
            (".global .b32 x; .global .b64 x;", "`x` is defined twice"),
            (
                ".global .b32 k; .entry k() { ret; }",
                "`k` is defined twice",
            ),
            (
                ".entry z(.param .u64 a, .param .u64 a) { ret; }",
                "`a` is defined twice",
            ),
            (
                ".entry z(.param .align 3 .b8 a[4]) { ret; }",
                "an alignment of 3",
            ),
            (".visible .entry z(.param .u64 a);", "`z` has no body"),
            (
                ".global .b8 x[2] = {1, 2, 3};",
                "`x` has 2 elements but 3 initial values",
            ),
            (".global .b64 x[1] = {foo};", "`foo` is not declared"),
            (
                ".global .b32 v; .global .b64 x[1] = {v};",
                "`x` is `.b64` and starts with an address, which is `.u32` or `.u64`, or `.u8`",
            ),
            (
                ".global .b32 v; .global .b8 x[1] = {0xFF(v)};",
                "`x` is `.b8` and starts with an address, which is `.u32` or `.u64`, or `.u8`",
            ),
            (".entry z() .maxntid 0 { ret; }", "`.maxntid` is 0"),
            (
                ".entry z() .maxntid 32 .reqntid 32 { ret; }",
                "`.maxntid` and `.reqntid`",
            ),
        ] {
            let mistake = mistake(items);
            assert!(mistake.contains(expected), "{items}: {mistake}");
        }
        for (head, expected) in [
            (".version 7.9 .target sm_90a", "there is no PTX ISA 7.9"),
            (".version 0.5 .target sm_90a", "there is no PTX ISA 0.5"),
            (".version 7.0 .target sm_90a", "needs PTX ISA 8.0"),
            (".version 8.0 .target sm_91", "there is no target `sm_91`"),
            (".version 8.0 .target sm_90a .address_size 32", "32 bits"),
        ] {
            let mistake = of(&format!("{head} .entry k() {{ ret; }}"));
            assert!(mistake.contains(expected), "{head}: {mistake}");
        }
    }
}
