//! `tma`: what GPUs are there, and what is in a PTX file.

mod devices;
mod inspect;

use std::{
    io::{self, Write},
    process::ExitCode,
};

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(
    name = "tma",
    version,
    about = "Looks at GPUs and at PTX for the Tensor Memory Accelerator"
)]
struct Command {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    Devices(devices::Devices),
    Inspect(inspect::Inspect),
}

fn main() -> ExitCode {
    let out = &mut io::stdout().lock();
    let result = match Command::parse().verb {
        Verb::Devices(verb) => verb.run(out),
        Verb::Inspect(verb) => verb.run(out),
    };
    match result.and_then(|()| Ok(out.flush()?)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Whoever read the output has had enough of it.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let error = error.downcast_ref::<io::Error>();
    error.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
