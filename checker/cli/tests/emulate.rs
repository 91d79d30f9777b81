//! `tma emulate`: verdicts, exit codes, reports, and the examples.
#![cfg(target_os = "linux")]

#[allow(dead_code, reason = "other tests use the rest")]
mod support;

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use serde_json::Value;
use support::{emulate, ends, folder, threads, wait_until};

/// Adds the scalar to each word; if the kernel is `bad`, thread 5 writes one word out of bounds.
const PTX: &str = "
.version 8.6
.target sm_90a
.address_size 64
.visible .entry add(.param .u64 words, .param .u32 more)
{
    .reg .b32 %r<4>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [words];
    ld.param.u32 %r1, [more];
    mov.u32 %r2, %tid.x;
    mul.wide.u32 %rd2, %r2, 4;
    add.u64 %rd3, %rd1, %rd2;
    ld.global.u32 %r3, [%rd3];
    add.u32 %r3, %r3, %r1;
    st.global.u32 [%rd3], %r3;
    ret;
}
.visible .entry endless() { AGAIN: bra AGAIN; }
.visible .entry newer() { .reg .b32 %r<2>; setmaxnreg.nonsense %r1; ret; }
";

const FILE: &str = r#"
module = "k.ptx"
buffers.words = { type = "u32", length = 64, contents = "iota" }

[[launch]]
entry = "add"
grid = 1
block = 64
arguments = [{ buffer = "words" }, { u32 = 7 }]

[[launch]]
entry = "add"
grid = 1
block = 32
arguments = [{ buffer = "words", offset_bytes = 128 }, { u32 = 100 }]

[[expect]]
buffer = "words"
count = 32
contents = { iota = { start = 7 } }

[[expect]]
buffer = "words"
first = 32
contents = { buffer = "words", first = 32, plus = 107 }

[[dump]]
buffer = "words"
file = "words.bin"
"#;

#[test]
fn launches_in_a_row_are_clean_and_buffers_are_dumped() {
    let (folder, path) = folder(PTX, FILE);
    let text = ends(&emulate(&path, &[]), 0);
    assert_eq!(text, "clean: seed 0, 864 steps\n");
    let dumped = fs::read(folder.path().join("words.bin")).unwrap();
    let words: Vec<u32> = dumped
        .chunks_exact(4)
        .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
        .collect();
    let expected: Vec<u32> = (0..64).map(|n| n + if n < 32 { 7 } else { 107 }).collect();
    assert_eq!(words, expected);
    assert_eq!(
        ends(&emulate(&path, &["--seeds", "0..8"]), 0),
        "clean: all of 8 seeds\n"
    );
}

#[test]
fn mismatches_name_the_element_and_the_command() {
    let (_folder, path) = folder(PTX, &FILE.replace("start = 7", "start = 8"));
    let said = ends(&emulate(&path, &["--seed", "3"]), 1);
    let again = format!("  = again: tma emulate {} --seed 3\n\n", path.display());
    let expected = format!(
        "error[mismatch]: `words`: element 0: expected 8, got 7; 32 of 32 elements differ\n\
         {again}findings: seed 3\n"
    );
    assert_eq!(said.replace(", 864 steps", ""), expected);

    let all = ends(&emulate(&path, &["--seeds", "2..12"]), 1);
    let ends_with = "findings: 10 of 10 seeds: 2, 3, 4, 5, 6, 7, 8, 9 and 2 more\n";
    assert!(all.ends_with(ends_with), "{all}");
    assert_eq!(all.matches("error[").count(), 1, "{all}");
    let first = ends(&emulate(&path, &["--seeds", "2..12", "--fail-fast"]), 1);
    assert!(first.ends_with("findings: 1 of 1 seeds: 2\n"), "{first}");
}

#[test]
fn json_has_everything() {
    let (_folder, path) = folder(PTX, &FILE.replace("plus = 107", "plus = 106"));
    let said = ends(&emulate(&path, &["--json", "--max-steps", "1000"]), 1);
    let json: Value = serde_json::from_str(&said).unwrap();
    assert_eq!(json["verdict"], "findings");
    let run = &json["runs"][0];
    assert_eq!((&run["seed"], &run["steps"]), (&0.into(), &864.into()));
    let finding = &run["findings"][0];
    assert_eq!(finding["kind"], "mismatch");
    assert_eq!(finding["severity"], "error");
    let message =
        "error[mismatch]: `words`: element 32: expected 138, got 139; 32 of 32 elements differ";
    assert_eq!(finding["message"], message);
    let again = format!("tma emulate {} --seed 0 --max-steps 1000", path.display());
    assert_eq!(run["again"], again);

    let (_folder, path) = folder(PTX, &FILE.replace("block = 64", "blok = 64"));
    let json: Value = serde_json::from_str(&ends(&emulate(&path, &["--json"]), 2)).unwrap();
    assert_eq!(json["verdict"], "error");
    let mistakes = json["mistakes"].as_array().unwrap();
    assert_eq!(
        (&mistakes[0]["line"], &mistakes[0]["column"]),
        (&5.into(), &1.into())
    );
    assert_eq!(mistakes[1]["line"], 8);
}

