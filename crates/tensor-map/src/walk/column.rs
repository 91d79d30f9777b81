use super::{BoxRow, Direction, NoWalk, aligned, row};
use crate::{Dims, Im2col, Interleave};

/// The pixels of a copy of an im2col map, each a row.
///
/// The walk goes from the first pixel in steps of the element strides along W, and begins again at
/// the box's lower corner, a step further in H, when it leaves the box; the same in D and N. The
/// offsets are added to the position of a pixel, not to the limits of the walk.
#[derive(Clone, Debug)]
pub(super) struct Column {
    im2col: Im2col,
    offsets: Dims<i32>,
    direction: Direction,
    /// The next pixel, in the tensor's coordinates, without offsets.
    pixel: [i64; crate::MAX_RANK],
    row: u64,
}

impl Column {
    pub(super) fn new(
        im2col: &Im2col,
        coordinates: Dims<i32>,
        offsets: Dims<i32>,
        direction: Direction,
    ) -> Result<Self, NoWalk> {
        let column = Self {
            im2col: *im2col,
            offsets,
            direction,
            pixel: core::array::from_fn(|dim| i64::from(coordinates.at(dim))),
            row: 0,
        };
        for spatial in 0..offsets.len() {
            let dim = im2col.first_spatial() + spatial;
            if !(column.lower(spatial)..column.upper(spatial)).contains(&column.pixel[dim]) {
                let coordinate = coordinates.at(dim);
                return Err(NoWalk::OutsidePixelBox { dim, coordinate });
            }
        }
        if !column.is_interleaved() {
            aligned(
                &im2col.tensor,
                coordinates.at(0),
                im2col.channels_per_pixel,
                direction,
            )?;
        }
        Ok(column)
    }

    fn is_interleaved(&self) -> bool {
        self.im2col.tensor.interleave != Interleave::None
    }

    fn lower(&self, spatial: usize) -> i64 {
        i64::from(self.im2col.lower_corner.at(spatial))
    }

    fn upper(&self, spatial: usize) -> i64 {
        self.im2col.pixel_end(spatial)
    }

    /// Goes on to the next pixel.
    fn advance(&mut self) {
        self.row += 1;
        let strides = self.im2col.tensor.element_strides;
        for spatial in 0..self.offsets.len() {
            let dim = self.im2col.first_spatial() + spatial;
            self.pixel[dim] += i64::from(strides.at(dim));
            if self.pixel[dim] < self.upper(spatial) {
                return;
            }
            self.pixel[dim] = self.lower(spatial);
        }
        let images = self.im2col.tensor.rank() - 1;
        self.pixel[images] += i64::from(strides.at(images));
    }

    fn row(&self) -> BoxRow {
        let first_spatial = self.im2col.first_spatial();
        let coordinate = |dim: usize| {
            let offset = match dim.checked_sub(first_spatial) {
                Some(spatial) if spatial < self.offsets.len() => self.offsets.at(spatial),
                _ => 0,
            };
            self.pixel[dim] + i64::from(offset)
        };
        let elements = self.im2col.channels_per_pixel;
        row(
            &self.im2col.tensor,
            self.row,
            elements,
            coordinate,
            self.direction,
        )
    }
}

impl Iterator for Column {
    type Item = BoxRow;

    fn next(&mut self) -> Option<BoxRow> {
        if self.row >= u64::from(self.im2col.pixels_per_column) {
            return None;
        }
        let row = self.row();
        self.advance();
        Some(row)
    }
}
