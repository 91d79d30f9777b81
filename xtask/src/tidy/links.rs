//! Links between documents must resolve.

use std::path::{Component, Path};

use super::{File, Violation};

pub(super) fn check(files: &[File], violations: &mut Vec<Violation>) {
    for file in files.iter().filter(|file| file.extension() == "md") {
        let folder = Path::new(&file.path).parent().unwrap_or(Path::new(""));
        let mut in_code = false;
        for (number, line) in file.lines() {
            if line.trim_start().starts_with("```") {
                in_code = !in_code;
            }
            for target in targets(line).filter(|_| !in_code) {
                let leads = resolve(folder, target).is_some_and(|path| exists(files, &path));
                if !leads {
                    violations.push(Violation::new(
                        file,
                        number,
                        format!("the link to {target} is broken"),
                    ));
                }
            }
        }
    }
}

/// Returns the targets of the links in a line.
pub(super) fn targets(line: &str) -> impl Iterator<Item = &str> {
    let after = line
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next());
    let file = after.filter_map(|target| target.split(['#', ' ']).next());
    file.filter(|target| {
        !target.is_empty() && !target.contains("://") && !target.starts_with("mailto:")
    })
}

/// Returns the path relative to the checkout, with `/`; `None` if it is outside.
pub(super) fn resolve(folder: &Path, target: &str) -> Option<String> {
    let mut parts = Vec::new();
    for component in folder.join(target).components() {
        match component {
            Component::Normal(part) => parts.push(part.to_str()?.to_owned()),
            Component::CurDir => {}
            Component::ParentDir => drop(parts.pop()?),
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(parts.join("/"))
}

/// Returns whether the path is a file, or a folder with files.
fn exists(files: &[File], path: &str) -> bool {
    path.is_empty()
        || files
            .iter()
            .any(|file| file.path == path || file.is_below(&[path]))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{checked, file};
    use super::*;

    #[test]
    fn links_are_followed() {
        let text = "[a](../README.md#top) [b](sub/) [c](https://x.org/y) [d](#here)\n[e](gone.md) [f](../../out.md)\n\
            ```\n[g](code.md)\n```\n";
        let files = [
            file("docs/page.md", text),
            file("README.md", ""),
            file("docs/sub/x.md", ""),
        ];
        let expected = [
            "docs/page.md:2: the link to gone.md is broken",
            "docs/page.md:2: the link to ../../out.md is broken",
        ];
        assert_eq!(checked(check, &files), expected);
    }
}
