//! Searches with the reduction, beside those that try every order.

use std::collections::BTreeSet;

use tma_launch::{Argument, Launch};

use super::*;
use crate::check::DiagnosticKind;

/// A kernel `k(out, in)` with a tile of 1024 bytes, barriers from `%bar` on, and the thread `%t`.
fn kernel(body: &str) -> String {
    format!(
        ".version 8.6\n.target sm_90a\n.address_size 64\n.shared .align 128 .b8 tile[1024];\n\
        .shared .align 8 .b64 bars[8];\n.visible .entry k(.param .u64 out, .param .u64 in) {{\n\
        .reg .pred %p<8>; .reg .b32 %r<16>; .reg .b64 %rd<8>; .reg .b64 %out, %in; .reg .b32 %t, %tile, %bar;\n\
        ld.param.u64 %out, [out]; ld.param.u64 %in, [in]; mov.u32 %t, %tid.x; mov.u32 %tile, tile; mov.u32 %bar, bars;\n\
        {body}\nret; }}\n"
    )
}

/// Searches one launch; with `is_plain`, without the reduction.
fn search(text: &str, launch: &Launch, is_plain: bool, bounds: Bounds) -> (Exploration, Vec<u8>) {
    let mut session = Session::new(Config::default());
    let module = session.load("k.ptx", text).unwrap();
    let out = session.allocate("out", vec![0; 256]);
    let numbers: Vec<u8> = (0..=255).collect();
    let input = session.allocate("in", numbers.repeat(4));
    let mut launch = launch.clone();
    launch.arguments = vec![Argument::Address(out), Argument::Address(input)];
    let ready = session.ready(module, &launch).unwrap();
    let exploration = session.within(&ready, |state, config| {
        explore(state, &ready, config, bounds, Search::new(is_plain))
    });
    let bytes = session.read(out, 256).unwrap().to_vec();
    (exploration, bytes)
}

fn proved(body: &str, launch: &Launch) -> Exploration {
    let found = search(&kernel(body), launch, false, Bounds::default()).0;
    assert_eq!(
        found.verdict,
        Verdict::Proved,
        "{}",
        found
            .report
            .diagnostics
            .iter()
            .map(ToString::to_string)
            .collect::<String>()
    );
    found
}

fn kinds(found: &Exploration) -> BTreeSet<DiagnosticKind> {
    found.report.diagnostics.iter().map(|it| it.kind).collect()
}

/// A counter that warps raise, and their last value as the result.
const COUNTER: &str = "setp.ne.u32 %p1, %t, 0; and.b32 %r1, %t, 31; setp.eq.u32 %p2, %r1, 0; @!%p2 bra END;
    atom.global.add.u32 %r2, [%out], 1; shr.u32 %r3, %t, 5; mul.wide.u32 %rd1, %r3, 4; add.u64 %rd1, %rd1, %out;
    st.global.u32 [%rd1+64], %r2; END:";

#[test]
fn every_order_of_atomics_is_a_result() {
    for (warps, orders) in [(1, 1), (2, 2), (3, 6), (4, 24)] {
        let launch = Launch::new("k", 1, 32 * warps);
        let found = proved(COUNTER, &launch);
        assert_eq!(
            (found.schedules, found.results),
            (orders, orders as usize),
            "{warps} warps"
        );
        if warps < 3 {
            let plain = search(&kernel(COUNTER), &launch, true, Bounds::default()).0;
            assert_eq!(plain.verdict, Verdict::Proved);
            assert_eq!(plain.results, found.results);
            assert!(plain.schedules > found.schedules);
        }
    }
}

