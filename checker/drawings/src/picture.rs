//! The drawing: global memory on the left, shared memory on the right.
//!
//! Each piece of 16 bytes has the colour of its index in its row on both sides, so that the swizzle is visible.
//! With `wgmma`, pieces have the colour of the step that reads them. Pieces out of bounds are hatched.

use tensor_map::{
    Swizzle,
    walk::{BoxRow, Direction},
};

use crate::{
    TensorCopy,
    svg::{Rect, Svg},
};

const CELL: f64 = 46.0;
const LINE: f64 = 18.0;
/// Maximum number of rows to draw; further rows are only counted.
const MOST_ROWS: usize = 256;

/// Draws a copy below the lines of the summary.
pub(crate) fn picture(copy: &TensorCopy, summary: &[String]) -> String {
    let mut svg = Svg::new();
    let arrow = if copy.direction == Direction::Load {
        "to"
    } else {
        "from"
    };
    let title = format!(
        "{} copy, global memory {arrow} shared memory",
        copy.params.mode()
    );
    svg.text(10.0, 20.0, "head", &title);
    let mut y = 38.0;
    let tensor = copy.params.tensor();
    let kind = format!(
        "{} {:?}, strides {:?} bytes, swizzle {}",
        tensor.data_type.name(),
        tensor.dims,
        tensor.strides_bytes,
        tensor.swizzle.name()
    );
    for line in [&kind].into_iter().chain(summary) {
        svg.text(10.0, y, "", line);
        y += 15.0;
    }
    // Space for the headings of both sides.
    y += 40.0;
    let shown = &copy.rows[..copy.rows.len().min(MOST_ROWS)];
    let right = global(&mut svg, copy, shown, y);
    shared(&mut svg, copy, shown, right + 130.0, y);
    if shown.len() < copy.rows.len() {
        let hidden = copy.rows.len() - shown.len();
        let below = y + LINE * (shown.len() as f64 + 1.0);
        svg.text(10.0, below, "", &format!("and {hidden} more rows"));
    }
    svg.finish()
}

/// Draws the rows in global memory, each with its first element, and returns the right edge.
fn global(svg: &mut Svg, copy: &TensorCopy, rows: &[BoxRow], y: f64) -> f64 {
    let label = |(number, (row, first)): (usize, (&BoxRow, &Vec<i64>))| {
        format!("{number}: {first:?} at {}", row.global_offset)
    };
    let labels = rows.iter().zip(&copy.firsts).enumerate().map(label);
    let labels: Vec<String> = labels.collect();
    let longest = labels.iter().map(String::len).max().unwrap_or(0);
    let left = 7.0 * longest as f64 + 20.0;
    svg.text(
        10.0,
        y - 8.0,
        "head",
        "global memory, a row of the box a line",
    );
    let mut right = left;
    for (number, (row, label)) in rows.iter().zip(&labels).enumerate() {
        let top = y + LINE * number as f64;
        svg.text(left - 8.0, top + 13.0, "end", label);
        for (piece, begin) in (0..row.bytes).step_by(16).enumerate() {
            let end = (begin + 16).min(row.bytes);
            let x = left + CELL * piece as f64;
            let (first, last) = (
                i128::from(row.global_offset) + i128::from(begin),
                i128::from(row.global_offset) + i128::from(end) - 1,
            );
            let title = format!(
                "row {number}, from element {:?}, bytes {begin} to {}: bytes {first} to {last} of the tensor",
                copy.firsts[number],
                end - 1
            );
            cell(
                svg,
                Rect {
                    x,
                    y: top,
                    width: CELL,
                    height: LINE,
                },
                row,
                begin..end,
                copy.direction,
                copy.step_of(number, begin),
                &title,
            );
            right = right.max(x + CELL);
        }
    }
    right
}

/// Draws the box in shared memory in lines of 128 bytes, the width of all banks.
fn shared(svg: &mut Svg, copy: &TensorCopy, rows: &[BoxRow], x: f64, y: f64) {
    svg.text(x, y - 24.0, "head", "shared memory, 128 bytes a line");
    svg.text(x - 8.0, y - 6.0, "end", "banks");
    for group in 0..8 {
        let middle = x + CELL * (f64::from(group) + 0.5);
        svg.text(
            middle,
            y - 6.0,
            "middle",
            &format!("{}-{}", group * 4, group * 4 + 3),
        );
    }
    let swizzle = copy.params.tensor().swizzle;
    let first_line = copy.shared_address / 128;
    let mut labelled = None;
    for (number, row) in rows.iter().enumerate() {
        for piece in row.pieces(swizzle, copy.shared_address) {
            for part in (0..piece.bytes).step_by(16) {
                let begin = piece.row_offset + part;
                let end = (begin + 16).min(piece.row_offset + piece.bytes);
                let address = piece.shared_address + part as u32;
                let line = address / 128 - first_line;
                let top = y + LINE * f64::from(line);
                let rect = Rect {
                    x: x + CELL / 16.0 * f64::from(address % 128),
                    y: top,
                    width: CELL / 16.0 * (end - begin) as f64,
                    height: LINE,
                };
                if labelled != Some(line) {
                    svg.text(
                        x - 8.0,
                        top + 13.0,
                        "end",
                        &(address / 128 * 128).to_string(),
                    );
                    labelled = Some(line);
                }
                let title = format!(
                    "shared bytes {address} to {}: row {number}, bytes {begin} to {}",
                    address + (end - begin) as u32 - 1,
                    end - 1
                );
                let step = copy.step_at(address.into());
                let title = match step {
                    Some(step) => format!("{title}, read by wgmma step {step}"),
                    None => title,
                };
                cell(svg, rect, row, begin..end, copy.direction, step, &title);
                let middle = (rect.x + rect.width / 2.0, top + 12.0);
                if swizzle != Swizzle::B128Atom32Flip8 {
                    svg.text(
                        middle.0,
                        middle.1,
                        "middle",
                        &format!("{number}:{}", begin / 16),
                    );
                }
            }
        }
    }
}

/// Draws a part of a row, coloured by its index and hatched if out of bounds.
fn cell(
    svg: &mut Svg,
    rect: Rect,
    row: &BoxRow,
    bytes: std::ops::Range<u64>,
    direction: Direction,
    step: Option<usize>,
    title: &str,
) {
    let inside = row.inside.start.max(bytes.start)..row.inside.end.min(bytes.end);
    let outside = match direction {
        Direction::Load => "out of bounds, filled",
        Direction::Store => "out of bounds, not written",
    };
    if inside.is_empty() {
        return svg.rectangle(rect, "url(#outside)", &format!("{title}, {outside}"));
    }
    let hue = step.map_or(bytes.start / 16, |step| step as u64) % 8 * 45;
    let colour = format!("hsl({hue}, 70%, 80%)");
    if inside == bytes {
        return svg.rectangle(rect, &colour, title);
    }
    svg.rectangle(rect, "url(#outside)", &format!("{title}, partly {outside}"));
    let scale = rect.width / (bytes.end - bytes.start) as f64;
    let part = Rect {
        x: rect.x + scale * (inside.start - bytes.start) as f64,
        width: scale * (inside.end - inside.start) as f64,
        ..rect
    };
    svg.rectangle(part, &colour, title);
}
