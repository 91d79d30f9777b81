//! PTX texts with marked lines.

/// The text with one bug, or with none (0): lines that end in `// only 2 3` are there with these bugs
/// alone, and those that end in `// not 2 3` with all but these. What is not there is left blank, so
/// that line numbers are those of the file.
pub(super) fn with_bug(text: &str, bug: usize) -> String {
    let lines = text.lines().map(|line| {
        let has = |mark: &str| {
            let (_, numbers) = line.rsplit_once(mark)?;
            let mut numbers = numbers.split_whitespace();
            Some(numbers.any(|number| number.parse() == Ok(bug)))
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
        let text = "a;\nb; // only 1 3\nc; // not 1\nd;\n";
        assert_eq!(with_bug(text, 0), "a;\n\nc; // not 1\nd;\n");
        assert_eq!(with_bug(text, 1), "a;\nb; // only 1 3\n\nd;\n");
        assert_eq!(with_bug(text, 2), "a;\n\nc; // not 1\nd;\n");
        assert_eq!(with_bug(text, 3), "a;\nb; // only 1 3\nc; // not 1\nd;\n");
    }
}
