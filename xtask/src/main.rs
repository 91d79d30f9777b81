//! The project's verbs: `cargo xtask VERB`, one file each.

#[macro_use]
extern crate tma_project;

mod paths;
mod process;

mod bench;
mod bless;
mod bundle;
mod ci;
mod doctor;
mod fuzz;
mod mutate;
mod mutate_code;
mod package;
mod pages;
#[cfg(unix)]
mod programs;
mod python;
mod run;
mod site;
mod test;
mod tidy;
mod timings;

use std::process::ExitCode;

use anyhow::Result;
use clap::Parser;
use tma_project::{inspect, new, ptx, setup};

/// Builds, runs, checks and measures kernels written in Rust
#[derive(Parser)]
#[command(bin_name = "cargo xtask", arg_required_else_help = true)]
enum Verb {
    Setup(setup::Args),
    Doctor(tma_project::doctor::Args),
    Run(run::Args),
    Test(test::Args),
    Mutate(mutate::Args),
    Fuzz(fuzz::Args),
    MutateCode(mutate_code::Args),
    Ptx(ptx::Args),
    Inspect(inspect::Args),
    New(new::Args),
    Bench(bench::Args),
    Bundle(bundle::Args),
    Site(site::Args),
    Package(package::Args),
    Wheel(python::Args),
    Bless(bless::Args),
    #[cfg(unix)]
    Programs(programs::Args),
    Tidy(tidy::Args),
    Timings(timings::Args),
    Ci(ci::Args),
}

fn main() -> ExitCode {
    let done = timings::wrapped().unwrap_or_else(|| run(Verb::parse()));
    done.unwrap_or_else(|error| {
        complain!("error: {error:#}");
        ExitCode::FAILURE
    })
}

/// The GPU crate whose kernels `ptx` and `inspect` show unless another one is named.
fn kernels() -> std::path::PathBuf {
    paths::root().join("kernels-gpu")
}

fn run(verb: Verb) -> Result<ExitCode> {
    match verb {
        Verb::Setup(args) => setup::run(&args),
        Verb::Doctor(args) => doctor::run(&args),
        Verb::Run(args) => run::run(&args),
        Verb::Test(args) => test::run(&args),
        Verb::Mutate(args) => mutate::run(&args),
        Verb::Fuzz(args) => fuzz::run(&args),
        Verb::MutateCode(args) => mutate_code::run(&args),
        Verb::Ptx(args) => ptx::run(&args, &kernels()),
        Verb::Inspect(args) => inspect::run(&args, &kernels()),
        Verb::New(args) => new::run(&args),
        Verb::Bench(args) => bench::run(&args),
        Verb::Bundle(args) => bundle::run(&args),
        Verb::Site(args) => site::run(&args),
        Verb::Package(args) => package::run(&args),
        Verb::Wheel(args) => python::wheel(&args),
        Verb::Bless(args) => bless::run(&args),
        #[cfg(unix)]
        Verb::Programs(args) => programs::run(&args),
        Verb::Tidy(args) => tidy::run(&args),
        Verb::Timings(args) => timings::run(&args),
        Verb::Ci(args) => ci::run(&args),
    }
}
