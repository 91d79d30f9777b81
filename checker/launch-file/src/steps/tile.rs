//! Boxes of tensor copies in shared memory, as tiles.

use serde::Serialize;
use tma_emulator::observer::BoxLayout;

use crate::ElementType;

/// The most elements of a tile that are shown.
const MOST_ELEMENTS: u64 = 4096;

/// The box of a tensor copy in shared memory, with its rows in the tensor's order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Tile {
    /// Address in the block's shared memory.
    pub address: u64,
    /// Type of the elements.
    #[serde(rename = "type")]
    pub ty: &'static str,
    /// Lengths in elements, innermost first.
    pub extents: Vec<u32>,
    /// Name of the swizzle.
    pub swizzle: &'static str,
    /// Bytes of each piece.
    pub piece_bytes: u64,
    /// The first rows.
    pub rows: Vec<TileRow>,
    /// Number of all rows.
    pub row_count: u64,
}

/// A row of a tile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TileRow {
    /// Address of the row before the swizzle.
    pub address: u64,
    /// The pieces in the tensor's order.
    pub pieces: Vec<TilePiece>,
}

/// Consecutive elements of a row that the swizzle keeps together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TilePiece {
    /// Address after the swizzle.
    pub address: u64,
    /// Number of pieces from the start of the swizzle's span, or of the row without a swizzle.
    pub place: u64,
    /// The elements as text.
    pub values: Vec<String>,
}

impl Tile {
    /// Reads a tile from the shared memory that begins at its address. Returns `None` for elements of less than a byte.
    pub(super) fn of(layout: &BoxLayout, shared: &[u8]) -> Option<Self> {
        let ty = layout.data_type;
        let element = ElementType::of(ty)?;
        let swizzle = layout.swizzle;
        let [columns, outer @ ..] = layout.extents;
        let (row_bytes, piece_bytes) = (
            ty.shared_bytes(columns.into()),
            u64::from(swizzle.piece_bytes()),
        );
        let row_count: u64 = outer.iter().map(|extent| u64::from(*extent)).product();
        let shown = (MOST_ELEMENTS / u64::from(columns).max(1)).clamp(1, row_count);
        let piece = |row: u64, first: u64| {
            let linear = layout.address + row * row_bytes + first;
            let address = u64::from(swizzle.apply(linear as u32));
            let place = match swizzle.span_bytes() {
                Some(span) => address % span / piece_bytes,
                None => first / piece_bytes,
            };
            let bytes = piece_bytes.min(row_bytes - first) as usize;
            // A box that does not begin with the pattern may have pieces before its address.
            let start = address.checked_sub(layout.address);
            let bytes = start.and_then(|start| shared.get(start as usize..)?.get(..bytes));
            let values = bytes.unwrap_or_default().chunks_exact(element.bytes());
            TilePiece {
                address,
                place,
                values: values.map(|bytes| element.text(bytes)).collect(),
            }
        };
        let row = |row: u64| TileRow {
            address: layout.address + row * row_bytes,
            pieces: (0..row_bytes)
                .step_by(piece_bytes as usize)
                .map(|first| piece(row, first))
                .collect(),
        };
        let rank = 1 + outer
            .iter()
            .rposition(|extent| *extent != 1)
            .map_or(0, |last| last + 1);
        Some(Self {
            address: layout.address,
            ty: ty.name(),
            extents: layout.extents[..rank].to_vec(),
            swizzle: swizzle.name(),
            piece_bytes,
            rows: (0..shown).map(row).collect(),
            row_count,
        })
    }
}
