//! Syntax errors with their locations.

use std::fmt;

use crate::span::{LineIndex, Span};

/// Maximum number of errors to print, and of characters of a line.
const MOST_SHOWN: usize = 100;
const WIDTH: usize = 240;

/// Returns the text, or its beginning and the number of omitted characters.
fn cut(text: &str) -> String {
    match text.char_indices().nth(WIDTH) {
        None => text.to_owned(),
        Some((at, _)) => {
            let more = text[at..].chars().count();
            format!("{} [and {more} more characters]", &text[..at])
        }
    }
}

/// A location where the text is not valid PTX.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: expected {expected}, found {found}")]
pub struct SyntaxError {
    /// The location of the offending text.
    pub span: Span,
    /// The line of its first byte, from 1.
    pub line: usize,
    /// The column of its first byte, from 1.
    pub column: usize,
    /// The syntax that is valid here.
    pub expected: String,
    /// The text found at this location.
    pub found: String,
    /// The line of the error, or its beginning if it is long.
    pub source_line: String,
}

impl SyntaxError {
    pub(crate) fn new(
        text: &str,
        lines: &LineIndex,
        span: Span,
        expected: String,
        found: String,
    ) -> Self {
        let location = lines.line_column(span.start());
        let source_line = cut(text.lines().nth(location.line - 1).unwrap_or(""));
        Self {
            span,
            line: location.line,
            column: location.column,
            expected,
            found,
            source_line,
        }
    }

    pub(crate) fn too_long() -> Self {
        Self {
            span: Span::default(),
            line: 1,
            column: 1,
            expected: format!("a text of at most {} bytes", Span::MOST_BYTES),
            found: "a longer one".to_owned(),
            source_line: String::new(),
        }
    }

    /// Returns spaces (and the tabs of the line) up to the column, then carets to the length of the text.
    fn underline(&self) -> String {
        let before = self
            .source_line
            .get(..self.column - 1)
            .unwrap_or(&self.source_line);
        let blank = before.chars().map(|c| if c == '\t' { '\t' } else { ' ' });
        let rest = self.source_line.len().saturating_sub(self.column - 1);
        let width = (self.span.end() - self.span.start()).min(rest).max(1);
        blank.chain(std::iter::repeat_n('^', width)).collect()
    }
}

/// All syntax errors of a text, in order; never empty.
///
/// The display shows each with its line, unless blank, and a caret under the location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxErrors {
    pub(crate) file: String,
    pub(crate) errors: Vec<SyntaxError>,
}

impl SyntaxErrors {
    /// Returns the name of the file, as passed to [`parse_named`](crate::parse_named).
    pub fn file(&self) -> &str {
        &self.file
    }

    /// Returns the errors in the order of the text.
    pub fn iter(&self) -> std::slice::Iter<'_, SyntaxError> {
        self.errors.iter()
    }
}

impl<'e> IntoIterator for &'e SyntaxErrors {
    type Item = &'e SyntaxError;
    type IntoIter = std::slice::Iter<'e, SyntaxError>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl fmt::Display for SyntaxErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, error) in self.errors.iter().take(MOST_SHOWN).enumerate() {
            let newline = if index > 0 { "\n" } else { "" };
            write!(f, "{newline}{}:{}", self.file, cut(&error.to_string()))?;
            let line = &error.source_line;
            if !line.trim().is_empty() {
                write!(f, "\n{line}\n{}", cut(&error.underline()))?;
            }
        }
        match self.errors.len().saturating_sub(MOST_SHOWN) {
            0 => Ok(()),
            more => write!(f, "\nand {more} more mistakes"),
        }
    }
}

impl std::error::Error for SyntaxErrors {}
