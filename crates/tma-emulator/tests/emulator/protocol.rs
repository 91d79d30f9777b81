//! Makes kernels in which warps hand stages to each other by mbarriers, most of them with a mistake.

use std::{collections::BTreeSet, fmt::Write as _};

use tma_emulator::{Config, EmulatorBackend, check::DiagnosticKind};
use tma_launch::{Buffer, Job, Launch, Ptx};

const WORDS: usize = 32;

/// The threads of the block that runs the kernel.
const THREADS: u32 = 96;
/// Words of its output, and of its input.
const OUTPUT_WORDS: usize = 4 * THREADS as usize;

/// The thread that announces the bytes, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Arms {
    WithTheArrival,
    BeforeTheArrival,
    AfterTheCopy,
    LaneInOrder,
    LaneArrivesToo,
    Lane,
    OtherWarp,
    AfterTheArrival,
}

/// The way in which readers release a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Releases {
    OneLane,
    AllLanes,
    BlockBarrier,
    WithoutOrder,
    BeforeReading,
}

struct Kernel {
    body: String,
    labels: usize,
}

impl Kernel {
    fn line(&mut self, line: &str) {
        let _ = writeln!(self.body, "\t{line}");
    }

    /// Threads with the predicate wait for a phase.
    fn wait(&mut self, who: &str, barrier: &str, parity: usize) {
        let label = format!("wait{}", self.labels);
        self.labels += 1;
        self.line("setp.eq.u32 %done, 0, 0;");
        let _ = writeln!(self.body, "{label}:");
        self.line(&format!(
            "@{who} mbarrier.try_wait.parity.shared::cta.b64 %done, [{barrier}], {parity};"
        ));
        self.line(&format!("@!%done bra {label};"));
    }
}

