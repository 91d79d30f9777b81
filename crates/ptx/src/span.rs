//! Locations in the text: byte spans, and their lines and columns.

use std::fmt;
use std::ops::{Deref, Range};

/// A range of bytes of the parsed text.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    start: u32,
    end: u32,
}

impl Span {
    /// Maximum length of a text with spans, in bytes.
    pub(crate) const MOST_BYTES: usize = u32::MAX as usize;

    /// Returns the span of the bytes `start..end`.
    ///
    /// # Panics
    /// An offset exceeds 2^32 - 1, the maximum length of a text.
    pub const fn new(start: usize, end: usize) -> Self {
        assert!(start <= Self::MOST_BYTES && end <= Self::MOST_BYTES);
        Self {
            start: start as u32,
            end: end as u32,
        }
    }

    /// Returns the offset of the first byte.
    pub const fn start(self) -> usize {
        self.start as usize
    }

    /// Returns the offset after the last byte.
    pub const fn end(self) -> usize {
        self.end as usize
    }

    /// Returns the smallest span that contains both.
    pub fn to(self, other: Span) -> Span {
        Span {
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }

    /// Returns the part of `text` covered by the span; empty if the span is out of bounds.
    pub fn slice(self, text: &str) -> &str {
        text.get(self.start()..self.end()).unwrap_or("")
    }
}

impl From<Range<usize>> for Span {
    fn from(range: Range<usize>) -> Self {
        Self::new(range.start, range.end)
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.start, self.end)
    }
}

/// The location of a node in the text.
///
/// Locations are not part of a node's meaning: two `At` are always equal, so that comparing trees compares their
/// meaning. Compare the [`Span`]s inside to compare locations. A node that was not read from text has the default,
/// the empty span `0..0`.
#[derive(Clone, Copy, Default)]
pub struct At(pub Span);

impl At {
    /// Returns whether the node was read from a text.
    pub fn is_known(self) -> bool {
        self.0 != Span::default()
    }
}

impl Deref for At {
    type Target = Span;

    fn deref(&self) -> &Span {
        &self.0
    }
}

impl From<Span> for At {
    fn from(span: Span) -> Self {
        Self(span)
    }
}

impl PartialEq for At {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for At {}

impl fmt::Debug for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A location as line and column. Both start at 1; the column counts bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LineColumn {
    /// The line in the text, from 1.
    pub line: usize,
    /// The byte within the line, from 1.
    pub column: usize,
}

impl fmt::Display for LineColumn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// Converts byte offsets of a text to lines and columns.
///
/// ```
/// use ptx::LineIndex;
///
/// let lines = LineIndex::new("ret;\nexit;\n");
/// assert_eq!(lines.line_column(5).to_string(), "2:1");
/// ```
#[derive(Clone, Debug)]
pub struct LineIndex {
    starts: Vec<u32>,
}

impl LineIndex {
    /// Finds the beginnings of the lines of `text`.
    pub fn new(text: &str) -> Self {
        let newlines = text.match_indices('\n');
        let after_newlines = newlines.map(|(at, _)| at as u32 + 1);
        Self {
            starts: std::iter::once(0).chain(after_newlines).collect(),
        }
    }

    /// Returns the line and column of the byte at `offset`.
    pub fn line_column(&self, offset: usize) -> LineColumn {
        let line = self
            .starts
            .partition_point(|start| *start as usize <= offset);
        LineColumn {
            line,
            column: offset - self.starts[line - 1] as usize + 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locations_count_from_one_and_newlines_end_their_line() {
        let lines = LineIndex::new("ab\n\ncd");
        let line_column = |offset| {
            (
                lines.line_column(offset).line,
                lines.line_column(offset).column,
            )
        };
        assert_eq!(
            [0, 1, 2, 3, 4, 5, 6].map(line_column),
            [(1, 1), (1, 2), (1, 3), (2, 1), (3, 1), (3, 2), (3, 3)]
        );
        assert_eq!(
            LineIndex::new("").line_column(0),
            LineColumn { line: 1, column: 1 }
        );
    }

    #[test]
    fn spans_join_and_slice() {
        assert_eq!(Span::new(4, 6).to(Span::new(1, 2)), Span::new(1, 6));
        assert_eq!(Span::new(1, 3).slice("abcd"), "bc");
        assert_eq!(Span::new(1, 9).slice("abcd"), "");
    }

    #[test]
    fn locations_do_not_distinguish_nodes_but_spans_differ() {
        let (a, b) = (At(Span::new(0, 1)), At(Span::new(5, 6)));
        assert_eq!(a, b);
        assert_ne!(*a, *b);
        assert!(a.is_known() && !At::default().is_known());
    }
}
