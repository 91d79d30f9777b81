use super::{BoxRow, Direction, NoWalk, aligned, length, row};
use crate::Tiled;

/// Four rows of a tensor of two dimensions, one after the other in shared memory: what
/// `.tile::gather4` loads and `.tile::scatter4` stores (PTX ISA, section 5.5.3.4).
#[derive(Clone, Debug)]
pub(super) struct Rows {
    tiled: Tiled,
    column: i32,
    rows: [i32; 4],
    direction: Direction,
    next: usize,
}

impl Rows {
    pub(super) fn new(
        tiled: &Tiled,
        column: i32,
        rows: [i32; 4],
        direction: Direction,
    ) -> Result<Self, NoWalk> {
        length("dimensions", tiled.tensor.rank(), 2)?;
        if tiled.box_dims.at(1) != 1 {
            return Err(NoWalk::Unfit("four rows of a box of more than one row"));
        }
        aligned(&tiled.tensor, column, tiled.box_dims.at(0), direction)?;
        Ok(Self {
            tiled: *tiled,
            column,
            rows,
            direction,
            next: 0,
        })
    }
}

impl Iterator for Rows {
    type Item = BoxRow;

    fn next(&mut self) -> Option<BoxRow> {
        let number = self.next;
        let coordinates = [self.column, *self.rows.get(number)?];
        self.next += 1;
        Some(row(
            &self.tiled.tensor,
            number as u64,
            self.tiled.box_dims.at(0),
            |dim| i64::from(coordinates[dim]),
            self.direction,
        ))
    }
}
