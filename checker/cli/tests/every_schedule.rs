//! `tma emulate --all-schedules`, and `--schedule` with what it printed.
#![cfg(target_os = "linux")]

#[allow(dead_code, reason = "other tests use the rest")]
mod support;

use std::{fs, path::Path};

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

/// The circle in the report of the deadlock.
const CIRCLE: &str = "
  = note: the circle of waits:
            warp 0 lane 0 needs another value in the 4 bytes at global address 0x7f0000000004 (`words` + 0x4)
              a store there is due from warp 1 lane 0 (`st.release.gpu.global.u32` at /k.ptx:13), which waits itself:
            warp 1 lane 0 needs another value in the 4 bytes at global address 0x7f0000000000 (`words`)
              a store there is due from warp 0 lane 0 (`st.release.gpu.global.u32` at /k.ptx:13): the circle is closed
";

/// Its story.
const STORY: &str = "
  = story: how it comes to this; `*` marks the choices of the schedule
    warp 0                                         | warp 1
    -----------------------------------------------+-----------------------------------------------
      `atom.acquire.gpu.global.cas.b32` on 4 bytes |
      of `words` (k.ptx:11)                        |
                                                   | * `atom.acquire.gpu.global.cas.b32` on 4 bytes
                                                   |   of `words` + 0x4 (k.ptx:11)
      waits for another value in the 4 bytes at    |
      global address 0x7f0000000004 (`words` +     |
      0x4)                                         |
                                                   |   waits for another value in the 4 bytes at
                                                   |   global address 0x7f0000000000 (`words`)
  = schedule: ";

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
        CIRCLE,
        STORY,
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
    // Of another text or launch, or with a choice that does not exist, it is refused.
    for (ptx, name, why) in [
        (
            PTX.replace("TEST", "LOOK"),
            name.to_owned(),
            "is of another PTX: the text with `locks` of launch 0",
        ),
        (
            PTX.to_owned(),
            format!("{name}9"),
            "does not fit launch 0, `locks`: it has choices",
        ),
        (
            PTX.to_owned(),
            name.replace(":0:", ":4:"),
            "is of launch 4, but there are 1, numbered from 0",
        ),
    ] {
        let refused = search(&ptx, &["--schedule", &name], 2);
        assert!(refused.contains(why), "{refused}");
    }
}

#[test]
fn the_schedule_is_in_every_report() {
    let (folder, path) = folder(PTX, FILE);
    let file = |name: &str| folder.path().join(name).display().to_string();
    let (sarif, junit, svg) = (file("a.sarif"), file("a.xml"), file("a.svg"));
    let flags = [
        "--all-schedules",
        "--json",
        "--sarif",
        &sarif,
        "--junit",
        &junit,
    ];
    let report: Value = serde_json::from_str(&ends(&emulate(&path, &flags), 1)).unwrap();
    let launch = &report["launches"][0];
    let name = launch["schedule"].as_str().unwrap();
    let finding = &launch["findings"][0];
    assert_eq!(finding["schedule"], name);
    let story = &finding["story"];
    assert_eq!(story["lanes"], serde_json::json!(["warp 0", "warp 1"]));
    let choices = story["steps"].as_array().unwrap().iter();
    let choices: Vec<_> = choices.filter(|step| step["is_choice"] == true).collect();
    assert_eq!(choices.len(), 1, "{story:#}");
    assert_eq!(
        (&choices[0]["lane"], &choices[0]["at"]),
        (&1.into(), &format!("{}:11", file("k.ptx")).into())
    );
    let again = format!("tma emulate {} --schedule {name}", path.display());
    let log: Value = serde_json::from_str(&fs::read_to_string(&sarif).unwrap()).unwrap();
    let result = &log["runs"][0]["results"][0];
    assert_eq!(result["properties"]["schedule"], name);
    assert_eq!(result["properties"]["again"], again);
    assert!(
        result["message"]["text"]
            .as_str()
            .unwrap()
            .contains("= story: ")
    );
    let xml = fs::read_to_string(&junit).unwrap();
    assert!(
        xml.contains(&format!("  = again: {again}</failure>")),
        "{xml}"
    );
    // The timeline of the schedule has what the story tells.
    ends(&emulate(&path, &["--schedule", name, "--trace", &svg]), 1);
    let drawn = fs::read_to_string(&svg).unwrap();
    assert!(
        drawn.starts_with("<svg") && drawn.contains("warp 1"),
        "{drawn}"
    );
    // Another schedule has another timeline.
    let usual = format!("{}:usual", name.rsplit_once(':').unwrap().0);
    ends(&emulate(&path, &["--schedule", &usual, "--trace", &svg]), 0);
    assert_ne!(fs::read_to_string(&svg).unwrap(), drawn);
}

