//! Records a timeline of a kernel's pipeline for Perfetto, and measures the overhead of recording.
//!
//! `10_timeline [FILE [MIB]]` adds one to MIB MiB of numbers, with a kernel built with `PtxBuilder::trace` and with
//! the same kernel built without.

use std::{env, fs, path::PathBuf};

use host_examples::{Result, TRACED, device, load};
use kernels_gpu::{add_one_ring::add_one_ring, settings::Setting};
use tma_host::{Module, Rings, Shape};

/// Timed launches of each kernel.
const ROUNDS: usize = 20;

fn main() -> Result<()> {
    let device = device()?;
    let mut arguments = env::args().skip(1);
    let file = arguments.next().map(PathBuf::from);
    let file = file.unwrap_or_else(|| env::temp_dir().join("timeline.json"));
    let mib = arguments.next().map_or(Ok(1), |mib| mib.parse())?;

    let setting = Setting {
        chunk_bytes: 8192,
        tiles: 1,
        stages: 4,
        blocks: Some(2),
        threads: 288,
    };
    let bytes = mib << 20;
    let shape = Shape::new(setting.grid(&device.description(), bytes), setting.threads);
    let source = device.zeroed::<u8>(usize::try_from(bytes)?)?;
    let target = device.zeroed::<u8>(usize::try_from(bytes)?)?;
    let mut counters = [device.zeroed::<u32>(1)?, device.zeroed::<u32>(1)?];
    let stream = device.stream();
    let mut milliseconds = |module: &Module| -> Result<f64> {
        for counter in &mut counters {
            counter.write(&[0])?;
        }
        let launch = |counter| {
            let call = add_one_ring(setting.stages, &target, &source, bytes, counter);
            // SAFETY: the call is of this kernel, which stays within the buffers; they outlive the launch, since
            // the caller waits for it.
            unsafe { module.launch(shape, call) }
        };
        // Queues the next launch while one runs.
        launch(&counters[0])?;
        let before = stream.record()?;
        launch(&counters[1])?;
        let after = stream.record()?;
        let elapsed = after.elapsed_since(&before);
        Ok(1e3 * elapsed?.as_secs_f64())
    };

    let (plain, traced) = (load(&device)?, device.load("traced.ptx", TRACED)?);
    let rings = Rings {
        blocks: shape.grid.x,
        warps: shape.block.x / 32,
        stamps: 256,
    };
    let rounds = if device.is_emulator() { 1 } else { ROUNDS };
    let mut times = [Vec::new(), Vec::new()];
    let timeline = traced.timeline(rings)?;
    for _ in 0..rounds {
        times[0].push(milliseconds(&plain)?);
        times[1].push(milliseconds(&traced)?);
    }
    drop(timeline);
    // A few blocks are enough for a drawing.
    let timeline = traced.timeline(Rings { blocks: 4, ..rings })?;
    milliseconds(&traced)?;
    fs::write(&file, timeline.to_json()?)?;
    let one = [1_u8, 0, 0, 0].repeat(usize::try_from(bytes / 4)?);
    if target.read()? != one {
        return Err("the numbers are not one more".into());
    }
    let median = |mut times: Vec<f64>| {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    };
    let [plain, traced] = times.map(median);
    println!("{setting} of {mib} MiB: {plain:.4} ms without stamps, {traced:.4} ms with them");
    if !device.is_emulator() {
        println!(
            "{:+.2} % by the medians of {rounds} launches",
            100.0 * (traced / plain - 1.0)
        );
    }
    println!("ok: {} is for https://ui.perfetto.dev", file.display());
    Ok(())
}
