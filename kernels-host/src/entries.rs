//! The text of each kernel.

include!(concat!(env!("OUT_DIR"), "/entries.rs"));

/// Returns the architecture that an entry is for, and its text.
pub(crate) fn find(entry: &str) -> Option<(&'static str, &'static str)> {
    let found = ENTRIES.iter().find(|(name, ..)| *name == entry);
    found.map(|(_, arch, text)| (*arch, *text))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_entry_is_for_the_architecture_that_it_names() {
        for (entry, arch, text) in ENTRIES {
            let target = text.lines().find_map(|line| line.strip_prefix(".target "));
            let named = target.and_then(|names| names.split(',').next());
            assert_eq!(named, Some(*arch), "{entry}");
        }
    }

    #[test]
    fn an_entry_is_listed_once() {
        let names: BTreeSet<_> = ENTRIES.iter().map(|(name, ..)| name).collect();
        assert_eq!(names.len(), ENTRIES.len());
    }
}