#[test]
fn faults_are_findings() {
    let file = FILE.replace("offset_bytes = 128", "offset_bytes = 132");
    let (_folder, path) = folder(PTX, &file);
    let said = ends(&emulate(&path, &["--no-check"]), 1);
    let starts = "error[fault]: CUDA_ERROR_ILLEGAL_ADDRESS: launch 1, `add`: ";
    assert!(said.starts_with(starts), "{said}");
    assert!(
        said.contains("k.ptx:13:5: `ld.global.u32` in thread [31, 0, 0] of block [0, 0, 0]"),
        "{said}"
    );
    assert!(
        said.ends_with("--seed 0 --no-check\n\nfindings: seed 0\n"),
        "{said}"
    );
    let said = ends(&emulate(&path, &[]), 1);
    assert!(said.starts_with("error[out-of-bounds]: "), "{said}");
    assert!(said.contains("\n  --> "), "{said}");
    assert!(
        said.contains("k.ptx:13:5\n      `ld.global.u32`\n"),
        "{said}"
    );
}

#[test]
fn memory_is_told_by_the_names_of_the_launch_file_and_of_the_kernel() {
    let file = FILE.replace("offset_bytes = 128", "offset_bytes = 132");
    let file = file.replace("buffers.words", "buffers.numbers");
    let file = file.replace("buffer = \"words\"", "buffer = \"numbers\"");
    // Without names of parameters in the PTX, the report names the buffer.
    let numbered = PTX.replace("words", "add_param_0");
    for (ptx, nearest) in [
        (PTX, "`numbers`, parameter `words`, 256 bytes at"),
        (&numbered, "`numbers`, 256 bytes at"),
    ] {
        let (_folder, path) = folder(ptx, &file);
        for flags in [&[][..], &["--no-check"]] {
            let said = ends(&emulate(&path, flags), 1);
            let nearest = format!("the nearest is {nearest}");
            assert!(said.contains(&nearest), "{said}");
        }
    }
}

#[test]
fn the_checker_watches_unless_told_not_to() {
    let ptx = PTX.replace("mul.wide.u32 %rd2, %r2, 4;", "mov.u64 %rd2, 0;");
    let file = FILE.split("[[expect]]").next().unwrap();
    let (_folder, path) = folder(&ptx, file);
    let said = ends(&emulate(&path, &["--seeds", "0..4"]), 1);
    assert!(said.starts_with("error[data-race]: "), "{said}");
    assert!(said.contains(": seeds 0, 1, 2, 3\n"), "{said}");
    assert_eq!(
        ends(&emulate(&path, &["--no-check"]), 0),
        "clean: seed 0, 864 steps\n"
    );
    let said = ends(&emulate(&path, &["--json"]), 1);
    let json: Value = serde_json::from_str(&said).unwrap();
    let finding = &json["runs"][0]["findings"][0];
    assert_eq!(
        (&finding["kind"], &finding["entry"]),
        (&"data-race".into(), &"add".into())
    );
    assert_eq!(finding["here"]["instruction"], "st.global.u32");
    assert_eq!(
        (&finding["here"]["line"], &finding["there"]["line"]),
        (&15.into(), &13.into())
    );
    assert!(finding["rule"].is_string() && finding["help"].is_string());
}

#[test]
fn endless_kernels_are_ended_and_say_what_they_did() {
    let file = "module = \"k.ptx\"\nlaunch = { entry = \"endless\", grid = 1, block = 1 }";
    let (_folder, path) = folder(PTX, file);
    let said = ends(&emulate(&path, &["--max-steps", "5000"]), 1);
    assert!(
        said.contains("the kernel has not ended after 5000 steps\n"),
        "{said}"
    );
    assert!(said.contains("`bra` is executed"), "{said}");
    assert!(said.contains(" --seed 0 --max-steps 5000\n"), "{said}");
}

