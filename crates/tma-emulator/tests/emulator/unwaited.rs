//! Copies with groups that are never waited for: the thousandth copy produces a note, with any observer.

use std::{
    io::{self, Write},
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

use tma_emulator::{Config, EmulatorBackend, Progress};
use tma_launch::{Job, Launch, Ptx};

const PTX: &str = "
.version 8.6
.target sm_90a
.address_size 64
.visible .global .align 16 .b8 out[16];
.visible .entry k()
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
";

/// Text written by a watcher.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Lines {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

fn run(text: &str, max_steps: u64) -> String {
    let config = Config {
        max_steps,
        ..Config::default()
    };
    let mut job = Job::new(Ptx {
        name: "unwaited.ptx",
        text,
    });
    job.launch(Launch::new("k", 1, 1));
    let ran = EmulatorBackend::with_config(config).run(&mut job);
    ran.unwrap_err().to_string()
}

#[test]
fn the_thousandth_group_without_a_wait_has_a_note_while_the_kernel_runs() {
    let lines = Lines::default();
    let progress = Progress::on("tma test", lines.clone());
    let message = run(PTX, 20_000);
    let note = "tma test: note: unwaited.ptx:13:5: `cp.async.bulk.global.shared::cta.bulk_group`: block [0, 0, 0] \
                thread 0 has closed 1000 groups of copies and waits for none; put a wait for the groups into the loop";
    // Another thread writes it.
    let begun = Instant::now();
    while !lines.text().contains(note) && begun.elapsed() < Duration::from_secs(20) {
        thread::sleep(Duration::from_millis(5));
    }
    drop(progress);
    assert!(lines.text().contains(note), "{}", lines.text());
    // The report counts on.
    assert!(
        message.contains("`: block [0, 0, 0] thread 0 has closed 6"),
        "{message}"
    );
}

#[test]
fn groups_without_copies_have_no_note() {
    let empty = PTX.replace("cp.async.bulk.global", "// ");
    let message = run(&empty, 20_000);
    assert!(
        message.contains("has not ended after 20000 steps"),
        "{message}"
    );
    assert!(!message.contains("groups of copies"), "{message}");
}
