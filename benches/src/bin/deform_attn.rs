//! Measures multi-scale deformable attention on a GPU: with ordinary loads, tiles, and coarse images in shared
//! memory, always all of them for comparison, and each next to its CUDA C++ version.
//!
//! The results are checked elsewhere: `cases --device gpu large`.

#[path = "../modules.rs"]
#[allow(
    dead_code,
    reason = "the other program compares compilers and has helpers"
)]
mod modules;
#[path = "../smi.rs"]
#[allow(dead_code, reason = "the other program reports all of it")]
mod smi;

use std::process::ExitCode;

use anyhow::{Context, Error, Result, ensure};
use clap::Parser;
use kernels_gpu::deform_attn::{CHANNELS, DeformAttn, DeformAttnForm, POINTS};
use modules::Built;
use smi::Smi;
use tensor_map::Params;
use tests_records::origin;
use tma_host::{Argument, Buffer, Device, EncodeError, Function, Module, Source, encode};
use tma_launch::Launch;

/// Measures deformable attention with ordinary loads and with tiles.
#[derive(Parser)]
struct Arguments {
    /// Number of queries per batch.
    #[arg(long, default_values_t = [1000, 20522])]
    queries: Vec<u32>,
    /// Number of batches.
    #[arg(long, default_value_t = 48)]
    batches: u32,
    /// Number of launches in a timed run.
    #[arg(long, default_value_t = 20)]
    launches: u32,
    /// Number of timed runs; the median counts.
    #[arg(long, default_value_t = 15)]
    runs: usize,
    /// Try more launch shapes, and show them all.
    #[arg(long)]
    sweep: bool,
    /// Measure even if the GPU is busy or throttled.
    #[arg(long)]
    force: bool,
}

/// Height and width of the images, including their borders.
const SHAPES: [[u32; 2]; 4] = [[94, 162], [48, 82], [25, 42], [14, 22]];
const SAMPLES: u32 = 32;

