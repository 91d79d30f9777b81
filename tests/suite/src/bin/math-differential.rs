//! Computes the functions of `tma::math` on a device for every `f32`, and compares them with the host's and with
//! double precision. `--out` writes a GPU's results, to judge a model of its instructions.

use std::{fs, path::PathBuf, process::ExitCode, thread};

use clap::Parser;
use serde_json::{Value, json};
use tests::{
    DEVICE_PTX,
    math::{FUNCTIONS, How, MathFunction, error_ulp, halves},
};
use tma_host::{Buffer, Device, Failure, Module, Shape};

const THREADS: u32 = 256;
/// Inputs of one launch.
const CHUNK: u32 = 1 << 24;

/// Compare functions of numbers on a device with the host's, for every input.
#[derive(Parser)]
struct Arguments {
    /// The device: `gpu` or `emulator`.
    #[arg(long, default_value = "gpu", value_parser = ["gpu", "emulator"])]
    device: String,
    /// The step between the inputs that are tried.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    step: u32,
    /// Only kernels with this in their name.
    #[arg(long, default_value = "")]
    only: String,
    /// Write all results, with digests of the bits, as JSON.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<bool, String> {
    let to_text = |failure: Failure| failure.to_string();
    let device = match arguments.device.as_str() {
        "gpu" => Device::gpu().map_err(|error| error.to_string())?,
        _ => Device::emulator(0),
    };
    let module = device
        .load("device.ptx", DEVICE_PTX[0].text)
        .map_err(to_text)?;
    println!("on {}, every {}. input", device.name(), arguments.step);
    let mut results = Vec::new();
    let mut is_right = true;
    for function in FUNCTIONS
        .iter()
        .filter(|function| function.kernel.contains(&arguments.only))
    {
        let tally = one_by_one(&device, &module, function, arguments.step).map_err(to_text)?;
        println!("{}", tally.line(function));
        is_right &= tally.wrong == 0;
        results.push(tally.json(function));
    }
    for ty in ["f16", "bf16"] {
        let name = format!("halves_{ty}");
        if name.contains(&arguments.only) {
            let (wrong, result) = pairs(&device, &module, ty).map_err(to_text)?;
            is_right &= wrong == 0;
            results.push(result);
        }
    }
    if let Some(path) = &arguments.out {
        let all = json!({ "device": device.name(), "step": arguments.step, "functions": results });
        fs::write(path, format!("{all:#}\n"))
            .map_err(|error| format!("{}: {error}", path.display()))?;
    }
    println!(
        "{}",
        if is_right {
            "all as they should be"
        } else {
            "error: some are wrong"
        }
    );
    Ok(is_right)
}

/// The results of a function, counted.
#[derive(Clone, Debug, Default)]
struct Tally {
    inputs: u64,
    /// Accurate: other bits than the host's. Approximate: beyond the bound of PTX ISA.
    wrong: u64,
    first_wrong: Option<(u32, u32)>,
    /// The greatest error, and its input.
    error_ulp: f64,
    worst: f32,
    /// The number of results other than the nearest to the exact one, which the emulator returns for an approximation.
    not_nearest: u64,
    /// The greatest distance to it, in numbers between, for results that are normal numbers.
    most_steps: u32,
    /// A digest of the bits of each chunk.
    digests: Vec<u64>,
}

impl Tally {
    fn take(&mut self, function: &MathFunction, x: f32, bits: u32) {
        let got = f32::from_bits(bits);
        let exact = (function.exact)(f64::from(x));
        let nearest = exact as f32;
        self.inputs += 1;
        let is_wrong = match function.how {
            How::Accurately { host, .. } => {
                let wanted = host(x);
                !(got.is_nan() && wanted.is_nan()) && bits != wanted.to_bits()
            }
            How::Approximately(bound) => !bound.has(x, got, exact),
        };
        if is_wrong {
            self.wrong += 1;
            self.first_wrong.get_or_insert((x.to_bits(), bits));
        }
        let is_nearest = bits == nearest.to_bits() || got.is_nan() && nearest.is_nan();
        self.not_nearest += u64::from(!is_nearest);
        let error = error_ulp(got, exact);
        if error > self.error_ulp {
            (self.error_ulp, self.worst) = (error, x);
        }
        if got.is_normal()
            && nearest.is_normal()
            && got.is_sign_negative() == nearest.is_sign_negative()
        {
            self.most_steps = self.most_steps.max(bits.abs_diff(nearest.to_bits()));
        }
    }

    fn join(mut self, other: Self) -> Self {
        if other.error_ulp > self.error_ulp {
            (self.error_ulp, self.worst) = (other.error_ulp, other.worst);
        }
        self.digests.extend(other.digests);
        Self {
            inputs: self.inputs + other.inputs,
            wrong: self.wrong + other.wrong,
            first_wrong: self.first_wrong.or(other.first_wrong),
            not_nearest: self.not_nearest + other.not_nearest,
            most_steps: self.most_steps.max(other.most_steps),
            ..self
        }
    }

    fn line(&self, function: &MathFunction) -> String {
        let wrong = match (self.first_wrong, function.how) {
            (None, How::Accurately { .. }) => "the host's bits".to_owned(),
            (None, How::Approximately(_)) => "within PTX ISA's bound".to_owned(),
            (Some((x, bits)), _) => format!("{} wrong, first {x:#010x}: {bits:#010x}", self.wrong),
        };
        format!(
            "{:22} {:10} inputs, {wrong}; greatest error {:.3} ULP at {:e}; {} not nearest, by {} at most",
            function.kernel,
            self.inputs,
            self.error_ulp,
            self.worst,
            self.not_nearest,
            self.most_steps
        )
    }

