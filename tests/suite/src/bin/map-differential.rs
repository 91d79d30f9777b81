//! Compares our tensor maps with the driver's, for millions of random parameters.

use std::{fs, path::PathBuf, process::ExitCode, time::Instant};

use clap::Parser;
use tensor_map::TensorMap;
use tests::maps::{
    MapCase,
    generate::{MapFunction, Random, case},
    record::{Record, asked, pack},
};
use tests_records::Origin;
use tma_host::{Device, EncodeError, encode_with_driver};

/// Compare our tensor maps with the driver's.
#[derive(Parser)]
struct Arguments {
    /// Parameter sets for each of the four functions.
    #[arg(long, default_value_t = 1_000_000)]
    sets: u64,
    /// The seed of the random numbers.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The number of differences to show.
    #[arg(long, default_value_t = 10)]
    show: u64,
    /// Write the first sets and the driver's answers here, compressed.
    #[arg(long)]
    sample: Option<PathBuf>,
    /// The number of sets of each function to write.
    #[arg(long, default_value_t = 1500)]
    sample_sets: u64,
}

#[derive(Default)]
struct Count {
    legal: u64,
    illegal: u64,
    differences: u64,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<u64, String> {
    let gpu = Device::gpu().map_err(|error| error.to_string())?;
    let version = cuda_driver::driver_version().map_err(|error| error.to_string())?;
    println!(
        "{}, driver for CUDA {version}, seed {}",
        gpu.name(),
        arguments.seed
    );
    println!(
        "{:<28} {:>10} {:>10} {:>11}",
        "function", "legal", "illegal", "differences"
    );
    let (mut sample, mut total) = (Vec::new(), Count::default());
    for function in MapFunction::ALL {
        let begin = Instant::now();
        let count = compare(&gpu, arguments, function, &mut sample)?;
        let name = case(&mut Random::new(1), function).function();
        let Count {
            legal,
            illegal,
            differences,
        } = count;
        let seconds = begin.elapsed().as_secs_f64();
        println!("{name:<28} {legal:>10} {illegal:>10} {differences:>11}   {seconds:.1} s");
        total.legal += legal;
        total.illegal += illegal;
        total.differences += differences;
    }
    let Count {
        legal,
        illegal,
        differences,
    } = total;
    println!("{:<28} {legal:>10} {illegal:>10} {differences:>11}", "all");
    if let Some(path) = &arguments.sample {
        let origin = Origin::now(&format!("gpu: {}", gpu.name()), asked(&sample))?;
        fs::write(path, pack(&origin, &sample))
            .map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(differences)
}

fn compare(
    gpu: &Device,
    arguments: &Arguments,
    function: MapFunction,
    sample: &mut Vec<Record>,
) -> Result<Count, String> {
    let random = &mut Random::new(arguments.seed.wrapping_mul(4) + function as u64);
    let mut count = Count::default();
    for number in 0..arguments.sets {
        let case = case(random, function);
        let (ours, answer) = (case.ours(), ask(gpu, &case)?);
        match answer {
            Some(_) => count.legal += 1,
            None => count.illegal += 1,
        }
        if number < arguments.sample_sets {
            sample.push(Record { case, answer });
        }
        if ours.as_ref().ok() != answer.as_ref() {
            count.differences += 1;
            if count.differences <= arguments.show {
                println!("difference: {case:?}\n  driver: {answer:?}\n  ours: {ours:?}");
            }
        }
    }
    Ok(count)
}

/// Returns the driver's map; none if the driver refuses.
fn ask(gpu: &Device, case: &MapCase) -> Result<Option<TensorMap>, String> {
    const INVALID_VALUE: i32 = 1;
    let error = match case {
        MapCase::Encode(params, address) => match encode_with_driver(gpu, params, *address) {
            Ok(map) => return Ok(Some(map)),
            Err(EncodeError::Driver { error, .. }) => error,
            Err(error) => return Err(error.to_string()),
        },
        MapCase::Replace(map, address) => {
            let mut given = cuda_driver::tensor_map::TensorMap {
                bytes: map.to_bytes(),
            };
            let address = std::ptr::without_provenance_mut(*address as usize);
            // SAFETY: the map is the driver's or equal to one of the driver's (1).
            let result = unsafe { cuda_driver::tensor_map::replace_address(&mut given, address) };
            match result {
                Ok(()) => return Ok(Some(TensorMap::from_bytes(given.bytes))),
                Err(error) => error,
            }
        }
    };
    match error.code {
        INVALID_VALUE => Ok(None),
        _ => Err(error.to_string()),
    }
}
