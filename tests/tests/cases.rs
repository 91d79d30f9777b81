//! Every scenario of every kernel on the chosen backend.
//!
//! `cargo test -p tests --test cases -- --device gpu` makes a missing GPU a failure; without
//! `--device`, what cannot run is listed as ignored and counted so.

use std::{
    process::ExitCode,
    sync::{Arc, Mutex},
};

use launch::Backend;
use libtest_mimic::{Arguments, Failed, Trial};
use tests::{Device, KERNELS, MODULES, Module, Opened, Scenario};

fn main() -> ExitCode {
    let (device, rest) = match Device::from_args(std::env::args()) {
        Ok(parsed) => parsed,
        Err(message) => {
            eprintln!("error: {message}");
            return ExitCode::FAILURE;
        }
    };
    let arguments = Arguments::from_iter(rest);
    let trials = match device.open() {
        Opened::Ready { backend, capability } => {
            println!("on {}", backend.name());
            let modules = MODULES.iter().filter(|module| module.runs_on(capability));
            let backend = Arc::new(Mutex::new(backend));
            trials(modules, &move |scenario, module| {
                let backend = Arc::clone(&backend);
                (Box::new(move || check(&backend, &scenario, module)), false)
            })
        }
        Opened::Absent(reason) => {
            println!("skipped: {reason}");
            trials(MODULES.iter().take(1), &|_, _| (Box::new(|| Ok(())), true))
        }
        Opened::Broken(reason) => vec![Trial::test("device", move || Err(reason.into()))],
    };
    if trials.is_empty() {
        eprintln!("error: there is no case for this device");
        return ExitCode::FAILURE;
    }
    // One GPU, one context: the cases take turns.
    let arguments = Arguments { test_threads: Some(1), ..arguments };
    libtest_mimic::run(&arguments, trials).exit_code()
}

type Test = Box<dyn FnOnce() -> Result<(), Failed> + Send>;

/// A trial for each scenario and module; `test` makes the test and says whether it is ignored.
fn trials<'a>(
    modules: impl Iterator<Item = &'a Module>,
    test: &dyn Fn(Scenario, Module) -> (Test, bool),
) -> Vec<Trial> {
    let mut trials = Vec::new();
    for module in modules {
        for kernel in KERNELS {
            for scenario in (kernel.cases)() {
                let name = format!("{}/{}/{}", kernel.name, module.arch, scenario.name);
                let (test, ignored) = test(scenario, *module);
                trials.push(Trial::test(name, test).with_ignored_flag(ignored));
            }
        }
    }
    trials
}

fn check(backend: &Mutex<Box<dyn Backend + Send>>, scenario: &Scenario, module: Module) -> Result<(), Failed> {
    let mut backend = backend.lock().map_err(|_| "an earlier case panicked")?;
    match scenario.check(backend.as_mut(), module.ptx()) {
        Ok(0) => Err("nothing was compared".into()),
        Ok(_) => Ok(()),
        Err(wrong) => Err(wrong.to_string().into()),
    }
}
