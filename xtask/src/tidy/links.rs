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
            if in_code {
                continue;
            }
            let mut broken = |target: &str| {
                let says = format!("the link to {target} is broken");
                violations.push(Violation::new(file, number, says));
            };
            for target in targets(line) {
                if !resolve(folder, target).is_some_and(|path| exists(files, &path)) {
                    broken(target);
                }
            }
            for (target, section) in sections(line) {
                let path = match target {
                    "" => Some(file.path.clone()),
                    target => resolve(folder, target),
                };
                let page = path.and_then(|path| files.iter().find(|file| file.path == path));
                if page.is_some_and(|page| !has_section(page, section)) {
                    broken(&format!("{target}#{section}"));
                }
            }
        }
    }
}

/// Returns the targets of the links in a line.
pub(super) fn targets(line: &str) -> impl Iterator<Item = &str> {
    let file = links(line).filter_map(|target| target.split(['#', ' ']).next());
    file.filter(|target| !target.is_empty())
}

/// Returns the files and the sections of the links in a line to sections of pages.
fn sections(line: &str) -> impl Iterator<Item = (&str, &str)> {
    let parts = links(line).filter_map(|target| target.split_once('#'));
    parts.filter(|(file, _)| file.is_empty() || file.ends_with(".md"))
}

fn links(line: &str) -> impl Iterator<Item = &str> {
    let after = line
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next());
    after.filter(|target| !target.contains("://") && !target.starts_with("mailto:"))
}

/// Returns whether a page has a heading with this anchor: the heading in small letters with hyphens for spaces,
/// without other punctuation.
fn has_section(page: &File, anchor: &str) -> bool {
    let mut headings = page.lines().filter_map(|(_, line)| {
        let heading = line.trim_start_matches('#').strip_prefix(' ')?;
        line.starts_with('#').then_some(heading)
    });
    headings.any(|heading| {
        let kept = heading
            .chars()
            .filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        let made: String = kept.collect();
        made.to_lowercase().replace(' ', "-") == anchor
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
        let text = "[a](../README.md#the-top-of-a_b) [b](sub/) [c](https://x.org/y) [d](#here)\n[e](gone.md) \
            [f](../../out.md) [h](#gone) [i](../README.md#gone)\n```\n[g](code.md)\n```\n## Here\n";
        let files = [
            file("docs/page.md", text),
            file("README.md", "# The top, of `a_b`\n"),
            file("docs/sub/x.md", ""),
        ];
        let expected = [
            "docs/page.md:2: the link to gone.md is broken",
            "docs/page.md:2: the link to ../../out.md is broken",
            "docs/page.md:2: the link to #gone is broken",
            "docs/page.md:2: the link to ../README.md#gone is broken",
        ];
        assert_eq!(checked(check, &files), expected);
    }
}
