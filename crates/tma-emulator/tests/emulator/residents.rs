//! Blocks of an ordinary launch that wait for others.

use tma_emulator::{Config, EmulatorBackend};
use tma_launch::{Buffer, Failure, Job, Launch, Ptx};

use crate::common::{SEEDS, kernel};

/// Each block counts itself, waits until the count reaches a number, and then stores a number.
const WAITS: &str = "mov.u32 %r1, %ctaid.x; mul.wide.u32 %rd1, %r1, 4; add.u64 %rd1, %out, %rd1;
    atom.add.release.gpu.global.u32 %r2, [%out], 1; mov.u32 %r3, %nctaid.x;
    WAIT: POLL setp.lt.u32 %p1, %r4, %r3; @%p1 bra WAIT;
    st.global.u32 [%rd1 + 4], 7;";

fn run(poll: &str, blocks: u32, config: Config) -> Result<Vec<u32>, Failure> {
    let text = kernel(&WAITS.replace("POLL", poll));
    let mut job = Job::new(Ptx {
        name: "waits.ptx",
        text: &text,
    });
    job.buffer(Buffer::zeroed::<u32>("out", blocks as usize + 1));
    job.launch(Launch::new("k", blocks, 1).buffer(0));
    EmulatorBackend::with_config(config).run(&mut job)?;
    Ok(job.buffers[0].to_vec::<u32>().unwrap())
}

#[test]
fn blocks_that_wait_for_others_let_them_begin() {
    let polls = [
        "ld.acquire.gpu.global.u32 %r4, [%out];",
        "atom.add.acquire.gpu.global.u32 %r4, [%out], 0; nanosleep.u32 20;",
    ];
    for poll in polls {
        for seed in SEEDS {
            let config = Config {
                seed,
                ..Config::default()
            };
            let expected: Vec<u32> = [132].into_iter().chain([7; 132]).collect();
            assert_eq!(run(poll, 132, config).as_deref(), Ok(&expected[..]));
        }
    }
}

#[test]
fn a_kernel_without_an_end_says_which_blocks_have_not_begun() {
    let config = Config {
        max_steps: 2000,
        ..Config::default()
    };
    let message = run("ld.acquire.gpu.global.u32 %r4, [%out];", 9, config).unwrap_err();
    let message = message.to_string();
    assert!(
        message.contains("5 of 9 blocks have not begun"),
        "{message}"
    );
    let message = run("bar.sync 0, 64; mov.u32 %r4, 9;", 9, Config::default()).unwrap_err();
    let message = message.to_string();
    assert!(
        message.contains("deadlock") && message.contains("5 of 9 blocks have not begun"),
        "{message}"
    );
}