/// A ring of `stages` stages: warp 0 fills them, the other warps read and release them.
fn ring(stages: u32, items: u32, warps: u32, change: impl Fn(String) -> String) -> String {
    let consumers = 32 * (warps - 1);
    change(format!(
        "setp.eq.u32 %p1, %t, 0; mov.u32 %r1, 0;
        INIT: mad.lo.u32 %r2, %r1, 16, %bar; @%p1 mbarrier.init.shared::cta.b64 [%r2], 1;
        @%p1 mbarrier.init.shared::cta.b64 [%r2+8], {consumers}; add.u32 %r1, %r1, 1;
        setp.lt.u32 %p2, %r1, {stages}; @%p2 bra INIT; bar.sync 0;
        mov.u32 %r3, 0; mov.u32 %r4, 0; mov.u32 %r5, 0; setp.ge.u32 %p3, %t, 32; @%p3 bra READ; @!%p1 bra END;
        FILL: mad.lo.u32 %r2, %r4, 16, %bar; xor.b32 %r6, %r5, 1; mad.lo.u32 %r7, %r4, 128, %tile;
        FREE: mbarrier.try_wait.parity.shared::cta.b64 %p4, [%r2+8], %r6; @!%p4 bra FREE;
        mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], 128; mul.wide.u32 %rd1, %r3, 128; add.u64 %rd1, %rd1, %in;
        cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r7], [%rd1], 128, [%r2];
        add.u32 %r3, %r3, 1; add.u32 %r4, %r4, 1; setp.eq.u32 %p5, %r4, {stages}; @%p5 mov.u32 %r4, 0;
        @%p5 xor.b32 %r5, %r5, 1; setp.lt.u32 %p2, %r3, {items}; @%p2 bra FILL; bra END;
        READ: mov.u32 %r9, 0;
        NEXT: mad.lo.u32 %r2, %r4, 16, %bar; mad.lo.u32 %r7, %r4, 128, %tile; and.b32 %r8, %t, 31;
        mad.lo.u32 %r7, %r8, 4, %r7;
        FULL: mbarrier.try_wait.parity.shared::cta.b64 %p4, [%r2], %r5; @!%p4 bra FULL;
        ld.shared.u32 %r8, [%r7]; add.u32 %r9, %r9, %r8; mbarrier.arrive.shared::cta.b64 _, [%r2+8];
        add.u32 %r3, %r3, 1; add.u32 %r4, %r4, 1; setp.eq.u32 %p5, %r4, {stages}; @%p5 mov.u32 %r4, 0;
        @%p5 xor.b32 %r5, %r5, 1; setp.lt.u32 %p2, %r3, {items}; @%p2 bra NEXT;
        setp.lt.u32 %p3, %t, 64; mul.wide.u32 %rd1, %t, 4; add.u64 %rd1, %rd1, %out; @%p3 st.global.u32 [%rd1-128], %r9; END:"
    ))
}

#[test]
fn a_pipeline_is_proved() {
    let launch = Launch::new("k", 1, 96);
    let body = ring(3, 6, 3, |body| body);
    let (found, bytes) = search(&kernel(&body), &launch, false, Bounds::default());
    assert_eq!(found.verdict, Verdict::Proved);
    assert_eq!(found.results, 1);
    let word = |item: u32, lane: u32| {
        let first = (item * 128 + 4 * lane) % 256;
        u32::from_le_bytes([0, 1, 2, 3].map(|byte| (first + byte) as u8))
    };
    for lane in 0..32 {
        let sum = (0..6).fold(0_u32, |sum, item| sum.wrapping_add(word(item, lane)));
        let at = 4 * lane as usize;
        assert_eq!(bytes[at..at + 4], sum.to_le_bytes(), "lane {lane}");
    }
}

#[test]
fn what_a_pipeline_lacks_is_found() {
    let launch = Launch::new("k", 1, 64);
    for (part, instead) in [
        (
            "FREE: mbarrier.try_wait.parity.shared::cta.b64 %p4, [%r2+8], %r6; @!%p4 bra FREE;",
            "",
        ),
        (
            "FULL: mbarrier.try_wait.parity.shared::cta.b64 %p4, [%r2], %r5; @!%p4 bra FULL;",
            "",
        ),
        ("mbarrier.arrive.shared::cta.b64 _, [%r2+8];", ""),
        ("_, [%r2], 128;", "_, [%r2], 64;"),
        ("xor.b32 %r6, %r5, 1;", "mov.u32 %r6, %r5;"),
    ] {
        let body = ring(2, 4, 2, |body| {
            assert!(body.contains(part), "{part}");
            body.replace(part, instead)
        });
        let found = search(&kernel(&body), &launch, false, Bounds::default()).0;
        assert!(
            matches!(found.verdict, Verdict::Found(_)),
            "{part}: {:?}",
            found.verdict
        );
    }
}

/// Two warps take two locks, each in its own order.
const LOCKS: &str =
    "and.b32 %r1, %t, 31; setp.eq.u32 %p1, %r1, 0; setp.ge.u32 %p2, %t, 32; @!%p1 bra END;
    mov.u64 %rd1, %out; add.u64 %rd2, %out, 4; @%p2 add.u64 %rd1, %out, 4; @%p2 mov.u64 %rd2, %out;
    ONE: atom.acquire.gpu.global.cas.b32 %r2, [%rd1], 0, 1; setp.ne.u32 %p3, %r2, 0; @%p3 bra ONE;
    TWO: ld.acquire.gpu.global.u32 %r2, [%rd2]; setp.ne.u32 %p3, %r2, 0; @%p3 bra TWO;
    st.release.gpu.global.u32 [%rd1], 0; END:";

