//! Untrusted input of `tma`: pipes, devices, numbers out of range, and names with terminal escapes.
#![cfg(target_os = "linux")]

#[allow(dead_code, reason = "other tests use the rest")]
mod support;

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
    time::Duration,
};

use launch_archive::{Archive, Launch, MemoryKind, Region};
use support::{NO_DRIVER, threads, tma, wait_until};

const PTX: &str = "
.version 8.6
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 to)
{
    .reg .b32 %r<2>; .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [to];
    mov.u32 %r1, 7;
    st.global.u32 [%rd1], %r1;
    ret;
}
.visible .entry stores()
{
    .shared .align 16 .b8 tile[16];
    .reg .b32 %r<2>; .reg .b64 %rd<2>;
    mov.u32 %r1, tile;
    mov.u64 %rd1, out;
AGAIN:
    cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1], 16;
    cp.async.bulk.commit_group;
    bra AGAIN;
}
.visible .global .align 16 .b8 out[16];
";

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("doors")
        .join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("k.ptx"), PTX).unwrap();
    folder
}

fn run(arguments: &[&str]) -> Output {
    tma(Path::new(NO_DRIVER), &[], arguments)
}

fn pipe(folder: &Path) -> String {
    let pipe = folder.join("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    pipe.display().to_string()
}

fn both(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    text(&output.stdout) + &text(&output.stderr)
}

/// Asserts exit code 2, this text, and that the output contains no terminal escapes.
#[track_caller]
fn refused(arguments: &[&str], part: &str) {
    let output = run(arguments);
    let said = both(&output);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
    assert!(said.contains(part), "{arguments:?}: {said}");
}

fn launch_file(folder: &Path, launch: &str) -> String {
    let path = folder.join("k.toml");
    let text =
        format!("module = \"k.ptx\"\nbuffers.a = {{ type = \"u32\", length = 4 }}\n{launch}\n");
    fs::write(&path, text).unwrap();
    path.display().to_string()
}

const GOOD: &str =
    "launch = { entry = \"k\", grid = 1, block = 1, arguments = [{ buffer = \"a\" }] }";

fn archive(change: impl FnOnce(&mut Archive)) -> Archive {
    let mut archive = Archive {
        launch: Launch {
            program: "p".to_owned(),
            number: 1,
            entry: "k".to_owned(),
            grid: [1; 3],
            block: [1; 3],
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
            after: Some(vec![1; 16]),
        }],
    };
    change(&mut archive);
    archive
}

fn written(folder: &Path, archive: &Archive) -> String {
    let path = folder.join("a.launch");
    let mut bytes = Vec::new();
    archive.write(&mut bytes).unwrap();
    fs::write(&path, bytes).unwrap();
    path.display().to_string()
}

#[test]
fn pipes_and_devices_are_refused_by_every_verb() {
    let folder = folder("pipes");
    let (pipe, file) = (pipe(&folder), launch_file(&folder, GOOD));
    for path in [pipe.as_str(), "/dev/zero"] {
        let what = "not a regular file";
        refused(&["emulate", path], what);
        refused(&["emulate", &file, "--suppressions", path], what);
        refused(&["replay", path], what);
        refused(&["inspect", path], what);
        refused(&["map", "explain", path], what);
        refused(&["map", "check", path], what);
        refused(&["map", "draw", path], what);
        refused(&["map", "diff", path, path], what);
        refused(&["exec", "--suppressions", path, "/bin/true"], what);
        fs::write(folder.join("k.ptx"), PTX).unwrap();
    }
}

#[test]
fn a_file_that_is_not_there_or_of_another_kind_is_code_2_in_every_verb() {
    let folder = folder("missing");
    let text = folder.join("text").display().to_string();
    fs::write(&text, "hello").unwrap();
    let file = launch_file(&folder, GOOD);
    for path in ["/there/is/none", &text] {
        for arguments in [
            &["emulate", path][..],
            &["emulate", &file, "--suppressions", path],
            &["replay", path],
            &["inspect", path],
            &["map", "explain", path],
            &["map", "check", path],
            &["map", "draw", path],
            &["map", "diff", path, path],
            &["exec", "--suppressions", path, "/bin/true"],
        ] {
            refused(arguments, "");
        }
    }
}

