//! Generates modules, some of which break a rule of PTX.

use std::fmt::Write as _;

const REGISTERS: &[(&str, &str)] = &[
    ("pred", "p"),
    ("b16", "h"),
    ("b32", "r"),
    ("b64", "d"),
    ("u16", "uh"),
    ("u32", "u"),
    ("s32", "s"),
    ("u64", "ud"),
    ("f32", "f"),
    ("f64", "fd"),
];

/// Instructions, with placeholders for registers of each kind: `{R32}` of 32 bits, and so on.
const INSTRUCTIONS: &[&str] = &[
    "add.u32 {r}, {r}, {r}",
    "add.s32 {r}, {r}, 5",
    "sub.u64 {d}, {d}, {d}",
    "add.f32 {f}, {f}, {f}",
    "add.f64 {fd}, {fd}, 0d3FF0000000000000",
    "mul.lo.u32 {r}, {r}, {r}",
    "mul.wide.u32 {d}, {r}, {r}",
    "mad.wide.s32 {d}, {r}, 4, {d}",
    "mad.lo.s32 {r}, {r}, {r}, {r}",
    "fma.rn.f32 {f}, {f}, {f}, {f}",
    "and.b32 {r}, {r}, {r}",
    "xor.b64 {d}, {d}, {d}",
    "and.pred {p}, {p}, {p}",
    "not.b32 {r}, {r}",
    "shl.b64 {d}, {d}, {r}",
    "shr.u32 {r}, {r}, 3",
    "popc.b64 {r}, {d}",
    "bfe.u32 {r}, {r}, {r}, {r}",
    "prmt.b32 {r}, {r}, {r}, {r}",
    "setp.lt.u32 {p}, {r}, {r}",
    "setp.eq.f32 {p}, {f}, 0f00000000",
    "setp.eq.and.s32 {p}, {r}, {r}, {p}",
    "selp.b32 {r}, {r}, {r}, {p}",
    "selp.f32 {f}, {f}, {f}, {p}",
    "set.eq.u32.f32 {r}, {f}, {f}",
    "slct.f32.s32 {f}, {f}, {f}, {r}",
    "mov.u32 {r}, {r}",
    "mov.b32 {r}, {f}",
    "mov.u64 {d}, -1",
    "mov.f32 {f}, 0f3F800000",
    "mov.u32 {r}, %tid.x",
    "mov.u64 {d}, %clock64",
    "mov.u64 {d}, v",
    "mov.pred {p}, {p}",
    "cvt.u64.u32 {d}, {r}",
    "cvt.u32.u16 {r}, {h}",
    "cvt.rn.f32.s32 {f}, {r}",
    "cvt.f64.f32 {fd}, {f}",
    "ld.global.u32 {r}, [{d}]",
    "ld.global.u8 {r}, [{d}+4]",
    "ld.global.f32 {f}, [{d}]",
    "ld.shared.u32 {r}, [{r}]",
    "ld.global.v2.u32 {{r}, {r}}, [{d}]",
    "st.global.u32 [{d}], {r}",
    "st.global.u64 [{d}], {d}",
    "st.shared.b32 [sh+4], {f}",
    "st.global.f32 [{d}+8], 0f3F800000",
    "atom.global.add.u32 {r}, [{d}], {r}",
    "red.global.add.f32 [{d}], {f}",
    "atom.global.cas.b64 {d}, [{d}], {d}, {d}",
    "bra L",
    "brx.idx {r}, T",
    "bar.sync 0",
];

