//! Boxes of tensor copies in shared memory, and the descriptors by which products of a warpgroup read them.

pub(super) mod collisions;

use collisions::{LINES, PIECE, name_of_line};
use tensor_map::{MatrixDescriptor, Swizzle};

use super::{checker::Checker, finding::FindingEnd, kind::DiagnosticKind};
use crate::machine::observer::{BoxLayout, CopyId, MatrixRead, Memory, Origin, Range};

/// Bytes of eight lines of a piece each, which an unswizzled descriptor takes as one.
const CORE_BYTES: i64 = LINES * PIECE as i64;

impl BoxLayout {
    fn row_bytes(&self) -> u64 {
        self.data_type.shared_bytes(self.extents[0].into())
    }

    /// Returns the bytes from one row to the next, if each row can be one line of a matrix. Longer rows without
    /// a swizzle may be matrices of eight lines each.
    fn pitch(&self) -> Option<u64> {
        let row = self.row_bytes();
        self.swizzle.span_bytes().or((row == PIECE).then_some(row))
    }

    /// Returns, for a box without a swizzle and with rows longer than a piece, the byte of the row at which
    /// eight lines of a matrix begin, if the row does not hold whole matrices one after another. `lies` is the
    /// box's byte of `line`.
    fn misplaced_core(&self, lies: u64, line: u32) -> Option<i64> {
        let row = self.row_bytes() as i64;
        let begin = lies as i64 % row - i64::from(line) % LINES * PIECE as i64;
        let is_held = begin >= 0 && begin % CORE_BYTES == 0 && begin + CORE_BYTES <= row;
        (!is_held).then_some(begin)
    }

    /// Returns whether a matrix that begins at one place may begin at the other, too, `groups` of eight lines
    /// later: rows follow one another, or the later lines are whole slices of the box further.
    fn agrees(&self, pitch: u64, groups: i64, known: Place, begin: Place) -> bool {
        let mut extents = self.extents[1..].iter().filter(|extent| **extent != 1);
        let (Some(rows), Some(_)) = (extents.next(), extents.next()) else {
            return known == begin;
        };
        let further = begin.0 - known.0;
        let is_slices = |further: i64| further % i64::from(*rows) == 0;
        (is_slices(further) || is_slices(further + LINES * groups))
            && (begin.1 - known.1) % pitch as i64 == 0
    }

    /// Returns the address of a byte without the swizzle.
    fn unswizzled(&self, address: u64) -> u64 {
        self.swizzle.apply(address as u32).into()
    }
}

/// A place in a box: a row, and a byte in it.
type Place = (i64, i64);

impl Checker {
    pub(super) fn copy_box(&mut self, origin: Origin, copy: CopyId, tile: BoxLayout) {
        let BoxLayout {
            address,
            pattern_bytes,
            ..
        } = tile;
        let beyond = address % u64::from(pattern_bytes.max(1));
        if tile.swizzle != Swizzle::None && beyond != 0 {
            let what = format!("copies a box at shared address {address:#x}");
            self.report(DiagnosticKind::SwizzleAlignment, FindingEnd::new(origin, what), None, |_| {
                vec![format!(
                    "the pattern repeats every {pattern_bytes} bytes; the box begins {beyond} bytes into it"
                )]
            });
        }
        if let Some(info) = self.copies.get_mut(copy as usize) {
            info.tile = Some(Box::new(tile));
        }
    }

