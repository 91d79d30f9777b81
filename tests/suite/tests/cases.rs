//! Every scenario of every kernel on the chosen backend.
//!
//! `cargo test -p tests --test cases -- --device gpu` makes a missing GPU a failure; without
//! `--device`, the emulator replaces a missing GPU. `TMA_SEED` chooses its
//! schedule. `--out FILE` writes a GPU's results of the cases, for `tests/data/cases`. `--kernels FILE` takes the
//! kernels of `kernels-gpu` from this PTX, and `--both FILE` runs them, too, and compares the results bit by bit.

use std::{
    collections::BTreeMap,
    fs,
    process::ExitCode,
    sync::{Arc, Mutex},
};

use libtest_mimic::{Arguments, Failed, Trial};
use tests::{
    KERNELS_PTX, LARGE, Module, Scenario,
    cases::{Case, cases},
    device_of_arguments, digest, is_complete_run, open,
    semantics::results::{Recorded, Results, Today},
};
use tma_host::Jobs;
use tma_launch::Buffer;

/// The kernels whose products take minutes on the emulator. Without `--long` it runs every seventh of their cases, a number
/// that no loop over types or layouts has.
const OF_PRODUCTS: [&str; 2] = ["attention", "gemm"];
const EVERY: usize = 7;

fn main() -> ExitCode {
    let (device, rest) = match device_of_arguments(std::env::args()) {
        Ok(parsed) => parsed,
        Err(message) => {
            eprintln!("error: {message}");
            return ExitCode::FAILURE;
        }
    };
    let mut rest = rest;
    let mut option = |name: &str| {
        let at = rest.iter().position(|argument| argument == name)?;
        rest.drain(at..).take(2).nth(1)
    };
    let out = option("--out");
    let others = ["--kernels", "--both"].map(|name| option(name).map(read));
    let [replaced, compared] = match others.map(Option::transpose) {
        [Ok(replaced), Ok(compared)] => [replaced, compared],
        [Err(wrong), _] | [_, Err(wrong)] => {
            eprintln!("error: {wrong}");
            return ExitCode::FAILURE;
        }
    };
    let arguments = Arguments::from_iter(rest);
    let came = Arc::new(Mutex::new(BTreeMap::new()));
    let mut gpu = None;
    let trials = match open(device) {
        Ok((backend, capability)) => {
            println!("on {}", backend.name());
            gpu = backend.name().strip_prefix("gpu: ").map(str::to_owned);
            let is_gpu = gpu.is_some();
            let backend = Arc::new(Mutex::new(backend));
            // One device reads each module once.
            let second = compared.map(|_| open(device).map(|(backend, _)| backend));
            let second = match second.transpose() {
                Ok(second) => Arc::new(second.map(Mutex::new)),
                Err(failure) => {
                    eprintln!("error: {failure}");
                    return ExitCode::FAILURE;
                }
            };
            let mut trials: Vec<Trial> = cases(capability)
                .into_iter()
                .enumerate()
                .map(|(number, case)| {
                    let has_products = OF_PRODUCTS.iter().any(|name| case.name.starts_with(name));
                    let is_left_out = has_products && !number.is_multiple_of(EVERY);
                    let is_left_out = is_left_out && !is_gpu && !is_complete_run();
                    let (backend, came) = (Arc::clone(&backend), Arc::clone(&came));
                    let second = Arc::clone(&second);
                    let name = case.name.clone();
                    let other = replaced.or(compared);
                    let is_of_kernels = |module: &Module| std::ptr::eq(module, case.module);
                    let other = other.filter(|_| KERNELS_PTX.iter().any(is_of_kernels));
                    let test = move || match (other, &*second) {
                        (None, _) => recorded(&backend, &case, &came),
                        (Some(other), None) => check(&backend, &case.scenario, other, &mut |_| ()),
                        (Some(other), Some(second)) => same(&backend, &case, second, other),
                    };
                    Trial::test(name, test).with_ignored_flag(is_left_out)
                })
                .collect();
            let check = move |scenario: Scenario, module| -> Test {
                let backend = Arc::clone(&backend);
                Box::new(move || check(&backend, &scenario, module, &mut |_| ()))
            };
            let module = Module::for_device(KERNELS_PTX, capability);
            trials.extend(module.into_iter().flat_map(|module| {
                LARGE.iter().map(|(name, scenario)| {
                    let (module, check) = (*module, check.clone());
                    let test = move || check(scenario(), module)();
                    // These cases would take hours on the emulator.
                    Trial::test(format!("large/{}/{name}", module.arch), test)
                        .with_ignored_flag(!is_gpu)
                })
            }));
            trials
        }
        Err(failure) => vec![Trial::test("device", move || Err(failure.into()))],
    };
    if trials.is_empty() {
        eprintln!("error: there is no case that this device can run");
        return ExitCode::FAILURE;
    }
    // There is one GPU and one context, so the cases take turns.
    let arguments = Arguments {
        test_threads: Some(1),
        ..arguments
    };
    let code = libtest_mimic::run(&arguments, trials).exit_code();
    match out.map(|path| write(&path, gpu.as_deref(), &came)) {
        Some(Err(wrong)) => {
            eprintln!("error: {wrong}");
            ExitCode::FAILURE
        }
        _ => code,
    }
}

