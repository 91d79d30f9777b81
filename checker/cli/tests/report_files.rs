//! `--sarif` and `--junit` of `tma emulate`, `tma replay` and `tma exec`.
#![cfg(target_os = "linux")]

#[path = "support/sarif.rs"]
mod sarif;
#[allow(dead_code, reason = "other tests use the rest")]
mod support;

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

use launch_archive::{Archive, Launch, MemoryKind, Region};
use sarif::log;
use serde_json::json;
use support::NO_DRIVER;

/// Two warps write one word without ordering.
const PTX: &str = "
.version 8.6
.target sm_90a
.address_size 64
.visible .entry last(.param .u64 words)
{
    .reg .b32 %r<2>; .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [words];
    mov.u32 %r1, %tid.x;
    st.global.u32 [%rd1], %r1;
    ret;
}";

const RACE: &str = r#"
module = "k.ptx"
buffers.words = { type = "u32", length = 1 }
launch = { entry = "last", grid = 1, block = 64, arguments = [{ buffer = "words" }] }
"#;

/// Creates a folder with a space and other letters in its path, and in it a module and a launch file.
fn folder(file: &str) -> tempfile::TempDir {
    let folder = tempfile::Builder::new().prefix("größe 1 ").tempdir();
    let folder = folder.unwrap();
    fs::write(folder.path().join("k.ptx"), PTX).unwrap();
    fs::write(folder.path().join("k ü.toml"), file).unwrap();
    folder
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tma"))
        .args(arguments)
        .env("TMA_LIBCUDA", NO_DRIVER)
        .current_dir(folder)
        .output()
        .expect("the program starts")
}

#[track_caller]
fn ends(output: &Output, code: i32, part: &str) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let said = text(&output.stdout) + &text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{said}");
    assert!(said.contains(part), "{said}");
}

#[test]
fn a_finding_has_its_lines_in_the_source_and_the_other_access() {
    let folder = folder("");
    let example = |name: &str| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/emulate");
        fs::read_to_string(path.join(name)).unwrap()
    };
    let inner = folder.path().join("kernels");
    fs::create_dir(&inner).unwrap();
    fs::write(inner.join("negate_tile.cu"), example("negate_tile.cu")).unwrap();
    fs::write(inner.join("tile.toml"), example("negate_tile.toml")).unwrap();
    // A copy of the source, by the path that nvcc writes for `größe.cu`.
    fs::copy(inner.join("negate_tile.cu"), inner.join("größe.cu")).unwrap();
    let ptx = example("negate_tile.ptx");
    let ptx = ptx.replace("\"negate_tile.cu\"", r#""gr\303\266\303\237e.cu""#);
    let unfenced = ptx
        .lines()
        .filter(|line| !line.contains("fence.proxy.async"));
    let unfenced: Vec<&str> = unfenced.collect();
    fs::write(inner.join("negate_tile.ptx"), unfenced.join("\n")).unwrap();

    let arguments = ["emulate", "kernels/tile.toml", "--sarif", "tma.sarif"];
    ends(&run(folder.path(), &arguments), 1, "findings: seed 0");
    let run = log(&folder.path().join("tma.sarif"));
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), 1, "{results:#?}");
    let mut result = results[0].clone();
    let message = result["message"]["text"].take();
    let message = message.as_str().unwrap();
    assert!(message.starts_with("error[missing-proxy-fence]: a copy touches bytes"));
    let again = "tma emulate kernels/tile.toml --seed 0";
    assert!(
        message.ends_with(&format!("\n  = again: {again}")),
        "{message}"
    );
    let fingerprint = result["partialFingerprints"]["site/v1"].take();
    assert_eq!(fingerprint.as_str().unwrap().len(), 18);
    let place = |line: u64| {
        json!({
            "artifactLocation": { "uri": "kernels/gr%C3%B6%C3%9Fe.cu", "uriBaseId": "%SRCROOT%" },
            "region": { "startLine": line },
        })
    };
    let expected = json!({
        "ruleId": "missing-proxy-fence",
        "ruleIndex": 0,
        "level": "error",
        "message": { "text": null },
        "locations": [{
            "physicalLocation": place(35),
            "message": { "text": "thread [0, 0, 0] of block [2, 0, 0] issues a copy that reads 128 bytes at shared \
                                  address 0x800 of block [2, 0, 0] (`tile` + 0x380)" },
            "logicalLocations": [{ "name": "negate_tile", "kind": "function" }],
        }],
        "relatedLocations": [{
            "physicalLocation": place(29),
            "message": { "text": "thread [96, 0, 0] of block [2, 0, 0] writes 128 bytes at shared address 0x800 of \
                                  block [2, 0, 0] (`tile` + 0x380)" },
        }],
        "partialFingerprints": { "site/v1": null },
        "occurrenceCount": 80,
        "properties": { "again": again, "runs": 1 },
    });
    assert_eq!(result, expected, "{result:#}");
    let root = run["originalUriBaseIds"]["%SRCROOT%"]["uri"]
        .as_str()
        .unwrap();
    assert!(root.contains("gr%C3%B6%C3%9Fe%201%20"), "{root}");

    // Another line of the source is the same finding for code scanning.
    let moved = unfenced.join("\n").replace("\t1 29 ", "\t1 30 ");
    assert_ne!(moved, unfenced.join("\n"));
    fs::write(inner.join("negate_tile.ptx"), moved).unwrap();
    ends(&self::run(folder.path(), &arguments), 1, "größe.cu:30");
    let moved = log(&folder.path().join("tma.sarif"));
    assert_eq!(
        moved["results"][0]["partialFingerprints"]["site/v1"],
        fingerprint
    );
}

