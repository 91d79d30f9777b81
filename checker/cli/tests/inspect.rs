//! `tma inspect` without a GPU.
#![cfg(target_os = "linux")]

#[allow(dead_code, reason = "other tests use the rest")]
mod support;

use std::path::Path;

use support::{NO_DRIVER, PTXAS, fake_driver, printed, refused, tma, unreadable};

const KERNELS: &str = "\
.version 8.6
.target sm_90a
.address_size 64
.visible .entry tile(
    .param .align 64 .b8 map[128],
    .param .u32 len
)
.maxntid 16, 8
.reqnctapercluster 2
{
    .shared .align 128 .b8 buffer[1024];
    ret;
}
.visible .entry empty() { ret; }
";

/// Runs `tma inspect` in a folder with `kernels.ptx`, which contains this text.
fn inspect(text: &str, arguments: &[&str]) -> std::process::Output {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("kernels.ptx");
    std::fs::write(&file, text).unwrap();
    let file = file.display().to_string();
    let arguments: Vec<&str> = ["inspect", &file]
        .iter()
        .chain(arguments)
        .copied()
        .collect();
    tma(Path::new(NO_DRIVER), &[NO_PTXAS], &arguments)
}

/// A path without a ptxas.
const NO_PTXAS: (&str, &str) = ("TMA_PTXAS", "/nowhere/ptxas");

#[test]
fn ptxas_says_what_a_kernel_takes() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("kernels.ptx");
    std::fs::write(&file, KERNELS).unwrap();
    let file = file.display().to_string();
    let by_ptxas = |arguments: &[&str]| {
        let arguments = [&["inspect", file.as_str()], arguments].concat();
        printed(&tma(
            Path::new(NO_DRIVER),
            &[("TMA_PTXAS", PTXAS)],
            &arguments,
        ))
    };
    let text = by_ptxas(&[]);
    assert!(
        text.contains(
            "  by ptxas             32 registers, 20 bytes spilled, 24 bytes of stack, 1024 bytes of shared \
             memory\n"
        ) && !text.contains("are unknown"),
        "{text}"
    );
    let json: serde_json::Value = serde_json::from_str(&by_ptxas(&["--json"])).unwrap();
    assert_eq!(json["entries"][0]["assembled"]["registers"], 32);
    assert!(json["not_assembled"].is_null());
}

#[test]
fn kernels_are_described() {
    let text = printed(&inspect(KERNELS, &[]));
    let (head, rest) = text.split_once('\n').unwrap();
    assert!(
        head.contains("kernels.ptx: PTX 8.6 for sm_90a; not compiled: no CUDA driver (/nowhere")
    );
    let (rest, note) = rest
        .split_once("\nregisters and spills are unknown: ")
        .unwrap();
    assert!(
        note.contains("`cargo xtask setup --cuda` of rust-tma installs one"),
        "{note}"
    );
    assert_eq!(
        rest,
        "
tile
  parameter            `map` of 128 bytes, aligned to 64 (holds a tensor map)
  parameter            `len` of 4 bytes, aligned to 4
  .maxntid             16 x 8 x 1
  .reqnctapercluster   2 x 1 x 1
  static shared memory 1024 bytes

empty
  static shared memory 0 bytes
"
    );
}

#[test]
fn json_has_the_same() {
    let json = printed(&inspect(KERNELS, &["--json", "--entry", "tile"]));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        (&json["version"], &json["target"]),
        (&"8.6".into(), &"sm_90a".into())
    );
    let entries = json["entries"].as_array().unwrap();
    assert_eq!(entries.len(), 1);
    assert_eq!(entries[0]["parameters"][0]["holds_tensor_map"], true);
    assert_eq!(entries[0]["maxntid"], serde_json::json!([16, 8, 1]));
    assert_eq!(entries[0]["static_shared_bytes"], 1024);
    assert!(entries[0]["compiled"].is_null() && entries[0]["reqntid"].is_null());
}

#[test]
fn what_the_emulator_lacks_is_named() {
    let body = ".reg .b32 %r<2>; vset.s32.u32.lt %r1, %r1, %r1;
        vset.s32.u32.lt %r1, %r1, %r1; ret;";
    let text = KERNELS.replace("empty() { ret; }", &format!("empty() {{ {body} }}"));
    let said = printed(&inspect(&text, &[]));
    let line = said.lines().find(|line| line.contains("not emulated"));
    let line = line.unwrap();
    assert!(
        line.starts_with("  not emulated         `vset.s32.u32.lt`, 2 times: "),
        "{line}"
    );
    assert!(said.find("\nempty\n") < said.find(line));

    let json: serde_json::Value =
        serde_json::from_str(&printed(&inspect(&text, &["--json"]))).unwrap();
    let entries = json["entries"].as_array().unwrap();
    assert_eq!(entries[0]["not_emulated"], serde_json::json!([]));
    let missing = &entries[1]["not_emulated"];
    assert_eq!(missing.as_array().map(Vec::len), Some(1));
    assert_eq!(missing[0]["instruction"], "vset.s32.u32.lt");
    assert_eq!(missing[0]["count"], 2);
}

#[test]
fn bad_input_is_one_message() {
    let message = refused(&inspect(KERNELS, &["--entry", "tiel"]));
    assert!(
        message.ends_with("kernels.ptx has no kernel `tiel`: did you mean `tile`?\n"),
        "{message}"
    );

    let message = unreadable(&inspect(&KERNELS.replace(".u32 len", ".u32 len,"), &[]));
    assert!(message.starts_with("error: load: "), "{message}");
    assert!(message.contains("kernels.ptx:7:1: expected "), "{message}");

    let message = unreadable(&inspect("\u{0}\u{1}", &[]));
    assert!(message.contains("kernels.ptx:1:1: expected "), "{message}");

    let arguments = ["inspect", "/nowhere/kernels.ptx"];
    let message = unreadable(&tma(Path::new(NO_DRIVER), &[], &arguments));
    assert_eq!(
        message,
        "error: load: cannot read /nowhere/kernels.ptx: No such file or directory (os error 2)\n"
    );
}

#[test]
fn a_driver_that_fails_is_reported_below_the_text() {
    let folder = tempfile::tempdir().unwrap();
    let driver = fake_driver(folder.path());
    let file = folder.path().join("kernels.ptx");
    std::fs::write(&file, KERNELS).unwrap();
    let file = file.display().to_string();
    // This driver has devices, but lacks the functions that would run kernels on them.
    let output = tma(&driver, &[NO_PTXAS], &["inspect", &file]);
    let message = refused(&output);
    assert!(
        message.contains("cuDevicePrimaryCtxRetain: CUDA_ERROR_NOT_FOUND (500)"),
        "{message}"
    );
    assert!(String::from_utf8_lossy(&output.stdout).contains("static shared memory 1024 bytes"));
}
