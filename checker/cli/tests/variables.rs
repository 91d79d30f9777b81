//! Launch files with variables, and with pointers and tensor maps in memory.
#![cfg(target_os = "linux")]

#[allow(dead_code, reason = "other tests use the rest")]
mod support;

use std::{fs, path::Path};

use support::{NO_DRIVER, tma};

/// `scale` follows the pointers of `rows` and `table` to 64 numbers, multiplies them by the constants `factors` and
/// counts its runs in `calls`. `load` copies a row with the map in `tile`.
const PTX: &str = "
.version 8.6
.target sm_90a
.address_size 64
.visible .const .align 4 .u32 factors[2];
.visible .const .align 64 .b8 tile[128];
.visible .global .align 8 .u64 rows[2];
.visible .global .u32 calls = 5;
.visible .entry scale(.param .u64 table)
{
    .reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %rd<12>;
    ld.param.u64 %rd1, [table];
    ld.global.u64 %rd2, [%rd1+8];
    mov.u32 %r1, %tid.x;
    shr.u32 %r2, %r1, 5;
    and.b32 %r3, %r1, 31;
    mul.wide.u32 %rd3, %r2, 8;
    mov.u64 %rd4, rows;
    add.u64 %rd4, %rd4, %rd3;
    ld.global.u64 %rd5, [%rd4];
    mul.wide.u32 %rd6, %r3, 4;
    add.u64 %rd5, %rd5, %rd6;
    ld.global.u32 %r4, [%rd5];
    mul.wide.u32 %rd7, %r2, 4;
    mov.u64 %rd8, factors;
    add.u64 %rd8, %rd8, %rd7;
    ld.const.u32 %r5, [%rd8];
    mul.lo.u32 %r4, %r4, %r5;
    mul.wide.u32 %rd9, %r1, 4;
    add.u64 %rd2, %rd2, %rd9;
    st.global.u32 [%rd2], %r4;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra END;
    ld.global.u32 %r6, [calls];
    add.u32 %r6, %r6, 1;
    st.global.u32 [calls], %r6;
END:
    ret;
}
.visible .entry load(.param .u64 out, .param .u64 count)
{
    .reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %rd<8>;
    .shared .align 128 .b8 row[128];
    .shared .align 8 .b64 bar;
    ld.param.u64 %rd1, [count];
    st.u32 [%rd1], 99;
    mov.u32 %r1, bar;
    mov.u32 %r2, row;
    mbarrier.init.shared::cta.b64 [%r1], 1;
    fence.proxy.async.shared::cta;
    mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1], 128;
    mov.u64 %rd2, tile;
    cvta.const.u64 %rd2, %rd2;
    mov.u32 %r3, 32;
    cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r2], [%rd2, {%r3}], [%r1];
WAIT:
    mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1], 0;
    @!%p1 bra WAIT;
    ld.shared.u32 %r4, [%r2+124];
    ld.param.u64 %rd3, [out];
    st.global.u32 [%rd3], %r4;
    ret;
}
";

const FILE: &str = r#"
module = "k.ptx"
buffers.a = { type = "u32", length = 32, contents = "iota" }
buffers.b = { type = "u32", length = 64, contents = { iota = { start = 100 } } }
buffers.out = { type = "u32", length = 64 }
buffers.table = { type = "u64", length = 2, contents = [3, 4], holds = [{ at_bytes = 8, buffer = "out" }] }
buffers.found = { type = "u32", length = 1 }
maps.row = { buffer = "b", box = [32] }

[variables.factors]
type = "u32"
length = 2
contents = [10, 20]

[variables.tile]
type = "u8"
length = 128
holds = [{ map = "row" }]

[variables.rows]
type = "u64"
length = 2
contents = "zeros"
holds = [{ buffer = "a" }, { at_bytes = 8, buffer = "b", offset_bytes = 4 }]

[variables.calls]
type = "u32"
length = 1

[[launch]]
entry = "scale"
grid = 1
block = 64
arguments = [{ buffer = "table" }]

[[launch]]
entry = "scale"
grid = 1
block = 64
arguments = [{ buffer = "table" }]

[[expect]]
variable = "calls"
contents = [7]

[[launch]]
entry = "load"
grid = 1
block = 1
arguments = [{ buffer = "found" }, { variable = "calls" }]

[[expect]]
buffer = "out"
count = 32
contents = { iota = { step = 10 } }

[[expect]]
buffer = "out"
first = 32
contents = { iota = { start = 2020, step = 20 } }

[[expect]]
buffer = "found"
contents = [163]

[[expect]]
variable = "rows"
contents = "unchanged"

[[expect]]
buffer = "table"
contents = [3, 4]

[[dump]]
variable = "calls"
file = "calls.bin"
"#;

/// Returns the exit code, output and dump of a launch file.
fn emulate(file: &str) -> (Option<i32>, String, Vec<u8>) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("k.ptx"), PTX).unwrap();
    let path = folder.path().join("k.toml");
    fs::write(&path, file).unwrap();
    let arguments = ["emulate", path.to_str().unwrap(), "--seeds", "0..4"];
    let output = tma(Path::new(NO_DRIVER), &[], &arguments);
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    let said = said.replace(path.to_str().unwrap(), "k.toml");
    let dumped = fs::read(folder.path().join("calls.bin")).unwrap_or_default();
    (output.status.code(), said, dumped)
}

#[test]
fn variables_are_written_and_read_and_memory_holds_pointers_and_maps() {
    let (code, said, dumped) = emulate(&FILE.replace("contents = [7]", "contents = [99]"));
    assert_eq!((code, said.as_str()), (Some(0), "clean: all of 4 seeds\n"));
    assert_eq!(dumped, 99_u32.to_le_bytes());
}

#[test]
fn variables_that_differ_are_named() {
    let (code, said, _) = emulate(FILE);
    let expected =
        "error[mismatch]: `calls`: element 0: expected 7, got 99; 1 of 1 elements differ";
    assert!(code == Some(1) && said.starts_with(expected), "{said}");
}

#[test]
fn variables_that_are_not_there_or_of_another_size_are_errors() {
    let cases = [
        (
            ("[variables.factors]", "[variables.factor]"),
            "the module has no variable `factor`: did you mean `factors`?",
        ),
        (
            (
                "length = 2\ncontents = [10, 20]",
                "length = 1\ncontents = [10]",
            ),
            "the variable `factors` has 8 bytes, not 4",
        ),
        (
            ("{ variable = \"calls\" }]", "{ variable = \"call\" }]"),
            "there is no variable `call`: did you mean `calls`?",
        ),
        (
            ("{ map = \"row\" }", "{ at_bytes = 8, map = \"row\" }"),
            "placed-map: a tensor map in buffer `tile` is 8 bytes into it; a map must be at a multiple of 64; use 64",
        ),
        (
            ("{ map = \"row\" }", "{ map = \"row\", offset_bytes = 8 }"),
            "set exactly one target: `{ at_bytes = 0, buffer = \"x\" }`",
        ),
        (
            ("contents = [7]", "contents = \"unchanged\""),
            "the initial contents come from the module; set `contents` in the variable's table",
        ),
        (
            (
                "variable = \"calls\"\ncontents",
                "variable = \"calls\"\nbuffer = \"a\"\ncontents",
            ),
            "set either `buffer` or `variable`",
        ),
    ];
    for ((from, to), expected) in cases {
        assert!(FILE.contains(from), "{from}");
        let (code, said, _) = emulate(&FILE.replace(from, to));
        assert!(
            code == Some(2) && said.contains(expected),
            "{code:?} {said}"
        );
    }
}