#[test]
fn what_the_emulator_has_not_is_unsupported() {
    let file = "module = \"k.ptx\"\nlaunch = { entry = \"newer\", grid = 1, block = 1 }";
    let (_folder, path) = folder(PTX, file);
    let said = ends(&emulate(&path, &["--seeds", "0..4"]), 3);
    assert!(said.starts_with("unsupported: "), "{said}");
    assert!(
        said.contains("k.ptx:19:44: `setmaxnreg.nonsense` is not supported"),
        "{said}"
    );

    let (_other, path) = self::folder(&PTX.replace("sm_90a", "sm_100a"), FILE);
    let said = ends(&emulate(&path, &[]), 3);
    assert!(
        said.contains("k.ptx: the module is for `sm_100a`"),
        "{said}"
    );

    let (_third, path) = self::folder(PTX, &format!("arch = \"sm_120a\"\n{FILE}"));
    let said = ends(&emulate(&path, &[]), 3);
    assert!(said.contains("the launches are for `sm_120a`"), "{said}");
}

#[test]
fn input_that_is_wrong_is_an_error() {
    let (_folder, path) = folder("no PTX at all", FILE);
    let said = ends(&emulate(&path, &[]), 2);
    assert!(said.starts_with("error: load: "), "{said}");
    assert!(said.contains("k.ptx:1:1: expected "), "{said}");

    let (_folder, path) = self::folder(PTX, &FILE.replace("\"add\"", "\"ad\""));
    let said = ends(&emulate(&path, &[]), 2);
    assert!(said.contains("k.toml:6:9: resolve: "), "{said}");
    assert!(
        said.contains("has no kernel `ad`: did you mean `add`?"),
        "{said}"
    );

    let (_folder, path) = self::folder(
        PTX,
        &FILE.replace("offset_bytes = 128", "offset_bytes = 257"),
    );
    let said = ends(&emulate(&path, &[]), 2);
    assert!(
        said.contains("buffer-offset: argument 0 is 257 bytes into its buffer"),
        "{said}"
    );

    let output = emulate(Path::new("x.toml"), &["--seeds", "4..4"]);
    assert_eq!(output.status.code(), Some(2));
    let output = emulate(Path::new("/nowhere/x.toml"), &[]);
    assert_eq!(output.status.code(), Some(2));
}

/// A struct with the address of the words and a number to add, as other compilers pass it.
#[test]
fn structs_are_passed_by_value() {
    let ptx = PTX
        .replace(
            ".param .u64 words, .param .u32 more",
            ".param .align 8 .b8 both[16]",
        )
        .replace("[words]", "[both]")
        .replace("[more]", "[both+8]");
    let file = FILE
        .replace(
            "[{ buffer = \"words\" }, { u32 = 7 }]",
            "[[{ buffer = \"words\" }, { u32 = 7 }]]",
        )
        .replace(
            "[{ buffer = \"words\", offset_bytes = 128 }, { u32 = 100 }]",
            "[[{ buffer = \"words\", offset_bytes = 128 }, { i8 = 100 }]]",
        );
    let (_folder, path) = folder(&ptx, &file);
    assert_eq!(ends(&emulate(&path, &[]), 0), "clean: seed 0, 864 steps\n");
    let (_folder, path) = self::folder(
        &ptx,
        &file.replace("offset_bytes = 128", "offset_bytes = 300"),
    );
    let said = ends(&emulate(&path, &[]), 2);
    assert!(
        said.contains("buffer-offset: argument 0 is 300 bytes into its buffer"),
        "{said}"
    );
}

