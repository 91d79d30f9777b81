//! `docs/SUMMARY.md` lists every page, and every page begins with its use.

use std::path::Path;

use super::{File, Violation, links};

const BOOK: &str = "docs";
const SUMMARY: &str = "docs/SUMMARY.md";

/// The first words of a page.
const BEGINNING: &str = "After this page you ";

pub(super) fn check(files: &[File], violations: &mut Vec<Violation>) {
    let Some(summary) = files.iter().find(|file| file.path == SUMMARY) else {
        return;
    };
    let targets = summary
        .lines()
        .flat_map(|(_, line)| links::targets(line))
        .filter_map(|target| links::resolve(Path::new(BOOK), target));
    let listed: Vec<String> = targets.collect();
    let is_page = |file: &&File| file.is_below(&[BOOK]) && file.extension() == "md";
    for page in files.iter().filter(is_page) {
        if page.path == SUMMARY {
            continue;
        }
        if !listed.contains(&page.path) {
            let says = format!("{SUMMARY} does not list the page");
            violations.push(Violation::new(page, 1, says));
        }
        let text = page
            .lines()
            .find(|(number, line)| *number > 1 && !line.is_empty());
        if text.is_none_or(|(_, line)| !line.starts_with(BEGINNING)) {
            let says = format!("the first paragraph must begin with `{BEGINNING}…`");
            violations.push(Violation::new(page, 3, says));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{checked, file};
    use super::*;

    #[test]
    fn pages_are_listed_and_begin_with_their_use() {
        let files = [
            file(SUMMARY, "# Summary\n\n- [A](a.md)\n- [B](sub/b.md)\n"),
            file("docs/a.md", "# A\n\nAfter this page you can test.\n"),
            file("docs/sub/b.md", "# B\n\nThis page has tests.\n"),
            file("docs/c.md", "# C\n\nAfter this page you can test.\n"),
        ];
        let expected = [
            "docs/sub/b.md:3: the first paragraph must begin with `After this page you …`",
            "docs/c.md:1: docs/SUMMARY.md does not list the page",
        ];
        assert_eq!(checked(check, &files), expected);
    }
}