/// The result of each case.
type Came = Mutex<BTreeMap<String, Recorded>>;

fn write(path: &str, gpu: Option<&str>, came: &Came) -> Result<(), String> {
    let gpu = gpu.ok_or("`--out` is for a GPU")?;
    let came = came.lock().map_err(|_| "a case panicked")?.clone();
    let results = Results::now(gpu, came)?;
    fs::write(path, results.to_json()).map_err(|error| format!("{path}: {error}"))
}

/// The module in a file, for the architecture that it names.
fn read(path: String) -> Result<Module, String> {
    let text = fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
    let parsed = ptx::parse(&text).map_err(|errors| format!("{path}: {errors}"))?;
    let arch = parsed.target.names.first().ok_or("no target is named")?;
    let arch = arch.as_str().to_owned();
    // The device lives until the program ends, for all cases.
    Ok(Module {
        arch: arch.leak(),
        text: text.leak(),
    })
}

/// Checks a case with both modules, whose results must have the same bits.
fn same(
    backend: &Mutex<Jobs>,
    case: &Case,
    second: &Mutex<Jobs>,
    other: Module,
) -> Result<(), Failed> {
    let results = [(backend, *case.module), (second, other)].map(|(backend, module)| {
        let mut results = Vec::new();
        check(backend, &case.scenario, module, &mut |buffers| {
            results = buffers.to_vec();
        })
        .map(|()| results)
    });
    let [ours, theirs] = results;
    for (ours, theirs) in ours?.iter().zip(theirs?) {
        let mut pairs = ours.bytes().iter().zip(theirs.bytes());
        if let Some(at) = pairs.position(|(ours, theirs)| ours != theirs) {
            let name = ours.name();
            return Err(format!("byte {at} of `{name}` differs between the modules").into());
        }
    }
    Ok(())
}

/// Checks a case, and keeps the digests of the launches and the outputs.
fn recorded(backend: &Mutex<Jobs>, case: &Case, came: &Came) -> Result<(), Failed> {
    let ran = case.ran()?;
    let mut outputs = String::new();
    let result = check(backend, &case.scenario, *case.module, &mut |buffers| {
        outputs = digest::with_outputs(ran, &case.scenario, buffers).to_string();
    });
    let outputs = match &result {
        Ok(()) => Ok(outputs),
        Err(wrong) => Err(wrong.message().unwrap_or_default().to_owned()),
    };
    let recorded = Recorded::new(ran, outputs);
    if result.is_ok() && recorded.today(&case.right()?) != Today::Equal {
        return Err("what came out has another digest than what must come out".into());
    }
    let mut came = came.lock().map_err(|_| "an earlier case panicked")?;
    came.insert(case.name.clone(), recorded);
    result
}

type Test = Box<dyn FnOnce() -> Result<(), Failed> + Send>;

fn check(
    backend: &Mutex<Jobs>,
    scenario: &Scenario,
    module: Module,
    see: &mut dyn FnMut(&[Buffer]),
) -> Result<(), Failed> {
    let mut backend = backend.lock().map_err(|_| "an earlier case panicked")?;
    let compared = scenario.compare(module.ptx(), |job| {
        // SAFETY: the text has the kernels of the case, and their arguments fulfil the conditions of
        // each (1).
        unsafe { backend.run(job) }?;
        see(&job.buffers);
        Ok(())
    });
    match compared {
        Ok(0) => Err("no result was compared".into()),
        Ok(_) => Ok(()),
        Err(wrong) => Err(wrong.to_string().into()),
    }
}
