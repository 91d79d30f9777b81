use std::{
    env, fs,
    path::PathBuf,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use super::Depth;
use crate::corpus::root;

/// Longer is a finding.
const MOST: Duration = Duration::from_secs(20);

/// Verbs that run only their input, and write only to the files in flags.
const VERBS: [&str; 6] = ["emulate", "replay", "inspect", "map", "exec", "devices"];

/// Flags whose values are output files.
const WRITES: [&str; 6] = ["-o", "--output", "--trace", "--ptx", "--out", "--json-out"];

/// The command, as built for the repository.
fn command() -> PathBuf {
    if let Some(path) = env::var_os("TMA_FUZZ_TMA") {
        return path.into();
    }
    let built = ["debug", "release"].map(|profile| root().join("target").join(profile).join("tma"));
    let found = built.iter().find(|path| path.is_file());
    let found = found.unwrap_or_else(|| panic!("`cargo build --bin tma` comes before this target"));
    found.clone()
}

/// Arguments, one a line.
pub(super) fn run(data: &[u8]) -> Depth {
    let text = String::from_utf8_lossy(data);
    let lines = text.lines().map(|line| line.replace('\0', ""));
    let mut all: Vec<String> = lines.take(16).collect();
    if all
        .first()
        .is_none_or(|verb| !VERBS.contains(&verb.as_str()))
    {
        all.insert(0, VERBS[data.len() % VERBS.len()].to_owned());
    }
    let folder = env::temp_dir().join(format!("tma-fuzz-flags-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    tame(&mut all, &folder.display().to_string());
    let mut child = Command::new(command())
        .args(&all)
        .current_dir(root().join("examples/emulate"))
        .env("TMPDIR", &folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("tma cannot be started: {error}"));
    let mut errors = child.stderr.take();
    let message = thread::spawn(move || {
        let mut message = Vec::new();
        if let Some(errors) = &mut errors {
            let _ = std::io::Read::read_to_end(errors, &mut message);
        }
        message
    });
    let start = Instant::now();
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if start.elapsed() < MOST => thread::sleep(Duration::from_millis(1)),
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                panic!("does not end: {}", all.join(" "));
            }
        }
    };
    let message = message.join().unwrap_or_default();
    let message = String::from_utf8_lossy(&message);
    assert!(
        !message.contains("panicked at"),
        "{}: {message}",
        all.join(" ")
    );
    assert!(!message.contains('\x1b'), "{}: escapes", all.join(" "));
    match status.code() {
        Some(0) => Depth::Ended,
        Some(1 | 3) => Depth::Begun,
        Some(2) => Depth::Refused,
        code => panic!("{}: the exit code is {code:?}", all.join(" ")),
    }
}

/// Makes flags write into a folder, kernels end soon, and a program exit at once.
fn tame(all: &mut Vec<String>, folder: &str) {
    let is_exec = all.first().is_some_and(|verb| verb == "exec");
    let runs = matches!(all.first().map(String::as_str), Some("emulate" | "replay"));
    for at in 1..all.len() {
        if WRITES
            .iter()
            .any(|flag| all[at].starts_with(&format!("{flag}=")))
            || all[at].starts_with("-o")
        {
            all[at] = "-o".to_owned();
        }
        if WRITES.contains(&all[at - 1].as_str()) {
            all[at] = format!("{folder}/written");
        }
        if let Some((from, to)) = all[at].split_once("..") {
            let [from, to] =
                [from, to].map(|end| end.rsplit('=').next().unwrap_or("").parse::<u64>());
            if let (Ok(from), Ok(to)) = (from, to)
                && to.saturating_sub(from) > 4
            {
                all[at] = format!("{from}..{}", from.saturating_add(3));
            }
        }
        // The program of `exec` is not a flag.
        if is_exec && !all[at].starts_with('-') && !all[at - 1].starts_with("--") {
            all[at] = "/bin/true".to_owned();
        }
    }
    if all
        .last()
        .is_some_and(|last| WRITES.contains(&last.as_str()))
    {
        all.push(format!("{folder}/written"));
    }
    if !all.iter().any(|flag| flag.starts_with("--max-steps")) && runs {
        all.insert(1, "--max-steps=20000".to_owned());
    }
}
