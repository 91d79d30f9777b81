//! Launches that may begin while those before them end.

use tma_emulator::{Config, Jobs, ModuleId, Session, check::CheckReport};
use tma_launch::{Argument, Launch};

use crate::common::module;

/// Kernels of one warp; each lane has a number.
const KERNELS: &[(&str, &str)] = &[
    ("lets_and_writes", "LET PUT"),
    ("writes", "PUT"),
    ("lets_waits_and_reads", "LET WAIT GET"),
    ("waits_lets_and_reads", "WAIT LET GET"),
    ("lets_and_does_nothing", "LET"),
    ("lets_and_waits", "LET WAIT"),
    ("waits_and_lets", "WAIT LET"),
    ("does_nothing", ""),
    ("waits", "WAIT"),
    ("reads", "GET"),
    ("waits_and_reads", "WAIT GET"),
    ("waits_in_another_lane", "@%p griddepcontrol.wait; GET"),
    (
        "waits_in_another_lane_before_a_barrier",
        "@%p griddepcontrol.wait; bar.warp.sync -1; GET",
    ),
    (
        "lets_and_adds",
        "LET red.relaxed.gpu.global.add.u32 [%to], 1;",
    ),
    ("adds", "red.relaxed.gpu.global.add.u32 [%to], 1;"),
    (
        "adds_in_the_block",
        "red.relaxed.cta.global.add.u32 [%to], 1;",
    ),
    ("lets_and_writes_a_byte", "LET st.global.u8 [%to+3], 1;"),
    ("reads_another_byte", "ld.global.u8 %r1, [%to+2];"),
    ("reads_that_byte", "ld.global.u8 %r1, [%to+3];"),
];

struct Stream {
    session: Session,
    module: ModuleId,
    numbers: u64,
}

impl Stream {
    fn new() -> Self {
        let kernel = |(name, body): &(&str, &str)| {
            let body = body
                .replace("LET", "griddepcontrol.launch_dependents;")
                .replace("WAIT", "griddepcontrol.wait;")
                .replace("PUT", "st.global.u32 [%to], %r0;")
                .replace("GET", "ld.global.u32 %r1, [%to];");
            format!(
                ".visible .entry {name}(.param .u64 numbers) {{
                .reg .pred %p; .reg .b32 %r<3>; .reg .b64 %to;
                ld.param.u64 %to, [numbers]; mov.u32 %r0, %tid.x; mad.wide.u32 %to, %r0, 4, %to;
                setp.eq.u32 %p, %r0, 5; {body} ret; }}\n"
            )
        };
        let text = module(&KERNELS.iter().map(kernel).collect::<String>());
        let mut session = Session::new(Config::default());
        let module = session.load("overlap.ptx", &text).unwrap();
        let numbers = session.allocate("numbers", vec![0; 128]);
        Self {
            session,
            module,
            numbers,
        }
    }

    fn launch(&mut self, entry: &str, overlaps: bool) -> CheckReport {
        let mut launch = Launch::new(entry, 1, 32).argument(Argument::Address(self.numbers));
        launch.shape.overlaps = overlaps;
        let mut last = None;
        let take = |_, report| last = Some(report);
        let session = &mut self.session;
        let checked = session.launch_checked(self.module, &launch, 0..=1, Jobs::ONE, take);
        checked.unwrap();
        last.unwrap()
    }

    /// Returns the finding on the last of these launches, each of which overlaps the one before.
    fn races(entries: &[&str]) -> Option<String> {
        let mut stream = Self::new();
        let (last, before) = entries.split_last().unwrap();
        for entry in before {
            let report = stream.launch(entry, true);
            assert!(report.is_clean(), "{:?}", report.diagnostics);
        }
        let report = stream.launch(last, true);
        let found = report.diagnostics.first()?;
        assert_eq!(found.kind.name(), "missing-grid-wait");
        Some(found.to_string())
    }
}

#[test]
fn an_access_that_comes_before_the_wait_races_with_the_launch_before() {
    let cases: &[(&[&str], bool)] = &[
        (&["lets_and_writes", "reads"], true),
        (&["lets_and_writes", "waits_and_reads"], false),
        (&["lets_and_writes", "waits_in_another_lane"], true),
        (
            &["lets_and_writes", "waits_in_another_lane_before_a_barrier"],
            false,
        ),
        // Without `launch_dependents` the next launch begins when this one is over.
        (&["writes", "reads"], false),
        (&["lets_and_adds", "adds"], false),
        (&["lets_and_adds", "adds_in_the_block"], true),
        (&["lets_and_adds", "reads"], true),
        (&["lets_and_writes_a_byte", "reads_that_byte"], true),
        (&["lets_and_writes_a_byte", "reads_another_byte"], false),
    ];
    for (entries, expected) in cases {
        let found = Stream::races(entries);
        assert_eq!(found.is_some(), *expected, "{entries:?}: {found:?}");
    }
}

#[test]
fn a_wait_is_for_what_the_launch_before_has_waited_for() {
    let cases: &[(&[&str], bool)] = &[
        // The launch between has waited, so its end implies the end of the first one.
        (
            &["lets_and_writes", "lets_and_waits", "waits_and_reads"],
            false,
        ),
        // Until then the first one may still run.
        (&["lets_and_writes", "lets_and_waits", "reads"], true),
        // A launch that lets the next one begin after its wait implies the same.
        (&["lets_and_writes", "waits_and_lets", "reads"], false),
        // No launch has waited for the first one.
        (
            &[
                "lets_and_writes",
                "lets_and_does_nothing",
                "waits_and_reads",
            ],
            true,
        ),
        (
            &["lets_and_writes", "does_nothing", "waits_and_reads"],
            true,
        ),
        (&["lets_and_writes", "waits", "reads"], false),
    ];
    for (entries, expected) in cases {
        let found = Stream::races(entries);
        assert_eq!(found.is_some(), *expected, "{entries:?}: {found:?}");
    }
}

#[test]
fn a_launch_that_does_not_overlap_comes_after_all_others() {
    let mut stream = Stream::new();
    stream.launch("lets_and_writes", false);
    assert!(stream.launch("reads", false).is_clean());
    // The first one is not in flight for a launch after that one either.
    assert!(stream.launch("reads", true).is_clean());
    stream.launch("lets_and_writes", false);
    stream.session.synchronise();
    assert!(stream.launch("reads", true).is_clean());
    stream.launch("lets_and_writes", false);
    assert!(!stream.launch("reads", true).is_clean());
}

#[test]
fn the_report_names_both_launches() {
    let message = Stream::races(&["lets_and_writes", "reads"]).unwrap();
    for part in [
        "reads 4 bytes at global address 0x7f0000000000",
        "writes 4 bytes at global address 0x7f0000000000",
        "in the launch of `lets_and_writes` before",
        "no thread has executed `griddepcontrol.wait` before this access",
        "`st.global.u32`",
        "`ld.global.u32`",
    ] {
        assert!(message.contains(part), "{part}: {message}");
    }
}
