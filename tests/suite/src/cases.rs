//! The cases of the kernels and of the device library, with digests of the launches and the expected outputs.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Mutex, PoisonError},
};

use tma_host::Capability;

use tests_records::{Digest, plain::entry_text};

use crate::{Module, Scenario, digest, groups, semantics::results::Recorded};

/// A case for a device, with its module.
pub struct Case {
    /// The kernel, the architecture of the module, and the subject.
    pub name: String,
    /// The launches with their expected outputs.
    pub scenario: Scenario,
    /// The kernels.
    pub module: &'static Module,
}

/// Returns all cases that a device of this capability can run, except the large ones, under unique names.
pub fn cases(capability: Capability) -> Vec<Case> {
    let of = |group: crate::Group| {
        let module = Module::for_device(group.modules, capability);
        let scenarios = module.into_iter().flat_map(move |module| {
            let scenarios = (group.cases)().into_iter();
            let can_run = move |scenario: &Scenario| !module.lacks_kernels_of(scenario);
            scenarios.filter(can_run).map(move |scenario| Case {
                name: format!("{}/{}/{}", group.name, module.arch, scenario.name),
                scenario,
                module,
            })
        });
        scenarios.collect::<Vec<_>>()
    };
    groups().into_iter().flat_map(of).collect()
}

impl Case {
    /// The digest of the kernels that it launches, of the memory before, and of the launches.
    ///
    /// # Errors
    /// The module is not PTX, or lacks a kernel.
    pub fn ran(&self) -> Result<Digest, String> {
        let launches = self.scenario.launches.iter();
        let entries: BTreeSet<&str> = launches.map(|launch| launch.entry.as_str()).collect();
        let texts = entries.into_iter().map(|entry| text_of(self.module, entry));
        let text = texts.collect::<Result<Vec<_>, _>>()?.concat();
        Ok(digest::of(&text, &self.scenario))
    }

    /// Returns the record of a run with right results.
    ///
    /// # Errors
    /// As [`ran`](Self::ran).
    pub fn right(&self) -> Result<Recorded, String> {
        let ran = self.ran()?;
        let outputs = digest::with_right_outputs(ran, &self.scenario);
        Ok(Recorded::new(ran, Ok(outputs.to_string())))
    }
}

/// Returns the kernel alone, as the golden files have it.
fn text_of(module: &'static Module, entry: &str) -> Result<String, String> {
    // Keyed by the address of a module's text, since comparing the text takes longer.
    static TEXTS: Mutex<BTreeMap<(usize, String), String>> = Mutex::new(BTreeMap::new());
    let mut texts = TEXTS.lock().unwrap_or_else(PoisonError::into_inner);
    let key = (module.text.as_ptr().addr(), entry.to_owned());
    if let Some(text) = texts.get(&key) {
        return Ok(text.clone());
    }
    let missing = || format!("there is no kernel `{entry}`");
    let text = entry_text(module.parsed()?, entry).ok_or_else(missing)?;
    texts.insert(key, text.clone());
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A record has one result for each name.
    #[test]
    fn no_two_cases_have_the_same_name() {
        for major in [9, 10, 12] {
            let capability = Capability { major, minor: 0 };
            let mut names = BTreeSet::new();
            let cases = cases(capability).into_iter();
            let twice = cases.filter(|case| !names.insert(case.name.clone()));
            let twice: Vec<String> = twice.map(|case| case.name).collect();
            assert_eq!(twice, [""; 0], "{capability}");
        }
    }
}
