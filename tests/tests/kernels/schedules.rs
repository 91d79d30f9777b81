//! Every scenario of every kernel on the emulator, under several schedules.

use libtest_mimic::{Failed, Trial};
use tests::{Module, groups, jobs};
use tma_host::Device;

const SEEDS: [u64; 3] = [1, 2, 3];

pub(crate) fn trials() -> Vec<Trial> {
    let trial = |seed| Trial::test(format!("schedule/{seed}"), move || all_hold(seed));
    SEEDS.map(trial).into()
}

fn all_hold(seed: u64) -> Result<(), Failed> {
    let mut checked = 0;
    let device = Device::emulator(seed);
    let capability = device.capability();
    let mut backend = jobs(device);
    for group in groups() {
        let module = Module::for_device(group.modules, capability).expect("it is built");
        for scenario in (group.cases)() {
            let name = format!("{}/{}", group.name, scenario.name);
            let result = scenario.check(&mut backend, module.ptx());
            let elements = result.map_err(|wrong| format!("{name}: {wrong}"))?;
            if elements == 0 {
                return Err(format!("nothing was compared in {name}").into());
            }
            checked += 1;
        }
    }
    assert!(checked >= 100, "only {checked} runs");
    Ok(())
}
