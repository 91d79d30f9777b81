//! Reports on what functions do that the kernel calls.

use tma_emulator::{
    EmulatorBackend,
    check::{Diagnostic, DiagnosticKind},
};
use tma_launch::{Buffer, Job, Launch, Ptx};

use crate::common::{failure, module};

fn check(items: &str) -> Vec<Diagnostic> {
    let text = module(items);
    let mut job = Job::new(Ptx {
        name: "calls.ptx",
        text: &text,
    });
    job.buffer(Buffer::zeroed::<u32>("out", 64));
    job.launch(Launch::new("k", 1, 64).buffer(0));
    EmulatorBackend::new(0).check(&mut job).unwrap().diagnostics
}

/// Threads of two warps pass numbers to each other without a barrier, by a library's functions.
const RACE: &str = r#".file 1 "cub/block.cuh"
    .file 2 "mine.cu"
    .shared .align 4 .b8 numbers[256];
    .func put(.reg .b32 %at, .reg .b32 %value) {
        .loc 1 7 1
        st.shared.u32 [%at], %value; ret;
    }
    .func (.reg .b32 %value) get(.reg .b32 %at) {
        .loc 1 9 1
        ld.shared.u32 %value, [%at]; ret;
    }
    .func (.reg .b32 %value) twice(.reg .b32 %at) {
        .loc 1 15 1
        call (%value), get, (%at); ret;
    }
    .visible .entry k(.param .u64 out) {
        .reg .b32 %r<9>; .reg .b64 %rd<3>;
        mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u32 %r3, numbers; add.u32 %r4, %r3, %r2;
        .loc 2 20 1
        call put, (%r4, %r1);
        xor.b32 %r2, %r2, 128; add.u32 %r4, %r3, %r2;
        .loc 2 21 1
        call (%r5), get, (%r4);
        .loc 2 22 1
        call (%r6), twice, (%r4);
        .loc 2 23 1
        add.u32 %r5, %r5, %r6; ld.param.u64 %rd1, [out]; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, %rd1, %rd2;
        st.global.u32 [%rd1], %r5; ret;
    }"#;

#[test]
fn both_ends_of_a_race_have_their_calls() {
    let found = check(RACE);
    let races = found
        .iter()
        .filter(|found| found.kind == DiagnosticKind::DataRace);
    let mut ends: Vec<(String, Option<String>)> = races
        .flat_map(|race| [&race.here, &race.there])
        .flatten()
        .map(|site| {
            let (file, line) = site.location.source.clone().unwrap();
            (format!("{file}:{line}"), site.location.chain())
        })
        .collect();
    ends.sort();
    ends.dedup();
    let end = |line: &str, chain: &str| (format!("mine.cu:{line}"), Some(chain.to_owned()));
    let put = end("20", "in cub/block.cuh:7, called at mine.cu:20");
    let get = end("21", "in cub/block.cuh:9, called at mine.cu:21");
    let twice = end(
        "22",
        "in cub/block.cuh:9, called at cub/block.cuh:15, called at mine.cu:22",
    );
    assert_eq!(ends, [put, get, twice]);
    let report = found[0].to_string();
    assert!(report.contains("  --> mine.cu:2"), "{report}");
    assert!(report.contains(", called at mine.cu:2"), "{report}");
}

#[test]
fn ways_of_recursion_are_told_apart_as_far_as_there_are_numbers() {
    let found = check(
        ".shared .align 4 .b32 number;
        .func down(.reg .b32 %depth) {
            .reg .pred %p; .reg .b32 %r<2>;
            setp.eq.u32 %p, %depth, 0; @%p bra END; sub.u32 %r1, %depth, 1;
            call down, (%r1); call down, (%r1);
            END: st.shared.u32 [number], %depth; ret;
        }
        .visible .entry k(.param .u64 out) { .reg .b32 %r<2>; mov.u32 %r1, 4; call down, (%r1); ret; }",
    );
    assert!(!found.is_empty());
}

#[test]
fn addresses_and_sizes_of_ordinary_accesses_are_explained_as_such() {
    let message = failure("st.global.u32 [%out + 2], %t;", 1);
    assert!(message.contains("error[misaligned]"), "{message}");
    assert!(
        message.contains("a multiple of its access size"),
        "{message}"
    );
    assert!(!message.contains("bulk"), "{message}");
}
