//! `tma`: lists GPUs, inspects PTX files, explains tensor maps, and runs kernels on the CPU.

mod assembled;
mod debug;
mod devices;
mod emulate;
#[cfg(target_os = "linux")]
mod exec;
mod finish;
mod inspect;
mod interrupt;
mod learn;
mod map;
#[cfg(target_os = "linux")]
mod record;
mod replay;
mod reports;
mod test;
mod wrong_input;

use std::{
    io::{self, Write},
    path::Path,
    process::ExitCode,
};

use clap::{Parser, Subcommand};
use tma_launch::{EscapedWriter, escape_text};
use tma_project::{doctor, new, ptx, run, setup};
use wrong_input::WrongInput;

#[derive(Parser)]
#[command(
    name = "tma",
    version,
    about = "Makes, builds and checks kernels for the Tensor Memory Accelerator, with and without a GPU"
)]
struct Command {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    Debug(debug::Debug),
    Devices(devices::Devices),
    Doctor(doctor::Args),
    Emulate(emulate::Emulate),
    #[cfg(target_os = "linux")]
    Exec(exec::Exec),
    Finish(finish::Finish),
    Inspect(inspect::Inspect),
    Learn(learn::Learn),
    Map(Box<map::Map>),
    New(new::Args),
    Ptx(ptx::Args),
    #[cfg(target_os = "linux")]
    Record(record::Record),
    Replay(replay::Replay),
    /// Builds the project in this folder and runs its program, on a GPU or on the emulator
    Run(run::Args),
    Setup(setup::Args),
    /// Builds the project in this folder and runs its tests, on a GPU or on the emulator
    Test(test::Test),
    #[command(hide = true)]
    TestRunner(test::Runner),
}

fn main() -> ExitCode {
    // Names and texts may come from untrusted files.
    let out = &mut EscapedWriter(io::stdout().lock());
    let result = match Command::parse().verb {
        Verb::Debug(verb) => verb.run(out),
        Verb::Devices(verb) => verb.run(out).map(|()| ExitCode::SUCCESS),
        Verb::Emulate(verb) => verb.run(out),
        #[cfg(target_os = "linux")]
        Verb::Exec(verb) => verb.run(),
        Verb::Finish(verb) => verb.run(out).map(|()| ExitCode::SUCCESS),
        Verb::Inspect(verb) => verb.run(out).map(|()| ExitCode::SUCCESS),
        Verb::Learn(verb) => verb.run(out),
        Verb::Map(verb) => verb.run(out).map(|()| ExitCode::SUCCESS),
        Verb::Doctor(verb) => doctor::run(&verb, Path::new("target"), Vec::new()),
        Verb::New(verb) => new::run(&verb),
        Verb::Ptx(verb) => ptx::run(&verb, &ptx::of_project()),
        Verb::Run(args) => run::run("run", &args),
        Verb::Setup(verb) => setup::run(&verb),
        Verb::Test(verb) => verb.run(),
        Verb::TestRunner(verb) => verb.run(),
        #[cfg(target_os = "linux")]
        Verb::Record(verb) => verb.run(),
        Verb::Replay(verb) => verb.run(out),
    };
    let flushed = |code| match out.flush() {
        // A closed pipe means that the reader of the output has finished.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(code),
    };
    match result.and_then(flushed) {
        Ok(code) => code,
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {}", escape_text(&format!("{error:#}")));
            // The output is lost, or there was no input to process.
            let is_wrong = error.is::<WrongInput>() || error.is::<io::Error>();
            ExitCode::from(if is_wrong { 2 } else { 1 })
        }
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let error = error.downcast_ref::<io::Error>();
    error.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
