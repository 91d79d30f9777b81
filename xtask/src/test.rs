//! `test`: every suite, and one line that counts them all.

mod counts;

use std::{
    io::{BufRead, BufReader, IsTerminal, pipe, stdout},
    path::Path,
    process::{Command, ExitCode},
};

use anyhow::{Context, Result, ensure};

use tma_build::{CodeGenerator, RustCuda};

use crate::{
    ci::{PARTS, part},
    paths::{examples, relative},
    process::{WORKSPACE, cargo, cargo_in_example, lacks, shown},
    run::{DEVICES, arch, kernels},
    setup,
};
pub(crate) use counts::Counts;
use counts::{Suites, plain};
use tma_project::doctor::gpu;

/// The suite with a case for each thing that a kernel must do: without a case nothing was tested.
const NEVER_EMPTY: &str = "cases";

/// Only CI and `--long` test this package: it compiles the measured kernels for three architectures, and their CUDA
/// versions by nvcc.
const MEASURED: &str = "bench";

/// Only CI and `--long` run this package's unit tests, for which its code is compiled and optimised once more, and its doc
/// tests. The other tests run kernels on it.
const COMPILED_TWICE: &str = "tma-emulator";

/// The suite of that package's other tests, whose name no other suite has.
const ITS_SUITE: &str = "emulator";

/// Reasons for which a test may be ignored. Each is lifted by a flag of this verb, by a device or by a verb.
pub(crate) const LIFTED: &[(&str, &str)] = &[
    ("minutes", "cargo xtask test --long"),
    ("needs a GPU", "a GPU, or `--device gpu`"),
    ("needs nvcc", "cargo xtask setup --cuda"),
];

/// Makes the test programs build all their modules and leave out nothing that takes minutes, and repeat their tests, under
/// more schedules and for more targets: which part of that, as `0/4` for the first of four.
pub(crate) const LONG_VARIABLE: &str = "TMA_LONG_TESTS";

/// The value without any part: all modules, and no test is repeated.
pub(crate) const NO_PART: &str = "none";

/// The device on which the test programs run kernels.
const DEVICE_VARIABLE: &str = "TMA_DEVICE";

/// Runs the tests, with `--long` all of them, and ends with one line that counts them.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The device to run kernels on: `gpu` makes a missing GPU a failure
    #[arg(long, value_parser = DEVICES)]
    device: Option<String>,
    /// Also the tests of `bench` and of the example projects, the unit tests of `tma-emulator`, those of all architectures
    /// and instruction forms, and those that take minutes, and all tests under more schedules and for more targets; CI
    /// runs a part of the latter
    #[arg(long)]
    long: bool,
    /// Checks the kernels' cases alone, with PTX of this code generator; with `both`, the results of LLVM's and
    /// libNVVM's PTX must have the same bits, with `all` also those of rust-cuda's where its backend is found
    #[arg(long, value_parser = ["llvm", "libnvvm", "rust-cuda", "both", "all"])]
    codegen: Option<String>,
    /// Passed on to `cargo test`, such as `tile_2d` or `-p tests --test cases`; the example projects
    /// are then left out
    #[arg(value_name = "ARGS", allow_hyphen_values = true)]
    passed_on: Vec<String>,
    /// Passed on to the test programs, such as `--nocapture`; the example projects are then left out
    #[arg(value_name = "TEST ARGS", last = true)]
    to_programs: Vec<String>,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    ensure!(
        !args
            .passed_on
            .iter()
            .any(|argument| argument.starts_with("--device")),
        "`--device` precedes the arguments passed on: cargo xtask test --device gpu tile_2d"
    );
    let cargo = || {
        let mut cargo = cargo();
        if let Some(device) = &args.device {
            cargo.env(DEVICE_VARIABLE, device);
        }
        if args.long {
            cargo.env(LONG_VARIABLE, "0/1");
        }
        cargo
    };
    if let Some(codegen) = &args.codegen {
        let counts = cases(codegen, args.device.as_deref(), cargo)?;
        say!("{counts}");
        return Ok(counts.exit_code());
    }
    let is_everything = args.passed_on.is_empty() && args.to_programs.is_empty();
    let mut counts = if is_everything {
        everything(cargo, args.device.as_deref(), args.long)?
    } else {
        setup::ensure_device_compiler()?;
        suites(cargo(), &arguments(args))?.total()
    };
    if args.long && is_everything {
        let long = [
            "--release",
            "-p",
            "tests",
            "--test",
            "math",
            "--",
            "--ignored",
        ];
        counts += suites(crate::process::cargo(), &long)?.total();
    }
    if counts == Counts::default() {
        complain!("error: there is no such test");
    }
    say!("{counts}");
    Ok(counts.exit_code())
}

