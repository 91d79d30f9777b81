//! Every scenario of every kernel on the chosen backend.
//!
//! `cargo test -p tests --test cases -- --device gpu` makes a missing GPU a failure; without
//! `--device`, the emulator takes the place of a GPU that is not there. `TMA_SEED` chooses its
//! schedule.

use std::{
    process::ExitCode,
    sync::{Arc, Mutex},
};

use libtest_mimic::{Arguments, Failed, Trial};
use tests::{KERNELS_PTX, LARGE, Module, Scenario, device_of_arguments, groups, open};
use tma_host::{Capability, Jobs};

fn main() -> ExitCode {
    let (device, rest) = match device_of_arguments(std::env::args()) {
        Ok(parsed) => parsed,
        Err(message) => {
            eprintln!("error: {message}");
            return ExitCode::FAILURE;
        }
    };
    let arguments = Arguments::from_iter(rest);
    let trials = match open(device) {
        Ok((backend, capability)) => {
            println!("on {}", backend.name());
            let is_gpu = backend.name().starts_with("gpu: ");
            let backend = Arc::new(Mutex::new(backend));
            let check = move |scenario: Scenario, module| -> Test {
                let backend = Arc::clone(&backend);
                Box::new(move || check(&backend, &scenario, module))
            };
            let mut trials = trials(capability, &check);
            let module = Module::for_device(KERNELS_PTX, capability);
            trials.extend(module.into_iter().flat_map(|module| {
                LARGE.iter().map(|(name, scenario)| {
                    let (module, check) = (*module, check.clone());
                    let test = move || check(scenario(), module)();
                    // They would take hours on the emulator.
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
    // One GPU, one context: the cases take turns.
    let arguments = Arguments {
        test_threads: Some(1),
        ..arguments
    };
    libtest_mimic::run(&arguments, trials).exit_code()
}

type Test = Box<dyn FnOnce() -> Result<(), Failed> + Send>;

/// A trial for each scenario, with the module that the device runs.
fn trials(capability: Capability, test: &dyn Fn(Scenario, Module) -> Test) -> Vec<Trial> {
    let mut trials = Vec::new();
    for group in groups() {
        let Some(module) = Module::for_device(group.modules, capability) else {
            continue;
        };
        for scenario in (group.cases)() {
            if module.lacks_kernels_of(&scenario) {
                continue;
            }
            let name = format!("{}/{}/{}", group.name, module.arch, scenario.name);
            trials.push(Trial::test(name, test(scenario, *module)));
        }
    }
    trials
}

fn check(backend: &Mutex<Jobs>, scenario: &Scenario, module: Module) -> Result<(), Failed> {
    let mut backend = backend.lock().map_err(|_| "an earlier case panicked")?;
    // SAFETY: the text is that of the kernels that the case is for, and their arguments keep what each asks
    // of them (1).
    match unsafe { scenario.check(&mut *backend, module.ptx()) } {
        Ok(0) => Err("nothing was compared".into()),
        Ok(_) => Ok(()),
        Err(wrong) => Err(wrong.to_string().into()),
    }
}