    /// Compares the descriptor of a matrix with the boxes there, and its pieces with each other. For bytes that
    /// ordinary stores wrote, only the pieces are compared.
    pub(super) fn product_matrix(&mut self, origin: Origin, matrix: MatrixRead) {
        let Some((written, misfit)) = self.misfit(origin, matrix) else {
            return;
        };
        let MatrixRead {
            is_a, descriptor, ..
        } = matrix;
        let name = if is_a { 'A' } else { 'B' };
        let reads =
            format!("issues a product that reads {name} by the descriptor {descriptor:#018x}");
        let there = written.and_then(|(copy, tile)| {
            let range = Range {
                memory: Memory::Shared {
                    block: origin.block,
                },
                address: tile.address,
                bytes: 0,
            };
            let writes = format!("issues a copy of a box to {}", self.place(range));
            let copy = self.copies.get(copy as usize)?;
            Some(FindingEnd::new(copy.origin, writes))
        });
        let here = FindingEnd::new(origin, reads);
        self.report(DiagnosticKind::ProductLayout, here, there, |_| {
            let of_copy = written.map(|(_, tile)| of_copy(&tile));
            let notes = [of_descriptor(matrix), misfit];
            of_copy.into_iter().chain(notes).collect()
        });
    }

    /// Returns the copy that wrote a piece, and its box.
    fn box_at(&mut self, origin: Origin, address: u64) -> Option<(u32, BoxLayout)> {
        let copy = self.writing_copy(origin, address)?;
        let tile = self.copies.get(copy as usize)?.tile.as_deref().copied()?;
        Some((copy, tile))
    }

    /// Returns two pieces at one address, or the first piece that is not where a copy stored it: the copy, and
    /// the defect.
    fn misfit(
        &mut self,
        origin: Origin,
        matrix: MatrixRead,
    ) -> Option<(Option<(u32, BoxLayout)>, String)> {
        let descriptor = MatrixDescriptor::decode(matrix.descriptor);
        if let Some(collision) = self.collisions.of(matrix) {
            let written = self.box_at(origin, collision.address(matrix));
            // Threads may have stored one matrix that is to count several times.
            if written.is_some() || !collision.is_repetition {
                return Some((written, collision.describe(matrix)));
            }
        }
        // For each box, where the matrix would begin in it, by which group of lines.
        let mut begins: Vec<(u32, i64, Place)> = Vec::new();
        for line in 0..matrix.lines {
            for piece in 0..matrix.pieces {
                let byte = u64::from(piece) * PIECE;
                let address = matrix.address(&descriptor, (line, piece));
                let Some((copy, tile)) = self.box_at(origin, address) else {
                    continue;
                };
                let lies = tile.unswizzled(address).wrapping_sub(tile.address);
                let read = descriptor.unswizzled(address).wrapping_sub(tile.address);
                if lies != read {
                    let misfit = format!(
                        "the swizzle of the box stored its bytes from {lies} on at shared address {address:#x}, \
                         but the swizzle of the descriptor reads them as the bytes from {read} on"
                    );
                    return Some((Some((copy, tile)), misfit));
                }
                let Some(pitch) = tile.pitch() else {
                    if let Some(begin) = tile.misplaced_core(lies, line) {
                        let misfit = not_held(matrix, (line, byte), tile.row_bytes(), begin);
                        return Some((Some((copy, tile)), misfit));
                    }
                    continue;
                };
                let at = ((lies / pitch) as i64, (lies % pitch) as i64);
                let begin = (at.0 - i64::from(line), at.1 - byte as i64);
                let group = i64::from(line) / LINES;
                let (first, known) = match begins.iter().find(|(of, ..)| *of == copy) {
                    Some((_, first, known)) => (*first, *known),
                    None => {
                        begins.push((copy, group, begin));
                        (group, begin)
                    }
                };
                if !tile.agrees(pitch, group - first, known, begin) {
                    let misfit = elsewhere(matrix, (line, byte), at, known);
                    return Some((Some((copy, tile)), misfit));
                }
            }
        }
        None
    }

    /// Returns the bulk copy that wrote 16 bytes last, by their first word.
    fn writing_copy(&mut self, origin: Origin, address: u64) -> Option<u32> {
        let mut copy = None;
        let block = Some(origin.block as u32);
        self.shadow.visit(block, address, 4, |cell, _, _| {
            copy = cell.write.copy().filter(|_| cell.write.is_write_of_copy());
        });
        copy
    }
}

