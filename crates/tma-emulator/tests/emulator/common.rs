//! Small kernels, run and compared.

pub(crate) mod copies;

use tma_emulator::{Config, EmulatorBackend};
use tma_launch::{Buffer, Failure, Job, Launch, Ptx};

/// Seeds that every test runs with.
pub(crate) const SEEDS: [u64; 4] = [0, 1, 2, 99];

/// A module with these functions and variables.
pub(crate) fn module(items: &str) -> String {
    format!(".version 8.6\n.target sm_90a\n.address_size 64\n{items}\n")
}

/// A kernel `k` with the buffer `out` as its only parameter; `%out` is its address, `%t` the thread.
pub(crate) fn kernel(body: &str) -> String {
    module(&format!(
        ".visible .entry k(.param .u64 out) {{
            .reg .pred %p<16>; .reg .b16 %h<16>; .reg .b32 %r<32>; .reg .b64 %rd<32>;
            .reg .f32 %f<16>; .reg .f64 %fd<16>; .reg .b64 %out; .reg .b32 %t;
            ld.param.u64 %out, [out];
            mov.u32 %t, %tid.x;
            {body}
            ret;
        }}"
    ))
}

/// Runs `launch` of a text with these buffers, under the checker and without it, which takes another path for
/// accesses.
pub(crate) fn run_launch(
    text: &str,
    launch: Launch,
    buffers: Vec<Buffer>,
    seed: u64,
) -> Result<Vec<Buffer>, Failure> {
    let mut job = Job::new(Ptx {
        name: "test.ptx",
        text,
    });
    job.buffers = buffers;
    job.launch(launch);
    let mut unchecked = job.clone();
    let config = Config {
        seed,
        checks: false,
        ..Config::default()
    };
    let result = EmulatorBackend::new(seed).run(&mut job);
    let other = EmulatorBackend::with_config(config).run_unchecked(&mut unchecked, &mut |_| {});
    match result {
        Ok(_) => {
            assert_eq!(other.map(drop), Ok(()));
            assert!(
                job.buffers == unchecked.buffers,
                "the checker changes results"
            );
            Ok(job.buffers)
        }
        Err(failure) => {
            let name = failure.error_name.as_deref();
            if name.is_some_and(|name| name.starts_with("CUDA_ERROR")) {
                assert_eq!(other.unwrap_err().error_name.as_deref(), name);
            }
            Err(failure)
        }
    }
}

/// Runs a kernel's body with one block of `threads` and returns the buffer of `count` words.
pub(crate) fn run(body: &str, threads: u32, count: usize) -> Result<Vec<u32>, Failure> {
    let mut results = SEEDS.iter().map(|seed| {
        let launch = Launch::new("k", 1, threads).buffer(0);
        let out = vec![Buffer::new("out", &vec![0xdead_beef_u32; count])];
        let buffers = run_launch(&kernel(body), launch, out, *seed)?;
        Ok(buffers[0].to_vec::<u32>().unwrap_or_default())
    });
    let first = results.next().expect("there are seeds");
    for other in results {
        assert_eq!(first.is_ok(), other.is_ok(), "the seeds differ");
        if first.is_ok() {
            assert!(first == other, "the seeds differ");
        }
    }
    first
}

/// The value that one thread computes into `%r1`.
pub(crate) fn word(body: &str) -> u32 {
    let body = format!("{body}\n st.global.u32 [%out], %r1;");
    run(&body, 1, 1).unwrap_or_else(|failure| panic!("{failure}"))[0]
}

/// The value that one thread computes into `%rd1`.
pub(crate) fn long(body: &str) -> u64 {
    let body = format!("{body}\n st.global.u64 [%out], %rd1;");
    let words = run(&body, 1, 2).unwrap_or_else(|failure| panic!("{failure}"));
    u64::from(words[0]) | u64::from(words[1]) << 32
}

/// The value that one thread computes into `%f1`.
pub(crate) fn single(body: &str) -> f32 {
    f32::from_bits(word(&format!("{body}\n mov.b32 %r1, %f1;")))
}

/// Runs a kernel that must fail, and returns its message.
pub(crate) fn failure(body: &str, threads: u32) -> String {
    run(body, threads, 64)
        .expect_err("it should fail")
        .to_string()
}
