//! Runs the kernel and checks its results. `--ptx` prints the kernel's PTX instead.

use {{crate_name}}::{PTX, check};
use tma_host::{Device, Failure};

fn main() -> Result<(), Failure> {
    if std::env::args().any(|argument| argument == "--ptx") {
        print!("{PTX}");
        return Ok(());
    }
    let device = Device::open()?;
    let count = check(&device)?;
    println!("ok   {{kernel_name}}   {device}   {count} elements equal");
    Ok(())
}
