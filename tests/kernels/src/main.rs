//! Runs one scenario of each kernel and prints a line for each.

use std::{
    collections::BTreeMap,
    env, fs,
    num::NonZero,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::{
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    thread,
};

use clap::Parser;
use kernel_cases::{KERNELS, Kernel, open};
use tma_host::{Capability, DeviceChoice, DeviceDescription, Jobs};
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
    let choice = choice.map_err(|failure| failure.to_string())?;
    let device = choice.open().map_err(|failure| failure.to_string())?;
    let (is_emulated, capability) = (device.is_emulator(), device.capability());
    let description = device.description();
    drop(device);
    if arguments.entries {
        print_entries(&kernels, &description);
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
    // A GPU runs one kernel at a time.
    let workers = match is_emulated {
        true => thread::available_parallelism().map_or(1, NonZero::get),
        false => 1,
    };
    let open = || Ok(open(choice).map_err(|failure| failure.to_string())?.0);
    let wrong = show_all(&kernels, workers, open, ptx);
    println!("{} ok, {wrong} failed", kernels.len() - wrong);
    Ok(wrong == 0)
}

/// Prints the entries that the showcases launch. Each thread makes one showcase with its expected results.
fn print_entries(kernels: &[&Kernel], device: &DeviceDescription) {
    thread::scope(|scope| {
        let shown = kernels
            .iter()
            .map(|kernel| scope.spawn(|| kernel.shown_on(device)));
        for scenario in shown.collect::<Vec<_>>() {
            let scenario = scenario.join().expect("a showcase does not panic");
            for launch in scenario.launches {
                println!("{}", launch.entry);
            }
        }
    });
}

/// Runs the showcase of each kernel, each worker on a device of its own, and prints the results in the order of the
/// kernels; returns the number of wrong ones.
fn show_all(
    kernels: &[&Kernel],
    workers: usize,
    open: impl Fn() -> Result<Jobs, String> + Sync,
    ptx: Ptx<'_>,
) -> usize {
    let next = AtomicUsize::new(0);
    let (sender, results) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..workers.min(kernels.len()) {
            let (sender, next, open) = (sender.clone(), &next, &open);
            scope.spawn(move || {
                let mut jobs = open();
                while let number = next.fetch_add(1, Ordering::Relaxed)
                    && let Some(kernel) = kernels.get(number)
                {
                    let result = match &mut jobs {
                        Ok(jobs) => show(kernel, jobs, ptx),
                        Err(error) => Err(error.clone()),
                    };
                    let _ = sender.send((number, result));
                }
            });
        }
        drop(sender);
        let mut waiting = BTreeMap::new();
        let (mut printed, mut wrong) = (0, 0);
        for (number, result) in results {
            waiting.insert(number, result);
            while let Some(result) = waiting.remove(&printed) {
                wrong += usize::from(result.is_err());
                println!("{}", result.unwrap_or_else(|line| line));
                printed += 1;
            }
        }
        wrong
    })
}

/// Runs the showcase of a kernel; returns the line with its result, as an error if it was wrong.
fn show(kernel: &Kernel, jobs: &mut Jobs, ptx: Ptx<'_>) -> Result<String, String> {
    let scenario = kernel.shown_on(jobs.description());
    let how = if scenario.is_exact() {
        "equal"
    } else {
        "near enough"
    };
    let (name, device) = (kernel.name, jobs.name().to_owned());
    // SAFETY: the text has the kernels of `kernels-gpu`, whose launch has checked their arguments (1).
    match unsafe { scenario.check(jobs, ptx) } {
        Ok(elements) => Ok(format!(
            "ok   {name:<18} {device}   {elements} elements {how}"
        )),
        Err(reason) => Err(format!("FAIL {name:<18} {device}   {reason}")),
    }
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
