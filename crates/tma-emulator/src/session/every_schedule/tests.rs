//! Searches with the reduction, beside those that try every order.

mod attacks;
mod random;

use std::collections::BTreeSet;

use tma_launch::{Argument, Launch};

use super::*;
use crate::{check::DiagnosticKind, machine::Rng, run::Ended};
use random::{kernel, random_kernel};

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
    let exploration = match is_plain {
        false => session.check_every_schedule(&ready, bounds),
        true => session.within(&ready, |state, config| {
            let none = &mut Suppressions::default();
            explore(state, &ready, config, bounds, Search::plain(), none)
        }),
    };
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
    assert_eq!((found.schedules, found.covered), (1, 0));
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
    let one = search(&kernel(COUNTER), &launch, false, Bounds::NONE).0;
    let steps = one.steps / one.schedules;
    for (bounds, why) in [
        ("5", "the bound of 5 schedules is reached"),
        ("99,5steps,5s", "the bound of 5 steps is reached"),
        (
            &format!("{steps}steps"),
            &format!("the bound of {steps} steps is reached"),
        ),
        ("1", "the bound of 1 schedule is reached"),
    ] {
        let found = search(&kernel(COUNTER), &launch, false, bounds.parse().unwrap()).0;
        assert!(
            matches!(&found.verdict, Verdict::Unfinished { why: its, .. } if its == why),
            "{:?}",
            found.verdict
        );
        let explored = if bounds == "5" {
            "5 schedules"
        } else {
            "1 schedule"
        };
        let text = found.unfinished().unwrap();
        assert!(
            text.starts_with(&format!("{why}; {explored} explored, ")),
            "{text}"
        );
        assert!(
            text.ends_with(" at `atom.global.add.u32` at k.ptx:10"),
            "{text}"
        );
    }
    let time = Some(std::time::Duration::ZERO);
    let found = search(
        &kernel(COUNTER),
        &launch,
        false,
        Bounds {
            time,
            ..Bounds::NONE
        },
    )
    .0;
    assert_eq!(found.schedules, 1);
    assert!(
        found
            .unfinished()
            .unwrap()
            .starts_with("the bound of 0 s is reached")
    );
    // The last schedule ends the search before its bound does.
    let all = Bounds {
        schedules: 24,
        ..Bounds::NONE
    };
    assert_eq!(
        search(&kernel(COUNTER), &launch, false, all).0.verdict,
        Verdict::Proved
    );
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

#[test]
fn a_loop_that_others_cannot_see_ends_at_the_limit_of_steps() {
    let text = kernel("LOOP: add.u32 %r1, %r1, 1; bra LOOP;");
    let config = Config {
        max_steps: 100_000,
        ..Config::default()
    };
    let launch = |session: &mut Session| {
        let module = session.load("k.ptx", &text).unwrap();
        let [out, input] = [(); 2].map(|()| Argument::Address(session.allocate("out", vec![0; 4])));
        let launch = Launch::new("k", 1, 64).argument(out).argument(input);
        session.ready(module, &launch).unwrap()
    };
    let mut session = Session::new(config);
    let ready = launch(&mut session);
    let seeds = session.check(&ready);
    let found = session.check_every_schedule(&ready, Bounds::NONE);
    assert!(
        matches!(found.verdict, Verdict::Found(_)),
        "{:?}",
        found.verdict
    );
    assert_eq!(kinds(&found), BTreeSet::from([DiagnosticKind::Endless]));
    assert_eq!(seeds.diagnostics[0].kind, DiagnosticKind::Endless);
    // One that is not wanted any more ends long before.
    let is_over = std::sync::Arc::<std::sync::atomic::AtomicBool>::default();
    let verdict = thread::scope(|scope| {
        let search = || {
            let mut session = Session::new(Config::default());
            let ready = launch(&mut session);
            session.check_every_schedule(&ready, Bounds::NONE).verdict
        };
        let thread = crate::run::in_thread(scope, is_over.clone(), search).unwrap();
        is_over.store(true, std::sync::atomic::Ordering::Relaxed);
        thread.join().unwrap()
    });
    let Verdict::Unfinished { why, .. } = verdict else {
        panic!("{verdict:?}");
    };
    assert_eq!(why, "it was interrupted");
}

