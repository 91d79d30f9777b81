//! PTX texts with marked lines.

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
    fn lines_are_there_with_their_bugs() {
        let text = "a;\nb; // only x z\nc; // not x\nd;\n";
        assert_eq!(with_bug(text, "correct"), "a;\n\nc; // not x\nd;\n");
        assert_eq!(with_bug(text, "x"), "a;\nb; // only x z\n\nd;\n");
        assert_eq!(with_bug(text, "y"), "a;\n\nc; // not x\nd;\n");
        assert_eq!(with_bug(text, "z"), "a;\nb; // only x z\nc; // not x\nd;\n");
    }
}
