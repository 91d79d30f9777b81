//! The text of each kernel.

include!(concat!(env!("OUT_DIR"), "/entries.rs"));

/// The architecture that an entry is for, and its text.
pub(crate) fn find(entry: &str) -> Option<(&'static str, &'static str)> {
    let found = ENTRIES.iter().find(|(name, ..)| *name == entry);
    found.map(|(_, arch, text)| (*arch, *text))
}
