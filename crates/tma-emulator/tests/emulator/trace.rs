//! Timelines: well-formed, and of what happened.

use std::{collections::BTreeMap, fs, path::Path};

use serde_json::Value;
use tensor_map::{DataType, TensorMap};
use tma_emulator::{Config, EmulatorBackend, Trace};
use tma_launch::{Buffer, Job, Launch, Ptx};

fn example(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/emulate");
    fs::read_to_string(folder.join(name)).unwrap()
}

fn events(trace: Trace) -> Vec<Value> {
    assert!(!trace.is_cut());
    let json: Value = serde_json::from_str(&trace.finish()).unwrap();
    assert_eq!(json["otherData"]["cut"], false);
    json["traceEvents"].as_array().unwrap().clone()
}

/// Blocks of 1024 numbers, loaded and stored by bulk copies.
fn add_one(seed: u64) -> Vec<Value> {
    let text = example("add_one.ptx");
    let mut job = Job::new(Ptx {
        name: "add_one.ptx",
        text: &text,
    });
    let numbers = job.buffer(Buffer::zeroed::<i32>("numbers", 2 * 1024));
    job.launch(Launch::new("add_one", 2, 96).buffer(numbers));
    job.launch(Launch::new("add_one", 1, 64).buffer(numbers));
    let mut trace = Trace::default();
    let backend = EmulatorBackend::new(seed);
    backend.observe(&mut job, &mut trace).unwrap();
    events(trace)
}

/// Two blocks, one multicast copy.
fn cluster_sum(seed: u64) -> Vec<Value> {
    let text = example("cluster_sum.ptx");
    let mut job = Job::new(Ptx {
        name: "cluster_sum.ptx",
        text: &text,
    });
    for (name, rows) in [("bias", 1), ("rows", 2), ("sums", 1)] {
        job.buffer(Buffer::zeroed::<f32>(name, 256 * rows));
    }
    let bias = TensorMap::tiled(DataType::F32, &[256, 1]).box_dims(&[256, 1]);
    let launch = Launch::new("cluster_sum", 2, 64).cluster(2);
    job.launch(launch.tensor_map(bias, 0).buffer(1).buffer(2));
    let mut trace = Trace::default();
    let backend = EmulatorBackend::new(seed);
    backend.observe(&mut job, &mut trace).unwrap();
    events(trace)
}

fn number(event: &Value, key: &str) -> u64 {
    event[key]
        .as_u64()
        .unwrap_or_else(|| panic!("{key} of {event}"))
}

fn of_phase<'a>(events: &'a [Value], phase: &str) -> Vec<&'a Value> {
    events.iter().filter(|event| event["ph"] == phase).collect()
}

/// Slices by process and track: begin, end, name.
type Tracks<'a> = BTreeMap<(u64, u64), Vec<(u64, u64, &'a str)>>;

fn tracks(events: &[Value]) -> Tracks<'_> {
    let mut tracks = Tracks::new();
    for event in of_phase(events, "X") {
        let start = number(event, "ts");
        let slice = (
            start,
            start + number(event, "dur"),
            event["name"].as_str().unwrap(),
        );
        let track = (number(event, "pid"), number(event, "tid"));
        tracks.entry(track).or_default().push(slice);
    }
    tracks
}

#[track_caller]
fn check(events: &[Value]) {
    let tracks = tracks(events);
    for (track, slices) in &tracks {
        let mut slices = slices.clone();
        // Outer slices first.
        slices.sort_by_key(|(start, end, _)| (*start, u64::MAX - end));
        let mut open: Vec<(u64, u64, &str)> = Vec::new();
        for slice in slices {
            while open.last().is_some_and(|(_, end, _)| *end <= slice.0) {
                open.pop();
            }
            if let Some(outer) = open.last() {
                assert!(
                    slice.1 <= outer.1,
                    "{track:?}: {slice:?} is not within {outer:?}"
                );
            }
            open.push(slice);
        }
    }
    let mut names: Vec<(u64, u64)> = events
        .iter()
        .filter(|event| event["name"] == "thread_name")
        .map(|event| (number(event, "pid"), number(event, "tid")))
        .collect();
    let all = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), all, "a track has two names");
    assert!(tracks.keys().all(|track| names.contains(track)));
    // Arrows begin and end in slices.
    for phase in ["s", "f"] {
        for arrow in of_phase(events, phase) {
            let (track, at) = (
                (number(arrow, "pid"), number(arrow, "tid")),
                number(arrow, "ts"),
            );
            let within = |(start, end, _): &(u64, u64, &str)| (*start..=*end).contains(&at);
            assert!(tracks[&track].iter().any(within), "{arrow}");
        }
    }
    // Copies end once, after they began.
    let ends = of_phase(events, "e");
    let begins = of_phase(events, "b");
    assert_eq!(begins.len(), ends.len());
    for begin in begins {
        let end: Vec<_> = ends.iter().filter(|end| end["id"] == begin["id"]).collect();
        assert_eq!(end.len(), 1, "{begin}");
        assert!(number(begin, "ts") < number(end[0], "ts"), "{begin}");
    }
}

#[test]
fn slices_nest_and_everything_has_a_track() {
    for seed in 0..8 {
        check(&add_one(seed));
        check(&cluster_sum(seed));
    }
}

