//! Launches that must fail, with their errors.
//!
//! Each runs in its own process, since a fault in a kernel ends the GPU for its process.

use std::{
    env,
    process::{Command, ExitCode},
};

use libtest_mimic::{Arguments, Failed, Trial};
use tests::{DEVICE_PTX, KERNELS_PTX, Module, open};
use tma_host::{DeviceChoice, Jobs};
use tma_launch::{Buffer, Job, Launch, Ptx};

/// A launch that fails, and the parts of its message.
struct Case {
    name: &'static str,
    modules: &'static [Module],
    launch: fn() -> Launch,
    message: &'static [&'static str],
}

static CASES: &[Case] = &[
    Case {
        name: "a_panic_in_a_kernel",
        modules: DEVICE_PTX,
        launch: || Launch::new("trap", 1, 32).buffer(0).scalar(7_u32),
        message: &[
            "synchronise",
            "parameters.rs:53",
            "assertion failed: number != 7",
            "CUDA_ERROR_LAUNCH_FAILED",
        ],
    },
    Case {
        name: "an_index_out_of_bounds",
        modules: DEVICE_PTX,
        launch: || panics(0),
        message: &[
            "messages.rs:18",
            "index out of bounds: the len is 4 but the index is 7",
        ],
    },
    Case {
        name: "an_assertion_of_equality",
        modules: DEVICE_PTX,
        launch: || panics(1),
        message: &[
            "messages.rs:19",
            "assertion `left == right` failed: …\n  left: 7\n right: 4",
        ],
    },
    Case {
        name: "a_formatted_message",
        modules: DEVICE_PTX,
        launch: || panics(2),
        message: &["messages.rs:20", "0x0007 -1    0.500|"],
    },
    Case {
        name: "a_division_by_zero",
        modules: DEVICE_PTX,
        launch: || panics(3),
        message: &["messages.rs:21", "attempt to divide by zero"],
    },
    Case {
        name: "an_expectation",
        modules: DEVICE_PTX,
        launch: || panics(4),
        message: &["messages.rs:22", "four numbers"],
    },
    Case {
        name: "an_element_beyond_its_tile",
        modules: DEVICE_PTX,
        launch: || {
            Launch::new("element_beyond", 1, 32)
                .buffer(0)
                .scalar(192_u32)
        },
        message: &[
            "shared_tile.rs",
            "assertion failed: index < S::ELEMS",
            "CUDA_ERROR_LAUNCH_FAILED",
        ],
    },
    Case {
        name: "the_last_element_of_a_tile",
        modules: DEVICE_PTX,
        launch: || {
            Launch::new("element_beyond", 1, 32)
                .buffer(0)
                .scalar(191_u32)
        },
        message: &["it did not fail"],
    },
    Case {
        name: "a_line_that_a_kernel_prints",
        modules: DEVICE_PTX,
        launch: || {
            Launch::new("prints", 1, 32)
                .scalar(-7_i32)
                .scalar(1.0_f32 / 7.0)
        },
        message: &[
            "thread 5: -7 0xf9   -7|-7  |-007 0.143 0.142857 true 100% {}\n",
            "it did not fail",
        ],
    },
    Case {
        name: "a_trap",
        modules: DEVICE_PTX,
        launch: || Launch::new("stops", 1, 32).scalar(5_u32),
        message: &["synchronise", "CUDA_ERROR_LAUNCH_FAILED"],
    },
    Case {
        name: "an_address_outside",
        modules: DEVICE_PTX,
        launch: || Launch::new("trap", 1, 32).scalar(64_u64).scalar(1_u32),
        message: &["synchronise", "CUDA_ERROR_ILLEGAL_ADDRESS"],
    },
    Case {
        name: "a_name_that_is_not_there",
        modules: KERNELS_PTX,
        launch: || Launch::new("add_one_2d", 1, 32).buffer(0).scalar(0_u64),
        message: &["add_one_2d", "did you mean `add_one_1d`"],
    },
    Case {
        name: "too_many_threads",
        modules: KERNELS_PTX,
        launch: || Launch::new("add_one_1d", 1, 2048).buffer(0).scalar(0_u64),
        message: &["2048", "1024"],
    },
    Case {
        name: "too_much_shared_memory",
        modules: KERNELS_PTX,
        launch: || {
            Launch::new("prefetch_1d_2", 1, 32)
                .shared_bytes(300 << 10)
                .buffer(0)
                .buffer(0)
                .scalar(1_u32)
        },
        message: &["307200", "232448"],
    },
    Case {
        name: "too_few_arguments",
        modules: KERNELS_PTX,
        launch: || Launch::new("add_one_1d", 1, 32).buffer(0),
        message: &["argument-count", "the kernel takes 2"],
    },
];

fn panics(way: u32) -> Launch {
    Launch::new("panics", 1, 32)
        .buffer(0)
        .scalar(way)
        .scalar(7_u32)
}

fn main() -> ExitCode {
    // The test calls itself again, in another process.
    if let Some(name) = env::var_os("TMA_FAILURE_CASE") {
        let case = CASES.iter().find(|case| case.name == name);
        return case.map_or(ExitCode::from(2), print_failure);
    }
    // Reported once, not by every case.
    if let Err(failure) = DeviceChoice::from_env().and_then(DeviceChoice::open) {
        eprintln!("error: {failure}");
        return ExitCode::FAILURE;
    }
    let trial = |case: &'static Case| Trial::test(case.name, || fails(case));
    libtest_mimic::run(&Arguments::from_args(), CASES.iter().map(trial).collect()).exit_code()
}

fn fails(case: &Case) -> Result<(), Failed> {
    let output = Command::new(env::current_exe()?)
        .env("TMA_FAILURE_CASE", case.name)
        .output()?;
    let message = String::from_utf8_lossy(&output.stdout);
    match case.message.iter().find(|part| !message.contains(**part)) {
        Some(part) => Err(format!(
            "`{part}` is missing from\n{message}{}",
            String::from_utf8_lossy(&output.stderr)
        )
        .into()),
        None => Ok(()),
    }
}

fn print_failure(case: &Case) -> ExitCode {
    let Ok((mut backend, capability)) = DeviceChoice::from_env().and_then(open) else {
        println!("the device cannot be opened");
        return ExitCode::FAILURE;
    };
    let Some(module) = Module::for_device(case.modules, capability) else {
        println!("there is no module for this device");
        return ExitCode::FAILURE;
    };
    println!("{}", failure(&mut backend, module.ptx(), (case.launch)()));
    ExitCode::SUCCESS
}

fn failure(backend: &mut Jobs, ptx: Ptx<'_>, launch: Launch) -> String {
    let mut job = Job::new(ptx);
    job.buffer(Buffer::zeroed::<u32>("data", 1024));
    job.launch(launch);
    // SAFETY: the kernels access only the buffer, or fail: a fault or a trap makes no other store (1).
    match unsafe { backend.run(&mut job) } {
        Ok(_) => "it did not fail".into(),
        Err(failure) => failure.to_string(),
    }
}