const STORY_OF_LOCKS: &str = "    warp 0                                         | warp 1
    -----------------------------------------------+-----------------------------------------------
      `atom.acquire.gpu.global.cas.b32` on 4 bytes |
      of `out` (k.ptx:11)                          |
                                                   | * `atom.acquire.gpu.global.cas.b32` on 4 bytes
                                                   |   of `out` + 0x4 (k.ptx:11)
      waits for another value in the 4 bytes at    |
      global address 0x7f0000000004 (`out` + 0x4)  |
                                                   |   waits for another value in the 4 bytes at
                                                   |   global address 0x7f0000000000 (`out`)
";

#[test]
fn a_deadlock_of_some_orders_is_found_shrunk_and_repeated() {
    let launch = Launch::new("k", 1, 64);
    let text = kernel(LOCKS);
    let found = search(&text, &launch, false, Bounds::default()).0;
    let Verdict::Found(failing) = &found.verdict else {
        panic!("{:?}", found.verdict);
    };
    assert!(failing.name.schedule.0.len() <= 2, "{failing:?}");
    let story = failing.story.to_string();
    assert_eq!(story, STORY_OF_LOCKS, "{story}");
    assert_eq!(
        Schedule::parse(&failing.name.schedule.to_string()).as_ref(),
        Some(&failing.name.schedule)
    );
    let repeated = |schedule: &Schedule| {
        let mut session = Session::new(Config::default());
        let module = session.load("k.ptx", &text).unwrap();
        let [out, input] = [(); 2].map(|()| session.allocate("out", vec![0; 256]));
        let mut launch = launch.clone();
        launch.arguments = vec![Argument::Address(out), Argument::Address(input)];
        session
            .launch_by_schedule(module, &launch, schedule)
            .unwrap()
    };
    let again = repeated(&failing.name.schedule).expect("the schedule fits");
    let again: BTreeSet<_> = again.diagnostics.iter().map(|it| it.kind).collect();
    assert_eq!(again, kinds(&found));
    assert!(repeated(&Schedule::default()).is_some_and(|report| report.is_clean()));
    let wrong = Schedule::parse("1.9").unwrap();
    assert!(repeated(&wrong).is_none());
    for text in ["", "1", "1.2-", "2.0-1.0", "x.1"] {
        assert_eq!(Schedule::parse(text), None, "{text}");
    }
}

#[test]
fn a_bound_ends_a_search_and_obstacles_are_named() {
    let launch = Launch::new("k", 1, 128);
    let found = search(&kernel(COUNTER), &launch, false, Bounds { schedules: 5 }).0;
    let Verdict::Unfinished { why, open } = &found.verdict else {
        panic!("{:?}", found.verdict);
    };
    assert_eq!(why, "the bound of 5 schedules is reached");
    assert!(*open > 0);
    let found = search(
        &kernel("mov.u32 %r1, %clock;"),
        &launch,
        false,
        Bounds::default(),
    )
    .0;
    assert!(
        matches!(found.verdict, Verdict::Unfinished { .. }),
        "{:?}",
        found.verdict
    );
}

/// Visible operations of a warp, of its first lane if they have the guard `%p7`.
const OPERATIONS: &[&str] = &[
    "@%p7 atom.global.add.u32 %r2, [%out], 1; add.u32 %r9, %r9, %r2;",
    "@%p7 atom.global.exch.b32 %r2, [%out+4], %t; mad.lo.u32 %r9, %r9, 3, %r2;",
    "@%p7 red.global.add.u32 [%out], 3;",
    "@%p7 red.global.max.u32 [%out+4], %t;",
    "@%p7 ld.relaxed.gpu.global.u32 %r2, [%out]; mad.lo.u32 %r9, %r9, 5, %r2;",
    "@%p7 st.relaxed.gpu.global.u32 [%out+4], %r9;",
    "@%p7 mbarrier.arrive.shared::cta.b64 _, [%bar];",
    "mbarrier.test_wait.parity.shared::cta.b64 %p3, [%bar], 0; selp.u32 %r2, 1, 0, %p3; mad.lo.u32 %r9, %r9, 7, %r2;",
    "mbarrier.test_wait.parity.shared::cta.b64 %p3, [%bar], 1; selp.u32 %r2, 1, 0, %p3; mad.lo.u32 %r9, %r9, 7, %r2;",
    "WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p3, [%bar], 0; @!%p3 bra WAIT;",
    "@%p7 mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%bar], 16;
     @%p7 mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%bar], 16;",
    "@%p7 mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%bar], 16;
     @%p7 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%bar], 16;",
];

