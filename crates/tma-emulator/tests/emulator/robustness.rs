//! No text and no launch makes the emulator panic.

use crate::common::module;
use proptest::{prelude::*, test_runner::RngSeed};
use tma_emulator::{Config, EmulatorBackend};
use tma_launch::{Buffer, Job, Launch, Ptx};

const OPCODES: [&str; 64] = [
    "add.s32",
    "sub.cc.u32",
    "addc.u64",
    "mul.wide.s16",
    "mad.lo.s64",
    "div.u32",
    "rem.s64",
    "mov.b32",
    "mov.b64",
    "ld.global.u32",
    "ld.u8",
    "ld.shared.v2.u32",
    "st.local.b64",
    "st.shared::cluster.u32",
    "atom.global.add.u32",
    "atom.cas.b64",
    "red.shared.and.b32",
    "setp.lt.s32",
    "setp.eq.and.f32",
    "selp.b32",
    "cvt.rn.f16.f32",
    "cvt.rzi.s64.f64",
    "cvt.u32.u64",
    "fma.rn.f32",
    "sqrt.rn.f64",
    "shfl.sync.idx.b32",
    "vote.sync.ballot.b32",
    "bar.sync",
    "barrier.cluster.arrive",
    "barrier.cluster.wait",
    "bar.warp.sync",
    "elect.sync",
    "mbarrier.init.shared::cta.b64",
    "mbarrier.arrive.shared::cta.b64",
    "mbarrier.try_wait.parity.shared::cta.b64",
    "mbarrier.arrive.expect_tx.shared::cta.b64",
    "cp.async.bulk.commit_group",
    "cp.async.bulk.wait_group",
    "cp.async.bulk.global.shared::cta.bulk_group",
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes",
    "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group",
    "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32",
    "cp.async.ca.shared.global",
    "cvta.shared.u64",
    "isspacep.global",
    "mapa.u64",
    "getctarank.u64",
    "bra",
    "brx.idx",
    "call",
    "ret",
    "exit",
    "trap",
    "prmt.b32",
    "bfe.s64",
    "bfi.b32",
    "lop3.b32",
    "shf.l.clamp.b32",
    "popc.b64",
    "clz.b32",
    "min.f16x2",
    "tanh.approx.f32",
    "fence.proxy.async",
    "membar.gl",
];

fn operand() -> impl Strategy<Value = String> {
    prop_oneof![
        (0..4u32).prop_map(|n| format!("%r{n}")),
        (0..4u32).prop_map(|n| format!("%rd{n}")),
        (0..3u32).prop_map(|n| format!("%p{n}")),
        (0..3u32).prop_map(|n| format!("%f{n}")),
        (0..2u32).prop_map(|n| format!("%h{n}")),
        any::<i64>().prop_map(|n| n.to_string()),
        (0..40i32).prop_map(|n| n.to_string()),
        (0..4u32, -8..300i32).prop_map(|(n, offset)| format!("[%rd{n}+{offset}]")),
        (0..4u32).prop_map(|n| format!("[%r{n}]")),
        (0..4u32).prop_map(|n| format!("[%rd{n}, {{%r0, %r1}}]")),
        Just("[data]".into()),
        Just("[memory]".into()),
        Just("memory".into()),
        Just("L1".into()),
        Just("%r1|%p1".into()),
        Just("{%r1, %r2}".into()),
        Just("_".into()),
        Just("%tid.x".into()),
        Just("!%p1".into()),
        Just("(%r1)".into()),
        Just("f".into()),
    ]
}

fn instruction() -> impl Strategy<Value = String> {
    let guard = prop_oneof![4 => Just(""), 1 => Just("@%p1 "), 1 => Just("@!%p2 ")];
    let operands = proptest::collection::vec(operand(), 0..5);
    (guard, 0..OPCODES.len(), operands).prop_map(|(guard, opcode, operands)| {
        format!("{guard}{} {};", OPCODES[opcode], operands.join(", "))
    })
}

fn run(text: &str) -> bool {
    let config = Config {
        seed: 5,
        max_steps: 20_000,
        ..Config::default()
    };
    let mut job = Job::new(Ptx {
        name: "random.ptx",
        text,
    });
    job.buffers.push(Buffer::zeroed::<u64>("out", 64));
    job.launch(Launch::new("k", 2, 40).buffer(0));
    EmulatorBackend::with_config(config).run(&mut job).is_ok()
}