#[test]
fn a_timeline_is_written() {
    let (folder, path) = folder(PTX, FILE);
    let trace = folder.path().join("trace.json");
    let said = ends(&emulate(&path, &["--trace", trace.to_str().unwrap()]), 0);
    assert_eq!(said, "clean: seed 0, 864 steps\n");
    let json: Value = serde_json::from_slice(&fs::read(&trace).unwrap()).unwrap();
    let events = json["traceEvents"].as_array().unwrap();
    assert!(events.iter().any(|event| event["name"] == "runs"), "{json}");
    let output = emulate(&path, &["--trace", "/nowhere/trace.json"]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
}

/// Returns the dump file, which is also a mismatch.
fn with_dump(path: &str) -> String {
    let file = FILE.replace("start = 7", "start = 8");
    file.replace("words.bin", path)
}

#[test]
fn what_cannot_be_written_stands_beside_the_findings() {
    let (_folder, path) = folder(PTX, &with_dump("/dev/full"));
    let said = ends(&emulate(&path, &[]), 2);
    assert!(said.starts_with("error[mismatch]: "), "{said}");
    assert!(said.contains("cannot write `/dev/full`: "), "{said}");
    // Errors known before the run are reported before any kernel runs.
    for (file, why) in [
        ("/nowhere/words.bin", "cannot write `/nowhere/words.bin`: "),
        (
            "k.ptx",
            "is also another file of this command and would be overwritten",
        ),
        (
            "k.toml",
            "is also another file of this command and would be overwritten",
        ),
        (".", "is a folder"),
    ] {
        let (folder, path) = self::folder(PTX, &with_dump(file));
        let said = ends(&emulate(&path, &[]), 2);
        assert!(said.starts_with("error: ") && said.contains(why), "{said}");
        assert_eq!(
            fs::read_to_string(folder.path().join("k.ptx")).unwrap(),
            PTX
        );
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }
    let (folder, path) = self::folder(PTX, FILE);
    let dumped = folder.path().join("words.bin");
    let output = emulate(&path, &["--trace", dumped.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(!dumped.exists());
}

#[test]
fn an_output_that_is_lost_is_an_error_and_a_reader_who_leaves_is_none() {
    let (_folder, path) = folder(PTX, FILE);
    let full = fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_tma"));
    let status = command
        .arg("emulate")
        .arg(&path)
        .stdout(full)
        .output()
        .unwrap();
    assert_eq!(status.status.code(), Some(2), "{status:?}");

    let (_folder, path) = self::folder(PTX, &with_dump("words.bin"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_tma"));
    let command = command.args(["emulate", path.to_str().unwrap(), "--seeds", "0..4"]);
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = command.stdout(writer).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(output.stderr.starts_with(b"findings: "), "{output:?}");
}

#[test]
fn what_was_found_is_printed_when_the_user_interrupts() {
    let file = "module = \"k.ptx\"\nlaunch = { entry = \"endless\", grid = 1, block = 1 }";
    let (_folder, path) = folder(PTX, file);
    let mut command = Command::new(env!("CARGO_BIN_EXE_tma"));
    let command = command.args(["emulate", path.to_str().unwrap(), "--seeds", "0..1000"]);
    let endless = ["--max-steps", "1000000000000", "--jobs", "2"];
    let child = command.args(endless).stdout(Stdio::piped());
    let child = child.spawn().unwrap();
    wait_until(|| threads(child.id()) > 2);
    let pid = child.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-INT", &pid])
            .status()
            .unwrap()
            .success()
    );
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        said.contains("interrupted: seed 0 did not run to its end"),
        "{said}"
    );
    assert!(!said.contains("endless"), "{said}");
}

#[test]
fn what_kernels_print_has_a_limit() {
    let ptx = "
.version 8.6
.target sm_90a
.address_size 64
.extern .func (.param .b32 r) vprintf(.param .b64 format, .param .b64 values);
.global .align 8 .b8 text[11] = {48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 0};
.visible .entry prints()
{
    .reg .b64 %rd<2>;
    mov.u64 %rd1, text;
    cvta.global.u64 %rd1, %rd1;
    { .param .b64 a; .param .b64 b; .param .b32 r; st.param.b64 [a], %rd1; st.param.b64 [b], 0; call (r), vprintf, (a, b); }
    ret;
}
";
    let file = "module = \"k.ptx\"\nlaunch = { entry = \"prints\", grid = 1, block = 4 }";
    let (_folder, path) = folder(ptx, file);
    let said = ends(&emulate(&path, &["--max-printed", "25"]), 0);
    let expected =
        "0123456789012345678901234\n(output limit of 25 bytes reached; 15 more are not shown)\n";
    assert!(said.starts_with(expected), "{said}");
}

#[test]
fn invalid_ptx_is_refused_with_its_line() {
    for (from, to, says) in [
        (
            "ret;\n}\n.visible .entry endless",
            "bra NO;\n}\n.visible .entry endless",
            "k.ptx:16:9: `NO` is not declared",
        ),
        (
            "mul.wide.u32 %rd2, %r2, 4",
            "mov.u64 %r2, 4",
            "k.ptx:11:13: `%r2` is `.b32`",
        ),
        (
            ".visible .entry endless() { AGAIN: bra AGAIN; }",
            ".visible .entry endless();",
            "the kernel `endless` has no body",
        ),
        ("entry newer", "entry endless", "`endless` is defined twice"),
    ] {
        assert!(PTX.contains(from));
        let (_folder, path) = folder(&PTX.replace(from, to), FILE);
        let said = ends(&emulate(&path, &[]), 2);
        assert!(
            said.starts_with("error: load: ") && said.contains(says),
            "{said}"
        );
    }
}

/// Returns the launch files below `examples/emulate`.
fn examples() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/emulate");
    let entries = fs::read_dir(folder).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let mut all: Vec<PathBuf> = paths
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "toml")
        })
        .collect();
    all.sort();
    all
}

#[test]
fn every_example_is_clean() {
    let all = examples();
    assert!(all.len() >= 3);
    for path in all {
        let said = ends(&emulate(&path, &["--seeds", "0..16"]), 0);
        assert_eq!(said, "clean: all of 16 seeds\n", "{}", path.display());
    }
}