/// A kernel of warps that each execute some of [`OPERATIONS`]; two of them may meet at a barrier.
fn random_kernel(rng: &mut crate::machine::Rng, warps: usize, operations: usize) -> String {
    let count = 1 + rng.below(2 * warps);
    let mut body = format!(
        "setp.eq.u32 %p1, %t, 0; @%p1 mbarrier.init.shared::cta.b64 [%bar], {count}; bar.sync 0; mov.u32 %r9, 0;\n\
         mov.u32 %r2, 0; and.b32 %r1, %t, 31; setp.eq.u32 %p7, %r1, 0; shr.u32 %r3, %t, 5;\n"
    );
    for warp in 0..warps {
        body += &format!("setp.eq.u32 %p2, %r3, {warp}; @%p2 bra WARP{warp};\n");
    }
    let meet = rng.one_in(2);
    for warp in 0..warps {
        let mut all: Vec<String> = (0..operations)
            .map(|number| {
                let operation = OPERATIONS[rng.below(OPERATIONS.len())];
                operation.replace("WAIT", &format!("WAIT{warp}{number}"))
            })
            .collect();
        if meet && warp < 2 {
            all[rng.below(operations)] = "bar.sync 1, 64;".to_owned();
        }
        body += &format!("WARP{warp}:\n{}\nbra LAST;\n", all.join("\n"));
    }
    body + "LAST: mul.wide.u32 %rd1, %r3, 4; add.u64 %rd1, %rd1, %out; @%p7 st.global.u32 [%rd1+64], %r9;"
}

/// Returns the contents of memory that schedules without an error leave, and `None` if one has an error; and the number of
/// schedules. Returns `None` for a search of more than `most` schedules.
fn outcomes(
    text: &str,
    launch: &Launch,
    is_plain: bool,
    most: usize,
) -> Option<(BTreeSet<Option<u64>>, usize)> {
    let mut session = Session::new(Config::default());
    let module = session.load("k.ptx", text).unwrap();
    let arguments = [vec![0; 256], (0..=255).collect()];
    let arguments = arguments.map(|bytes| Argument::Address(session.allocate("buffer", bytes)));
    let launch = Launch {
        arguments: arguments.to_vec(),
        ..launch.clone()
    };
    let ready = session.ready(module, &launch).unwrap();
    session.within(&ready, |state, config| {
        let mut search = Search::new(is_plain);
        let mut found = BTreeSet::new();
        for count in 1..=most {
            let mut now = state.clone();
            let report = now.check_by(&ready, config, Some(&mut search));
            if search.ended() == Ended::Complete {
                found.insert(report.is_clean().then(|| contents(&now.memory)));
            }
            if !search.next() {
                return Some((found, count));
            }
        }
        None
    })
}

#[test]
fn the_reduction_loses_no_result() {
    let mut rng = crate::machine::Rng::new(3);
    let (mut compared, mut several, mut plain, mut reduced) = (0, 0, 0, 0);
    for round in 0..40 {
        let warps = 2 + rng.below(2);
        let body = random_kernel(&mut rng, warps, 5 - warps);
        let launch = Launch::new("k", 1, 32 * warps as u32);
        let text = kernel(&body);
        let [one, all] = [false, true].map(|is_plain| outcomes(&text, &launch, is_plain, 3_000));
        let name = format!("round {round}: {body}");
        let (one, count) = one.expect(&name);
        let Some((all, count_of_all)) = all else {
            continue;
        };
        // A kernel with an error is not explored to its end.
        assert_eq!(one.contains(&None), all.contains(&None), "{name}");
        assert!(one == all || all.contains(&None), "{name}");
        compared += 1;
        several += usize::from(all.len() > 1);
        reduced += count;
        plain += count_of_all;
    }
    assert!(compared > 20 && several > 2, "{compared} {several}");
    assert!(reduced * 4 < plain, "{reduced} of {plain}");
}