const DECLARATIONS: &[&str] = &[
    ".shared .align 8 .b8 m[64];",
    ".shared .align 12 .b8 m[64];",
    ".local .b32 m[4];",
    ".local .b32 m[0];",
    ".reg .b32 m;",
    ".reg .b32 m; .reg .u32 m;",
    ".reg .b32 m<3>; mov.u32 m2, 1;",
    ".reg .b32 m<3>; mov.u32 m3, 1;",
    ".reg .b32 m<3>; .reg .b32 m1;",
    ".reg .b32 a;",
    ".shared .b32 m = 1;",
    "{ .reg .b32 m; mov.u32 m, 1; } { .reg .b64 m; mov.u64 m, 1; }",
    "{ .reg .b32 m; } mov.u32 m, 1;",
    "mov.u32 m, 1; .reg .b32 m;",
    "M: bra M;",
    "M: M: bra M;",
    "{ M: bra M; } M: bra M;",
    "{ M: } bra M;",
    "{ bra M; } M:",
    "bra M;",
    "M: .branchtargets L;",
    "M: .branchtargets L, N;",
    "m: .shared .b32 m;",
    "@%q1 bra L;",
    "@%p1 bra L;",
    "@!%r1 bra L;",
];

const ITEMS: &[&str] = &[
    ".global .b32 g;",
    ".global .b32 g; .global .b32 g;",
    ".extern .global .b32 g; .extern .global .b32 g;",
    ".global .b32 g[2] = {1, 2, 3};",
    ".global .b32 g[3] = {1, 2};",
    ".global .b64 g[1] = {v};",
    ".global .b64 g[1] = {w};",
    ".global .align 6 .b32 g;",
    ".func g() { ret; } .func g() { ret; }",
    ".func g(); .func g() { ret; }",
    ".visible .entry g() { ret; } .visible .entry g() { ret; }",
    ".visible .entry k() { ret; }",
    ".visible .entry g(.param .u64 x, .param .u32 x) { ret; }",
    ".visible .entry g() .maxntid 0 { ret; }",
    ".visible .entry g() .maxntid 64 { ret; }",
    ".const .b32 g[4];",
];

/// Returns a module with a kernel `k`; `pick` returns a number below its argument.
pub(crate) fn text(mut pick: impl FnMut(usize) -> usize) -> String {
    let mut body = String::new();
    for _ in 0..1 + pick(4) {
        let line = INSTRUCTIONS[pick(INSTRUCTIONS.len())];
        let _ = writeln!(body, "\t{};", filled(line, &mut pick));
    }
    if pick(4) == 0 {
        let _ = writeln!(body, "\t{}", DECLARATIONS[pick(DECLARATIONS.len())]);
    }
    let item = match pick(6) {
        0 => ITEMS[pick(ITEMS.len())],
        _ => "",
    };
    let versions = ["7.8", "8.0", "8.6", "8.9", "9.0", "7.9", "6.9", "3.0"];
    let version = match pick(12) {
        0 => versions[pick(versions.len())],
        _ => "8.6",
    };
    let targets = ["sm_90", "sm_80", "sm_85", "sm_75", "sm_9", "sm_91a"];
    let target = match pick(16) {
        0 => targets[pick(targets.len())],
        _ => "sm_90a",
    };
    let mut registers = String::new();
    for (ty, prefix) in REGISTERS {
        let _ = write!(registers, ".reg .{ty} %{prefix}<4>; ");
    }
    format!(
        ".version {version}\n.target {target}\n.address_size 64\n.global .b64 v;\n{item}\n\
         .visible .entry k(.param .u64 a)\n{{\n\t{registers}\n\t.shared .align 8 .b8 sh[64];\n\
         T: .branchtargets L, L;\n{body}L:\n\tret;\n}}\n"
    )
}

/// Registers of the kinds that the line needs, and now and then of another.
fn filled(line: &str, pick: &mut impl FnMut(usize) -> usize) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(start) = rest.find('{') {
        let end = rest[start..].find('}').map(|end| start + end);
        let Some(end) = end.filter(|_| !rest[start + 1..].starts_with('{')) else {
            out.push_str(&rest[..start + 1]);
            rest = &rest[start + 1..];
            continue;
        };
        out.push_str(&rest[..start]);
        let kind = &rest[start + 1..end];
        let prefix = match pick(12) {
            0 => REGISTERS[pick(REGISTERS.len())].1,
            _ => kind,
        };
        let count = 4 + usize::from(pick(40) == 0);
        let _ = write!(out, "%{prefix}{}", pick(count));
        rest = &rest[end + 1..];
    }
    out + rest
}
