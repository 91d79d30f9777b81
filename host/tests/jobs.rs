//! Jobs on the emulator, and on a GPU where there is one: in a process of their own, since the last of
//! them ends the GPU for it.

mod support;

use support::{
    everywhere::everywhere,
    matrix::{PTX, boxed, matrix},
};
use tma_host::{Device, Jobs, Stage};
use tma_launch::{Buffer, Job, Launch, PlacedPointer};

type Result = std::result::Result<(), Box<dyn std::error::Error>>;

#[test]
fn jobs_run_until_a_fault() -> Result {
    everywhere().into_iter().try_for_each(runs_jobs)
}

fn runs_jobs(device: Device) -> Result {
    let (name, is_emulator) = (device.to_string(), device.is_emulator());
    let mut backend = Jobs::new(device);
    // SAFETY: except for `fault`, which does not store, the kernels stay within their buffers (1).
    let run = |backend: &mut Jobs, job: &mut Job<'_>| unsafe { backend.run(job) };
    assert_eq!(backend.name(), name);

    let (elements, tiled) = matrix();
    let mut good = Job::new(PTX);
    let input = good.buffer(Buffer::new("matrix", &elements));
    let out = good.buffer(Buffer::zeroed::<i32>("out", 512));
    for (part, x, y) in [(0, 16, 32), (1, -4, 60)] {
        let launch = Launch::new("tile", 1, 256)
            .tensor_map(tiled, input)
            .buffer_at(out, part * 1024)
            .scalar(x)
            .scalar(y);
        good.launch(launch);
    }
    let expected = [boxed(16, 32), boxed(-4, 60)].concat();
    let mut run_good = |backend: &mut Jobs| {
        good.buffers[out].bytes_mut().fill(0xff);
        run(backend, &mut good)?;
        assert_eq!(good.buffers[out].to_vec::<i32>()?, expected);
        Ok::<(), Box<dyn std::error::Error>>(())
    };
    run_good(&mut backend)?;

    let mut empty = Job::new(PTX);
    empty.buffer(Buffer::new::<u8>("empty", &[]));
    run(&mut backend, &mut empty)?;
    empty.launch(Launch::new("tiles", 1, 1));
    let failure = run(&mut backend, &mut empty).unwrap_err();
    let text = "resolve: kernels.ptx has no kernel `tiles`: did you mean `tile`?";
    assert_eq!(failure.to_string(), text);
    run_good(&mut backend)?;

    // Twice, since each job has a module of its own.
    for _ in 0..2 {
        let mut job = Job::new(PTX);
        let pointer = |at_bytes, index, offset_bytes| PlacedPointer {
            at_bytes,
            index,
            offset_bytes,
        };
        let data = job.buffer(Buffer::new("data", &[1_u32, 30, 3]));
        let table = Buffer::new("table", &[8_u64, 9]).with_pointer(pointer(8, data, 0));
        let table = job.buffer(table);
        job.buffer(Buffer::new("factor", &[7_u32]).in_variable("factor"));
        let target = Buffer::zeroed::<u64>("target", 1).with_pointer(pointer(0, data, 4));
        let target = job.buffer(target.in_variable("target"));
        let calls = job.buffer(Buffer::zeroed::<u32>("calls", 1).of_variable("calls"));
        job.launch(Launch::new("follow", 1, 1).buffer_at(table, 8));
        job.launch(Launch::new("follow", 1, 1).buffer_at(table, 8));
        run(&mut backend, &mut job)?;
        let words = |index: usize| job.buffers[index].to_vec::<u32>();
        assert_eq!((words(data)?, words(calls)?), (vec![1, 30, 210], vec![7]));
        // Unmodified pointers are read back as the original bytes.
        assert_eq!(job.buffers[table].to_vec::<u64>()?, [8, 9]);
        assert_eq!(job.buffers[target].to_vec::<u64>()?, [0]);
    }
    for (blocks, is_too_large) in [(64, false), (1 << 20, true)] {
        let mut job = Job::new(PTX);
        let out = job.buffer(Buffer::zeroed::<u32>("out", 64));
        let count = job.buffer(Buffer::zeroed::<u32>("count", 1));
        let launch = Launch::new("meet", blocks, 1).cooperative();
        job.launch(launch.buffer(out).buffer(count));
        match run(&mut backend, &mut job) {
            Ok(_) => assert!(!is_too_large && job.buffers[out].to_vec::<u32>()? == [64; 64]),
            Err(failure) => {
                let message = failure.to_string();
                assert!(
                    is_too_large && message.contains("cooperative-grid: "),
                    "{message}"
                );
            }
        }
    }
    let mut short = Job::new(PTX);
    short.buffer(Buffer::zeroed::<u8>("factor", 3).in_variable("factor"));
    let message = run(&mut backend, &mut short).unwrap_err().to_string();
    assert!(
        message.ends_with("the variable `factor` has 4 bytes, not 3"),
        "{message}"
    );

    let mut bad = Job::new(PTX);
    let data = bad.buffer(Buffer::new("data", &[1.0_f32; 4]));
    bad.launch(
        Launch::new("scale", 1, 4)
            .buffer(data)
            .scalar(4_u32)
            .scalar(2.0_f32),
    );
    bad.launch(Launch::new("fault", 1, 1));
    let failure = run(&mut backend, &mut bad).unwrap_err();
    assert_eq!(failure.stage, Stage::Synchronise);
    assert_eq!(
        failure.error_name.as_deref(),
        Some("CUDA_ERROR_ILLEGAL_ADDRESS")
    );
    let text = failure.to_string();
    assert!(
        text.starts_with("synchronise: launch 1, `fault`: "),
        "{text}"
    );
    assert_eq!(bad.buffers[data].to_vec::<f32>()?, [1.0; 4]);

    if is_emulator {
        // A fault on the emulator is over with its job.
        return run_good(&mut backend);
    }
    let failure = run(&mut backend, &mut empty).unwrap_err();
    assert_eq!(
        failure.to_string(),
        "open: an earlier job made the GPU unusable for this process (CUDA_ERROR_ILLEGAL_ADDRESS): run the remaining jobs in a new process"
    );
    Ok(())
}
