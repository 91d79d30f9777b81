//! `tma debug`: steps forwards and backwards, findings, and the parts of a state, by commands from a pipe.
#![cfg(target_os = "linux")]

#[allow(dead_code, reason = "other tests use the rest")]
mod support;

use std::{
    fs,
    io::Write,
    path::Path,
    process::{Command, Output, Stdio},
};

use support::{NO_DRIVER, ends, folder};

/// Runs `tma debug` with commands from a pipe.
fn run(path: &Path, options: &[&str], commands: &str) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_tma"))
        .arg("debug")
        .arg(path)
        .args(options)
        .env("TMA_LIBCUDA", NO_DRIVER)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut input = program.stdin.take().unwrap();
    // A program with invalid input reads no commands.
    let _ = input.write_all(commands.as_bytes());
    drop(input);
    program.wait_with_output().unwrap()
}

/// Returns the answers to commands.
#[track_caller]
fn debug(path: &Path, options: &[&str], commands: &str) -> String {
    ends(&run(path, options, commands), 0)
}

/// A level of the course: the lines of its kernel with this bug, or of the correct kernel without one.
fn level(name: &str, bug: &str) -> (tempfile::TempDir, std::path::PathBuf) {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../site/levels");
    let from = from.join(name);
    let text = fs::read_to_string(from.join("kernel.ptx")).unwrap();
    let is_of = |bugs: &str| bugs.split([',', ' ']).any(|other| other == bug);
    // A line of another bug stays as an empty one, so that the numbers of lines are those of the file.
    let lines = text.lines().map(|line| {
        let mark = line
            .split_once("// ")
            .and_then(|(_, it)| it.split_once(' '));
        let is_here = match mark {
            Some(("only", bugs)) => is_of(bugs),
            Some(("not", bugs)) => !is_of(bugs),
            _ => true,
        };
        if is_here { line } else { "" }
    });
    let ptx: Vec<&str> = lines.collect();
    let (folder, _) = folder(&ptx.join("\n"), "");
    fs::rename(
        folder.path().join("k.ptx"),
        folder.path().join("kernel.ptx"),
    )
    .unwrap();
    let path = folder.path().join("launch.toml");
    fs::copy(from.join("launch.toml"), &path).unwrap();
    (folder, path)
}

/// Returns the numbers of the steps that were shown.
fn steps(said: &str) -> Vec<usize> {
    let lines = said.lines().filter_map(|line| line.strip_prefix("step "));
    let digits = lines.map(|line| line.split(|c: char| !c.is_ascii_digit()).next().unwrap());
    digits.map(|digits| digits.parse().unwrap()).collect()
}

#[test]
fn warps_that_wait_say_at_what() {
    let (_folder, path) = level("01-one-copy", "");
    let walk: String = (0..60)
        .map(|step| format!("goto {step}\nwarps\n"))
        .collect();
    let said = debug(&path, &[], &walk);
    assert!(said.contains(", waits at an mbarrier"), "{said}");
}

#[test]
fn a_step_back_has_the_state_before() {
    let (_folder, path) = level("06-tensor-maps", "");
    let parts = "registers\nbarriers\ncopies\nwarps\nshared u32\n";
    let walk = format!("goto 200\n{parts}step 40\nback 40\n{parts}");
    let said = debug(&path, &["--seed", "3"], &walk);
    let shown: Vec<&str> = said.split("step 200 of ").collect();
    assert_eq!(shown.len(), 3, "{said}");
    let (there, between) = shown[1].split_once("step 240 of ").unwrap();
    assert!(!between.is_empty());
    assert_eq!(there, shown[2]);
    // Other steps have other states.
    let other = debug(&path, &["--seed", "3"], &format!("goto 240\n{parts}"));
    let (_, other) = other.split_once("step 240 of ").unwrap();
    assert_ne!(there, other);
}

#[test]
fn steps_go_to_phases_and_within_a_warp() {
    let (_folder, path) = level("06-tensor-maps", "");
    let said = debug(&path, &[], "phase\nbarriers\nphase-back\nphase\n");
    assert!(said.contains("2 completed phases\nno findings\n"), "{said}");
    let table = said.split_once("bytes missing\n").unwrap().1;
    let phases: Vec<&str> = table.lines().take(2).collect();
    assert!(
        phases.iter().any(|line| line.contains("  1      1 of 1")),
        "{said}"
    );
    assert!(
        said.contains("error: no earlier phase is completed"),
        "{said}"
    );

    let said = debug(&path, &[], "warp 3\nstep\nstep 2\nback\nwarp all\nstep\n");
    let of_warp = said.matches("warp 3 of block 0, ").count();
    assert!(of_warp >= 3, "{said}");
    let numbers = steps(&said);
    assert_eq!(numbers[0], 1);
    assert!(numbers[1] < numbers[2] && numbers[3] < numbers[2], "{said}");
    assert_eq!(numbers[4], numbers[3] + 1);
}

#[test]
fn a_finding_is_at_its_step_and_line() {
    let (_folder, path) = level("01-one-copy", "read_before_the_wait");
    let said = debug(&path, &[], "finding\nwhere\nfinding\nfinding\nfindings\n");
    let listed = said.lines().nth(1).unwrap();
    assert!(listed.starts_with("finding at step "), "{said}");
    assert!(listed.contains(": read-before-completion at "), "{said}");
    let (_, report) = said.split_once("error[read-before-completion]").unwrap();
    let site = report
        .split("  --> ")
        .nth(1)
        .unwrap()
        .lines()
        .next()
        .unwrap();
    // The step is at the line of the finding, and so is `where`.
    let step = steps(listed.strip_prefix("finding at ").unwrap())[0];
    let place = format!("step {step} of ");
    assert_eq!(said.matches(&place).count(), 2, "{said}");
    for shown in said.split(&place).skip(1) {
        let at = shown.split("  --> ").nth(1).unwrap();
        assert!(at.starts_with(site), "{site}: {said}");
        assert!(at.contains("ld.shared.u32"), "{said}");
    }
    assert!(
        said.contains("error: no finding is after this step"),
        "{said}"
    );
}

