//! An instruction family has a file of the same name in every layer.

use super::{Breach, File};

/// One function per instruction form.
const WRAPPERS: &str = "crates/tma/src/ptx";

/// The layers that follow the wrappers, as soon as they are there.
const LAYERS: &[&str] = &["crates/emulator/src/ptx", "tests/cases/ptx"];

pub(super) fn check(files: &[File], breaches: &mut Vec<Breach>) {
    for layer in LAYERS
        .iter()
        .filter(|layer| files.iter().any(|file| file.is_below(&[layer])))
    {
        for (stem, file) in stems(files, WRAPPERS) {
            if !stems(files, layer).any(|(other, _)| other == stem) {
                breaches.push(Breach::new(
                    file,
                    1,
                    format!("has no counterpart {layer}/{stem}.rs"),
                ));
            }
        }
    }
}

/// The Rust files that lie in a folder, by the names of their modules.
fn stems<'a>(files: &'a [File], folder: &str) -> impl Iterator<Item = (&'a str, &'a File)> {
    files.iter().filter_map(move |file| {
        let name = file.path.strip_prefix(folder)?.strip_prefix('/')?;
        let stem = name.strip_suffix(".rs")?;
        (stem != "mod" && !stem.contains('/')).then_some((stem, file))
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{checked, file};
    use super::*;

    #[test]
    fn layers_that_are_there_must_be_complete() {
        let wrappers =
            ["mod", "fence", "mbarrier"].map(|stem| file(&format!("{WRAPPERS}/{stem}.rs"), ""));
        let mut files = Vec::from(wrappers);
        assert_eq!(checked(check, &files), [""; 0]);
        files.push(file("crates/emulator/src/ptx/fence.rs", ""));
        let missing = "crates/tma/src/ptx/mbarrier.rs:1: has no counterpart crates/emulator/src/ptx/mbarrier.rs";
        assert_eq!(checked(check, &files), [missing]);
    }
}