/// Kernels that were seen to end on an H100: lanes arrive at a barrier with a number of threads, and the other lanes of
/// their warp end afterwards.
#[test]
fn lanes_that_end_complete_their_warp_at_a_barrier() {
    let late = "mov.u32 %r2, 0; LATE: add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, 200; @%p2 bra LATE; bra END;";
    for (threads, arrive) in [
        (32, "barrier.sync 1, 32;"),
        (32, "bar.sync 1, 32;"),
        (64, "barrier.sync 1, 64;"),
        (
            64,
            "setp.ge.u32 %p3, %t, 32; @%p3 barrier.sync 1, 64; @!%p3 barrier.arrive 1, 64;",
        ),
    ] {
        let body = format!(
            "and.b32 %r1, %t, 31; setp.ge.u32 %p1, %r1, 16; @%p1 bra LAST; {arrive} bra END;\nLAST: {late}\nEND:"
        );
        let launch = Launch::new("k", 1, threads);
        let text = kernel(&body);
        let found = search(&text, &launch, false, Bounds::NONE).0;
        let is_deadlock = |report: &CheckReport| {
            report
                .diagnostics
                .iter()
                .any(|it| it.kind == DiagnosticKind::Deadlock)
        };
        assert!(!is_deadlock(&found.report), "{arrive}: {:?}", found.verdict);
        for seed in 0..8 {
            let mut session = Session::new(Config {
                seed,
                ..Config::default()
            });
            let module = session.load("k.ptx", &text).unwrap();
            let mut launch = launch.clone();
            launch.arguments = vec![Argument::Address(0); 2];
            let ready = session.ready(module, &launch).unwrap();
            let report = session.check(&ready);
            assert!(
                !is_deadlock(&report),
                "{arrive}, seed {seed}: {:?}",
                report.diagnostics
            );
        }
    }
}

#[test]
fn findings_that_are_suppressed_end_no_search() {
    // Both warps also write the same word.
    let body = LOCKS.replace("END:", "END: st.global.u32 [%out+128], %t;");
    let launch = Launch::new("k", 1, 64);
    let text = kernel(&body);
    let found = search(&text, &launch, false, Bounds::NONE).0;
    let race = *kinds(&found).first().unwrap();
    assert_ne!(race, DiagnosticKind::Deadlock);
    assert_eq!(found.schedules, 1);
    let mut session = Session::new(Config::default());
    let module = session.load("k.ptx", &text).unwrap();
    let [out, input] = [(); 2].map(|()| Argument::Address(session.allocate("out", vec![0; 256])));
    let mut launch = launch;
    launch.arguments = vec![out, input];
    let suppressions = kinds(&found)
        .into_iter()
        .map(|kind| crate::check::Suppression {
            kind,
            function: "k".to_owned(),
            reason: None,
        });
    session.suppress(Suppressions::new(suppressions));
    let found = session
        .launch_every_schedule(module, &launch, Bounds::NONE)
        .unwrap();
    assert_eq!(kinds(&found), BTreeSet::from([DiagnosticKind::Deadlock]));
    let mut counts = session.suppressions().counts();
    assert!(counts.all(|(_, count)| count > 0));
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
        let mut search = match is_plain {
            true => Search::plain(),
            false => Search::new(),
        };
        let mut found = BTreeSet::new();
        for count in 1..=most {
            let mut now = state.clone();
            let report = now.check_by(&ready, config, &mut search);
            if search.ended() == Ended::Complete {
                found.insert(report.is_clean().then(|| contents(&now.memory)));
            }
            if search.next().is_none() {
                return Some((found, count));
            }
        }
        None
    })
}

