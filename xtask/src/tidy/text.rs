//! Rules about the text of files.

use super::{File, Violation};
use crate::test::LIFTED;

/// Line limit; longer files are hard to read. The house rules recommend about 500.
const MOST_LINES: usize = 600;

/// Extensions of handwritten files; generated files may be long.
const WRITTEN: &[&str] = &["rs", "md", "sh", "toml", "yml", "cu"];

/// Root folders that exist only on a particular machine.
const MACHINE: &[&str] = &["home", "root", "tmp", "work"];

const FIXTURES: &[&str] = &["tests/fixtures"];

/// Pages written by `bless`.
const PAGES: &[&str] = &["docs/mutation.md", "docs/support-matrix.md"];

/// Folders that may contain PTX: the wrappers, the macros, and crates that test a compiler.
const ASSEMBLY: &[&str] = &[
    "crates/tma/src/ptx",
    "crates/tma-macros",
    "crates/tma-build/src/self_test",
    "crates/tma-build/tests",
    "tests/fixtures",
];

/// Folders whose comments and pages follow the list of [`WORDS`].
const PROSE: &[&str] = &[
    "README.md",
    "benches",
    "checker",
    "crates",
    "docs",
    "examples",
    "host",
    "kernels-gpu",
    "kernels-host",
    "tests",
    "xtask",
];

/// Words of comments and pages that make a reader stop, each with its replacement.
const WORDS: &[(&str, &str)] = &[
    (
        concat!("no", "body"),
        "`no thread`, `no other code` or `not`",
    ),
    (concat!("so m", "any "), "the name of the count"),
];

// Split so that this file does not match itself.
const ASM: &str = concat!("asm", "!(");
const DEBUG_PRINT: &str = concat!("dbg", "!(");
const IGNORE: &str = concat!("#[", "ignore");
const LATER: &str = concat!("TO", "DO");

/// Counts the lines outside of the blocks that `bless` writes, such as records.
fn written_lines(file: &File) -> usize {
    let mut is_generated = false;
    let is_written = |(_, line): &(usize, &str)| {
        is_generated |= line.starts_with("<!-- figures: ");
        is_generated &= *line != "<!-- end of figures -->";
        !is_generated
    };
    file.lines().filter(is_written).count()
}

pub(super) fn check(files: &[File], violations: &mut Vec<Violation>) {
    for file in files {
        let length = written_lines(file);
        let is_written = WRITTEN.contains(&file.extension())
            && !file.is_below(FIXTURES)
            && !PAGES.contains(&file.path.as_str());
        if length > MOST_LINES && is_written {
            violations.push(Violation::new(
                file,
                MOST_LINES,
                format!("the file has {length} lines; split it into files of at most about 500"),
            ));
        }
        for (number, line) in file.lines() {
            let mut violation = |says: String| violations.push(Violation::new(file, number, says));
            if let Some(path) = machine_path(line) {
                violation(format!("contains a path of one machine, {path}"));
            }
            if line
                .split(|c: char| !c.is_alphanumeric())
                .any(|word| word == LATER)
            {
                violation(format!("has a {LATER}; do it, or open an issue"));
            }
            let is_comment = line.trim_start().starts_with("//");
            if (is_comment || file.extension() == "md") && file.is_below(PROSE) {
                let lower = line.to_lowercase();
                for (word, better) in WORDS.iter().filter(|(word, _)| lower.contains(word)) {
                    violation(format!("contains `{}`; use {better}", word.trim_end()));
                }
            }
            if file.extension() != "rs" || is_comment {
                continue;
            }
            if line.contains(DEBUG_PRINT) {
                violation("prints for debugging".to_owned());
            }
            if let Some(reason) = ignored(line)
                && !LIFTED.iter().any(|(lifted, _)| *lifted == reason)
            {
                violation(format!(
                    "must not ignore a test for the reason `{reason}`, which no verb lifts"
                ));
            }
            if line.contains(ASM) && !file.is_below(ASSEMBLY) {
                violation(format!(
                    "contains assembly, which belongs below {}",
                    ASSEMBLY[0]
                ));
            }
        }
    }
}

