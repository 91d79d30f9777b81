//! Doc comments must begin with a statement about the item.

use super::{File, Violation};

/// Words that begin an indirect question, each with a suggested beginning.
const QUESTIONS: [(&str, &str); 3] = [
    ("What", "`The bytes that …`, or a verb: `Returns …`"),
    ("Whether", "`Returns whether …`, or `True if …` for a field"),
    ("Which", "`The dimension that …`"),
];

pub(super) fn check(files: &[File], violations: &mut Vec<Violation>) {
    for file in files.iter().filter(|file| file.extension() == "rs") {
        let mut before = None;
        for (number, line) in file.lines() {
            let text = doc(line);
            let begins =
                before.is_none_or(|before: &str| before.is_empty() || before.starts_with('#'));
            if let Some((word, instead)) = text.filter(|_| begins).and_then(question) {
                violations.push(Violation::new(
                    file,
                    number,
                    format!("a doc comment begins with `{word}`; write {instead}"),
                ));
            }
            before = text;
        }
    }
}

/// Returns the text of a line of a doc comment.
fn doc(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let text = line
        .strip_prefix("///")
        .or_else(|| line.strip_prefix("//!"))?;
    Some(text.trim())
}

fn question(text: &str) -> Option<(&'static str, &'static str)> {
    let end = text
        .find(|c: char| !c.is_alphanumeric())
        .unwrap_or(text.len());
    QUESTIONS
        .into_iter()
        .find(|(word, _)| *word == &text[..end])
}

#[cfg(test)]
mod tests {
    use super::super::testing::{checked, file};
    use super::*;

    fn says(path: &str, text: &str) -> Vec<String> {
        checked(check, &[file(path, text)])
    }

    #[test]
    fn questions_are_refused() {
        let text =
            "//! What lies here.\n\n/// Which one.\n#[inline]\nfn a() {}\n    /// Whether: so.\n";
        assert_eq!(
            says("a.rs", text),
            [
                "a.rs:1: a doc comment begins with `What`; write `The bytes that …`, or a verb: `Returns …`",
                "a.rs:3: a doc comment begins with `Which`; write `The dimension that …`",
                "a.rs:6: a doc comment begins with `Whether`; write `Returns whether …`, or `True if …` for a field",
            ]
        );
    }

    #[test]
    fn so_are_those_that_begin_a_paragraph() {
        assert_eq!(
            says(
                "a.rs",
                "/// Opens it.\n///\n/// # Errors\n/// What failed.\n"
            )
            .len(),
            1
        );
        assert_eq!(
            says("a.rs", "/// Opens it.\n///\n/// What it opens stays.\n").len(),
            1
        );
    }

    #[test]
    fn statements_are_not() {
        let text = "/// Returns whether it is so. Says\n/// What is so.\n/// Whatever.\n// What follows.\n";
        assert_eq!(says("a.rs", text), [""; 0]);
        assert_eq!(says("a.md", "/// What\n"), [""; 0]);
    }
}