/// Returns PTX of a kernel `k` with the parameters output and input; `pick` returns a number below its
/// argument.
pub(crate) fn protocol(mut pick: impl FnMut(usize) -> usize) -> String {
    use Arms::*;
    let (stages, rounds, readers) = (1 + pick(2), 2 + pick(3), 1 + pick(2));
    let arms = [
        WithTheArrival,
        WithTheArrival,
        BeforeTheArrival,
        AfterTheCopy,
        LaneInOrder,
        LaneArrivesToo,
        Lane,
        OtherWarp,
        AfterTheArrival,
    ];
    let arms = arms[pick(arms.len())];
    let releases = [
        Releases::OneLane,
        Releases::OneLane,
        Releases::AllLanes,
        Releases::BlockBarrier,
        Releases::WithoutOrder,
        Releases::BeforeReading,
    ];
    let releases = releases[pick(releases.len())];
    let bytes = [128, 128, 128, 128, 128, 128, 64, 192][pick(8)];
    let waits_for_empty = pick(8) > 0;
    let (flips_wrongly, publishes) = (pick(10) == 0, pick(12) > 0);
    let one_lane_waits = pick(8) == 0;

    let mut kernel = Kernel {
        body: String::new(),
        labels: 0,
    };
    let arrivals = match releases {
        Releases::AllLanes => WORDS * readers,
        _ => readers,
    };
    for stage in 0..stages {
        let armed = 1 + usize::from(arms == LaneArrivesToo);
        let (full, empty) = (8 * stage, 64 + 8 * stage);
        kernel.line(&format!(
            "@%producer mbarrier.init.shared::cta.b64 [bars+{full}], {armed};"
        ));
        kernel.line(&format!(
            "@%producer mbarrier.init.shared::cta.b64 [bars+{empty}], {arrivals};"
        ));
    }
    if publishes {
        kernel.line("bar.sync 0;");
    }
    for round in 0..rounds {
        let (stage, turn) = (round % stages, round / stages);
        let (full, empty) = (
            format!("bars+{}", 8 * stage),
            format!("bars+{}", 64 + 8 * stage),
        );
        if turn > 0 && waits_for_empty && releases != Releases::BlockBarrier {
            kernel.wait("%producer", &empty, (turn - 1) & 1);
        }
        let expect = |who: &str| {
            format!("@{who} mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [{full}], {bytes};")
        };
        let both = |who: &str| {
            format!("@{who} mbarrier.arrive.expect_tx.shared::cta.b64 _, [{full}], {bytes};")
        };
        let arrive = format!("@%producer mbarrier.arrive.shared::cta.b64 _, [{full}];");
        let copy = format!(
            "@%producer cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes \
             [tiles+{}], [%from], 128, [{full}];",
            128 * stage
        );
        let meet = "@%first bar.warp.sync -1;".to_owned();
        let lines = match arms {
            WithTheArrival => vec![both("%producer"), copy],
            BeforeTheArrival => vec![expect("%producer"), copy, arrive],
            AfterTheCopy => vec![copy, both("%producer")],
            LaneInOrder => vec![meet.clone(), expect("%lane"), meet, copy, arrive],
            LaneArrivesToo => vec![meet, both("%lane"), arrive, copy],
            Lane => vec![expect("%lane"), copy, arrive],
            OtherWarp => vec![expect("%speaker"), copy, arrive],
            AfterTheArrival => vec![arrive, expect("%producer"), copy],
        };
        lines.iter().for_each(|line| kernel.line(line));
        let parity = turn & 1 ^ usize::from(flips_wrongly && round == 1);
        match one_lane_waits {
            true => kernel.wait("%speaker", &full, parity),
            false => kernel.wait("%reader", &full, parity),
        }
        let arrive = |who: &str| format!("@{who} mbarrier.arrive.shared::cta.b64 _, [{empty}];");
        if releases == Releases::BeforeReading {
            kernel.line(&arrive("%speaker"));
        }
        kernel.line(&format!(
            "@%reader ld.shared.u32 %number, [%tile+{}];",
            128 * stage
        ));
        kernel.line(&format!(
            "@%reader st.global.u32 [%to+{}], %number;",
            round * 4 * THREADS as usize
        ));
        match releases {
            Releases::OneLane => {
                kernel.line("@%reader bar.warp.sync -1;");
                kernel.line(&arrive("%speaker"));
            }
            Releases::AllLanes => kernel.line(&arrive("%reader")),
            Releases::BlockBarrier => kernel.line("bar.sync 0;"),
            Releases::WithoutOrder => kernel.line(&arrive("%speaker")),
            Releases::BeforeReading => {}
        }
        kernel.line("add.u64 %from, %from, 128;");
    }
    let last = WORDS * (1 + readers);
    format!(
        ".version 8.6\n.target sm_90a\n.address_size 64\n\n\
         .visible .entry k(.param .u64 output, .param .u64 input)\n{{\n\
         \t.reg .pred %first, %producer, %lane, %reader, %speaker, %done;\n\
         \t.reg .b32 %thread, %in_warp, %tile, %number;\n\t.reg .b64 %to, %from;\n\
         \t.shared .align 128 .b8 tiles[256];\n\t.shared .align 8 .b64 bars[16];\n\n\
         \tld.param.u64 %to, [output];\n\tld.param.u64 %from, [input];\n\
         \tmov.u32 %thread, %tid.x;\n\tand.b32 %in_warp, %thread, 31;\n\
         \tsetp.lt.u32 %first, %thread, 32;\n\tsetp.eq.u32 %producer, %thread, 0;\n\
         \tsetp.eq.u32 %lane, %thread, 1;\n\tsetp.ge.u32 %reader, %thread, 32;\n\
         \tsetp.lt.and.u32 %reader, %thread, {last}, %reader;\n\
         \tsetp.eq.and.u32 %speaker, %in_warp, 0, %reader;\n\
         \tmov.u32 %tile, tiles;\n\tmad.lo.u32 %tile, %in_warp, 4, %tile;\n\
         \tmad.wide.u32 %to, %thread, 4, %to;\n{}\tret;\n}}\n",
        kernel.body
    )
}

/// The kinds that are found in such a kernel under a schedule, and whether the kernel ran to its end.
pub(crate) fn found(text: &str, seed: u64) -> (BTreeSet<DiagnosticKind>, bool) {
    let words = vec![7_u32; OUTPUT_WORDS];
    let mut job = Job::new(Ptx {
        name: "protocol.ptx",
        text,
    });
    job.buffers = vec![
        Buffer::zeroed::<u32>("output", OUTPUT_WORDS),
        Buffer::new("input", &words),
    ];
    job.launch(Launch::new("k", 1, THREADS).buffer(0).buffer(1));
    let config = Config {
        seed,
        max_steps: 200_000,
        ..Config::default()
    };
    let checked = EmulatorBackend::with_config(config).check(&mut job);
    let checked = checked.unwrap_or_else(|failure| panic!("{failure}\n{text}"));
    let kinds = checked.diagnostics.iter().map(|found| found.kind);
    let is_over = !checked.diagnostics.iter().any(|found| found.ends_kernel());
    (kinds.collect(), is_over)
}