/// Returns the reason of an attribute that ignores a test, always or conditionally; empty if it has none.
fn ignored(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let under_condition = || line.strip_prefix("#[cfg_attr(")?.split_once(", ignore");
    let rest = match line.strip_prefix(IGNORE) {
        Some(rest) => rest,
        None => under_condition()?.1,
    };
    Some(rest.split('"').nth(1).unwrap_or_default())
}

/// Returns the first absolute path that begins with a folder of a machine.
fn machine_path(line: &str) -> Option<String> {
    MACHINE.iter().find_map(|folder| {
        let path = format!("/{folder}/");
        let begins = |at: usize| {
            let before = line[..at].chars().next_back();
            before.is_none_or(|c| !c.is_alphanumeric() && !"_-.}/*$".contains(c))
        };
        line.match_indices(&path)
            .any(|(at, _)| begins(at))
            .then_some(path)
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{checked, file};
    use super::*;

    fn says(path: &str, text: &str) -> Vec<String> {
        checked(check, &[file(path, text)])
    }

    #[test]
    fn assembly_stays_in_its_place() {
        let text = format!("// {ASM}\ncore::arch::{ASM}\"ret;\");\n");
        assert_eq!(says("crates/tma/src/ptx/fence.rs", &text), [""; 0]);
        let expected =
            "kernels-gpu/src/a.rs:2: contains assembly, which belongs below crates/tma/src/ptx";
        assert_eq!(says("kernels-gpu/src/a.rs", &text), [expected]);
    }

    #[test]
    fn words_that_stop_a_reader_are_named_in_comments_and_pages() {
        for (word, better) in WORDS {
            let text = format!("/// Here {word} x.\nlet {} = 0;\n", word.trim());
            let word = word.trim_end();
            let expected = format!("host/src/a.rs:1: contains `{word}`; use {better}");
            assert_eq!(says("host/src/a.rs", &text), [expected]);
            assert_eq!(says("docs/a.md", &text).len(), 2);
            assert_eq!(says("CHANGELOG.md", &text), [""; 0]);
        }
    }

    #[test]
    fn long_files_are_named_unless_generated() {
        let text = "\n".repeat(MOST_LINES + 1);
        assert_eq!(says("a.rs", &text).len(), 1);
        let block = format!("<!-- figures: a -->\n{text}<!-- end of figures -->\n");
        assert_eq!(says("a.md", &block).len(), 0);
        assert_eq!(says("a.md", &(block + &text)).len(), 1);
        assert_eq!(
            says("a.tsv", &text).len() + says("tests/fixtures/a.rs", &text).len(),
            0
        );
    }

    #[test]
    fn folders_of_a_machine_are_found() {
        let of = |folder: &str| format!("{}{folder}{}", '/', "/x");
        for folder in MACHINE {
            assert!(machine_path(&format!("see {}", of(folder))).is_some());
            assert!(machine_path(&format!("target{}", of(folder))).is_none());
        }
        assert!(machine_path("https://x.org/usr/lib").is_none());
    }

    #[test]
    fn a_test_is_ignored_only_for_what_a_verb_lifts() {
        let of = |reason: &str| says("a.rs", &format!("    {IGNORE}{reason}]\n"));
        assert_eq!(of(" = \"minutes\""), [""; 0]);
        let said = |reason: &str| {
            format!("a.rs:1: must not ignore a test for the reason `{reason}`, which no verb lifts")
        };
        assert_eq!(of(" = \"broken\""), [said("broken")]);
        assert_eq!(of(""), [said("")]);
        let under_condition = |reason: &str| {
            let line = format!("    #[cfg_attr(not(nvcc), ignore{reason})]\n");
            says("a.rs", &line)
        };
        assert_eq!(under_condition(" = \"needs nvcc\""), [""; 0]);
        assert_eq!(under_condition(""), [said("")]);
    }

    #[test]
    fn leftovers_are_found() {
        assert_eq!(says("a.md", &format!("{LATER}: more\n")).len(), 1);
        assert_eq!(says("a.md", &format!("METHOD{LATER}S\n")).len(), 0);
        assert_eq!(
            says("a.rs", &format!("let x = {DEBUG_PRINT}y);\n")),
            ["a.rs:1: prints for debugging"]
        );
    }
}