#[test]
fn paths_are_relative_to_the_checkout() {
    let folder = folder(RACE);
    fs::create_dir_all(folder.path().join(".git")).unwrap();
    let inner = folder.path().join("in");
    fs::create_dir(&inner).unwrap();
    let arguments = ["emulate", "../k ü.toml", "--sarif", "k.sarif"];
    ends(&run(&inner, &arguments), 1, "error[data-race]");
    let log = log(&inner.join("k.sarif"));
    let artifact = &log["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"];
    assert_eq!(
        *artifact,
        json!({ "uri": "k.ptx", "uriBaseId": "%SRCROOT%" })
    );
}

#[test]
fn a_clean_run_writes_valid_files() {
    let folder = folder(&RACE.replace("block = 64", "block = 1"));
    let arguments = [
        "emulate",
        "k ü.toml",
        "--sarif",
        "ü.sarif",
        "--junit",
        "a b.xml",
    ];
    ends(&run(folder.path(), &arguments), 0, "clean: seed 0");
    let log = log(&folder.path().join("ü.sarif"));
    assert_eq!(log["results"], json!([]));
    let expected = r#"<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="1" failures="0" errors="0">
  <testsuite name="tma emulate" tests="1" failures="0" errors="0">
    <testcase classname="k ü.toml" name="seed 0"/>
  </testsuite>
</testsuites>
"#;
    let junit = fs::read_to_string(folder.path().join("a b.xml")).unwrap();
    assert_eq!(junit, expected);
}

#[test]
fn seeds_are_test_cases_and_their_common_finding_is_one_result() {
    let folder = folder(RACE);
    let flags = ["--seeds", "4..7", "--sarif", "k.sarif", "--junit", "k.xml"];
    let arguments = [&["emulate", "k ü.toml"][..], &flags].concat();
    ends(&run(folder.path(), &arguments), 1, "findings: 3 of 3 seeds");
    let log = log(&folder.path().join("k.sarif"));
    let [result] = &log["results"].as_array().unwrap()[..] else {
        panic!("{log:#}")
    };
    assert_eq!(result["ruleId"], "data-race");
    assert_eq!(result["properties"]["runs"], 3);
    assert_eq!(
        result["properties"]["again"],
        "tma emulate 'k ü.toml' --seed 4"
    );
    // Without a source, the location is the line of the PTX.
    let place = &result["locations"][0]["physicalLocation"];
    let expected = json!({
        "artifactLocation": { "uri": "k.ptx", "uriBaseId": "%SRCROOT%" },
        "region": { "startLine": 10, "startColumn": 5 },
    });
    assert_eq!(*place, expected);
    let junit = fs::read_to_string(folder.path().join("k.xml")).unwrap();
    assert!(
        junit.contains("<testsuites tests=\"3\" failures=\"3\" errors=\"0\">"),
        "{junit}"
    );
    for seed in 4..7 {
        let case = format!(
            "<testcase classname=\"k ü.toml\" name=\"seed {seed}\">\n      <failure type=\"data-race\" \
             message=\"error[data-race]: two accesses to the same bytes, at least one of them a write, are not \
             ordered\">error[data-race]: two accesses"
        );
        assert!(junit.contains(&case), "{junit}");
        let again = format!("\n  = again: tma emulate 'k ü.toml' --seed {seed}</failure>");
        assert!(junit.contains(&again), "{junit}");
    }
}