/// Runs every suite of the workspace, and in a long run every suite of the example projects, too. Their tests that need a GPU
/// run on one, and fail without one where the device is `gpu`.
fn everything(cargo: impl Fn() -> Command, device: Option<&str>, is_long: bool) -> Result<Counts> {
    setup::ensure_device_compiler()?;
    let without: &[&str] = match is_long {
        true => &[],
        false => &["--exclude", COMPILED_TWICE],
    };
    let workspace = suites(cargo(), &[&packages(is_long), without].concat())?;
    let mut total = workspace.total();
    if workspace.is_empty(NEVER_EMPTY) {
        say!("error: the suite `{NEVER_EMPTY}` ran no case");
        total.failed += 1;
    }
    if !is_long {
        // Of the whole workspace, so that cargo builds with the same features.
        let suite = [&packages(is_long)[..], &["--test", ITS_SUITE]].concat();
        total += suites(cargo(), &suite)?.total();
        say!(
            "skipped: `{MEASURED}`, unit and doc tests of `{COMPILED_TWICE}`, the example projects, other architectures, \
             instruction forms; cargo xtask test --long"
        );
        total.skipped += 1;
        return Ok(total);
    }
    let lifting = of_examples(device, gpu::is_there);
    for folder in examples() {
        if is_skipped(&folder, &mut total) {
            continue;
        }
        total += suites(cargo_in_example(&folder), lifting)?.total();
    }
    Ok(total)
}

/// The arguments with which the example projects' tests run.
fn of_examples(device: Option<&str>, has_gpu: impl Fn() -> bool) -> &'static [&'static str] {
    let on_gpu = match device {
        Some("gpu") => true,
        Some("emulator") => false,
        _ => has_gpu(),
    };
    if on_gpu {
        &["--", "--include-ignored"]
    } else {
        &[]
    }
}

/// Returns whether this machine cannot build a project under `examples/`, and reports and counts it if so.
pub(crate) fn is_skipped(folder: &Path, counts: &mut Counts) -> bool {
    let lacks = lacks(folder);
    if let Some(lacks) = &lacks {
        say!("skipped: {}: {lacks}", relative(folder).display());
        counts.skipped += 1;
    }
    lacks.is_some()
}

/// Runs the cases of the kernels with PTX of one code generator, or compares LLVM's with that of each other one.
fn cases(codegen: &str, device: Option<&str>, cargo: impl Fn() -> Command) -> Result<Counts> {
    setup::ensure_device_compiler()?;
    let arch = arch(device)?;
    let device: Vec<&str> = device.into_iter().flat_map(|it| ["--device", it]).collect();
    let (option, generators): (_, &[_]) = match codegen {
        "both" => ("--both", &[CodeGenerator::LibNvvm]),
        "all" => ("--both", &[CodeGenerator::LibNvvm, CodeGenerator::RustCuda]),
        one => ("--kernels", &[one.parse()?]),
    };
    let mut total = Counts::default();
    for generator in generators.iter().copied() {
        if codegen == "all"
            && generator == CodeGenerator::RustCuda
            && let Err(error) = RustCuda::find(None)
        {
            say!("skipped: {generator}: {error}");
            total.skipped += 1;
            continue;
        }
        say!("Compiling the kernels for {arch} by {generator}");
        let module = kernels(arch, &[], generator)?;
        let module = module.to_str().context("path is not UTF-8")?;
        let arguments = ["-p", "tests", "--test", "cases", "--", option, module];
        total += suites(cargo(), &[&arguments[..], &device].concat())?.total();
    }
    Ok(total)
}

/// Runs the tests as CI does.
pub(crate) fn of_ci() -> Result<Counts> {
    let part = format!("{}/{PARTS}", part()?);
    let cargo = || {
        let mut cargo = cargo();
        cargo.env(LONG_VARIABLE, &part);
        cargo
    };
    everything(cargo, None, true)
}

