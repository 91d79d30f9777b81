//! Marks in the sources of kernels with bugs.
//!
//! `//~` declares a bug and the kinds of the diagnostics that report it: `//~ name: kind` in PTX, and
//! `const NAME: u32 = 1; //~ kind` in Rust. The word `strict` stands for a bug that only a strict checker reports.

use tma_emulator::check::DiagnosticKind;

use super::Bug;

/// Returns the bug that a line declares.
///
/// # Panics
/// If the mark has no name, no kind or an unknown word.
pub(super) fn bug(line: &str) -> Option<Bug> {
    let (constant, mark) = line.split_once("//~ ")?;
    let (name, words) = match constant.strip_prefix("const ") {
        Some(constant) => constant.split_once(':').map(|(name, _)| (name, mark)),
        None => mark.split_once(':'),
    }
    .unwrap_or_else(|| panic!("`{line}` must name its bug"));
    let (strict, kinds): (Vec<&str>, Vec<&str>) =
        words.split_whitespace().partition(|word| *word == "strict");
    let finds = kinds.into_iter().map(|word| {
        let mut all = DiagnosticKind::ALL.iter();
        let kind = all.find(|kind| kind.name() == word);
        *kind.unwrap_or_else(|| panic!("`{word}` must be a kind of finding, in `{line}`"))
    });
    let finds: Vec<DiagnosticKind> = finds.collect();
    assert!(!finds.is_empty(), "`{line}` must have a kind of finding");
    Some(Bug {
        name: name.to_lowercase(),
        finds,
        strict: !strict.is_empty(),
    })
}

/// Returns the text with the bug of this name: lines that end in `// only a b` are kept only for the bugs `a` and
/// `b`, lines that end in `// not a b` for all other bugs. Removed lines are left blank, so
/// that line numbers are those of the file.
pub(super) fn with_bug(text: &str, bug: &str) -> String {
    let lines = text.lines().map(|line| {
        let has = |mark: &str| {
            let (_, names) = line.rsplit_once(mark)?;
            Some(names.split_whitespace().any(|name| name == bug))
        };
        match (has("// only "), has("// not ")) {
            (Some(false), _) | (_, Some(true)) => "\n".to_owned(),
            _ => format!("{line}\n"),
        }
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bugs_are_declared_in_rust_and_ptx() {
        let of = |name: &str, finds: &[DiagnosticKind], strict| {
            let (name, finds) = (name.to_owned(), finds.to_owned());
            Some(Bug {
                name,
                finds,
                strict,
            })
        };
        let [race, deadlock] = [DiagnosticKind::DataRace, DiagnosticKind::Deadlock];
        let two = of("no_wait", &[race, deadlock], false);
        assert_eq!(bug("//~ no_wait: data-race deadlock"), two);
        let rust = "const NO_WAIT: u32 = 1; //~ data-race strict";
        assert_eq!(bug(rust), of("no_wait", &[race], true));
        assert_eq!(bug("const CORRECT: u32 = 0; // ~"), None);
    }

    #[test]
    #[should_panic = "`data-rice` must be a kind of finding"]
    fn an_unknown_kind_is_refused() {
        let _ = bug("//~ no_wait: data-rice");
    }

    #[test]
    fn lines_are_there_with_their_bugs() {
        let text = "a;\nb; // only x z\nc; // not x\nd;\n";
        assert_eq!(with_bug(text, "correct"), "a;\n\nc; // not x\nd;\n");
        assert_eq!(with_bug(text, "x"), "a;\nb; // only x z\n\nd;\n");
        assert_eq!(with_bug(text, "y"), "a;\n\nc; // not x\nd;\n");
        assert_eq!(with_bug(text, "z"), "a;\nb; // only x z\nc; // not x\nd;\n");
    }
}
