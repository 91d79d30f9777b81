//! Checks that the examples of `docs/emulate.md` are correct.
#![cfg(target_os = "linux")]

#[allow(dead_code, reason = "other tests use the rest")]
mod support;

use std::{
    fs,
    path::{Path, PathBuf},
};

use support::{NO_DRIVER, tma};
use tma_cli::emulate::{Emulation, LaunchFile, Verdict, parse_suppressions};

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn page() -> String {
    fs::read_to_string(root().join("docs/emulate.md")).unwrap()
}

/// Creates a folder with the modules of the examples and the files that the page names.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(root().join("examples/emulate")).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, folder.path().join(path.file_name().unwrap())).unwrap();
    }
    fs::write(folder.path().join("in.bin"), [0; 256]).unwrap();
    folder
}

/// Returns the code blocks of this language.
fn snippets(language: &str) -> Vec<String> {
    let page = page();
    let mut all = Vec::new();
    let mut rest = page.as_str();
    let fence = format!("```{language}\n");
    while let Some((_, after)) = rest.split_once(&fence) {
        let (snippet, after) = after.split_once("```").expect("the fence ends");
        all.push(snippet.to_owned());
        rest = after;
    }
    all
}

/// Adds the keys that an excerpt of a launch file omits.
fn completed(part: &str) -> String {
    let mut text = String::from("module = \"add_one.ptx\"\n");
    if !part.contains("[buffers.") {
        text.push_str("buffers.numbers = { type = \"i32\", length = 4096 }\n");
        text.push_str("buffers.matrix = { type = \"f32\", dims = [104, 20] }\n");
    }
    if !part.contains("[[launch]]") {
        text.push_str("launch = { entry = \"add_one\", grid = 1, block = 32 }\n");
    }
    text + part
}

#[test]
fn every_launch_file_of_the_page_is_clean_and_every_part_of_one_is_read() {
    let folder = folder();
    let (mut files, mut parts) = (0, 0);
    for snippet in snippets("toml") {
        if snippet.contains("[[suppression]]") {
            let read = parse_suppressions("page.toml", &snippet).map(|read| read.counts().count());
            assert_eq!(read, Ok(1));
            continue;
        }
        let is_file = snippet.contains("module =");
        let text = if is_file {
            snippet.clone()
        } else {
            completed(&snippet)
        };
        let file = LaunchFile::parse("page.toml", &text, folder.path());
        let file = file.unwrap_or_else(|violations| panic!("{violations}"));
        if !is_file {
            parts += 1;
            continue;
        }
        files += 1;
        let emulation = Emulation::new(file).unwrap_or_else(|stopped| panic!("{stopped}"));
        for seed in 0..4 {
            let config = tma_emulator::Config {
                seed,
                ..tma_emulator::Config::default()
            };
            let run = emulation.write(emulation.run(config).unwrap());
            assert_eq!(
                run.verdict(),
                Verdict::Clean,
                "{snippet}\n{:?}",
                run.diagnostics
            );
        }
    }
    assert_eq!((files, parts), (3, 5));
}

fn emulate(path: &Path, more: &[&str]) -> String {
    let path = path.to_str().unwrap();
    let all: Vec<&str> = ["emulate", path].iter().chain(more).copied().collect();
    let output = tma(Path::new(NO_DRIVER), &[], &all);
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn the_first_run_prints_what_the_page_says() {
    let path = root().join("examples/emulate/add_one.toml");
    let expected = format!(
        "$ tma emulate examples/emulate/add_one.toml\n{}\
         $ tma emulate examples/emulate/add_one.toml --seeds 0..64\n{}",
        emulate(&path, &[]),
        emulate(&path, &["--seeds", "0..64"])
    );
    assert!(page().contains(&expected), "{expected}");
}

#[test]
fn the_report_of_a_missing_fence_is_that_of_the_page() {
    let folder = folder();
    let ptx: PathBuf = folder.path().join("negate_tile.ptx");
    let text = fs::read_to_string(&ptx).unwrap();
    let lines = text
        .lines()
        .filter(|line| !line.contains("fence.proxy.async"));
    fs::write(&ptx, lines.collect::<Vec<_>>().join("\n")).unwrap();
    let path = folder.path().join("negate_tile.toml");
    let said = emulate(&path, &["--seeds", "0..4"]);
    let said = said.replace(&format!("{}/", folder.path().display()), "");
    assert!(page().contains(&format!("```text\n{said}```")), "{said}");
}

#[test]
fn every_key_is_on_the_page() {
    let page = page();
    let folder = folder();
    let tables = [
        "",
        "[buffers.b]",
        "[variables.v]",
        "[maps.m]",
        "[launch]",
        "[expect]",
        "[dump]",
    ];
    for table in tables {
        let text = format!("{table}\nnonsense = 1\n");
        let violations = LaunchFile::parse("keys.toml", &text, folder.path()).unwrap_err();
        let said = violations.to_string();
        let (_, keys) = said
            .lines()
            .find_map(|line| line.split_once("known keys are "))
            .unwrap_or_else(|| panic!("{said}"));
        assert!(keys.contains('`'), "{said}");
        for key in keys.split(", ") {
            let name = key.trim_matches('`');
            let stands = page.contains(key) || page.contains(&format!("[{name}"));
            assert!(stands, "{key} of {table}");
        }
    }
}
