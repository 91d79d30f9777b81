//! `tma emulate --all-schedules`, and `--schedule` with what it printed.
#![cfg(target_os = "linux")]

#[allow(dead_code, reason = "other tests use the rest")]
mod support;

use std::path::Path;

use serde_json::Value;
use support::{NO_DRIVER, emulate, ends, folder, tma};

/// Two warps that each take a lock, and then wait until the other one's is free.
const PTX: &str = "
.version 8.6
.target sm_90a
.address_size 64
.visible .entry locks(.param .u64 words)
{
    .reg .pred %p<4>; .reg .b32 %r<4>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [words]; mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 31;
    setp.ne.u32 %p1, %r2, 0; @%p1 bra END; setp.ge.u32 %p2, %r1, 32; add.u64 %rd2, %rd1, 4;
    @%p2 add.u64 %rd1, %rd1, 4; @%p2 add.u64 %rd2, %rd2, -4;
TAKE: atom.acquire.gpu.global.cas.b32 %r3, [%rd1], 0, 1; setp.ne.u32 %p3, %r3, 0; @%p3 bra TAKE;
TEST: ld.acquire.gpu.global.u32 %r3, [%rd2]; setp.ne.u32 %p3, %r3, 0; @%p3 bra TEST;
    st.release.gpu.global.u32 [%rd1], 0;
END: ret;
}
";

const FILE: &str = r#"
module = "k.ptx"
buffers.words = { type = "u32", length = 2 }

[launch]
entry = "locks"
grid = 1
block = 64
arguments = [{ buffer = "words" }]
"#;

/// Returns the output of `tma emulate` with these flags, and asserts the exit code.
#[track_caller]
fn search(ptx: &str, flags: &[&str], code: i32) -> String {
    let (folder, path) = folder(ptx, FILE);
    let printed = ends(&emulate(&path, flags), code);
    printed.replace(folder.path().to_str().unwrap(), "")
}

#[test]
fn a_deadlock_that_no_seed_shows_is_found_and_repeated() {
    let seeds = search(PTX, &["--seeds", "0..64"], 0);
    assert_eq!(seeds, "clean: all of 64 seeds\n");
    let printed = search(PTX, &["--all-schedules"], 1);
    for part in [
        "error[deadlock]: no thread can make progress",
        "\n  warp 0 of block 0 (lane 0): `atom.acquire.gpu.global.cas.b32` at /k.ptx:11\n  \
         warp 1 of block 0 (lane 0): `atom.acquire.gpu.global.cas.b32` at /k.ptx:11\n",
        "\nfindings: launch 0, `locks`: 2 schedules explored up to this one\n",
    ] {
        assert!(printed.contains(part), "{printed}");
    }
    let report: Value =
        serde_json::from_str(&search(PTX, &["--all-schedules", "--json"], 1)).unwrap();
    let launch = &report["launches"][0];
    assert_eq!(launch["verdict"], "findings");
    let name = launch["schedule"].as_str().unwrap();
    assert!(printed.contains(&format!("= again: tma emulate /k.toml --schedule {name}\n")));
    let again = search(PTX, &["--schedule", name], 1);
    assert!(again.contains("error[deadlock]"), "{again}");
    // Of another text, or with a choice that does not exist, it is refused.
    let other = search(&PTX.replace("TEST", "LOOK"), &["--schedule", name], 3);
    assert!(
        other.contains("the modules are not those of the schedule"),
        "{other}"
    );
    let wrong = name.replace(":3.", ":3.9");
    let wrong = search(PTX, &["--schedule", &wrong], 3);
    assert!(
        wrong.contains("the schedule does not fit the launch"),
        "{wrong}"
    );
}

#[test]
fn a_launch_is_proved_or_the_search_says_that_it_is_not_finished() {
    let only_one = PTX.replace(
        "@%p1 bra END; setp.ge",
        "@%p1 bra END; setp.eq.u32 %p1, %r1, 32; @%p1 bra END; setp.ge",
    );
    let printed = search(&only_one, &["--all-schedules"], 0);
    let proved = "proved: launch 0, `locks`: 1 schedule explored, 0 more covered; all schedules of this launch are \
                  clean and leave the same bytes\n";
    assert_eq!(printed, proved);
    let one_lock = PTX.replace(
        "@%p2 add.u64 %rd1, %rd1, 4; @%p2 add.u64 %rd2, %rd2, -4;",
        "",
    );
    let printed = search(&one_lock, &["--all-schedules", "--bound", "1"], 3);
    let unfinished = "not finished: launch 0, `locks`: the bound of 1 schedule is reached; 1 schedule explored, ";
    assert!(printed.starts_with(unfinished), "{printed}");
    let refused = tma(
        Path::new(NO_DRIVER),
        &[],
        &["emulate", "k.toml", "--all-schedules", "--seed", "1"],
    );
    assert_eq!(refused.status.code(), Some(2));
}