/// The distribution of sampling locations.
#[derive(Clone, Copy, Debug)]
enum Distribution {
    /// Uniformly distributed.
    Uniform,
    /// Up to four pixels from the query's own location, with the queries row by row.
    Local,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<()> {
    let smi = Smi::ask_at_rest(0);
    let unfit = smi.map(|smi| smi.unfit()).unwrap_or_default();
    ensure!(
        unfit.is_empty() || arguments.force,
        "this GPU is not ready for measurements (use --force to measure anyway): {}",
        unfit.join("; ")
    );
    let gpu = Device::gpu()?;
    let built = Built::for_capability(gpu.capability())?;
    let source = Source::parse(built.arch, built.kernels)?;
    let module = Module::load(&gpu, source)?;
    let cuda = match built.cuda {
        Some(text) => Some(Module::load(
            &gpu,
            Source::parse("the CUDA kernels", text)?,
        )?),
        None => None,
    };
    let text = ptx::parse(built.kernels)?;
    let driver = origin::driver().map_err(Error::msg)?;
    println!(
        "{} ({}), driver {driver}, {}",
        gpu.name(),
        built.arch,
        origin::today()
    );
    if cuda.is_none() {
        eprintln!(
            "note: this program was built without nvcc, so there are no CUDA kernels to compare with"
        );
    }
    let multiprocessors = gpu.multiprocessors();
    for queries in &arguments.queries {
        for distribution in [Distribution::Uniform, Distribution::Local] {
            let data = Data::new(&gpu, arguments.batches, *queries, distribution)?;
            println!(
                "\n{queries} queries of {} batches, {distribution:?} locations",
                arguments.batches
            );
            let mut fastest_loads = None;
            for form in FORMS {
                let mut times = Vec::new();
                for (blocks, warps, waves) in shapes(*form, multiprocessors, arguments.sweep) {
                    let attention = DeformAttn {
                        form: *form,
                        shapes: SHAPES,
                        batches: arguments.batches,
                        queries: *queries,
                        value: 0,
                        locations: 1,
                        weights: 2,
                        output: 3,
                        blocks,
                        warps,
                        waves: waves.min(arguments.batches),
                    };
                    let launch = attention.launch()?;
                    if u64::from(launch.shape.shared_bytes) > gpu.limits().shared_bytes {
                        continue;
                    }
                    let time = medians(&gpu, &[&module], &launch, &data, arguments)
                        .with_context(|| format!("{} of {blocks} blocks", launch.entry))?[0];
                    let how = format!("{blocks} blocks of {warps} warps, {waves} waves");
                    if arguments.sweep {
                        println!("    {:<24} {time:>9.1} us  {how}", launch.entry);
                    }
                    times.push(Fastest { time, launch, how });
                }
                times.sort_by(|a, b| a.time.total_cmp(&b.time));
                let Some(Fastest { time, launch, how }) = times.into_iter().next() else {
                    continue;
                };
                let entry = &launch.entry;
                if let Some(cuda) = &cuda {
                    let both = [&module, cuda];
                    let both = medians(&gpu, &both, &launch, &data, arguments)
                        .with_context(|| format!("{entry} beside its CUDA version"))?;
                    compare(&outputs(&gpu, [&module, cuda], &launch, &data)?)
                        .with_context(|| format!("{entry} beside its CUDA version"))?;
                    println!(
                        "{entry:<24} {:>9.1} us, its CUDA version {:.1} us: {:.3}, PTX {}",
                        both[0],
                        both[1],
                        both[0] / both[1],
                        Built::digest(&text, entry)?
                    );
                }
                let loads = *fastest_loads.get_or_insert(time);
                let samples = f64::from(arguments.batches * queries) * f64::from(SAMPLES);
                println!(
                    "{entry:<24} {time:>9.1} us  {:>5.1} G samples/s  {:.2} of ordinary loads  ({how})",
                    samples / time / 1e3,
                    loads / time,
                );
            }
        }
    }
    Ok(())
}

/// The best launch of a form.
struct Fastest {
    /// Microseconds.
    time: f64,
    launch: Launch,
    how: String,
}

/// The forms; ordinary loads come first, since the others are compared with them.
const FORMS: &[DeformAttnForm] = &[
    DeformAttnForm::Gather,
    DeformAttnForm::Resident { stages: 1 },
    DeformAttnForm::Resident { stages: 2 },
    DeformAttnForm::Pairs,
];

/// Returns the blocks, warps per block, and waves to try.
fn shapes(form: DeformAttnForm, multiprocessors: u32, sweep: bool) -> Vec<(u32, u32, u32)> {
    let (shapes, waves): (&[(u32, u32)], &[u32]) = match (form, sweep) {
        (DeformAttnForm::Gather, _) => (
            &[(2, 8), (4, 8), (8, 8), (16, 8), (120, 8), (8, 4), (16, 4)],
            &[1],
        ),
        (DeformAttnForm::Resident { stages: 1 }, false) => (&[(1, 23), (1, 28)], &[1, 2, 4]),
        (DeformAttnForm::Resident { .. }, false) => (&[(1, 12), (1, 14)], &[1, 2, 4]),
        (DeformAttnForm::Resident { stages: 1 }, true) => (
            &[(1, 12), (1, 16), (1, 20), (1, 23), (1, 28)],
            &[1, 2, 4, 8],
        ),
        (DeformAttnForm::Pairs, _) => (&[(1, 20), (1, 24)], &[1, 2, 4]),
        (DeformAttnForm::Resident { .. }, true) => (&[(1, 8), (1, 12), (1, 14)], &[1, 2, 4, 8]),
    };
    let of_wave = |wave: &u32| {
        let wave = *wave;
        shapes
            .iter()
            .map(move |(blocks, warps)| (blocks * multiprocessors, *warps, wave))
    };
    waves.iter().flat_map(of_wave).collect()
}

/// The operator's inputs and output on the GPU.
struct Data {
    buffers: [Buffer<u8>; 4],
}

impl Data {
    fn new(gpu: &Device, batches: u32, queries: u32, distribution: Distribution) -> Result<Self> {
        let pixels: u32 = SHAPES.iter().map(|[height, width]| height * width).sum();
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        let mut half = |low: f32, high: f32| {
            let value = low + (high - low) * random.next();
            tma_host::half::f16::from_f32(value).to_le_bytes()
        };
        let values = batches as usize * pixels as usize * CHANNELS as usize;
        let value: Vec<u8> = (0..values).flat_map(|_| half(-1.0, 1.0)).collect();
        let columns = (f64::from(queries)).sqrt().ceil() as u32;
        let mut locations = Vec::new();
        for query in 0..batches * queries {
            let query = query % queries;
            for [height, width] in SHAPES {
                for _ in 0..POINTS {
                    for (index, length) in [(query % columns, width), (query / columns, height)] {
                        let centre = (index as f32 + 0.5) / columns as f32;
                        let reach = 4.0 / (length - 2) as f32;
                        locations.extend(match distribution {
                            Distribution::Uniform => half(0.0, 1.0),
                            Distribution::Local => half(centre - reach, centre + reach),
                        });
                    }
                }
            }
        }
        let weights = (batches * queries * SAMPLES) as usize;
        let weights: Vec<u8> = (0..weights).flat_map(|_| half(0.0, 0.06)).collect();
        let output = batches as usize * queries as usize * CHANNELS as usize * 2;
        Ok(Self {
            buffers: [
                gpu.upload(&value)?,
                gpu.upload(&locations)?,
                gpu.upload(&weights)?,
                gpu.zeroed(output)?,
            ],
        })
    }