#[test]
fn findings_without_an_instruction_are_in_the_launch_file_and_their_texts_are_escaped() {
    let expectation = r#"
expect = { buffer = "a<&\"\u001b[2J", contents = { constant = 5 } }
"#;
    let file = RACE.replace("block = 64", "block = 1") + expectation;
    let file = file.replace("buffers.words", r#"buffers."a<&\"\u001b[2J""#);
    let file = file.replace(r#"buffer = "words""#, r#"buffer = "a<&\"\u001b[2J""#);
    let folder = folder(&file);
    let arguments = [
        "emulate",
        "k ü.toml",
        "--sarif",
        "k.sarif",
        "--junit",
        "k.xml",
    ];
    ends(&run(folder.path(), &arguments), 1, "error[mismatch]");
    let log = log(&folder.path().join("k.sarif"));
    let result = &log["results"][0];
    assert_eq!(result["ruleId"], "mismatch");
    let place = &result["locations"][0]["physicalLocation"];
    let expected = json!({
        "artifactLocation": { "uri": "k%20%C3%BC.toml", "uriBaseId": "%SRCROOT%" },
        "region": { "startLine": 1 },
    });
    assert_eq!(*place, expected);
    let junit = fs::read_to_string(folder.path().join("k.xml")).unwrap();
    let part = "`a&lt;&amp;&quot;\\u001b[2J`: element 0: expected 5, got 0";
    assert!(junit.contains(part), "{junit}");
    assert!(!junit.contains('\u{1b}'), "{junit:?}");
}

#[test]
fn an_invalid_launch_file_is_an_error_in_both_files() {
    let folder = folder(&RACE.replace("block = 64", "blok = 64"));
    let arguments = [
        "emulate",
        "k ü.toml",
        "--sarif",
        "k.sarif",
        "--junit",
        "k.xml",
    ];
    ends(&run(folder.path(), &arguments), 2, "error: k ü.toml:4");
    let log = log(&folder.path().join("k.sarif"));
    assert_eq!(log["results"], json!([]));
    let notifications = &log["invocations"][0]["toolExecutionNotifications"];
    let first = &notifications[0]["locations"][0]["physicalLocation"];
    assert_eq!(first["artifactLocation"]["uri"], "k%20%C3%BC.toml");
    assert_eq!(first["region"]["startLine"], 4);
    let junit = fs::read_to_string(folder.path().join("k.xml")).unwrap();
    assert!(
        junit.contains("tests=\"1\" failures=\"0\" errors=\"1\""),
        "{junit}"
    );
    assert!(junit.contains("<error message=\"k ü.toml:4:"), "{junit}");
}

#[test]
fn files_that_cannot_be_written_are_refused_before_the_run() {
    let folder = folder(RACE);
    let missing = "the folder `none/such` does not exist; create it first";
    for (flags, part) in [
        // A folder in which no user can create files.
        (
            &["--sarif", "/proc/k.sarif"][..],
            "cannot write `/proc/k.sarif`: ",
        ),
        (&["--junit", "none/such/k.xml"], missing),
        (
            &["--sarif", "k.ptx"],
            "is also another file of this command and would be overwritten",
        ),
        (
            &["--junit", "k ü.toml"],
            "is also another file of this command and would be overwritten",
        ),
        (
            &["--sarif", "k.x", "--junit", "./k.x"],
            "would be overwritten",
        ),
    ] {
        let output = run(
            folder.path(),
            &[&["emulate", "k ü.toml"][..], flags].concat(),
        );
        ends(&output, 2, part);
        assert!(output.stdout.is_empty(), "{output:?}");
        let of_exec = [&["exec"][..], flags, &["/bin/true"]].concat();
        if !part.contains("another file") {
            ends(&run(folder.path(), &of_exec), 2, part);
        }
    }
    assert!(!folder.path().join("none").exists());
    assert_eq!(
        fs::read_to_string(folder.path().join("k.ptx")).unwrap(),
        PTX
    );
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn a_write_that_fails_after_the_run_is_an_error() {
    let folder = folder(RACE);
    fs::create_dir(folder.path().join("gone")).unwrap();
    let flags = ["--sarif", "gone/k.sarif", "--junit", "k.xml"];
    let arguments = [&["exec"][..], &flags, &["rm", "-r", "gone"]].concat();
    ends(
        &run(folder.path(), &arguments),
        2,
        "error: cannot write `gone/k.sarif`: ",
    );
    assert!(folder.path().join("k.xml").exists());
}

#[test]
fn exec_writes_files_for_every_end_of_a_program() {
    let folder = folder(RACE);
    let files = ["--sarif", "k.sarif", "--junit", "k.xml"];
    for (program, code, successful) in [
        (&["/bin/true"][..], 0, true),
        (&["sh", "-c", "exit 7"], 7, true),
        (&["./no such program"], 2, false),
    ] {
        let arguments = [&["exec"][..], &files, program].concat();
        ends(&run(folder.path(), &arguments), code, "");
        let log = log(&folder.path().join("k.sarif"));
        assert_eq!(log["invocations"][0]["executionSuccessful"], successful);
        let junit = fs::read_to_string(folder.path().join("k.xml")).unwrap();
        let errors = format!("errors=\"{}\"", u32::from(!successful));
        assert!(junit.contains(&errors), "{junit}");
        fs::remove_file(folder.path().join("k.sarif")).unwrap();
    }
}

#[test]
fn archives_are_cases_of_one_suite() {
    let folder = folder(RACE);
    for (name, block) in [("clean", 1), ("race & co", 64)] {
        let archive = Archive {
            launch: Launch {
                program: "p".to_owned(),
                number: 1,
                entry: "last".to_owned(),
                grid: [1; 3],
                block: [block, 1, 1],
                arguments: vec![0x7f00_0000_0000_u64.to_le_bytes().to_vec()],
                device: "gpu".to_owned(),
                ..Launch::default()
            },
            ptx: PTX.to_owned(),
            memory: vec![Region {
                name: "cuMemAlloc 1".to_owned(),
                kind: MemoryKind::Allocation,
                address: 0x7f00_0000_0000,
                before: vec![0; 16],
                after: None,
            }],
        };
        let mut bytes = Vec::new();
        archive.write(&mut bytes).unwrap();
        fs::write(folder.path().join(format!("{name}.launch")), bytes).unwrap();
    }
    let archives = ["replay", "clean.launch", "race & co.launch", "none.launch"];
    let flags = ["--ptx", "ptx", "--sarif", "k.sarif", "--junit", "k.xml"];
    let output = run(folder.path(), &[&archives[..], &flags].concat());
    ends(&output, 2, "error[data-race]");
    let log = log(&folder.path().join("k.sarif"));
    let results = log["results"].as_array().unwrap();
    assert_eq!(results.len(), 1, "{results:#?}");
    // The PTX that `--ptx` writes.
    let artifact = &results[0]["locations"][0]["physicalLocation"]["artifactLocation"];
    assert_eq!(artifact["uri"], "ptx/race%20%26%20co.ptx");
    assert_eq!(log["invocations"][0]["executionSuccessful"], false);
    let junit = fs::read_to_string(folder.path().join("k.xml")).unwrap();
    assert!(
        junit.contains("tests=\"3\" failures=\"1\" errors=\"1\""),
        "{junit}"
    );
    for part in [
        "<testcase classname=\"clean.launch\" name=\"seed 0\"/>",
        "<testcase classname=\"race &amp; co.launch\" name=\"seed 0\">\n      <failure type=\"data-race\"",
        "<testcase classname=\"none.launch\" name=\"run\">\n      <error message=\"",
    ] {
        assert!(junit.contains(part), "{part}: {junit}");
    }
}
