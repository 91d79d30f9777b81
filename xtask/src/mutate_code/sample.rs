//! The sample: a seed orders the mutants, and the first ones are drawn.

use anyhow::{Context, Result};
use serde_json::Value;

/// A mutant as cargo-mutants lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mutant {
    pub(super) package: String,
    /// The path relative to the checkout.
    pub(super) file: String,
    /// File, line, column and change.
    pub(super) name: String,
}

impl Mutant {
    pub(super) fn is_below(&self, folder: &str) -> bool {
        let rest = self.file.strip_prefix(folder);
        rest.is_some_and(|rest| rest.starts_with(['/', '.']))
    }
}

/// Parses the JSON list printed by cargo-mutants.
pub(super) fn read(list: &str) -> Result<Vec<Mutant>> {
    let list: Vec<Value> = serde_json::from_str(list).context("cargo-mutants lists no JSON")?;
    let mutant = |value: &Value| {
        let text = |name: &str| value.get(name)?.as_str().map(str::to_owned);
        Some(Mutant {
            package: text("package")?,
            file: text("file")?,
            name: text("name")?,
        })
    };
    let mutants = list.iter().map(mutant).collect::<Option<_>>();
    mutants.context("a mutant in the list of cargo-mutants has no package, file or name")
}

/// Returns the first mutants in the order of a seed. Adding a mutant does not reorder the others.
pub(super) fn draw(mut mutants: Vec<Mutant>, seed: u64, number: usize) -> Vec<Mutant> {
    mutants.sort_by_cached_key(|mutant| (place(seed, &mutant.name), mutant.name.clone()));
    mutants.truncate(number);
    mutants
}

/// Hashes the seed and the name with FNV-1a and the finalizer of SplitMix64.
fn place(seed: u64, name: &str) -> u64 {
    let bytes = seed.to_le_bytes().into_iter().chain(name.bytes());
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    let hash = (hash ^ hash >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let hash = (hash ^ hash >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ hash >> 31
}

/// Returns a regular expression that matches only this text.
pub(super) fn exactly(text: &str) -> String {
    let mut expression = String::from("^");
    for character in text.chars() {
        if r"\.+*?()|[]{}^$#&-~".contains(character) {
            expression.push('\\');
        }
        expression.push(character);
    }
    expression + "$"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mutant(name: &str) -> Mutant {
        Mutant {
            package: "ptx".into(),
            file: "crates/ptx/src/lexer.rs".into(),
            name: name.into(),
        }
    }

    #[test]
    fn a_seed_draws_the_same_mutants_again() {
        let all: Vec<Mutant> = (0..100).map(|line| mutant(&line.to_string())).collect();
        let drawn = draw(all.clone(), 7, 10);
        let reversed = draw(all.iter().rev().cloned().collect(), 7, 10);
        assert_eq!((drawn.len(), &drawn), (10, &reversed));
        assert_ne!(drawn, draw(all.clone(), 8, 10));
        // Removing a mutant that was not drawn leaves the sample unchanged.
        let others = all.iter().filter(|mutant| !drawn.contains(mutant)).count();
        let fewer = all.iter().filter(|it| drawn.contains(it) || it.name != "1");
        assert_eq!(others, 90);
        assert_eq!(draw(fewer.cloned().collect(), 7, 10), drawn);
        assert_eq!(draw(all, 7, 1000).len(), 100);
    }

    #[test]
    fn lists_are_read() {
        let list = r#"[{"package": "ptx", "file": "crates/ptx/src/lexer.rs", "name": "1", "genre": "FnValue"}]"#;
        assert_eq!(read(list).unwrap(), [mutant("1")]);
        assert!(read("[{}]").is_err() && read("none").is_err());
    }

    #[test]
    fn folders_are_whole_names() {
        let found = mutant("1");
        assert!(found.is_below("crates/ptx/src") && found.is_below("crates/ptx/src/lexer"));
        assert!(!found.is_below("crates/ptx/s") && !found.is_below("crates/ptx/src/lex"));
    }

    #[test]
    fn expressions_match_the_text() {
        assert_eq!(
            exactly("a.rs:1: replace + with -"),
            r"^a\.rs:1: replace \+ with \-$"
        );
    }
}
