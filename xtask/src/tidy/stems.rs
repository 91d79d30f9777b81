//! Each instruction family must have a file of the same name in every layer.

use super::{File, Violation};

/// Folders of the instruction forms, and of the wrapper functions that emit them.
const LAYERS: [&str; 2] = ["crates/ptx-isa/src/families", "crates/tma/src/ptx"];

/// Wrapper files that are not instruction families.
const NO_FAMILIES: &[&str] = &["intrinsics", "macros", "operand", "shared_symbol"];

/// Folder of the instruction semantics, which also contains the families of ordinary PTX.
const SEMANTICS: &str = "crates/tma-emulator/src/inst";

/// Families that belong to a larger family there.
const PARTS: &[(&str, &str)] = &[
    ("abs", "arithmetic"),
    ("add", "arithmetic"),
    ("bfe", "logic"),
    ("bfi", "logic"),
    ("clock", "sreg"),
    ("cos", "float"),
    ("dp2a", "integer"),
    ("dp4a", "integer"),
    ("ex2", "float"),
    ("fma", "float"),
    ("ld_global", "ld_st"),
    ("ld_shared", "ld_st"),
    ("lg2", "float"),
    ("max", "arithmetic"),
    ("min", "arithmetic"),
    ("mul", "arithmetic"),
    ("neg", "arithmetic"),
    ("prmt", "logic"),
    ("rcp", "float"),
    ("red_shared", "atom"),
    ("rsqrt", "float"),
    ("sin", "float"),
    ("sqrt", "float"),
    ("st_global", "ld_st"),
    ("st_shared", "ld_st"),
    ("sub", "arithmetic"),
    ("tanh", "float"),
];

pub(super) fn check(files: &[File], violations: &mut Vec<Violation>) {
    for (layer, other) in [(0, 1), (1, 0)].map(|(from, to)| (LAYERS[from], LAYERS[to])) {
        for (stem, file) in stems(files, layer) {
            if stems(files, other).all(|(there, _)| there != stem) {
                let says = format!("has no counterpart {other}/{stem}.rs");
                violations.push(Violation::new(file, 1, says));
            }
        }
    }
    check_semantics(files, violations);
}

/// Checks that each family has semantics in the emulator.
fn check_semantics(files: &[File], violations: &mut Vec<Violation>) {
    for (stem, file) in stems(files, LAYERS[0]) {
        let part = PARTS.iter().find(|(part, _)| *part == stem);
        let stem = part.map_or(stem, |(_, whole)| whole);
        if stems(files, SEMANTICS).all(|(there, _)| there != stem) {
            let says = format!("has no semantics {SEMANTICS}/{stem}.rs");
            violations.push(Violation::new(file, 1, says));
        }
    }
}

/// Returns the Rust files in a folder with the names of their modules.
fn stems<'a>(files: &'a [File], folder: &str) -> impl Iterator<Item = (&'a str, &'a File)> {
    files.iter().filter_map(move |file| {
        let name = file.path.strip_prefix(folder)?.strip_prefix('/')?;
        let stem = name.strip_suffix(".rs")?;
        let is_family = !stem.contains('/') && !NO_FAMILIES.contains(&stem);
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
        let mut files = vec![path(wrappers, "macros"), path(wrappers, "shared_symbol")];
        assert_eq!(checked(check, &files), [""; 0]);
        let everywhere = |stem| [wrappers, rows, SEMANTICS].map(|layer| path(layer, stem));
        files.extend(everywhere("mbarrier"));
        files.extend([
            path(wrappers, "clock"),
            path(rows, "clock"),
            path(SEMANTICS, "sreg"),
        ]);
        assert_eq!(checked(check, &files), [""; 0]);
        files.extend([
            path(wrappers, "fence"),
            path(rows, "mapa"),
            path(rows, "st_shared"),
        ]);
        let missing = [
            format!("{rows}/mapa.rs:1: has no counterpart {wrappers}/mapa.rs"),
            format!("{rows}/mapa.rs:1: has no semantics {SEMANTICS}/mapa.rs"),
            format!("{rows}/st_shared.rs:1: has no counterpart {wrappers}/st_shared.rs"),
            format!("{rows}/st_shared.rs:1: has no semantics {SEMANTICS}/ld_st.rs"),
            format!("{wrappers}/fence.rs:1: has no counterpart {rows}/fence.rs"),
        ];
        let mut found = checked(check, &files);
        found.sort();
        assert_eq!(found, missing);
        // A missing layer must be reported too.
        files.retain(|file| file.path.starts_with(wrappers));
        assert_eq!(checked(check, &files).len(), 3);
    }

    #[test]
    fn the_layers_are_there() {
        for layer in LAYERS.into_iter().chain([SEMANTICS]) {
            let folder = crate::paths::root().join(layer);
            assert!(folder.is_dir(), "{}", folder.display());
        }
    }
}