#[test]
fn blocks_of_any_size_are_refused_by_name() {
    let folder = folder("blocks");
    let launch = GOOD.replace("block = 1", "block = [4294967295, 4294967295, 4294967295]");
    let part = "block.x is 4294967295; the device's limit is 1024; use 1024";
    refused(&["emulate", &launch_file(&folder, &launch)], part);
    let recorded = archive(|archive| archive.launch.block = [u32::MAX; 3]);
    refused(&["replay", &written(&folder, &recorded)], part);
}

#[test]
fn names_of_others_do_not_change_a_terminal() {
    let folder = folder("names");
    let weird = "a\x1b]0;title\x07\x1b[2J\r\u{9b}1m\u{202e}\nclean: seed 0";
    let recorded = archive(|archive| {
        archive.launch.program = weird.to_owned();
        archive.launch.device = weird.to_owned();
        archive.launch.gaps = vec![weird.to_owned()];
        archive.memory[0].name = weird.to_owned();
    });
    let path = written(&folder, &recorded);
    for arguments in [&["replay", &path][..], &["replay", "--json", &path]] {
        let output = run(arguments);
        let said = both(&output);
        assert_eq!(output.status.code(), Some(1), "{said}");
        // JSON escapes the escape character.
        assert!(said.contains("u001b]0;title"), "{said}");
        let is_harmless = |c: char| c == '\n' || !(c.is_control() || c == '\u{202e}');
        assert!(said.chars().all(is_harmless), "{said:?}");
        assert!(!said.lines().any(|line| line == "clean: seed 0"), "{said}");
    }
    // Both a missing entry and a text that is not PTX are errors that contain a name from the file.
    let recorded = archive(|archive| archive.launch.entry = weird.to_owned());
    refused(&["replay", &written(&folder, &recorded)], "\\u001b]0;title");
    let recorded = archive(|archive| archive.ptx = format!(".version 8.0\n{weird}"));
    let said = both(&run(&["replay", &written(&folder, &recorded)]));
    assert!(!said.contains('\x1b'), "{said:?}");
}

#[test]
fn drawings_and_texts_do_not_replace_what_is_read() {
    let folder = folder("outputs");
    let map = tensor_map::TensorMap::tiled_of::<f32>(&[64, 8]).box_dims(&[16, 8]);
    let map = map
        .params()
        .build_for(0x7f00_0000_0000, tensor_map::Target::SM_90);
    let path = folder.join("map");
    fs::write(&path, map.unwrap().to_bytes()).unwrap();
    let given = path.display().to_string();
    refused(
        &["map", "draw", &given, "-o", &given],
        "is also another file of this command and would be overwritten",
    );
    assert_eq!(fs::read(&path).unwrap().len(), 128);
    let nowhere = folder.join("none/map.svg").display().to_string();
    refused(&["map", "draw", &given, "-o", &nowhere], "cannot write");
    let svg = folder.join("map.svg");
    let drawn = run(&["map", "draw", &given, "-o", &svg.display().to_string()]);
    assert!(drawn.status.success(), "{drawn:?}");
    assert!(fs::read_to_string(&svg).unwrap().starts_with("<svg"));
    // The PTX of `a.ptx` would overwrite `a.ptx`.
    let mut bytes = Vec::new();
    archive(|_| {}).write(&mut bytes).unwrap();
    let archive = folder.join("a.ptx");
    fs::write(&archive, &bytes).unwrap();
    let (archive, into) = (archive.display().to_string(), folder.display().to_string());
    refused(
        &["replay", &archive, "--ptx", &into],
        "is also another file of this command and would be overwritten",
    );
    assert_eq!(fs::read(&archive).unwrap(), bytes);
}

