//! Every crate of the workspace must have a description and use the workspace's lints.

use super::{File, Violation};

/// Folders with their own workspaces.
const EXEMPT: &[&str] = &["examples", "tests/fixtures"];

pub(super) fn check(files: &[File], violations: &mut Vec<Violation>) {
    let manifests = files
        .iter()
        .filter(|file| file.path.ends_with("/Cargo.toml") && !file.is_below(EXEMPT));
    for file in manifests {
        let section_has = |section: &str, is_it: &dyn Fn(&str) -> bool| {
            let after = file
                .lines()
                .map(|(_, line)| line.trim())
                .skip_while(|line| *line != section)
                .skip(1);
            after.take_while(|line| !line.starts_with('[')).any(is_it)
        };
        let described = |line: &str| {
            let value = line
                .strip_prefix("description")
                .map(|rest| rest.trim_start_matches([' ', '=']));
            value.is_some_and(|value| value != "\"\"" && !value.is_empty())
        };
        if !section_has("[package]", &described) {
            violations.push(Violation::new(file, 1, "the package has no description"));
        }
        if !section_has("[lints]", &|line| line == "workspace = true") {
            violations.push(Violation::new(file, 1, "lacks `[lints] workspace = true`"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{checked, file};
    use super::*;

    #[test]
    fn description_and_lints_are_wanted() {
        let good = "[package]\nname = \"a\"\ndescription = \"A.\"\n\n[lints]\nworkspace = true\n";
        let path = "crates/a/Cargo.toml";
        let look = |text: &str| checked(check, &[file(path, text)]);
        assert_eq!(look(good), [""; 0]);
        assert_eq!(
            look(&good.replace("A.", "")),
            ["crates/a/Cargo.toml:1: the package has no description"]
        );
        assert_eq!(
            look(&good.replace("[lints]", "[lint]")),
            ["crates/a/Cargo.toml:1: lacks `[lints] workspace = true`"]
        );
        assert_eq!(
            checked(check, &[file("examples/a/Cargo.toml", "")]),
            [""; 0]
        );
    }
}