    fn arguments(&self, gpu: &Device, launch: &Launch) -> Result<Vec<Argument>> {
        let address = |index: usize| Ok(self.buffers[index].address());
        let encode = |params: &Params, address| encode(gpu, params, address);
        let placed = launch.placed::<EncodeError>(address, encode)?;
        Ok(placed.arguments)
    }
}

/// Returns the median times of a launch of each module's kernel in microseconds; the modules alternate.
fn medians(
    gpu: &Device,
    modules: &[&Module],
    launch: &Launch,
    data: &Data,
    arguments: &Arguments,
) -> Result<Vec<f64>> {
    let passed = data.arguments(gpu, launch)?;
    let stream = gpu.stream();
    let functions = modules.iter().map(|module| module.function(&launch.entry));
    let functions = functions.collect::<Result<Vec<_>, _>>()?;
    let start = |function: &Function<'_>| {
        // SAFETY: the launch satisfies the kernel's conditions (1), so that it stays in the buffers of `data` (2),
        // which live until all runs have ended (3) and have no other users (4).
        unsafe { function.launch(launch.shape, passed.as_slice()) }
    };
    for function in &functions {
        start(function)?;
    }
    gpu.synchronise()?;
    let mut times = vec![Vec::new(); functions.len()];
    for _ in 0..arguments.runs {
        for (function, times) in functions.iter().zip(&mut times) {
            let before = stream.record()?;
            for _ in 0..arguments.launches {
                start(function)?;
            }
            let elapsed = stream.record()?.elapsed_since(&before);
            let elapsed = elapsed.context("the run failed")?;
            times.push(1e6 * elapsed.as_secs_f64() / f64::from(arguments.launches));
        }
    }
    let median = |mut times: Vec<f64>| {
        times.sort_by(f64::total_cmp);
        times.get(times.len() / 2).copied().context("no run")
    };
    times.into_iter().map(median).collect()
}

/// Returns the output of each module's kernel.
fn outputs(
    gpu: &Device,
    modules: [&Module; 2],
    launch: &Launch,
    data: &Data,
) -> Result<[Vec<u8>; 2]> {
    let passed = data.arguments(gpu, launch)?;
    let output = |module: &Module| -> Result<Vec<u8>> {
        let function = module.function(&launch.entry)?;
        // SAFETY: the launch satisfies the kernel's conditions (1) and stays in the buffers of `data` (2), which
        // outlive the synchronisation (3) and have no other users (4).
        unsafe { function.launch(launch.shape, passed.as_slice()) }?;
        gpu.synchronise()?;
        Ok(data.buffers[3].read()?)
    };
    Ok([output(modules[0])?, output(modules[1])?])
}

/// Checks that the kernel and its CUDA version have the same results up to rounding; sums of this many terms are
/// below 2.
fn compare([kernel, cuda]: &[Vec<u8>; 2]) -> Result<()> {
    const ROUNDING: f32 = 4e-3;
    let halves = |bytes: &[u8]| -> Vec<f32> {
        let halves = bytes.chunks_exact(2);
        halves
            .map(|half| tma_host::half::f16::from_le_bytes([half[0], half[1]]).to_f32())
            .collect()
    };
    let (kernel, cuda) = (halves(kernel), halves(cuda));
    let differs = |(a, b): (&f32, &f32)| (a - b).abs() > ROUNDING || a.is_nan() || b.is_nan();
    match kernel.iter().zip(&cuda).position(differs) {
        None => Ok(()),
        Some(index) => anyhow::bail!("output {index} is {} and {}", kernel[index], cuda[index]),
    }
}

/// Random numbers from 0 to 1.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 40) as f32 / (1_u64 << 24) as f32
    }
}
