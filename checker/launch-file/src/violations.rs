//! Violations of the launch file format, each with its location.

use std::{
    cell::RefCell,
    fmt::{self, Display, Formatter},
    ops::Range,
};

use ptx::LineIndex;

/// All violations in a launch file, in the order of the text; never empty.
///
/// The display shows each with its line and carets under the location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violations {
    pub(super) file: String,
    pub(super) list: Vec<Violation>,
}

/// An error at one location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The line number, from 1.
    pub line: usize,
    /// The byte within the line, from 1.
    pub column: usize,
    /// The message: the error and its correction.
    pub says: String,
    source_line: String,
    width: usize,
}

impl Violations {
    /// Returns the name of the file.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// Returns the violations in the order of the text.
    pub fn iter(&self) -> std::slice::Iter<'_, Violation> {
        self.list.iter()
    }
}

impl Display for Violations {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (index, violation) in self.list.iter().enumerate() {
            let newline = if index > 0 { "\n" } else { "" };
            let Violation {
                line, column, says, ..
            } = violation;
            write!(f, "{newline}{}:{line}:{column}: {says}", self.file)?;
            if !violation.source_line.trim().is_empty() {
                write!(f, "\n{}\n{}", violation.source_line, violation.underline())?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for Violations {}

impl Violation {
    fn new(text: &str, lines: &LineIndex, at: &Range<usize>, says: String) -> Self {
        let location = lines.line_column(at.start.min(text.len()));
        let source_line = text.lines().nth(location.line - 1).unwrap_or("").to_owned();
        Self {
            line: location.line,
            column: location.column,
            says,
            source_line,
            width: at.len(),
        }
    }

    /// Returns spaces (and the tabs of the line) up to the column, then carets to the end of the location or of the
    /// line.
    fn underline(&self) -> String {
        let (before, rest) = self
            .source_line
            .split_at_checked(self.column - 1)
            .unwrap_or((&self.source_line, ""));
        let blank = before.chars().map(|c| if c == '\t' { '\t' } else { ' ' });
        let rest = rest.get(..self.width.min(rest.len())).unwrap_or(rest);
        let width = rest.chars().count().max(1);
        blank.chain(std::iter::repeat_n('^', width)).collect()
    }
}

/// A violation before its line number is computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Invalid {
    /// A violation at these bytes of the text.
    Here(Range<usize>, String),
    /// A violation that was noted already.
    Noted,
}

/// Marks a violation that was noted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Noted;

impl From<Noted> for Invalid {
    fn from(Noted: Noted) -> Self {
        Self::Noted
    }
}

/// The violations found so far.
#[derive(Debug, Default)]
pub(super) struct Notes(RefCell<Vec<(Range<usize>, String)>>);

impl Notes {
    pub(super) fn note(&self, wrong: Invalid) -> Noted {
        if let Invalid::Here(at, says) = wrong {
            self.0.borrow_mut().push((at, says));
        }
        Noted
    }

    /// Returns all violations as an error, or `Ok` if there are none.
    pub(super) fn into_result(self, file: &str, text: &str) -> Result<(), Violations> {
        let mut all = self.0.into_inner();
        if all.is_empty() {
            return Ok(());
        }
        all.sort_by_key(|(at, _)| at.start);
        let lines = LineIndex::new(text);
        let location = |(at, says)| Violation::new(text, &lines, &at, says);
        Err(Violations {
            file: file.to_owned(),
            list: all.into_iter().map(location).collect(),
        })
    }
}