#[test]
fn copies_go_from_issue_to_completion() {
    let events = add_one(1);
    let mut names: Vec<&str> = of_phase(&events, "b")
        .into_iter()
        .map(|event| event["name"].as_str().unwrap())
        .collect();
    names.sort();
    let (load, store) = (
        "4096 bytes, global to shared",
        "4096 bytes, shared to global",
    );
    assert_eq!(names, [load, load, load, store, store, store]);
    let begin = of_phase(&events, "b");
    let args = &begin.iter().find(|event| event["name"] == load).unwrap()["args"];
    assert!(
        args["place"].as_str().unwrap().starts_with("add_one.ptx:"),
        "{args}"
    );
    assert!(
        args["completion"]
            .as_str()
            .unwrap()
            .starts_with("mbarrier at 0x"),
        "{args}"
    );
    // Loads have an arrow to their barrier.
    assert_eq!(of_phase(&events, "s").len(), 3);
    assert_eq!(of_phase(&events, "f").len(), 3);
    // Two launches: three blocks, each a process of its own.
    let processes = events
        .iter()
        .filter(|event| event["name"] == "process_name");
    let names: Vec<_> = processes
        .map(|event| event["args"]["name"].as_str().unwrap())
        .collect();
    assert!(names.contains(&"launch 0, block [1, 0, 0]"), "{names:?}");
    assert!(names.contains(&"launch 1, block [0, 0, 0]"), "{names:?}");
    assert_eq!(names.len(), 3);
}

#[test]
fn barriers_have_phases_and_bytes() {
    let events = cluster_sum(3);
    let all = of_phase(&events, "X").into_iter();
    let phases: Vec<_> = all.filter(|event| event["name"] == "phase 0").collect();
    assert_eq!(phases.len(), 2);
    for phase in phases {
        assert_eq!(phase["args"]["arrivals"], 1);
        assert_eq!(phase["args"]["expected bytes"], 1024);
        assert_eq!(phase["args"]["bytes that came"], 1024);
    }
    let mut last: BTreeMap<u64, i64> = BTreeMap::new();
    for counter in of_phase(&events, "C") {
        let value = counter["args"]["missing bytes"].as_i64().unwrap();
        last.insert(number(counter, "pid"), value);
    }
    assert_eq!(last.values().copied().collect::<Vec<_>>(), [0, 0]);
}

#[test]
fn waits_are_slices() {
    let waits = |events: &[Value], name: &str| {
        let all = of_phase(events, "X").into_iter();
        all.filter(|event| event["name"] == name).count()
    };
    let counts = |name: &str, of: fn(u64) -> Vec<Value>| -> usize {
        (0..4).map(|seed| waits(&of(seed), name)).sum()
    };
    assert!(counts("waits at barrier 0", add_one) > 0);
    assert!(counts("waits at an mbarrier", add_one) > 0);
    assert!(counts("waits for bulk groups", add_one) > 0);
    assert!(counts("waits at the cluster's barrier", cluster_sum) > 0);
}

#[test]
fn what_ends_a_kernel_is_in_the_timeline() {
    let text = "
        .version 8.6\n.target sm_90a\n.address_size 64
        .visible .entry k() {
            .shared .align 8 .b64 bar; .reg .b32 %r<2>; .reg .pred %p<2>;
            mov.u32 %r1, bar;
            mbarrier.init.shared::cta.b64 [%r1], 1;
            mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r1], 16;
        WAIT:
            mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1], 0;
            @!%p1 bra WAIT;
            ret;
        }";
    let mut job = Job::new(Ptx {
        name: "hangs.ptx",
        text,
    });
    job.launch(Launch::new("k", 1, 1));
    let mut trace = Trace::default();
    let config = Config {
        max_steps: 10_000,
        ..Config::default()
    };
    let backend = EmulatorBackend::with_config(config);
    assert!(backend.observe(&mut job, &mut trace).is_err());
    let events = events(trace);
    check(&events);
    let end = of_phase(&events, "i");
    assert_eq!(end[0]["name"], "CUDA_ERROR_LAUNCH_TIMEOUT");
    let phase = of_phase(&events, "X").into_iter();
    let phase: Vec<_> = phase
        .filter(|event| event["name"] == "phase 0, not complete")
        .collect();
    assert_eq!(phase[0]["args"]["expected bytes"], 16);
}

#[test]
fn what_kernels_print_is_in_the_timeline() {
    let text = "
        .version 8.6\n.target sm_90a\n.address_size 64
        .global .align 1 .b8 text[4] = {104, 105, 10, 0};
        .extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);
        .visible .entry k() {
            .reg .b64 %rd<3>;
            { .param .b64 a; .param .b64 b; .param .b32 r;
              mov.u64 %rd1, text; cvta.global.u64 %rd2, %rd1;
              st.param.b64 [a], %rd2; st.param.b64 [b], 0;
              call.uni (r), vprintf, (a, b); }
            ret;
        }";
    let mut job = Job::new(Ptx {
        name: "prints.ptx",
        text,
    });
    job.launch(Launch::new("k", 1, 1));
    let mut trace = Trace::default();
    let backend = EmulatorBackend::new(0);
    backend.observe(&mut job, &mut trace).unwrap();
    let events = events(trace);
    let printed = of_phase(&events, "i");
    assert_eq!(
        (&printed[0]["name"], &printed[0]["args"]["text"]),
        (&"printed".into(), &"hi\n".into())
    );
}
