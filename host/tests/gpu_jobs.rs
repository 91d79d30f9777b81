//! Jobs on a GPU, in a process of their own since the last of them ends the GPU for it: run with
//! `--ignored`.

#[path = "support/matrix.rs"]
mod matrix;

use host::{GpuBackend, Stage};
use launch::{Backend, Buffer, Job, Launch};
use matrix::{PTX, boxed, matrix};

type Result = std::result::Result<(), Box<dyn std::error::Error>>;

#[test]
#[ignore = "needs a GPU"]
fn jobs_run_until_a_fault() -> Result {
    // SAFETY: but for `fault`, which stores nothing, the kernels keep to their buffers.
    let mut backend = unsafe { GpuBackend::first() }?;
    assert!(backend.name().starts_with("gpu: "), "{}", backend.name());

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
    let mut run_good = |backend: &mut GpuBackend| {
        good.buffers[out].bytes_mut().fill(0xff);
        backend.run(&mut good)?;
        assert_eq!(good.buffers[out].to_vec::<i32>()?, expected);
        Ok::<(), Box<dyn std::error::Error>>(())
    };
    run_good(&mut backend)?;

    let mut empty = Job::new(PTX);
    empty.buffer(Buffer::new::<u8>("empty", &[]));
    backend.run(&mut empty)?;
    empty.launch(Launch::new("tiles", 1, 1));
    let failure = backend.run(&mut empty).unwrap_err();
    let text = "resolve: kernels.ptx has no kernel `tiles`: did you mean `tile`?";
    assert_eq!(failure.to_string(), text);
    run_good(&mut backend)?;

    let mut bad = Job::new(PTX);
    let data = bad.buffer(Buffer::new("data", &[1.0_f32; 4]));
    bad.launch(
        Launch::new("scale", 1, 4)
            .buffer(data)
            .scalar(4_u32)
            .scalar(2.0_f32),
    );
    bad.launch(Launch::new("fault", 1, 1));
    let failure = backend.run(&mut bad).unwrap_err();
    assert_eq!(failure.stage, Stage::Synchronise);
    assert_eq!(
        failure.error_name.as_deref(),
        Some("CUDA_ERROR_ILLEGAL_ADDRESS")
    );
    let text = failure.to_string();
    assert!(
        text.starts_with("synchronise: launch 1, `fault`: a kernel did not end well"),
        "{text}"
    );
    assert_eq!(bad.buffers[data].to_vec::<f32>()?, [1.0; 4]);

    let failure = backend.run(&mut empty).unwrap_err();
    assert_eq!(
        failure.to_string(),
        "open: an earlier job ended the GPU for this process (CUDA_ERROR_ILLEGAL_ADDRESS): run what \
         is left in a new one"
    );
    Ok(())
}