    fn json(&self, function: &MathFunction) -> Value {
        let digests: Vec<String> = self
            .digests
            .iter()
            .map(|digest| format!("{digest:016x}"))
            .collect();
        json!({
            "kernel": function.kernel,
            "inputs": self.inputs,
            "wrong": self.wrong,
            "error_ulp": if self.error_ulp.is_finite() { json!(self.error_ulp) } else { json!("infinite") },
            "worst_input": format!("{:08x}", self.worst.to_bits()),
            "not_nearest": self.not_nearest,
            "most_steps": self.most_steps,
            "digests": digests,
        })
    }
}

/// FNV-1a over words.
fn digest(words: &[u32]) -> u64 {
    words.iter().fold(0xcbf2_9ce4_8422_2325, |hash, word| {
        (hash ^ u64::from(*word)).wrapping_mul(0x0100_0000_01b3)
    })
}

fn one_by_one(
    device: &Device,
    module: &Module,
    function: &MathFunction,
    step: u32,
) -> Result<Tally, Failure> {
    let inputs = (1_u64 << 32).div_ceil(step.into());
    let chunk = u64::from(CHUNK).min(inputs.next_multiple_of(THREADS.into()));
    let output = device.zeroed::<u32>(chunk as usize)?;
    let mut tally = Tally::default();
    for start in (0..inputs).step_by(chunk as usize) {
        let first = (start as u32).wrapping_mul(step);
        launch(module, function.kernel, &output, first, step)?;
        let mut bits = output.read()?;
        bits.truncate((inputs - start) as usize);
        tally.digests.push(digest(&bits));
        tally = compare(function, first, step, &bits)
            .into_iter()
            .fold(tally, Tally::join);
    }
    Ok(tally)
}

fn launch(
    module: &Module,
    kernel: &str,
    output: &Buffer<u32>,
    first: u32,
    step: u32,
) -> Result<(), Failure> {
    let shape = Shape::new((output.len_elems() as u32).div_ceil(THREADS), THREADS);
    let function = module.function(kernel)?;
    // SAFETY: the kernel takes an address and two numbers, and writes a number for each thread, which the
    // buffer has; the buffer lives until it was read, and nothing else runs.
    unsafe { function.launch(shape, (output, first, step)) }
}

/// Computes on all processors of the host.
fn compare(function: &MathFunction, first: u32, step: u32, bits: &[u32]) -> Vec<Tally> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let each = bits.len().div_ceil(threads).max(1);
    thread::scope(|scope| {
        let parts = (0_u32..).step_by(each).zip(bits.chunks(each));
        let workers: Vec<_> = parts
            .map(|(start, bits)| {
                scope.spawn(move || {
                    let mut tally = Tally::default();
                    for (index, bits) in (start..).zip(bits) {
                        let x = f32::from_bits(first.wrapping_add(step.wrapping_mul(index)));
                        tally.take(function, x, *bits);
                    }
                    tally
                })
            })
            .collect();
        workers
            .into_iter()
            .map(|worker| worker.join().expect("a comparison ends"))
            .collect()
    })
}

/// Compares all halves, each paired with another one: the number of wrong results, and the tables of approximations.
fn pairs(device: &Device, module: &Module, ty: &str) -> Result<(u64, Value), Failure> {
    let numbers: Vec<u32> = (0..1 << 16_u32)
        .map(|index: u32| index.wrapping_mul(0x9e37_79b9) ^ index << 7)
        .collect();
    let input = device.upload(&numbers)?;
    let output = device.zeroed::<u32>(16 << 16)?;
    let kernel = format!("halves_{ty}");
    let function = module.function(&kernel)?;
    // SAFETY: the kernel takes two addresses, reads one number for each thread and writes sixteen, which the
    // buffers have; they live until the results were read, and nothing else runs.
    unsafe { function.launch(Shape::new((1 << 16) / THREADS, THREADS), (&output, &input)) }?;
    let results = output.read()?;
    let mut wrong = [0_u64; 16];
    let (mut powers, mut tangents, mut most) = (String::new(), String::new(), [0_u32; 2]);
    for ((index, number), got) in (0..).zip(&numbers).zip(results.chunks_exact(16)) {
        let wanted = halves::results(ty, index, *number);
        for (wrong, (got, wanted)) in wrong.iter_mut().zip(got.iter().zip(wanted)) {
            *wrong += u64::from(*got != wanted);
        }
        for (most, at) in most.iter_mut().zip([14, 15]) {
            let (got, wanted) = (got[at] & 0xffff, wanted[at] & 0xffff);
            let is_number = |bits: u32| bits & 0x7fff < if ty == "f16" { 0x7c00 } else { 0x7f80 };
            if is_number(got) && is_number(wanted) && got >> 15 == wanted >> 15 {
                *most = (*most).max(got.abs_diff(wanted));
            }
        }
        powers += &format!("{:04x}", got[14] & 0xffff);
        tangents += &format!("{:04x}", got[15] & 0xffff);
    }
    let exact: u64 = wrong[..14].iter().sum();
    println!(
        "{kernel:22}      65536 halves, {exact} wrong of each exact operation; exp2: {} not nearest, by {} at most; \
         tanh: {} not nearest, by {} at most",
        wrong[14], most[0], wrong[15], most[1]
    );
    let json = json!({ "kernel": kernel, "wrong": wrong, "most_steps": most, "exp2": powers, "tanh": tangents });
    Ok((exact, json))
}
