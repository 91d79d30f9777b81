//! `--sarif` and `--junit` of `tma test`, in a project with tests that write findings as launches do.
#![cfg(target_os = "linux")]

#[path = "support/sarif.rs"]
mod sarif;

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

use sarif::log;
use tma_emulator::{Config, Session, check::Severity};
use tma_launch::{Argument, Launch};

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

const MANIFEST: &str = r#"
[package]
name = "project"
version = "0.1.0"
edition = "2024"
[workspace]
"#;

const LIBRARY: &str = r#"
/// ```
/// assert_eq!(project::one(), 1);
/// ```
pub fn one() -> u32 { 1 }

#[test]
fn unit() { assert_eq!(one(), 1); }
"#;

const TESTS: &str = r#"
use std::{env, fs::OpenOptions, io::Write};

/// Stands for a launch with a finding.
fn launch(finding: &str) {
    let file = env::var_os("TMA_FINDINGS").expect("the variable is set");
    let file = OpenOptions::new().append(true).create(true).open(file);
    writeln!(file.unwrap(), "{finding}").unwrap();
}

#[test]
fn expects_an_error() { launch(include_str!("error.json")); }

#[test]
fn warns() {
    println!("a line of its own");
    launch(include_str!("warning.json"));
}

#[test]
fn fails() {
    assert!(env::current_dir().unwrap().ends_with("project"));
    assert_eq!(env::var("CARGO_PKG_NAME").unwrap(), "project");
    launch(include_str!("error.json"));
    panic!("the sum is {}", 3);
}

#[test]
#[ignore = "needs a GPU"]
fn on_a_gpu() { panic!("was run"); }
"#;

/// Returns the project's folder, inside the first one.
fn project() -> (tempfile::TempDir, std::path::PathBuf) {
    let mut session = Session::new(Config::default());
    let module = session.load("k.ptx", PTX).unwrap();
    let words = session.allocate("words", vec![0; 4]);
    let launch = Launch::new("last", 1, 64).argument(Argument::Address(words));
    let mut error = String::new();
    let launched = session.launch_reported(module, &launch, |found| {
        assert_eq!(found[0].kind.severity(), Severity::Error);
        error = found[0].to_json();
        Ok(())
    });
    assert!(launched.is_err());
    let warning = error
        // Another kind, so that it is another result.
        .replacen(r#""kind":"data-race""#, r#""kind":"product-layout""#, 1)
        .replacen(r#""severity":"error""#, r#""severity":"warning""#, 1);
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("project");
    for (name, text) in [
        ("Cargo.toml", MANIFEST),
        ("src/lib.rs", LIBRARY),
        ("tests/t.rs", TESTS),
        ("tests/error.json", &error),
        ("tests/warning.json", &warning),
    ] {
        let path = root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    (folder, root)
}

fn test(root: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tma"))
        .args(["test", "--sarif", "tma.sarif", "--junit", "tma.xml"])
        .args(arguments)
        .env_remove("RUST_TEST_THREADS")
        .env("CARGO_TARGET_DIR", root.join("target"))
        .current_dir(root)
        .output()
        .expect("the program starts")
}

#[track_caller]
fn ends(output: &Output, code: i32, parts: &[&str]) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let said = text(&output.stdout) + &text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{said}");
    for part in parts {
        assert!(said.contains(part), "no `{part}` in\n{said}");
    }
}

#[test]
fn errors_count_if_their_test_fails_and_warnings_in_all() {
    let (_folder, root) = project();
    let read = |name: &str| fs::read_to_string(root.join(name)).unwrap();
    let output = test(&root, &["--seed", "7", "--no-fail-fast"]);
    let parts = [
        "$ cargo test --no-fail-fast\n",
        "test unit ... ok",
        "test expects_an_error ... ok",
        "test fails ... FAILED",
        "test on_a_gpu ... ignored",
        "the sum is 3",
        "test result: FAILED. 2 passed; 1 failed; 1 ignored",
        "src/lib.rs - one (line 2) ... ok",
    ];
    ends(&output, 101, &parts);
    let run = log(&root.join("tma.sarif"));
    let results = run["results"].as_array().unwrap();
    let found = results.iter().map(|result| {
        let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
        [&result["level"], &result["properties"]["again"]].map(text)
    });
    let mut found: Vec<_> = found.collect();
    found.sort();
    let again = "cargo tma test --seed 7 --no-fail-fast -- --exact";
    let expected = [("error", "fails"), ("warning", "warns")]
        .map(|(level, name)| [level.to_owned(), format!("{again} {name}")]);
    assert_eq!(found, expected);
    let xml = read("tma.xml");
    for part in [
        r#"tests="5" failures="1" errors="0" skipped="1""#,
        r#"<testcase classname="project::project" name="unit" time=""#,
        r#"<testcase classname="project::t" name="fails" time=""#,
        r#"message="the sum is 3">"#,
        "a line of its own",
    ] {
        assert!(xml.contains(part), "no `{part}` in\n{xml}");
    }

    // Tests are selected as usual.
    let output = test(&root, &["--", "--exact", "warns"]);
    ends(&output, 0, &["$ cargo test -- --exact warns\n"]);
    let xml = read("tma.xml");
    assert!(xml.contains(r#"tests="1" failures="0""#), "{xml}");
    let output = test(&root, &["--test", "t", "--", "--ignored"]);
    ends(&output, 101, &["test on_a_gpu ... FAILED", "was run"]);
    let xml = read("tma.xml");
    assert!(
        xml.contains("-- --exact on_a_gpu --include-ignored"),
        "{xml}"
    );
    let output = test(&root, &["--", "--format", "json"]);
    ends(
        &output,
        2,
        &["`--format` cannot be used with --sarif or --junit"],
    );

    // Programs that do not compile are an error of the command.
    fs::write(root.join("tests/t.rs"), "fn").unwrap();
    ends(&test(&root, &[]), 101, &["could not compile"]);
    let run = log(&root.join("tma.sarif"));
    assert_eq!(run["invocations"][0]["executionSuccessful"], false);
    assert!(read("tma.xml").contains("`cargo test` failed"));
}
