//! All forms on a GPU. A fault ends the GPU for its process, so that the cases run in other
//! processes; after a failure, a new process continues with the next case.

use std::{
    collections::BTreeMap,
    io::{BufRead, BufReader},
    process::{Command, Stdio},
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::Duration,
};

use tests::{
    CaseFailure, digest,
    semantics::{FormCase, text},
};
use tma_host::{DeviceChoice, Jobs};
use tma_launch::{Ptx, Stage};

/// The variable with the first case of a process.
const FROM_VARIABLE: &str = "TMA_SEMANTICS_FROM";

/// The prefix of results in a process's output.
const MARK: &str = "case ";

/// The prefix of the digest of right results.
const RIGHT: &str = "right ";

/// The time after which a kernel counts as hanging.
const PATIENCE: Duration = Duration::from_secs(60);

/// The limit of processes, after which the remaining cases are not run.
const MOST_PROCESSES: usize = 60;

/// Returns the first case of this process, if it is one of those.
pub(super) fn from() -> Option<usize> {
    std::env::var(FROM_VARIABLE).ok()?.parse().ok()
}

/// Runs cases until one fails, and prints a line for each.
pub(super) fn run(cases: &[FormCase], from: usize, backend: &mut Jobs) {
    for (number, case) in cases.iter().enumerate().skip(from) {
        let text = match text::module(case) {
            Ok(text) => text,
            Err(wrong) => {
                tell(number, &Err(wrong));
                continue;
            }
        };
        let ptx = Ptx {
            name: &case.entry,
            text: &text,
        };
        let ran = match case.digest(&text) {
            Ok(ran) => ran,
            Err(wrong) => {
                tell(number, &Err(wrong));
                continue;
            }
        };
        let mut outputs = String::new();
        let compared = case.scenario.compare(ptx, |job| {
            // SAFETY: the kernel was made for the form, and reads and writes the buffers of its case (1).
            unsafe { backend.run(job) }?;
            outputs = digest::with_outputs(ran, &case.scenario, &job.buffers).to_string();
            Ok(())
        });
        match compared {
            Ok(0) => tell(number, &Err("no result was compared".into())),
            Ok(_) => tell(number, &Ok(outputs)),
            Err(wrong) => {
                tell(number, &Err(wrong.to_string()));
                // A module that does not load is harmless.
                if let CaseFailure::Failed(failure) = wrong
                    && failure.stage > Stage::Load
                {
                    return;
                }
            }
        }
    }
}

/// The digest of a case's output, or the error.
pub(super) type Came = Result<String, String>;

fn tell(number: usize, came: &Came) {
    match came {
        Ok(outputs) => println!("{MARK}{number} {RIGHT}{outputs}"),
        Err(wrong) => println!("{MARK}{number} {}", wrong.replace('\n', " / ")),
    }
}

/// The result of each case that was run.
pub(super) fn all(cases: usize) -> BTreeMap<usize, Came> {
    let mut results = BTreeMap::new();
    let mut next = 0;
    for _ in 0..MOST_PROCESSES {
        if next >= cases {
            break;
        }
        let end = process(next, &mut results);
        let last = results.range(next..).next_back().map(|(number, _)| *number);
        next = match (end, last) {
            // The process ended by itself, after a failure or at the end.
            (None, Some(last)) => last + 1,
            (Some(wrong), last) => {
                let at = last.map_or(next, |last| last + 1);
                results.insert(at, Err(wrong));
                at + 1
            }
            (None, None) => {
                results.insert(next, Err("its process printed no line".into()));
                next + 1
            }
        };
    }
    results.retain(|number, _| *number < cases);
    results
}

/// Runs a process; returns the reason if it was ended or died early.
fn process(from: usize, results: &mut BTreeMap<usize, Came>) -> Option<String> {
    let program = std::env::current_exe().ok()?;
    let child = Command::new(program)
        .args(["--device", "gpu"])
        .env(FROM_VARIABLE, from.to_string())
        .env(DeviceChoice::VARIABLE, "gpu")
        .stdout(Stdio::piped())
        .spawn();
    let mut child = match child {
        Ok(child) => child,
        Err(error) => return Some(error.to_string()),
    };
    let output = child.stdout.take()?;
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    loop {
        match receiver.recv_timeout(PATIENCE) {
            Ok(line) => {
                let result = line
                    .strip_prefix(MARK)
                    .and_then(|rest| rest.split_once(' '));
                if let Some((number, came)) = result
                    && let Ok(number) = number.parse()
                {
                    let right = came.strip_prefix(RIGHT).map(str::to_owned);
                    results.insert(number, right.ok_or_else(|| came.to_owned()));
                }
            }
            Err(RecvTimeoutError::Disconnected) => {
                let status = child.wait().ok()?;
                return (!status.success()).then(|| format!("its process died: {status}"));
            }
            Err(RecvTimeoutError::Timeout) => {
                let _ = child.kill();
                let _ = child.wait();
                return Some(format!("no end within {} s", PATIENCE.as_secs()));
            }
        }
    }
}
