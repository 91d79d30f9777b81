use super::{BoxRow, Direction, NoWalk, aligned, row};
use crate::{Dims, Im2col, Im2colWide, Interleave, WideMode};

/// The pixels of a load of a wide im2col map, each a row (PTX ISA, section 5.5.5).
///
/// The box of pixels is one pixel along H and D, at the coordinates. The walk goes along W in
/// steps of W's element stride and, when it leaves the box, begins again at the box's first pixel in
/// the next image. After the pixels come `halo` more pixels of the same walk; in mode
/// [`WideMode::W128`] they come after each 32 pixels, and the next 32 begin where the last ones
/// ended, so that they repeat the halo.
#[derive(Clone, Debug)]
pub(super) struct Wide {
    im2col: Im2col,
    /// The first pixel of the load, and the box along W, with the offset.
    first: i64,
    lower: i64,
    end: i64,
    coordinates: Dims<i32>,
    /// The number of pixels that belong together, and those that are loaded with them.
    group: u64,
    halo: u64,
    row: u64,
    rows: u64,
}

/// The largest offset (PTX ISA, section 9.7.9.27.1.2).
const MAX_OFFSET: u16 = 31;

impl Wide {
    pub(super) fn new(
        wide: &Im2colWide,
        coordinates: Dims<i32>,
        [halo, offset]: [u16; 2],
    ) -> Result<Self, NoWalk> {
        let (group, groups, max_halo) = match wide.mode {
            WideMode::W => (u64::from(wide.pixels_per_column), 1, 511),
            WideMode::W128 => (32, 4, 31),
        };
        within("halo", halo, max_halo)?;
        within("offset along W", offset, MAX_OFFSET)?;
        let im2col = wide.as_im2col();
        let dim = im2col.first_spatial();
        let shift = i64::from(offset);
        let walk = Self {
            im2col,
            first: i64::from(coordinates.at(dim)) + shift,
            lower: i64::from(wide.lower_corner) + shift,
            end: im2col.pixel_end(0) + shift,
            coordinates,
            group,
            halo: u64::from(halo),
            row: 0,
            rows: groups * (group + u64::from(halo)),
        };
        // The walk may begin before the box.
        if walk.first >= walk.end {
            let coordinate = coordinates.at(dim);
            return Err(NoWalk::OutsidePixelBox { dim, coordinate });
        }
        if im2col.tensor.interleave == Interleave::None {
            aligned(
                &im2col.tensor,
                coordinates.at(0),
                im2col.channels_per_pixel,
                Direction::Load,
            )?;
        }
        Ok(walk)
    }

    /// Returns the place of the pixel of this number: along W, and how many images further.
    fn pixel(&self, number: u64) -> (i64, i64) {
        let stride = i64::from(
            self.im2col
                .tensor
                .element_strides
                .at(self.im2col.first_spatial()),
        );
        let steps = |from: i64| {
            (self.end - from)
                .max(1)
                .unsigned_abs()
                .div_ceil(stride as u64)
        };
        let along = |from: i64, number: u64| from + number as i64 * stride;
        match number.checked_sub(steps(self.first)) {
            None => (along(self.first, number), 0),
            Some(rest) => {
                let of_image = steps(self.lower);
                (
                    along(self.lower, rest % of_image),
                    1 + (rest / of_image) as i64,
                )
            }
        }
    }
}

fn within(what: &'static str, value: u16, max: u16) -> Result<(), NoWalk> {
    if value > max {
        return Err(NoWalk::WideRange { what, value, max });
    }
    Ok(())
}

impl Iterator for Wide {
    type Item = BoxRow;

    fn next(&mut self) -> Option<BoxRow> {
        if self.row >= self.rows {
            return None;
        }
        let with_halo = self.group + self.halo;
        let number = self.row / with_halo * self.group + self.row % with_halo;
        let (w, images) = self.pixel(number);
        let last = self.im2col.tensor.rank() - 1;
        let first_spatial = self.im2col.first_spatial();
        let coordinate = |dim: usize| match dim {
            _ if dim == first_spatial => w,
            _ if dim == last => i64::from(self.coordinates.at(dim)) + images,
            _ => i64::from(self.coordinates.at(dim)),
        };
        let row = row(
            &self.im2col.tensor,
            self.row,
            self.im2col.channels_per_pixel,
            coordinate,
            Direction::Load,
        );
        self.row += 1;
        Some(row)
    }
}
