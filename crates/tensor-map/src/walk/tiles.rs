use super::{BoxRow, Direction, row};
use crate::{Dims, Interleave, Tiled};

/// The rows of a box of a tiled map.
///
/// Interleaved tensors have the dimensions W, H, D that exist, then slices of channels,
/// then images. Each slice is a row. A copy takes one slice of channels, whatever the length of the box.
#[derive(Clone, Debug)]
pub(super) struct Tiles {
    tiled: Tiled,
    coordinates: Dims<i32>,
    direction: Direction,
    /// The next row, counted in elements of each dimension; dimensions within a row are not counted.
    position: Dims<u64>,
    row: u64,
    rows: u64,
}

impl Tiles {
    pub(super) fn new(tiled: &Tiled, coordinates: Dims<i32>, direction: Direction) -> Self {
        let mut tiles = Self {
            tiled: *tiled,
            coordinates,
            direction,
            position: Dims::<u64>::filled(0, tiled.tensor.rank()),
            row: 0,
            rows: 1,
        };
        for dim in tiles.first_outer()..tiled.tensor.rank() {
            tiles.rows *= tiled.box_elements(dim);
        }
        tiles
    }

    fn is_interleaved(&self) -> bool {
        self.tiled.tensor.interleave != Interleave::None
    }

    /// Returns the first dimension that is not within a row.
    fn first_outer(&self) -> usize {
        if self.is_interleaved() { 0 } else { 1 }
    }

    /// Advances `position` to the next row.
    fn advance(&mut self) {
        self.row += 1;
        for dim in self.first_outer()..self.tiled.tensor.rank() {
            let next = self.position.at(dim) + 1;
            if next < self.tiled.box_elements(dim) {
                self.position.put(dim, next);
                return;
            }
            self.position.put(dim, 0);
        }
    }

    fn row(&self) -> BoxRow {
        let tensor = &self.tiled.tensor;
        let coordinate = |dim: usize| {
            let step = self.position.at(dim) as i64 * i64::from(tensor.element_strides.at(dim));
            i64::from(self.coordinates.at(dim)) + step
        };
        let elements = self.tiled.box_dims.at(0);
        row(tensor, self.row, elements, coordinate, self.direction)
    }
}

impl Iterator for Tiles {
    type Item = BoxRow;

    fn next(&mut self) -> Option<BoxRow> {
        if self.row >= self.rows {
            return None;
        }
        let row = self.row();
        self.advance();
        Some(row)
    }
}