#[test]
fn the_reduction_loses_no_result() {
    let mut rng = Rng::new(3);
    let (mut compared, mut several, mut plain, mut reduced) = (0, 0, 0, 0);
    for round in 0..70 {
        let warps = 2 + rng.below(2);
        let operations = 4 - warps + usize::from(round % 4 == 0);
        let body = random_kernel(&mut |most| rng.below(most), warps, operations);
        let launch = Launch::new("k", 1, 32 * warps as u32);
        let text = kernel(&body);
        let [one, all] = [false, true].map(|is_plain| outcomes(&text, &launch, is_plain, 1_500));
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

/// Kernels with several schedules, a proof, a finding, a bound or a limit.
#[test]
fn any_number_of_jobs_has_the_same_answer() {
    let mut rng = Rng::new(11);
    let mut kernels: Vec<(String, Launch)> = vec![
        (COUNTER.to_owned(), Launch::new("k", 1, 160)),
        (LOCKS.to_owned(), Launch::new("k", 1, 64)),
        (ring(2, 3, 3, |body| body), Launch::new("k", 1, 96)),
    ];
    kernels.extend((0..12).map(|_| {
        (
            random_kernel(&mut |most| rng.below(most), 3, 3),
            Launch::new("k", 1, 96),
        )
    }));
    let mut verdicts = [0; 3];
    for (number, (body, launch)) in kernels.iter().enumerate() {
        let text = kernel(body);
        for bounds in ["2000", "7", "20000steps"] {
            let answer = |jobs: &str| {
                let bounds: Bounds = bounds.parse().unwrap();
                let jobs = jobs.parse().unwrap();
                let (found, bytes) = search(&text, launch, false, Bounds { jobs, ..bounds });
                let verdict = match &found.verdict {
                    Verdict::Proved => 0,
                    Verdict::Found(_) => 1,
                    Verdict::Unfinished { .. } => 2,
                };
                (format!("{found:?} {bytes:?}"), verdict)
            };
            let one = answer("1");
            verdicts[one.1] += 1;
            for jobs in ["2", "3", "16"] {
                assert_eq!(
                    answer(jobs).0,
                    one.0,
                    "kernel {number}, {bounds}, {jobs} jobs"
                );
            }
        }
    }
    assert!(verdicts.iter().all(|count| *count > 2), "{verdicts:?}");
}

/// Blocks that read nothing of their own, beside the same kernel with every order.
#[test]
fn blocks_that_are_alike_count_once() {
    for (blocks, threads) in [(2, 32), (3, 32), (6, 32)] {
        let launch = Launch::new("k", blocks, threads);
        let body = "setp.eq.u32 %p1, %t, 0; @%p1 atom.global.add.u32 %r2, [%out], 1;";
        assert_eq!(proved(body, &launch).schedules, 1, "{blocks} blocks");
        let body = format!("mov.u32 %r3, %ctaid.x; {body}");
        let orders: u64 = (1..=u64::from(blocks)).product();
        assert_eq!(proved(&body, &launch).schedules, orders, "{blocks} blocks");
    }
    let mut rng = Rng::new(5);
    let (mut compared, mut several, mut alike, mut apart) = (0, 0, 0, 0);
    for round in 0..80 {
        let (blocks, warps, operations) = match round % 10 {
            8 => (2, 1, 2),
            9 => (3, 1, 1),
            _ => (2, 1, 1),
        };
        let body = random_kernel(&mut |most| rng.below(most), warps, operations);
        let launch = Launch::new("k", blocks, 32 * warps as u32);
        // Blocks draw a number, and append their results in the order in which they end.
        let draw =
            "mov.u32 %r9, 0; setp.eq.u32 %p1, %t, 0; @%p1 atom.global.add.u32 %r9, [%out+16], 1;";
        let body = body.replace("mov.u32 %r9, 0;", draw);
        let (first, _) = body.rsplit_once("LAST:").unwrap();
        let body = format!(
            "{first}LAST: @!%p7 bra DONE; atom.global.add.u32 %r4, [%out+12], 4; cvt.u64.u32 %rd1, %r4; \
             add.u64 %rd1, %rd1, %out; st.global.u32 [%rd1+64], %r9; DONE:"
        );
        let own = format!("mov.u32 %r14, %ctaid.x;\n{body}");
        let one = outcomes(&kernel(&body), &launch, false, 3_000);
        let reduced = outcomes(&kernel(&own), &launch, false, 3_000);
        let name = format!("round {round}: {body}");
        let ((one, count), (reduced, count_of_all)) = (one.expect(&name), reduced.expect(&name));
        assert_eq!(one.contains(&None), reduced.contains(&None), "{name}");
        assert!(one == reduced || one.contains(&None), "{name}");
        alike += count;
        apart += count_of_all;
        let Some((all, _)) = outcomes(&kernel(&body), &launch, true, 1_200) else {
            continue;
        };
        assert_eq!(one.contains(&None), all.contains(&None), "{name}");
        assert!(one == all || all.contains(&None), "{name}");
        compared += 1;
        several += usize::from(all.len() > 1);
    }
    assert!(compared >= 40 && several > 2, "{compared} {several}");
    assert!(alike * 3 < apart * 2, "{alike} of {apart}");
}

/// Lanes that end complete the barrier, and what follows it has two orders.
#[test]
fn an_end_after_a_barrier_orders_nothing() {
    let body = "and.b32 %r1, %t, 31; setp.eq.u32 %p7, %r1, 0; setp.lt.u32 %p6, %r1, 16; shr.u32 %r3, %t, 5;
        mov.u32 %r2, 0; setp.eq.u32 %p2, %r3, 1; @%p2 bra WARP1;
        @%p6 barrier.sync 2, 64; @%p7 ld.relaxed.gpu.global.u32 %r2, [%out]; bra LAST;
        WARP1: barrier.sync 2, 64; @%p7 atom.global.add.u32 %r2, [%out], 1;
        LAST: mul.wide.u32 %rd1, %r3, 4; add.u64 %rd1, %rd1, %out; @%p7 st.global.u32 [%rd1+64], %r2;";
    let (found, _) = search(&kernel(body), &Launch::new("k", 1, 64), false, Bounds::NONE);
    assert_eq!(found.results, 2);
    let why = found.unfinished().unwrap();
    assert!(
        why.starts_with("a part of a warp arrives at a barrier"),
        "{why}"
    );
}
