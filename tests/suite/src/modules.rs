use std::{
    collections::{BTreeMap, btree_map::Entry},
    sync::{Mutex, PoisonError},
};

use tma_host::Capability;
use tma_launch::Ptx;

use crate::Scenario;

/// The version of rustc that compiled the kernels.
pub const DEVICE_COMPILER: &str = env!("DEVICE_COMPILER");

/// The finished PTX of all kernels for one architecture.
#[derive(Clone, Copy, Debug)]
pub struct Module {
    /// The target, as in `.target`.
    pub arch: &'static str,
    /// The text.
    pub text: &'static str,
}

include!(concat!(env!("OUT_DIR"), "/modules.rs"));

impl Module {
    /// Returns the text for a job.
    pub fn ptx(&self) -> Ptx<'static> {
        Ptx {
            name: self.arch,
            text: self.text,
        }
    }

    /// Returns the parsed text. A module is parsed once.
    ///
    /// # Errors
    /// The text is not PTX.
    pub fn parsed(&self) -> Result<&'static ptx::Module, String> {
        // Keyed by the address of the text, since comparing texts takes longer.
        static PARSED: Mutex<BTreeMap<usize, &ptx::Module>> = Mutex::new(BTreeMap::new());
        let mut parsed = PARSED.lock().unwrap_or_else(PoisonError::into_inner);
        match parsed.entry(self.text.as_ptr().addr()) {
            Entry::Occupied(parsed) => Ok(parsed.get()),
            Entry::Vacant(place) => {
                let parsed =
                    ptx::parse_named(self.arch, self.text).map_err(|errors| errors.to_string())?;
                Ok(place.insert(Box::leak(Box::new(parsed))))
            }
        }
    }

    /// Returns whether the module has this kernel, or cannot be parsed, which its cases report. Kernels with instructions of
    /// only one architecture are in the modules whose names end in a letter.
    pub fn has_entry(&self, entry: &str) -> bool {
        let has = |module: &ptx::Module| module.entries().any(|found| found.name == *entry);
        self.parsed().map_or(true, has)
    }

    /// Returns whether a module for one of the plain architectures lacks a kernel that the scenario launches.
    pub fn lacks_kernels_of(&self, scenario: &Scenario) -> bool {
        let mut launches = scenario.launches.iter();
        self.arch.ends_with(|last: char| last.is_ascii_digit())
            && !launches.all(|launch| self.has_entry(&launch.entry))
    }

    /// Returns the module that a device of this compute capability runs; the one with most kernels if there are
    /// several.
    pub fn for_device(modules: &'static [Self], capability: Capability) -> Option<&'static Self> {
        modules.iter().rfind(|module| module.runs_on(capability))
    }

    /// Returns whether a device of this compute capability runs it.
    pub fn runs_on(&self, capability: Capability) -> bool {
        capability.runs(self.arch) == Some(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_h100_and_a_5070_run_the_modules_made_for_them() {
        const fn module(arch: &'static str) -> Module {
            Module { arch, text: "" }
        }
        static MODULES: &[Module] = &[module("sm_90"), module("sm_90a"), module("sm_120a")];
        let on = |(major, minor)| {
            let module = Module::for_device(MODULES, Capability { major, minor });
            module.map(|module| module.arch)
        };
        assert_eq!(on((8, 9)), None);
        assert_eq!(on((9, 0)), Some("sm_90a"));
        assert_eq!(on((12, 0)), Some("sm_120a"));
    }
}
