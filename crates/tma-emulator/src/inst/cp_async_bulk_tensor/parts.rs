//! The bytes of a box that stay together, and what becomes of them on the way.

use tensor_map::walk::BoxRow;

/// Bytes that stay together at both ends, or at the shared end and out of bounds at the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) shared: u64,
    pub(super) global: Option<u64>,
    pub(super) bytes: u64,
}

/// Cuts a piece where the row enters and leaves the tensor.
pub(super) fn split(
    row: &BoxRow,
    piece: tensor_map::walk::Piece,
    tensor: u64,
    parts: &mut Vec<Part>,
) {
    let end = piece.row_offset + piece.bytes;
    let mut cuts = [piece.row_offset, row.inside.start, row.inside.end, end];
    for cut in &mut cuts {
        *cut = (*cut).clamp(piece.row_offset, end);
    }
    for (range, is_inside) in cuts.windows(2).zip([false, true, false]) {
        let (from, to) = (range[0], range[1]);
        if from < to {
            let global = tensor
                .wrapping_add_signed(row.global_offset)
                .wrapping_add(from);
            parts.push(Part {
                shared: u64::from(piece.shared_address) + (from - piece.row_offset),
                global: is_inside.then_some(global),
                bytes: to - from,
            });
        }
    }
}

/// Neighbours become one part, as long as it is not too long.
pub(super) fn join(parts: &mut Vec<Part>) {
    const LONGEST: u64 = 256;
    parts.dedup_by(|next, part| {
        let goes_on = next.shared == part.shared + part.bytes
            && next.global == part.global.map(|global| global + part.bytes)
            && part.bytes + next.bytes <= LONGEST;
        if goes_on {
            part.bytes += next.bytes;
        }
        goes_on
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_cut_where_it_leaves_the_tensor() {
        let row = BoxRow {
            shared_offset: 0,
            global_offset: -8,
            bytes: 16,
            inside: 8..12,
        };
        let piece = tensor_map::walk::Piece {
            shared_address: 64,
            row_offset: 0,
            bytes: 16,
        };
        let mut parts = Vec::new();
        split(&row, piece, 1000, &mut parts);
        let part = |shared, global, bytes| Part {
            shared,
            global,
            bytes,
        };
        assert_eq!(
            parts,
            [
                part(64, None, 8),
                part(72, Some(1000), 4),
                part(76, None, 4)
            ]
        );
        let mut parts = vec![
            part(0, Some(0), 16),
            part(16, Some(16), 16),
            part(32, None, 16),
            part(48, None, 16),
        ];
        join(&mut parts);
        assert_eq!(parts, [part(0, Some(0), 32), part(32, None, 32)]);
    }
}
