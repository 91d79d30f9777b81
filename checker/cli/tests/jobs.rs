//! `tma emulate --jobs`: several schedules in parallel, with their output in order.
#![cfg(target_os = "linux")]

#[allow(dead_code, reason = "other tests use the rest")]
mod support;

use std::{fs, path::Path, process::Output};

use support::{NO_DRIVER, tma};

/// Two warps write one word without ordering, and the last write remains. Thread 40 writes out of bounds if the
/// word is already set.
const PTX: &str = "
.version 8.6
.target sm_90a
.address_size 64
.visible .entry last(.param .u64 words)
{
    .reg .pred %p<3>; .reg .b32 %r<4>; .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [words];
    mov.u32 %r1, %tid.x;
    ld.global.u32 %r2, [%rd1];
    st.global.u32 [%rd1], %r1;
    setp.eq.u32 %p1, %r1, 40;
    setp.ne.and.u32 %p2, %r2, 0, %p1;
    @%p2 st.global.u32 [%rd1+4096], %r1;
    ret;
}";

const FILE: &str = r#"
module = "k.ptx"
buffers.words = { type = "u32", length = 2 }

[[launch]]
entry = "last"
grid = 1
block = 64
arguments = [{ buffer = "words" }]

[[expect]]
buffer = "words"
count = 1
contents = { constant = 63 }

[[dump]]
buffer = "words"
file = "words.bin"
"#;

/// Returns the output and the contents of the dump file.
fn emulate(folder: &Path, environment: &[(&str, &str)], more: &[&str]) -> (Output, Vec<u8>) {
    let path = folder.join("k.toml").display().to_string();
    let dump = folder.join("words.bin");
    let _ = fs::remove_file(&dump);
    let all: Vec<&str> = ["emulate", &path].iter().chain(more).copied().collect();
    let output = tma(Path::new(NO_DRIVER), environment, &all);
    (output, fs::read(dump).unwrap_or_default())
}

#[test]
fn several_jobs_say_and_leave_what_one_does() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("k.ptx"), PTX).unwrap();
    fs::write(folder.path().join("k.toml"), FILE).unwrap();
    for flags in [&[][..], &["--json"], &["--fail-fast"], &["--no-check"]] {
        for seeds in ["0..40", "7..8", "3..=9"] {
            let flags = [&["--seeds", seeds], flags].concat();
            let one = [&flags[..], &["--jobs", "1"]].concat();
            let (expected, dumped) = emulate(folder.path(), &[], &one);
            assert_ne!(expected.status.code(), Some(2), "{expected:?}");
            for jobs in ["2", "7"] {
                let (output, dump) = emulate(folder.path(), &[("TMA_JOBS", jobs)], &flags);
                assert_eq!(
                    String::from_utf8_lossy(&output.stdout),
                    String::from_utf8_lossy(&expected.stdout),
                    "{flags:?} of {jobs}"
                );
                assert_eq!(output.status.code(), expected.status.code());
                assert_eq!(dump, dumped, "{flags:?} of {jobs}");
            }
        }
    }
}

#[test]
fn a_wrong_number_of_jobs_is_named() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("k.ptx"), PTX).unwrap();
    fs::write(folder.path().join("k.toml"), FILE).unwrap();
    let flags = ["--seeds", "0..2", "--jobs", "0"];
    let (output, _) = emulate(folder.path(), &[], &flags);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("`0` is not a number of jobs"), "{said}");
}