#[test]
fn a_loop_that_waits_for_ever_is_explained_under_a_seed() {
    // Both locks are taken, and each warp waits until the other one gives its own back.
    let taken = FILE.replace("length = 2 }", "length = 2, contents = { constant = 1 } }");
    let take = PTX.find("TAKE:").unwrap()..PTX.find("TEST:").unwrap();
    let tests = PTX.replace(&PTX[take], "");
    let (_folder, path) = folder(&tests, &taken);
    let printed = ends(&emulate(&path, &["--max-steps", "20000"]), 1);
    assert!(printed.contains("error[endless]"), "{printed}");
    assert!(
        printed.contains("  = note: the circle of waits:\n"),
        "{printed}"
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

/// Lane 0 of each warp draws a number; warp 0, and the one that draws 0, store 1.
const SAME_VALUE: &str = "
.version 8.6
.target sm_90a
.address_size 64
.visible .entry locks(.param .u64 words)
{
    .reg .pred %p<4>; .reg .b32 %r<4>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [words]; mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 31;
    setp.ne.u32 %p1, %r2, 0; @%p1 bra END;
    atom.relaxed.gpu.global.exch.b32 %r2, [%rd1], 1; setp.ge.u32 %p2, %r1, 32; setp.eq.u32 %p3, %r2, 1;
    and.pred %p2, %p2, %p3; @%p2 bra END;
    st.global.u32 [%rd1+4], 1;
END: ret;
}
";

#[test]
fn a_warning_of_any_schedule_is_reported() {
    let first = search(
        SAME_VALUE,
        &["--schedule", &format!("{}:0:usual", digest(SAME_VALUE))],
        0,
    );
    assert!(!first.contains("same-value-race"), "{first}");
    let printed = search(SAME_VALUE, &["--all-schedules", "--strict"], 0);
    assert!(printed.contains("warning[same-value-race]"), "{printed}");
    assert!(
        printed.contains("\nproved: launch 0, `locks`: 2 schedules"),
        "{printed}"
    );
}

/// Returns the digest in the names of a kernel's schedules, from the error on a name with another one.
fn digest(ptx: &str) -> String {
    let refused = search(ptx, &["--schedule", "00000000:0:usual"], 2);
    let (_, rest) = refused
        .split_once("of launch 0 has the digest ")
        .expect(&refused);
    rest.chars().take(8).collect()
}

#[test]
fn the_flags_of_a_search_are_kept() {
    let race = SAME_VALUE.replace("[%rd1+4], 1", "[%rd1+4], %r1");
    let (folder, path) = folder(&race, FILE);
    let accepted = folder.path().join("accepted.toml");
    fs::write(
        &accepted,
        "[[suppression]]\nkind = \"data-race\"\nfunction = \"locks\"\n",
    )
    .unwrap();
    let accepted = accepted.display().to_string();
    let flags = ["--all-schedules", "--max-steps", "5000"];
    let printed = ends(&emulate(&path, &flags), 1);
    let again = "--max-steps 5000\n";
    assert!(
        printed.contains("error[data-race]") && printed.contains(again),
        "{printed}"
    );
    let printed = ends(
        &emulate(&path, &["--all-schedules", "--suppressions", &accepted]),
        0,
    );
    let proved = "all schedules of this launch have no findings but suppressed ones";
    assert!(
        printed.contains(proved) && !printed.contains("data-race"),
        "{printed}"
    );
    let printed = ends(
        &emulate(&path, &["--all-schedules", "--suppressions", "none.toml"]),
        2,
    );
    assert!(printed.contains("none.toml"), "{printed}");
    // An event that the schedule does not have.
    let name = format!("{}:0:99999.0", digest(&race));
    let refused = search(&race, &["--schedule", &name], 2);
    assert!(refused.contains("does not fit launch 0"), "{refused}");
}

#[test]
fn a_schedule_beyond_the_limit_of_events_is_no_finding() {
    let spins = SAME_VALUE.replace(
        "atom.relaxed",
        "SPIN: atom.relaxed.gpu.global.cas.b32 %r3, [%rd1], 1, 2; setp.ne.u32 %p3, %r3, 7; @%p3 bra SPIN;\n    atom.relaxed",
    );
    let printed = search(&spins, &["--all-schedules", "--bound", "10s"], 3);
    assert!(printed.starts_with("not finished: launch 0"), "{printed}");
}
