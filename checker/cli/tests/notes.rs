//! `tma emulate`: notes about untested parts of a run.
#![cfg(target_os = "linux")]

#[allow(dead_code, reason = "other tests use the rest")]
mod support;

use std::{fs, path::Path};

use serde_json::Value;
use support::{NO_DRIVER, tma};

/// A thread loads items of 128 bytes into two stages, and a warp adds one to their numbers.
const PTX: &str = "
.version 8.6
.target sm_90a
.address_size 64
.visible .entry ring(.param .u64 numbers, .param .u32 items)
{
    .reg .pred %p, %q; .reg .b32 %r<16>; .reg .b64 %rd<8>;
    .shared .align 128 .b8 tiles[256];
    .shared .align 8 .b64 full[2];
    .shared .align 8 .b64 empty[2];
    ld.param.u64 %rd1, [numbers];
    ld.param.u32 %r1, [items];
    mov.u32 %r2, %tid.x;
    mov.u32 %r3, full;
    mov.u32 %r4, empty;
    mov.u32 %r5, tiles;
    setp.ne.u32 %p, %r2, 0;
    @%p bra ready;
    mbarrier.init.shared::cta.b64 [%r3], 1;
    mbarrier.init.shared::cta.b64 [%r3+8], 1;
    mbarrier.init.shared::cta.b64 [%r4], 32;
    mbarrier.init.shared::cta.b64 [%r4+8], 32;
ready:
    bar.sync 0;
    mov.u32 %r6, 0; // the item
    mov.u32 %r7, 0; // the stage, in bytes of barriers
    mov.u32 %r8, 0; // the parity
next:
    setp.ge.u32 %p, %r6, %r1;
    @%p bra end;
    add.u32 %r9, %r3, %r7;
    add.u32 %r10, %r4, %r7;
    mad.lo.u32 %r11, %r7, 16, %r5;
    mad.wide.u32 %rd2, %r6, 128, %rd1;
    setp.gt.u32 %p, %r2, 31;
    @%p bra drain;
    setp.ne.u32 %p, %r2, 0;
    @%p bra over;
    xor.b32 %r12, %r8, 1;
free:
    mbarrier.try_wait.parity.shared::cta.b64 %q, [%r10], %r12;
    @!%q bra free;
    mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r9], 128;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r11], [%rd2], 128, [%r9];
    bra over;
drain:
    mbarrier.try_wait.parity.shared::cta.b64 %q, [%r9], %r8;
    @!%q bra drain;
    sub.u32 %r13, %r2, 32;
    mad.lo.u32 %r11, %r13, 4, %r11;
    ld.shared.u32 %r14, [%r11];
    mbarrier.arrive.shared::cta.b64 _, [%r10];
    add.u32 %r14, %r14, 1;
    mad.wide.u32 %rd2, %r13, 4, %rd2;
    st.global.u32 [%rd2], %r14;
over:
    add.u32 %r6, %r6, 1;
    xor.b32 %r7, %r7, 8;
    setp.eq.u32 %p, %r7, 0;
    @%p xor.b32 %r8, %r8, 1;
    bra next;
end:
    ret;
}
";

/// Returns the output of `tma emulate` with this number of items.
fn emulate(items: u32, flags: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let launch = folder.path().join("k.toml");
    fs::write(folder.path().join("k.ptx"), PTX).unwrap();
    let text = format!(
        "module = \"k.ptx\"\n\
         buffers.numbers = {{ type = \"u32\", length = {length} }}\n\
         [launch]\nentry = \"ring\"\ngrid = 1\nblock = 64\n\
         arguments = [{{ buffer = \"numbers\" }}, {{ u32 = {items} }}]\n\
         [expect]\nbuffer = \"numbers\"\ncontents = {{ constant = 1 }}\n",
        length = 32 * items
    );
    fs::write(&launch, text).unwrap();
    let all: Vec<&str> = ["emulate", launch.to_str().unwrap()]
        .into_iter()
        .chain(flags.iter().copied())
        .collect();
    let output = tma(Path::new(NO_DRIVER), &[], &all);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn stages_that_are_filled_once_are_noted() {
    let said = emulate(2, &[]);
    assert!(
        said.starts_with("note[stages-filled-once]: no stage of a pipeline"),
        "{said}"
    );
    assert!(said.contains("2 stages were filled, each once"), "{said}");
    assert!(said.contains("process more than STAGES items"), "{said}");
    assert!(said.contains("\nclean: seed 0"), "{said}");
}

#[test]
fn a_strict_run_warns_of_them() {
    let said = emulate(2, &["--strict"]);
    assert!(said.starts_with("warning[stages-filled-once]: "), "{said}");
    assert!(!said.contains("note["), "{said}");
}

#[test]
fn nothing_is_said_once_a_stage_is_filled_again() {
    for flags in [&[][..], &["--strict"]] {
        let said = emulate(3, flags);
        assert!(said.starts_with("clean: seed 0"), "{said}");
    }
}

#[test]
fn the_json_has_notes_beside_findings() {
    let json: Value = serde_json::from_str(&emulate(1, &["--json"])).unwrap();
    let run = &json["runs"][0];
    assert_eq!(run["verdict"], "clean");
    assert_eq!(run["findings"], Value::Array(Vec::new()));
    assert_eq!(run["notes"][0]["kind"], "stages-filled-once");
    assert_eq!(run["notes"][0]["severity"], "note");
    let json: Value = serde_json::from_str(&emulate(1, &["--json", "--strict"])).unwrap();
    let run = &json["runs"][0];
    assert_eq!(run["findings"][0]["severity"], "warning");
    assert_eq!(run["notes"], Value::Array(Vec::new()));
}
