//! Every scenario of every kernel on the emulator, under other schedules than in `cases`: with `--long`.

use std::sync::LazyLock;

use libtest_mimic::{Failed, Trial};
use tests::{Group, Module, Scenario, groups, is_long};
use tma_host::{Device, Jobs};

const SEEDS: [u64; 3] = [1, 2, 3];

pub(crate) fn trials() -> Vec<Trial> {
    let trial = |seed| {
        let name = format!("schedule/{seed}");
        let is_asked = is_long(&name);
        Trial::test(name, move || all_hold(seed)).with_ignored_flag(!is_asked)
    };
    SEEDS.map(trial).into()
}

/// Each with the module that the emulator runs. Their references are computed once for all seeds.
static SCENARIOS: LazyLock<Vec<(String, &Module, Scenario)>> = LazyLock::new(|| {
    let capability = Device::emulator(0).capability();
    let of = |group: Group| {
        let module = Module::for_device(group.modules, capability).expect("it is built");
        let scenarios = (group.cases)().into_iter();
        scenarios.map(move |scenario| {
            let name = format!("{}/{}", group.name, scenario.name);
            (name, module, scenario)
        })
    };
    groups().into_iter().flat_map(of).collect()
});

fn all_hold(seed: u64) -> Result<(), Failed> {
    let mut backend = Jobs::new(Device::emulator(seed));
    for (name, module, scenario) in SCENARIOS.iter() {
        // SAFETY: the device is the emulator: a kernel reaches only its own memory (1).
        let result = unsafe { scenario.check(&mut backend, module.ptx()) };
        let elements = result.map_err(|wrong| format!("{name}: {wrong}"))?;
        if elements == 0 {
            return Err(format!("nothing was compared in {name}").into());
        }
    }
    let checked = SCENARIOS.len();
    assert!(checked >= 100, "only {checked} runs");
    Ok(())
}