fn swizzle(swizzle: Swizzle) -> String {
    match swizzle.span_bytes() {
        Some(span) => format!("a swizzle of {span} bytes (`{}`)", swizzle.name()),
        None => "no swizzle".to_owned(),
    }
}

fn of_copy(tile: &BoxLayout) -> String {
    let last = tile.extents.iter().rposition(|extent| *extent != 1);
    let extents = &tile.extents[..=last.unwrap_or(0).max(1)];
    let extents: Vec<String> = extents.iter().map(u32::to_string).collect();
    format!(
        "the copy wrote a box of {} elements of `{}` there, with {}",
        extents.join(" x "),
        tile.data_type.name(),
        swizzle(tile.swizzle)
    )
}

fn of_descriptor(matrix: MatrixRead) -> String {
    let MatrixDescriptor {
        start_bytes,
        leading_bytes,
        stride_bytes,
        base_offset,
        swizzle: mode,
    } = MatrixDescriptor::decode(matrix.descriptor);
    let along = match (matrix.is_mn_major, matrix.is_a) {
        (false, _) => "elements along K",
        (true, true) => "rows of A",
        (true, false) => "columns of B",
    };
    format!(
        "the descriptor begins at shared address {start_bytes:#x}, where {along} are contiguous, with {}, the leading \
         offset {leading_bytes}, the stride offset {stride_bytes} and the base offset {base_offset}",
        swizzle(mode)
    )
}

/// Describes eight lines of a piece that are not contiguous in a row of the box.
fn not_held(matrix: MatrixRead, (line, byte): (u32, u64), row: u64, begin: i64) -> String {
    let line = name_of_line(matrix, line / 8 * 8);
    let begins = match begin {
        ..0 => "begin in another row of it".to_owned(),
        _ => format!("begin at byte {begin} of a row"),
    };
    format!(
        "without a swizzle, {CORE_BYTES} contiguous bytes are {LINES} lines of {PIECE} bytes; those from {line}, \
         byte {byte}, on {begins}, but the box has rows of {row} bytes"
    )
}

/// Describes a piece that is in another row of the box, or at another byte of it, than earlier pieces.
fn elsewhere(matrix: MatrixRead, (line, byte): (u32, u64), at: Place, known: Place) -> String {
    let of = name_of_line(matrix, line);
    let (row, column) = (known.0 + i64::from(line), known.1 + byte as i64);
    format!(
        "{of}, from byte {byte} on, is read from row {}, byte {} of the box, but earlier reads place it in row \
         {row}, byte {column}",
        at.0, at.1
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use tensor_map::DataType;

    fn tile(extents: [u32; 5]) -> BoxLayout {
        BoxLayout {
            address: 0x400,
            data_type: DataType::F16,
            extents,
            swizzle: Swizzle::None,
            pattern_bytes: 16,
        }
    }

    #[test]
    fn rows_of_256_bytes_hold_two_matrices_of_eight_lines() {
        let tile = tile([128, 4, 1, 1, 1]);
        let cases = [
            (0, 0, None),
            (3 * 256 + 128, 0, None),
            (256 + 128 + 48, 11, None),
            (256 + 64, 0, Some(64)),
            (192, 0, Some(192)),
            (16, 3, Some(-32)),
        ];
        for (lies, line, begin) in cases {
            assert_eq!(tile.misplaced_core(lies, line), begin, "{lies} {line}");
        }
    }

    #[test]
    fn later_lines_may_be_slices_further() {
        let flat = tile([64, 24, 1, 1, 1]);
        assert!(flat.agrees(128, 1, (3, 32), (3, 32)) && !flat.agrees(128, 1, (3, 32), (3, 160)));
        let tile = tile([64, 24, 4, 1, 1]);
        let cases = [
            (1, (24, 160), true),
            (1, (24, 96), false),
            (1, (8, 32), false),
            (2, (8, 32), true),
        ];
        for (groups, begin, agrees) in cases {
            assert_eq!(
                tile.agrees(128, groups, (0, 32), begin),
                agrees,
                "{begin:?}"
            );
        }
    }
}
