//! An instruction family has a file of the same name in every layer.

use super::{File, Violation};

/// The rows of its forms, and one function for each that a wrapper emits.
const LAYERS: [&str; 2] = ["crates/isa/src/families", "crates/tma/src/ptx"];

/// Wrappers without an instruction of their own.
const NO_FAMILIES: &[&str] = &["shared_symbol"];

pub(super) fn check(files: &[File], violations: &mut Vec<Violation>) {
    for (layer, other) in [(0, 1), (1, 0)].map(|(from, to)| (LAYERS[from], LAYERS[to])) {
        for (stem, file) in stems(files, layer) {
            if stems(files, other).all(|(there, _)| there != stem) {
                let says = format!("has no counterpart {other}/{stem}.rs");
                violations.push(Violation::new(file, 1, says));
            }
        }
    }
}

/// The Rust files that lie in a folder, by the names of their modules.
fn stems<'a>(files: &'a [File], folder: &str) -> impl Iterator<Item = (&'a str, &'a File)> {
    files.iter().filter_map(move |file| {
        let name = file.path.strip_prefix(folder)?.strip_prefix('/')?;
        let stem = name.strip_suffix(".rs")?;
        let is_family = stem != "mod" && !stem.contains('/') && !NO_FAMILIES.contains(&stem);
        is_family.then_some((stem, file))
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{checked, file};
    use super::*;

    #[test]
    fn each_layer_must_be_complete() {
        let [rows, wrappers] = LAYERS;
        let path = |layer: &str, stem: &str| file(&format!("{layer}/{stem}.rs"), "");
        let mut files = vec![path(wrappers, "mod"), path(wrappers, "shared_symbol")];
        assert_eq!(checked(check, &files), [""; 0]);
        files.extend([path(wrappers, "mbarrier"), path(rows, "mbarrier")]);
        assert_eq!(checked(check, &files), [""; 0]);
        files.extend([path(wrappers, "fence"), path(rows, "mapa")]);
        let missing = [
            format!("{rows}/mapa.rs:1: has no counterpart {wrappers}/mapa.rs"),
            format!("{wrappers}/fence.rs:1: has no counterpart {rows}/fence.rs"),
        ];
        let mut found = checked(check, &files);
        found.sort();
        assert_eq!(found, missing);
        // A layer that is not there at all.
        files.retain(|file| file.path.starts_with(wrappers));
        assert_eq!(checked(check, &files).len(), 2);
    }

    #[test]
    fn the_layers_are_there() {
        for layer in LAYERS {
            let folder = crate::paths::root().join(layer);
            assert!(folder.is_dir(), "{}", folder.display());
        }
    }
}
