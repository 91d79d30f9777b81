//! Tables of text.

/// Formats rows with left-aligned columns.
pub(super) fn left<R: AsRef<[String]>>(rows: &[R]) -> String {
    table(rows, |cell, width| format!("{cell:<width$}"))
}

/// Formats rows with right-aligned columns.
pub(super) fn right<R: AsRef<[String]>>(rows: &[R]) -> String {
    table(rows, |cell, width| format!("{cell:>width$}"))
}

fn table<R: AsRef<[String]>>(rows: &[R], align: impl Fn(&str, usize) -> String) -> String {
    let mut widths = Vec::new();
    for row in rows {
        let row = row.as_ref();
        widths.resize(widths.len().max(row.len()), 0);
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.chars().count().max(*width);
        }
    }
    let line = |row: &R| {
        let cells = row.as_ref().iter().zip(&widths);
        let cells: Vec<String> = cells.map(|(cell, width)| align(cell, *width)).collect();
        cells.join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}
