//! The softmax of some rows, compared with the CPU's results. `--ptx` prints the kernel instead.

use std::{
    env,
    error::Error,
    io::{self, Write},
    process::ExitCode,
};

use softmax::{PTX, softmax};
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
    let columns = 1000;
    let matrix: Vec<f32> = (0..32 * columns)
        .map(|i| (i * 37 % 101) as f32 / 10.0)
        .collect();
    let rows = softmax(&device, &matrix, columns)?;
    for (index, row) in rows.chunks(columns as usize).enumerate() {
        let sum: f32 = row.iter().sum();
        if (sum - 1.0).abs() > 1e-5 {
            return Err(format!("the softmax of row {index} has the sum {sum}, not 1").into());
        }
    }
    println!("ok   softmax   {device}   32 rows of {columns} numbers have the sum 1");
    Ok(())
}
