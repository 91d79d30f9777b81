//! Runs one scenario of each kernel and prints a line for each.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::Parser;
use kernel_cases::{KERNELS, Kernel, open};
use tma_host::{Capability, DeviceChoice, Jobs};
use tma_launch::Ptx;

/// Run the kernels and check their results.
#[derive(Parser)]
struct Arguments {
    /// Kernels to run; all of them by default.
    kernels: Vec<String>,
    /// List the kernels with a sentence each, and run none.
    #[arg(long)]
    list: bool,
    /// Print the architecture for which the kernels must be built, and run no kernel.
    #[arg(long)]
    arch: bool,
    /// Print the entries of the kernels' module that are launched on the device, and run no kernel.
    #[arg(long)]
    entries: bool,
    /// Device to run on; the default is TMA_DEVICE, or auto.
    #[arg(long, value_name = "auto|gpu|emulator")]
    device: Option<DeviceChoice>,
    /// The kernels' PTX; by default the file for this device in the folder `kernels` next to this
    /// program, such as `sm_90a.ptx`.
    #[arg(long)]
    module: Option<PathBuf>,
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

/// Returns whether all kernels had right results.
fn run(arguments: &Arguments) -> Result<bool, String> {
    let kernels = chosen(&arguments.kernels)?;
    let choice = arguments.device.map_or_else(DeviceChoice::from_env, Ok);
    let opened = choice.and_then(open);
    let (mut backend, capability) = opened.map_err(|failure| failure.to_string())?;
    if arguments.entries {
        let device = backend.description();
        let shown = kernels.iter().map(|kernel| kernel.shown_on(device));
        let launches = shown.flat_map(|scenario| scenario.launches);
        launches.for_each(|launch| println!("{}", launch.entry));
        return Ok(true);
    }
    if arguments.arch {
        println!("{}", capability.arch());
        return Ok(true);
    }
    let path = match &arguments.module {
        Some(path) => path.clone(),
        None => module(&beside_program("kernels")?, capability)?,
    };
    let cannot = |error| format!("cannot read {}: {error}", path.display());
    let text = fs::read_to_string(&path).map_err(cannot)?;
    let name = path.display().to_string();
    let ptx = Ptx {
        name: &name,
        text: &text,
    };
    let mut wrong = 0;
    for kernel in &kernels {
        if !show(kernel, &mut backend, ptx) {
            wrong += 1;
        }
    }
    println!("{} ok, {wrong} failed", kernels.len() - wrong);
    Ok(wrong == 0)
}

/// Runs the showcase of a kernel and prints its result; returns whether it was right.
fn show(kernel: &Kernel, jobs: &mut Jobs, ptx: Ptx<'_>) -> bool {
    let scenario = kernel.shown_on(jobs.description());
    let how = if scenario.is_exact() {
        "equal"
    } else {
        "near enough"
    };
    let (name, device) = (kernel.name, jobs.name().to_owned());
    // SAFETY: the text has the kernels of `kernels-gpu`, whose launch has checked their arguments (1).
    match unsafe { scenario.check(jobs, ptx) } {
        Ok(elements) => println!("ok   {name:<18} {device}   {elements} elements {how}"),
        Err(reason) => {
            println!("FAIL {name:<18} {device}   {reason}");
            return false;
        }
    }
    true
}

/// The module in a folder for this very chip, else the latest that runs on it.
fn module(folder: &Path, capability: Capability) -> Result<PathBuf, String> {
    let cannot = |error| format!("cannot read {}: {error}", folder.display());
    let entries = folder.read_dir().map_err(cannot)?;
    let names = entries.flatten().filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        let arch = name.strip_suffix(".ptx")?;
        (capability.runs(arch) == Some(true)).then_some(name)
    });
    // `sm_90a.ptx` comes after `sm_90.ptx`, and `sm_120.ptx` after both.
    let latest = names.max_by_key(|name| {
        let digits: String = name.chars().filter(char::is_ascii_digit).collect();
        (digits.parse::<u32>().unwrap_or(0), name.len())
    });
    let none = || {
        format!(
            "no module in {} runs on compute capability {capability}",
            folder.display()
        )
    };
    Ok(folder.join(latest.ok_or_else(none)?))
}

fn beside_program(name: &str) -> Result<PathBuf, String> {
    let program = env::current_exe();
    let program = program.map_err(|error| format!("cannot find this program's path: {error}"))?;
    Ok(program.with_file_name(name))
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
                tma_launch::suggestion(name, known)
            )
        })
    };
    names.iter().map(find).collect()
}
