//! Every scenario of every kernel on the emulator, under several schedules.

use emulator::EmulatorBackend;
use tests::groups;

const SEEDS: [u64; 3] = [1, 2, 3];

#[test]
fn results_do_not_depend_on_the_schedule() {
    let mut checked = 0;
    for group in groups() {
        let module = group
            .modules
            .iter()
            .find(|module| module.arch == "sm_90a")
            .expect("it is built");
        for scenario in (group.cases)() {
            for seed in SEEDS {
                let result = scenario.check(&mut EmulatorBackend::new(seed), module.ptx());
                let elements = result.unwrap_or_else(|wrong| {
                    panic!("{}/{} with seed {seed}: {wrong}", group.name, scenario.name)
                });
                assert!(
                    elements > 0,
                    "nothing was compared in {}/{}",
                    group.name,
                    scenario.name
                );
                checked += 1;
            }
        }
    }
    assert!(checked >= 3 * 100, "only {checked} runs");
}
