//! `tma emulate`: findings reported only on request, and findings removed by suppressions.
#![cfg(target_os = "linux")]

#[allow(dead_code, reason = "other tests use the rest")]
mod support;

use std::{fs, path::Path};

use serde_json::Value;
use support::{NO_DRIVER, tma};

/// All threads store the same number with one instruction.
const PTX: &str = "
.version 8.6
.target sm_90a
.address_size 64
.visible .entry all(.param .u64 words)
{
    .reg .b32 %r<4>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [words];
    mov.u32 %r1, 7;
    st.global.u32 [%rd1], %r1;
    ret;
}
";

const FILE: &str = r#"
module = "k.ptx"
buffers.words = { type = "u32", length = 1 }

[launch]
entry = "all"
grid = 1
block = 32
arguments = [{ buffer = "words" }]

[expect]
buffer = "words"
contents = [7]
"#;

/// Returns the output of `tma emulate` with these flags, and asserts the exit code.
fn emulate(file: &str, suppressions: &str, flags: &[&str], code: i32) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = |name| folder.path().join(name).to_str().unwrap().to_owned();
    fs::write(path("k.ptx"), PTX).unwrap();
    fs::write(path("k.toml"), file).unwrap();
    fs::write(path("accepted.toml"), suppressions).unwrap();
    let (launch, accepted) = (path("k.toml"), path("accepted.toml"));
    let flags = flags.iter().map(|flag| match *flag {
        "accepted.toml" => accepted.as_str(),
        flag => flag,
    });
    let all: Vec<&str> = ["emulate", &launch].into_iter().chain(flags).collect();
    let output = tma(Path::new(NO_DRIVER), &[], &all);
    assert_eq!(output.status.code(), Some(code), "{output:?}");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    said.replace(folder.path().to_str().unwrap(), "")
}

#[test]
fn one_value_by_one_instruction_of_a_warp_is_told_if_asked_for() {
    assert_eq!(emulate(FILE, "", &[], 0), "clean: seed 0, 128 steps\n");
    let strict = emulate(FILE, "", &["--strict"], 0);
    assert!(strict.starts_with("warning[same-value-race]: "), "{strict}");
    assert!(
        strict.contains("again: tma emulate /k.toml --seed 0 --strict\n"),
        "{strict}"
    );

    // A race between two warps is always reported.
    let two = emulate(&FILE.replace("block = 32", "block = 64"), "", &[], 0);
    assert!(two.starts_with("warning[same-value-race]: "), "{two}");
}

const ACCEPTED: &str = r#"
[[suppression]]
kind = "same-value-race"
function = "al*"
reason = "all know the number"

[[suppression]]
kind = "data-race"
function = "all"
"#;

#[test]
fn suppressed_findings_are_counted() {
    let flags = [
        "--strict",
        "--seeds",
        "0..4",
        "--suppressions",
        "accepted.toml",
    ];
    let expected = "suppressed: 4 findings of same-value-race in `al*`: all know the number\n\
        warning: unused suppression of data-race in `all`\n\
        clean: all of 4 seeds\n";
    assert_eq!(emulate(FILE, ACCEPTED, &flags, 0), expected);
    let json = emulate(FILE, ACCEPTED, &[&flags[..], &["--json"]].concat(), 0);
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["suppressed"][0]["count"], 4);
    assert_eq!(json["suppressed"][0]["reason"], "all know the number");
    assert_eq!(json["suppressed"][1]["kind"], "data-race");
    assert_eq!(json["suppressed"][1]["count"], 0);
    assert_eq!(json["runs"][3]["findings"], Value::Array(Vec::new()));
}

#[test]
fn other_functions_and_what_ends_a_kernel_are_reported_all_the_same() {
    let other = ACCEPTED.replace("al*", "al");
    let flags = ["--strict", "--suppressions", "accepted.toml"];
    let said = emulate(FILE, &other, &flags, 0);
    assert!(said.contains("warning[same-value-race]"), "{said}");

    let ends = ACCEPTED.replace("data-race", "out-of-bounds");
    let file = FILE.replace("{ buffer = \"words\" }", "{ u64 = 64 }");
    let said = emulate(&file, &ends, &flags, 1);
    assert!(said.contains("error[out-of-bounds]"), "{said}");
    assert!(
        said.contains("unused suppression of out-of-bounds"),
        "{said}"
    );
}

#[test]
fn a_file_that_is_wrong_is_refused_with_its_line() {
    let flags = ["--suppressions", "accepted.toml"];
    let said = emulate(FILE, "[[suppression]]\nkind = \"race\"\n", &flags, 2);
    assert!(
        said.contains("/accepted.toml:2:8: `kind`: unknown value `race`"),
        "{said}"
    );
    assert!(
        said.contains("/accepted.toml:1:1: `suppression` has no `function`"),
        "{said}"
    );
}