#[test]
fn a_seed_is_a_number_from_zero() {
    let folder = folder("seeds");
    let file = launch_file(&folder, GOOD);
    let part = "seed `-1` must be a whole number from 0 to 18446744073709551615";
    for verb in [
        &["emulate", &file][..],
        &["replay", &file],
        &["exec", "/bin/true"],
    ] {
        let with = |flags: &[&str]| {
            let (first, rest) = verb.split_first().unwrap();
            let all: Vec<&str> = [&[*first][..], flags, rest].concat();
            run(&all)
        };
        for flags in [&["--seed", "-1"][..], &["--seed=-1"], &["--seeds", "-1..3"]] {
            let output = with(flags);
            assert_eq!(output.status.code(), Some(2), "{output:?}");
            assert!(both(&output).contains(part), "{}", both(&output));
        }
        let output = with(&["--jobs", "-1"]);
        assert!(
            both(&output).contains("`-1` is not a number of jobs"),
            "{}",
            both(&output)
        );
    }
}

#[test]
fn jobs_are_capped_and_a_request_to_end_is_answered() {
    let folder = folder("jobs");
    let file = launch_file(&folder, GOOD);
    for (environment, flags) in [
        (&[][..], &["--jobs", "999999999"][..]),
        (&[("TMA_JOBS", "999999999")], &[]),
    ] {
        let arguments = [&["emulate", &file, "--seeds", "0..3"][..], flags].concat();
        let output = tma(Path::new(NO_DRIVER), environment, &arguments);
        assert!(
            both(&output).contains("clean: all of 3 seeds"),
            "{output:?}"
        );
    }
    let endless = GOOD
        .replace("\"k\"", "\"stores\"")
        .replace("{ buffer = \"a\" }", "");
    let file = launch_file(&folder, &endless);
    let mut child = Command::new(env!("CARGO_BIN_EXE_tma"))
        .args([
            "emulate",
            &file,
            "--seeds",
            "0..999999999",
            "--jobs",
            "999999999",
        ])
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let process = child.id();
    wait_until(|| threads(process) > 2);
    let before = cpu_time(process);
    let sent = Command::new("kill").arg(process.to_string()).status();
    assert!(sent.unwrap().success());
    wait_until(|| state(process) == "Z");
    // The wall clock would include other processes on a busy machine.
    let answered = cpu_time(process) - before;
    assert_eq!(child.wait().unwrap().code(), Some(2));
    assert!(answered < Duration::from_secs(1), "{answered:?}");
}

/// Returns the fields of `/proc/PID/stat` from the state on (proc(5)).
fn stat(process: u32) -> Vec<String> {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).unwrap();
    let (_, fields) = text.rsplit_once(") ").unwrap();
    fields.split(' ').map(str::to_owned).collect()
}

fn state(process: u32) -> String {
    stat(process).swap_remove(0)
}

/// Returns the processor time of all its threads.
fn cpu_time(process: u32) -> Duration {
    /// `USER_HZ`, the same on every architecture that Linux supports.
    const TICK_MS: u64 = 10;
    let stat = stat(process);
    let ticks: u64 = [11, 12]
        .map(|at: usize| stat[at].parse::<u64>().unwrap())
        .iter()
        .sum();
    Duration::from_millis(TICK_MS * ticks)
}

#[test]
fn copies_whose_groups_are_never_waited_for_are_named() {
    let folder = folder("stores");
    let launch = GOOD
        .replace("\"k\"", "\"stores\"")
        .replace("{ buffer = \"a\" }", "");
    let file = launch_file(&folder, &launch);
    let output = run(&["emulate", &file, "--max-steps", "20000"]);
    let said = both(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    let parts = [
        "k.ptx:20",
        "`cp.async.bulk.global.shared::cta.bulk_group",
        "thread 0 has closed",
        "groups of copies and waits for none; put a wait for the groups into the loop",
    ];
    for part in parts {
        assert!(said.contains(part), "{part}: {said}");
    }
}