#[test]
fn a_finding_in_a_loop_is_at_its_round() {
    let (_folder, path) = level("05-producer-consumer", "store_without_fence");
    let said = debug(&path, &[], "finding\nregisters %round\n");
    assert!(said.contains("error[missing-proxy-fence]"), "{said}");
    // The kernel stores a tile in each of four rounds; the checker reports the first.
    assert!(said.contains("\nlane  0  0\n"), "{said}");
}

#[test]
fn shared_memory_is_a_tile_with_its_swizzle() {
    let (_folder, path) = level("06-tensor-maps", "");
    let said = debug(&path, &[], "warp 0:0\nstep 999\nshared\nshared u32\n");
    let (_, tile) = said.split_once("tile at ").unwrap();
    let (heading, rows) = tile.split_once('\n').unwrap();
    assert!(
        heading.contains(": u32 x 32 x 8, swizzle 128b"),
        "{heading}"
    );
    let row = |number: usize| -> Vec<&str> {
        rows.lines()
            .nth(number)
            .unwrap()
            .split_whitespace()
            .collect()
    };
    // Piece `i` of row `r` is at place `i xor r`, and the numbers count on.
    let third = row(3);
    let places: Vec<&&str> = third.iter().filter(|cell| cell.starts_with('[')).collect();
    assert_eq!(
        places,
        [
            &"[3]", &"[2]", &"[1]", &"[0]", &"[7]", &"[6]", &"[5]", &"[4]"
        ]
    );
    let numbers = third
        .iter()
        .skip(3)
        .filter_map(|cell| cell.parse::<u32>().ok());
    assert_eq!(numbers.collect::<Vec<_>>(), (96..128).collect::<Vec<_>>());
    assert!(said.contains("shared memory of block 0 as u32"), "{said}");
}

#[test]
fn wrong_commands_are_errors_and_an_empty_line_repeats() {
    let (_folder, path) = level("01-one-copy", "");
    let said = debug(
        &path,
        &[],
        "steb\nregisters %rox\nwarp 99\ngoto 0\nstep\n\nquit\nnever read\n",
    );
    for part in [
        "error: there is no command `steb`: did you mean `step`",
        "error: the warp has no register `%rox`: ",
        "error: no step is of warp 99 of block 0",
        "error: step 0 must be from 1 to ",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert_eq!(steps(&said), [1, 2, 3]);
    assert!(!said.contains("never"), "{said}");
}

#[test]
fn schedules_have_names() {
    let (_folder, path) = level("01-one-copy", "read_before_the_wait");
    let found = support::emulate(&path, &["--all-schedules", "--json"]);
    let found: serde_json::Value = serde_json::from_slice(&found.stdout).unwrap();
    let name = found["launches"][0]["schedule"].as_str().unwrap();
    let said = debug(&path, &["--schedule", name], "finding\n");
    assert!(said.contains("error[read-before-completion]"), "{said}");
    assert_eq!(steps(&said).len(), 2, "{said}");
}

#[test]
fn only_wrong_input_has_another_exit_code() {
    let (folder, path) = level("01-one-copy", "");
    let missing = run(&folder.path().join("none.toml"), &[], "");
    assert_eq!(missing.status.code(), Some(2), "{missing:?}");
    let seed = run(&path, &["--seed", "x"], "");
    assert_eq!(seed.status.code(), Some(2), "{seed:?}");
    let other = run(&path, &["--schedule", "00000000:0:usual"], "");
    assert_eq!(other.status.code(), Some(2), "{other:?}");
    let kernel = folder.path().join("kernel.ptx");
    let text = fs::read_to_string(&kernel).unwrap();
    fs::write(&kernel, text.replace("sm_90a", "sm_100a")).unwrap();
    let newer = run(&path, &[], "");
    assert_eq!(newer.status.code(), Some(3), "{newer:?}");
}

#[test]
fn the_page_has_a_real_session() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = fs::read_to_string(root.join("docs/debug.md")).unwrap();
    let session = page.split("```text\n").nth(1).unwrap();
    let session = session.split("```").next().unwrap();
    let (commands, said): (Vec<&str>, Vec<&str>) =
        session.lines().partition(|line| line.starts_with("(tma) "));
    let commands = commands.join("\n").replace("(tma) ", "");
    let output = debug(
        &root.join("examples/emulate/negate_tile.toml"),
        &[],
        &commands,
    );
    let folder = format!("{}/examples/emulate/", root.display());
    assert_eq!(output.replace(&folder, "").trim_end(), said.join("\n"));
    // The page lists every command.
    let help = debug(
        &root.join("examples/emulate/negate_tile.toml"),
        &[],
        "help\n",
    );
    let names = help
        .lines()
        .skip(7)
        .map(|line| line.split(' ').next().unwrap());
    let missing: Vec<&str> = names
        .filter(|name| !page.contains(&format!("`{name}")))
        .collect();
    assert_eq!(missing, [""; 0]);
}
