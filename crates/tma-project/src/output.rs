//! Output for users.

use std::fmt::{self, Display, Formatter};

/// Prints a line. A closed pipe, as after `head`, is not an error.
#[macro_export]
macro_rules! say {
    ($($text:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stdout(), $($text)*);
    }};
}

/// Prints a line to the standard error stream.
#[macro_export]
macro_rules! complain {
    ($($text:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr(), $($text)*);
    }};
}

/// The result of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// The requirement is met.
    Ok,
    /// The requirement is not met, and the project cannot work without it.
    Fatal,
    /// Information only.
    Info,
}

impl Mark {
    /// Returns `Ok` if `good` is true, otherwise `Fatal`.
    pub fn of(good: bool) -> Self {
        if good { Self::Ok } else { Self::Fatal }
    }

    /// Returns the name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Fatal => "fatal",
            Self::Info => "info",
        }
    }
}

impl Display for Mark {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ok => "✓",
            Self::Fatal => "✗",
            Self::Info => "-",
        })
    }
}

/// Formats a table with minimal column widths: the first column left-aligned, the others right-aligned.
pub fn table<const COLUMNS: usize>(rows: &[[String; COLUMNS]]) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths: [usize; COLUMNS] = std::array::from_fn(|column| width(column).unwrap_or(0));
    let line = |row: &[String; COLUMNS]| {
        let mut line = format!("{:<width$}", row[0], width = widths[0]);
        for (cell, width) in row.iter().zip(widths).skip(1) {
            line += &format!("  {cell:>width$}");
        }
        line
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let rows = [["kernel", "regs"], ["a", "7"]].map(|row| row.map(str::to_owned));
        assert_eq!(table(&rows), "kernel  regs\na          7");
    }
}
