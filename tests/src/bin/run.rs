//! Runs one scenario of each kernel and says how it went, a line each.

use std::process::ExitCode;

use clap::Parser;
use host::DeviceChoice;
use launch::Backend;
use tests::{KERNELS, KERNELS_PTX, Kernel, open};

/// Run the kernels and check their results.
#[derive(Parser)]
struct Arguments {
    /// Kernels to run; all of them unless named.
    kernels: Vec<String>,
    /// List the kernels with a sentence each, and run nothing.
    #[arg(long)]
    list: bool,
    /// Where to run them; auto, unless TMA_DEVICE says otherwise.
    #[arg(long, value_name = "auto|gpu|emulator")]
    device: Option<DeviceChoice>,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if arguments.list {
        KERNELS
            .iter()
            .for_each(|kernel| println!("{:<18} {}", kernel.name, kernel.summary));
        return ExitCode::SUCCESS;
    }
    match run(&arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

/// Gives whether all kernels did right.
fn run(arguments: &Arguments) -> Result<bool, String> {
    let kernels = chosen(&arguments.kernels)?;
    let choice = arguments.device.map_or_else(DeviceChoice::from_env, Ok);
    let opened = choice.and_then(open);
    let (mut backend, capability) = opened.map_err(|failure| failure.to_string())?;
    // The module for this very chip, else the latest that runs on it.
    let module = KERNELS_PTX
        .iter()
        .rfind(|module| module.runs_on(capability))
        .ok_or_else(|| format!("no module was built for {}", backend.name()))?;
    let place = backend.name();
    let mut wrong = 0;
    for kernel in &kernels {
        let scenario = (kernel.showcase)();
        let how = if scenario.is_exact() {
            "equal"
        } else {
            "near enough"
        };
        match scenario.check(&mut backend, module.ptx()) {
            Ok(elements) => println!(
                "ok   {:<18} {place}   {elements} elements {how}",
                kernel.name
            ),
            Err(reason) => {
                wrong += 1;
                println!("FAIL {:<18} {place}   {reason}", kernel.name);
            }
        }
    }
    println!("{} ok, {wrong} failed", kernels.len() - wrong);
    Ok(wrong == 0)
}

fn chosen(names: &[String]) -> Result<Vec<&'static Kernel>, String> {
    if names.is_empty() {
        return Ok(KERNELS.iter().collect());
    }
    let find = |name: &String| {
        let known = KERNELS.iter().map(|kernel| kernel.name);
        let found = KERNELS.iter().find(|kernel| kernel.name == name);
        found.ok_or_else(|| {
            format!(
                "there is no kernel `{name}`; {}",
                launch::suggestion(name, known)
            )
        })
    };
    names.iter().map(find).collect()
}
