//! `tma`: what GPUs are there, what is in a PTX file, what tensor maps do, and kernels on the CPU.

mod assembled;
mod devices;
mod emulate;
#[cfg(target_os = "linux")]
mod exec;
mod inspect;
mod interrupt;
mod map;
#[cfg(target_os = "linux")]
mod record;
mod replay;
mod svg;

use std::{
    io::{self, Write},
    process::ExitCode,
};

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(
    name = "tma",
    version,
    about = "Looks at GPUs, PTX and tensor maps for the Tensor Memory Accelerator, and runs kernels without a GPU"
)]
struct Command {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    Devices(devices::Devices),
    Emulate(emulate::Emulate),
    #[cfg(target_os = "linux")]
    Exec(exec::Exec),
    Inspect(inspect::Inspect),
    Map(Box<map::Map>),
    #[cfg(target_os = "linux")]
    Record(record::Record),
    Replay(replay::Replay),
}

fn main() -> ExitCode {
    let out = &mut io::stdout().lock();
    let result = match Command::parse().verb {
        Verb::Devices(verb) => verb.run(out).map(|()| ExitCode::SUCCESS),
        Verb::Emulate(verb) => verb.run(out),
        #[cfg(target_os = "linux")]
        Verb::Exec(verb) => verb.run(),
        Verb::Inspect(verb) => verb.run(out).map(|()| ExitCode::SUCCESS),
        Verb::Map(verb) => verb.run(out).map(|()| ExitCode::SUCCESS),
        #[cfg(target_os = "linux")]
        Verb::Record(verb) => verb.run(),
        Verb::Replay(verb) => verb.run(out),
    };
    let flushed = |code| match out.flush() {
        // Whoever read the output has had enough of it.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(code),
    };
    match result.and_then(flushed) {
        Ok(code) => code,
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            match error.downcast_ref::<io::Error>() {
                // The output is lost.
                Some(_) => ExitCode::from(2),
                None => ExitCode::FAILURE,
            }
        }
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let error = error.downcast_ref::<io::Error>();
    error.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
