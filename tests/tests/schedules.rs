//! Every scenario of every kernel on the emulator, under several schedules.

use tests::{Module, groups, jobs};
use tma_host::Device;

const SEEDS: [u64; 3] = [1, 2, 3];

#[test]
fn results_do_not_depend_on_the_schedule() {
    let mut checked = 0;
    for seed in SEEDS {
        let device = Device::emulator(seed);
        let capability = device.capability();
        let mut backend = jobs(device);
        for group in groups() {
            let module = Module::for_device(group.modules, capability).expect("it is built");
            for scenario in (group.cases)() {
                let name = format!("{}/{} with seed {seed}", group.name, scenario.name);
                let result = scenario.check(&mut backend, module.ptx());
                let elements = result.unwrap_or_else(|wrong| panic!("{name}: {wrong}"));
                assert!(elements > 0, "nothing was compared in {name}");
                checked += 1;
            }
        }
    }
    assert!(checked >= 3 * 100, "only {checked} runs");
}
