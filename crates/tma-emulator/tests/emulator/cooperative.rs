//! Cooperative launches: all blocks run at once, and meet at a grid barrier.

use tma_emulator::{Config, EmulatorBackend, Session};
use tma_launch::{Argument, Buffer, Failure, Job, Launch, Ptx};

use crate::common::{failure, kernel};

/// Each block stores a number, reaches the grid barrier by relaxed atomics between fences, and reads the number
/// of the next block.
fn meets() -> String {
    kernel(
        "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %nctaid.x; mul.wide.u32 %rd1, %r1, 4; add.u64 %rd1, %out, %rd1;
        add.u32 %r3, %r1, 100; st.global.u32 [%rd1], %r3;
        mov.u32 %r4, %envreg2; mov.u32 %r5, %envreg1; mov.b64 %rd2, {%r4, %r5};
        setp.ne.u64 %p1, %rd2, 0; @!%p1 trap;
        setp.eq.u32 %p2, %r1, 0; sub.u32 %r6, 0x80000001, %r2; selp.b32 %r6, %r6, 1, %p2;
        fence.acq_rel.gpu; atom.add.relaxed.gpu.u32 %r7, [%rd2 + 4], %r6;
        WAIT: ld.relaxed.gpu.u32 %r8, [%rd2 + 4]; xor.b32 %r8, %r8, %r7; setp.gt.s32 %p3, %r8, -1; @%p3 bra WAIT;
        fence.acq_rel.gpu;
        add.u32 %r9, %r1, 1; rem.u32 %r9, %r9, %r2; mul.wide.u32 %rd3, %r9, 4; add.u64 %rd3, %out, %rd3;
        ld.global.u32 %r10, [%rd3]; mul.wide.u32 %rd4, %r2, 4; add.u64 %rd1, %rd1, %rd4; st.global.u32 [%rd1], %r10;",
    )
}

fn run(launch: Launch, blocks: usize, seed: u64) -> Result<Vec<u32>, Failure> {
    let text = meets();
    let mut job = Job::new(Ptx {
        name: "meets.ptx",
        text: &text,
    });
    job.buffer(Buffer::zeroed::<u32>("out", 2 * blocks));
    job.launch(launch.clone().buffer(0));
    EmulatorBackend::new(seed).run(&mut job)?;
    Ok(job.buffers[0].to_vec::<u32>().unwrap())
}

#[test]
fn all_blocks_of_a_cooperative_launch_run_at_once_and_are_ordered_by_their_barrier() {
    let expected: Vec<u32> = (100..140).chain(101..140).chain([100]).collect();
    for seed in 0..64 {
        let found = run(Launch::new("k", 40, 1).cooperative(), 40, seed);
        assert_eq!(found.as_deref(), Ok(&expected[..]), "seed {seed}");
    }
    let clusters = Launch::new("k", 40, 1).cooperative().cluster(4);
    assert_eq!(run(clusters, 40, 3).as_deref(), Ok(&expected[..]));
}

#[test]
fn a_launch_that_is_not_cooperative_has_no_grid_barrier() {
    let message = run(Launch::new("k", 2, 1), 2, 0).unwrap_err();
    assert_eq!(
        message.error_name.as_deref(),
        Some("CUDA_ERROR_LAUNCH_FAILED")
    );
    let message = message.to_string();
    assert!(
        message.contains("the kernel trapped; the launch is not cooperative, so `%envreg1`"),
        "{message}"
    );
    // A trap of an unrelated kernel is an ordinary trap.
    let other = failure(&kernel("trap;"), 1);
    assert!(!other.to_string().contains("cooperative"), "{other}");
}

#[test]
fn a_grid_that_does_not_fit_is_refused_with_the_figures() {
    let message = run(Launch::new("k", (133, 32), 32).cooperative(), 2, 0).unwrap_err();
    let text = "cooperative-grid: grid is 133 x 32 x 1, 4256 blocks; all blocks of a cooperative launch must be resident at once, at most \
                4224: 32 on each of 132 multiprocessors; use 133 x 31 x 1";
    assert!(message.to_string().contains(text), "{message}");
}

#[test]
fn the_barrier_begins_anew_with_each_launch_of_a_session() {
    let mut session = Session::new(Config::default());
    let module = session.load("meets.ptx", &meets()).unwrap();
    for blocks in [3, 5, 2] {
        let out = session.allocate("out", vec![0; 8 * blocks]);
        let launch = Launch::new("k", blocks as u32, 1).cooperative();
        let launch = launch.argument(Argument::Address(out));
        session.launch(module, &launch).unwrap();
        let last = session.read(out + 8 * blocks as u64 - 4, 1).unwrap();
        assert_eq!(last, [100]);
        session.launch(module, &launch).unwrap();
    }
}