/// Returns cargo's arguments for the packages to test where none are named.
fn packages(is_long: bool) -> Vec<&'static str> {
    let without: &[&str] = if is_long {
        &[]
    } else {
        &["--exclude", MEASURED]
    };
    [&WORKSPACE, without].concat()
}

/// Arguments of `cargo test`: all packages, unless some are named.
fn arguments(args: &Args) -> Vec<&str> {
    let (to_cargo, to_programs) = (&args.passed_on, &args.to_programs);
    let named = to_cargo.iter().any(|argument| {
        ["-p", "--package", "--workspace", "--manifest-path"]
            .iter()
            .any(|name| argument.starts_with(name))
    });
    let mut arguments = if named { vec![] } else { packages(args.long) };
    arguments.extend(to_cargo.iter().map(String::as_str));
    if !to_programs.is_empty() {
        arguments.push("--");
        arguments.extend(to_programs.iter().map(String::as_str));
    }
    arguments
}

/// Runs `cargo test` in view of the user and counts along.
fn suites(mut cargo: Command, arguments: &[&str]) -> Result<Suites> {
    cargo.args(["test", "--no-fail-fast"]).args(arguments);
    say!("$ {}", shown(&cargo));
    let (reader, writer) = pipe().context("cannot make a pipe")?;
    // One pipe for both, so that a suite's name comes before its result.
    cargo.stderr(writer.try_clone().context("cannot make a pipe")?);
    cargo.stdout(writer);
    if stdout().is_terminal() {
        cargo.env("CARGO_TERM_COLOR", "always");
    }
    let mut child = cargo.spawn().context("cannot run cargo")?;
    // It holds our ends of the pipe, which must go for the reading to end.
    drop(cargo);

    let mut suites = Suites::default();
    let mut reader = BufReader::new(reader);
    let mut line = Vec::new();
    while reader
        .read_until(b'\n', &mut line)
        .context("cannot read the output of the tests")?
        > 0
    {
        let text = String::from_utf8_lossy(&line);
        say!("{}", text.trim_end_matches('\n'));
        suites.read(&plain(&text));
        line.clear();
    }
    let status = child.wait().context("cannot wait for cargo")?;
    suites.ended(status.success());
    Ok(suites)
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;

    #[derive(clap::Parser)]
    struct Line {
        #[command(flatten)]
        args: Args,
    }

    /// The device, and what `cargo test` gets.
    fn typed(line: &str) -> (Option<String>, String) {
        let Line { args } = Line::parse_from(line.split(' '));
        let arguments = arguments(&args).join(" ");
        (args.device, arguments)
    }

    #[test]
    fn all_packages_are_tested_unless_some_are_named() {
        for named in ["-p ptx", "-pptx", "--package=ptx --lib"] {
            assert_eq!(typed(&format!("test {named}")).1, named);
        }
        let [most, all] = [false, true].map(|is_long| packages(is_long).join(" "));
        assert_eq!(most, format!("{all} --exclude bench"));
        assert_eq!(typed("test tile").1, format!("{most} tile"));
        assert_eq!(typed("test --long tile").1, format!("{all} tile"));
        assert_eq!(typed("test -- -p").1, format!("{most} -- -p"));
    }

    #[test]
    fn examples_run_on_a_gpu_where_there_is_one_or_one_is_asked_for() {
        let lifting: &[&str] = &["--", "--include-ignored"];
        for (device, has_gpu, arguments) in [
            (None, true, lifting),
            (Some("auto"), true, lifting),
            (Some("gpu"), false, lifting),
            (None, false, &[]),
            (Some("emulator"), true, &[]),
        ] {
            assert_eq!(of_examples(device, || has_gpu), arguments, "{device:?}");
        }
    }

    #[test]
    fn the_device_is_not_passed_on() {
        let gpu = |rest: &str| (Some("gpu".to_owned()), rest.to_owned());
        let most = packages(false).join(" ");
        assert_eq!(
            typed("test --device gpu tile"),
            gpu(&format!("{most} tile"))
        );
        assert_eq!(
            typed("test --device=gpu -p tests tile -- --exact"),
            gpu("-p tests tile -- --exact")
        );
        assert!(Line::try_parse_from(["test", "--device", "tpu"]).is_err());
        let to_programs = "-p tests --test cases -- --device gpu";
        assert_eq!(
            typed(&format!("test {to_programs}")),
            (None, to_programs.to_owned())
        );
    }
}
