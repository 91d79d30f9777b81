use host::Capability;
use launch::Ptx;

use crate::Scenario;

/// The version of rustc that compiled the kernels.
pub const DEVICE_COMPILER: &str = env!("DEVICE_COMPILER");

/// The finished PTX of all kernels for one architecture.
#[derive(Clone, Copy, Debug)]
pub struct Module {
    /// As in `.target`.
    pub arch: &'static str,
    /// The text.
    pub text: &'static str,
}

include!(concat!(env!("OUT_DIR"), "/modules.rs"));

impl Module {
    /// For a job.
    pub fn ptx(&self) -> Ptx<'static> {
        Ptx {
            name: self.arch,
            text: self.text,
        }
    }

    /// Does it have all kernels that the scenario launches? Those with instructions of one
    /// architecture alone are in the modules for such, whose names end in a letter.
    pub fn has(&self, scenario: &Scenario) -> bool {
        let has = |entry: &str| self.text.contains(&format!(".entry {entry}("));
        !self.arch.ends_with(|last: char| last.is_ascii_digit())
            || scenario.launches.iter().all(|launch| has(&launch.entry))
    }

    /// Does a device of this compute capability run it?
    pub fn runs_on(&self, capability: Capability) -> bool {
        capability.runs(self.arch) == Some(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_h100_runs_its_own_modules_and_a_5070_the_older_plain_one_too() {
        let on = |(major, minor)| {
            let capability = Capability { major, minor };
            let archs = KERNELS_PTX
                .iter()
                .filter(|module| module.runs_on(capability));
            archs.map(|module| module.arch).collect::<Vec<_>>()
        };
        assert_eq!(on((9, 0)), ["sm_90", "sm_90a"]);
        assert_eq!(on((12, 0)), ["sm_90", "sm_120", "sm_120a"]);
    }
}
