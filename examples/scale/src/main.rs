//! Scales some numbers and checks them. `--ptx` prints the kernel instead.

use std::{
    env,
    error::Error,
    io::{self, Write},
    process::ExitCode,
};

use scale::{PTX, scale};
use tma_host::Device;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    if env::args().any(|argument| argument == "--ptx") {
        io::stdout().write_all(PTX.as_bytes())?;
        return Ok(());
    }
    let device = Device::open()?;
    let numbers: Vec<f32> = (0..10_000_u16).map(f32::from).collect();
    let scaled = scale(&device, &numbers, 2.5)?;
    for (index, (number, scaled)) in numbers.iter().zip(&scaled).enumerate() {
        if *scaled != number * 2.5 {
            return Err(format!("element {index} is {scaled}, not {}", number * 2.5).into());
        }
    }
    println!("ok   scale   {device}   {} elements equal", scaled.len());
    Ok(())
}