fn around(body: &str) -> String {
    module(&format!(
        ".global .align 8 .b8 data[64];
        .func (.reg .b32 d) f(.reg .b32 a) {{ mov.b32 d, a; ret; }}
        .visible .entry k(.param .u64 out) .reqnctapercluster 2, 1, 1 {{
            .shared .align 128 .b8 memory[512]; .reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .f32 %f<4>;
            ld.param.u64 %rd1, [out]; mov.u32 %r1, memory; mov.u32 %r2, %tid.x; cvta.shared.u64 %rd2, %rd1;
            setp.lt.u32 %p1, %r2, 7;
            {body}
            L1: ret; }}"
    ))
}

proptest! {
    // The same cases in each run; `fuzz-smoke` tries others.
    #![proptest_config(ProptestConfig {
        cases: 1500,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(1),
        ..ProptestConfig::default()
    })]

    /// Single instructions are mostly refused or faults; either is an answer.
    #[test]
    fn single_instructions_never_panic(instruction in instruction()) {
        run(&around(&instruction));
    }

    #[test]
    fn small_kernels_never_panic(body in proptest::collection::vec(instruction(), 1..6)) {
        run(&around(&body.join("\n")));
    }

    #[test]
    fn texts_never_panic(text in "[a-z%{}();,.\\[\\] 0-9\\n]{0,200}") {
        run(&around(&text));
        run(&text);
    }
}

#[test]
fn the_frame_of_random_kernels_itself_runs() {
    assert!(run(&around("")));
}

#[test]
fn variables_that_are_too_large_are_refused() {
    let variables = ".global .b8 large[600000000]; .global .b8 larger[600000000];";
    let text = around("mov.u64 %rd1, larger;").replace(".global .align 8 .b8 data[64];", variables);
    let mut job = Job::new(Ptx {
        name: "large.ptx",
        text: &text,
    });
    job.launch(Launch::new("k", 2, 32).scalar(0_u64));
    let message = EmulatorBackend::new(0).run(&mut job).unwrap_err();
    assert_eq!(message.error_name.as_deref(), Some("UNSUPPORTED"));
    assert!(
        message
            .what
            .contains("with the 600000000 bytes of `larger`"),
        "{message}"
    );
}

/// Frames of local memory of `bytes` bytes, written by each thread of clusters of 16 blocks.
fn local(bytes: u32) -> Result<(), tma_launch::Failure> {
    let text = module(&format!(
        ".visible .entry k() {{ .local .align 8 .b8 big[{bytes}];
            st.local.u32 [big+{}], 1; bar.sync 0; ret; }}",
        bytes - 4
    ));
    let mut job = Job::new(Ptx {
        name: "local.ptx",
        text: &text,
    });
    let shape = Launch::new("k", 48, 512).cluster(16).non_portable_cluster();
    job.launch(shape);
    EmulatorBackend::new(0).run(&mut job).map(drop)
}

#[test]
fn local_memory_of_many_threads_has_a_limit() {
    assert_eq!(local(20_000), Ok(()));
    let message = local(520_000).unwrap_err();
    assert_eq!(
        message.error_name.as_deref(),
        Some("CUDA_ERROR_OUT_OF_MEMORY")
    );
    assert_eq!(message.stage, tma_launch::Stage::Launch);
}

#[test]
fn registers_of_deep_calls_have_a_limit() {
    let registers: Vec<String> = (0..200)
        .map(|n| format!("add.u32 %r{n}, a, {n};"))
        .collect();
    let text = module(&format!(
        ".func f(.reg .b32 a) {{ .reg .b32 %r<200>; {} call f, (%r199); ret; }}
        .visible .entry k() {{ .reg .b32 %r1; mov.u32 %r1, 1; call f, (%r1); ret; }}",
        registers.join("\n")
    ));
    let mut job = Job::new(Ptx {
        name: "deep.ptx",
        text: &text,
    });
    job.launch(Launch::new("k", 4, 256));
    let message = EmulatorBackend::new(0).run(&mut job).unwrap_err();
    let message = message.to_string();
    assert!(
        message.contains("the stack overflows in a call of `f`"),
        "{message}"
    );
    // The last calls, and the first.
    assert!(
        message.contains("= note: and 32 calls more, the first at deep.ptx:204:"),
        "{message}"
    );
    assert!(message.lines().count() < 20, "{message}");
}

#[test]
fn a_kernel_without_end_is_stopped() {
    let config = Config {
        seed: 0,
        max_steps: 10_000,
        ..Config::default()
    };
    let text = around("AGAIN: add.u32 %r1, %r1, 1; bra AGAIN;");
    let mut job = Job::new(Ptx {
        name: "endless.ptx",
        text: &text,
    });
    job.launch(Launch::new("k", 2, 32).scalar(0_u64));
    let message = EmulatorBackend::with_config(config)
        .run(&mut job)
        .unwrap_err()
        .to_string();
    assert!(
        message.contains("has not ended after 10000 steps") && message.contains("endless.ptx:"),
        "{message}"
    );
}
