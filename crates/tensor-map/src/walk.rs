//! The bytes of global memory that a copy touches, and their location in shared memory: all such
//! arithmetic is here.
//!
//! A copy is a sequence of [`BoxRow`]s, runs of bytes that are neighbours in global memory. Within a
//! row, the swizzle may scatter pieces over shared memory: [`BoxRow::pieces`].
//!
//! The behaviour was seen on an H100, except slices with swizzles other than 32 bytes, which follow
//! from the rest. Wide im2col loads and gathers and scatters of rows need a later GPU; their walks
//! follow the text of PTX ISA 9.1, sections 5.5.3.4 and 5.5.5. Copies of types of 4 and 6 bits were
//! not seen, and have no walk.

mod column;
mod rows;
mod tiles;
mod wide;

use core::{
    error::Error,
    fmt::{self, Display, Formatter},
    ops::Range,
};

use crate::{Dims, Params, Swizzle, Tensor, layout};

use column::Column;
use rows::Rows;
use tiles::Tiles;
use wide::Wide;

/// The direction of a copy between global and shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// The copy goes from global to shared memory.
    Load,
    /// The copy or reduction goes from shared to global memory.
    Store,
}

/// Bytes of a copy that are neighbours in global memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoxRow {
    /// The offset of the row in bytes from the box's shared address, before the swizzle.
    pub shared_offset: u64,
    /// The offset of the row in global memory, in bytes from the tensor's address. It may be outside
    /// of the tensor. The offset is modulo 2^64, the width of the hardware's addresses: far outside
    /// a huge tensor it may have wrapped.
    pub global_offset: i64,
    /// Length in bytes; all count as delivered to the barrier.
    pub bytes: u64,
    /// The range of its bytes that are in bounds, counted from the row's first.
    ///
    /// A load fills the others; a store does not write them. Loads end with the last element of
    /// dimension 0, stores with the 16 bytes that it is in.
    pub inside: Range<u64>,
}

/// A part of a row that stays together in shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The address in shared memory.
    pub shared_address: u32,
    /// The offset of the run in bytes from the row's first.
    pub row_offset: u64,
    /// The length of the run in bytes.
    pub bytes: u64,
}

impl BoxRow {
    /// Returns the row's pieces in shared memory, for a box at this shared address.
    ///
    /// Addresses in shared memory have 32 bits; beyond that they wrap.
    pub fn pieces(&self, swizzle: Swizzle, shared_address: u32) -> impl Iterator<Item = Piece> {
        let (first, bytes) = (
            u64::from(shared_address).wrapping_add(self.shared_offset),
            self.bytes,
        );
        let unit = u64::from(swizzle.piece_bytes());
        let mut row_offset = 0;
        core::iter::from_fn(move || {
            if row_offset >= bytes {
                return None;
            }
            let linear = first.wrapping_add(row_offset);
            let piece = Piece {
                shared_address: swizzle.apply(linear as u32),
                row_offset,
                bytes: (unit - linear % unit).min(bytes - row_offset),
            };
            row_offset += piece.bytes;
            Some(piece)
        })
    }
}

/// The reason why a copy has no walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoWalk {
    /// The parameters break rules of their own; build the map to see which.
    Broken,
    /// There are too few or too many coordinates or offsets.
    Length {
        /// The list that is too long or too short.
        what: &'static str,
        /// The number of coordinates given.
        given: usize,
        /// The number of coordinates that the map needs.
        needed: usize,
    },
    /// The first element is not at a multiple of 16 bytes: an illegal instruction.
    Unaligned {
        /// The coordinate in dimension 0.
        coordinate: i32,
        /// The number of elements in 16 bytes.
        multiple: i32,
        /// The length of the box in dimension 0 for a load.
        loaded: Option<u32>,
    },
    /// A store with a negative coordinate: an illegal instruction.
    NegativeStore {
        /// The dimension of the invalid coordinate.
        dim: usize,
        /// The invalid coordinate.
        coordinate: i32,
    },
    /// The first pixel is not in the box of pixels: an illegal instruction.
    OutsidePixelBox {
        /// The dimension of the invalid coordinate.
        dim: usize,
        /// The invalid coordinate.
        coordinate: i32,
    },
    /// An offset of an im2col load with more bits than the instruction takes.
    OffsetRange {
        /// The spatial dimension, W being 0.
        spatial: usize,
        /// The offset that is out of range.
        offset: u16,
        /// The largest that there can be.
        max: u16,
    },
    /// Offsets for an im2col store, which takes none.
    StoreOffsets,
    /// A number of a wide im2col load that the instruction does not take.
    WideRange {
        /// The name of the number that is out of range.
        what: &'static str,
        /// The number that is out of range.
        value: u16,
        /// The largest that there can be.
        max: u16,
    },
    /// A copy that no instruction does with a map of this kind.
    Unfit(&'static str),
    /// A copy that was never observed on a GPU.
    Unknown(&'static str),
}

impl Display for NoWalk {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Broken => f.write_str("the parameters break rules; build the map to see which"),
            Self::Length {
                what,
                given,
                needed,
            } => write!(f, "{given} {what} are given, and {needed} are needed"),
            Self::Unaligned {
                coordinate,
                multiple,
                loaded,
            } => {
                write!(
                    f,
                    "coordinate {coordinate} of dimension 0 must be a multiple of 16 bytes, {multiple} elements: the GPU stops with an illegal instruction"
                )?;
                let Some(elems) = loaded else {
                    return write!(f, "; begin at a multiple of {multiple}");
                };
                let begin = coordinate.div_euclid(*multiple) * multiple;
                let skipped = coordinate.rem_euclid(*multiple).unsigned_abs();
                let wide = (elems + skipped).next_multiple_of(multiple.unsigned_abs());
                write!(
                    f,
                    "; begin at {begin}, widen the box from {elems} to {wide} elements, and skip the first {skipped}"
                )
            }
            Self::NegativeStore { dim, coordinate } => write!(
                f,
                "coordinate {coordinate} of dimension {dim} must not be negative in a store: the GPU stops with an illegal instruction"
            ),
            Self::OutsidePixelBox { dim, coordinate } => write!(
                f,
                "coordinate {coordinate} of dimension {dim} must be in the box of pixels: the GPU stops with an illegal instruction"
            ),
            Self::OffsetRange {
                spatial,
                offset,
                max,
            } => write!(
                f,
                "offset {offset} of spatial dimension {spatial} must be 0 to {max} in a tensor of this rank"
            ),
            Self::StoreOffsets => {
                f.write_str("stores must not have offsets; add them to the coordinates")
            }
            Self::WideRange { what, value, max } => {
                write!(
                    f,
                    "the {what} is {value}; must be 0 to {max} in a wide load"
                )
            }
            Self::Unfit(what) => write!(f, "no instruction copies {what}"),
            Self::Unknown(what) => write!(
                f,
                "copies of {what} are not supported: their behaviour is unknown"
            ),
        }
    }
}

impl Error for NoWalk {}

/// The rows of one copy, in the order of shared memory. Made by [`Params::walk`].
#[derive(Clone, Debug)]
pub struct Walk(Mode);

#[derive(Clone, Debug)]
enum Mode {
    Tiles(Tiles),
    Column(Column),
    Rows(Rows),
    Wide(Wide),
}

impl Params {
    /// Returns the rows of a copy of the box at these coordinates, one for each dimension, in elements,
    /// innermost first.
    ///
    /// Copies of im2col maps also have `offsets`, one for each spatial dimension, W first, that are
    /// added to the coordinates of every pixel: of 16, 8 or 5 bits for one, two or three spatial
    /// dimensions. Copies of tiled maps have no offsets, and neither have stores, for which they may be
    /// left out or be zero. Loads of wide im2col maps have two: the halo and the offset along W, in
    /// pixels; of them there are no stores.
    ///
    /// ```
    /// use tensor_map::{DataType, TensorMap, walk::Direction};
    ///
    /// let tiled = TensorMap::tiled(DataType::I32, &[100, 64]).strides_bytes(&[416]).box_dims(&[32, 8]);
    /// let rows = tiled.params().walk(&[80, 60], &[], Direction::Load).unwrap();
    /// // The rest of the row is out of bounds, and so are the last four rows.
    /// let inside: Vec<_> = rows.map(|row| row.inside).collect();
    /// assert_eq!(inside[0], 0..80);
    /// assert_eq!(inside[4], 0..0);
    /// ```
    ///
    /// # Errors
    /// The copy would stop the GPU, or is of a kind that was never seen.
    pub fn walk(
        &self,
        coordinates: &[i32],
        offsets: &[u16],
        direction: Direction,
    ) -> Result<Walk, NoWalk> {
        self.check()?;
        let tensor = self.tensor();
        let rank = tensor.rank();
        length("coordinates", coordinates.len(), rank)?;
        let coordinates = Dims::<i32>::new(coordinates);
        if direction == Direction::Store {
            for (dim, coordinate) in coordinates.iter().enumerate() {
                not_negative(dim, *coordinate)?;
            }
        }
        let mode = match self {
            Self::Tiled(tiled) => {
                length("offsets", offsets.len(), 0)?;
                aligned(tensor, coordinates.at(0), tiled.box_dims.at(0), direction)?;
                Mode::Tiles(Tiles::new(tiled, coordinates, direction))
            }
            Self::Im2col(im2col) => {
                let offsets = filter_offsets(offsets, rank - 2, direction)?;
                Mode::Column(Column::new(im2col, coordinates, offsets, direction)?)
            }
            Self::Im2colWide(_) if direction == Direction::Store => {
                return Err(NoWalk::Unfit("a wide im2col map to global memory"));
            }
            Self::Im2colWide(wide) => {
                let [halo, offset] = offsets else {
                    return Err(NoWalk::Length {
                        what: "numbers of a wide load",
                        given: offsets.len(),
                        needed: 2,
                    });
                };
                Mode::Wide(Wide::new(wide, coordinates, [*halo, *offset])?)
            }
        };
        Ok(Walk(mode))
    }

    /// The rows of a load `.tile::gather4` or a store `.tile::scatter4`: four rows of a tensor of
    /// two dimensions, each from `column` on and as long as the box, which has 1 as its second length.
    /// `column` is in elements of dimension 0, `rows` in those of dimension 1.
    ///
    /// ```
    /// use tensor_map::{DataType, TensorMap, walk::Direction};
    ///
    /// let tiled = TensorMap::tiled(DataType::I32, &[100, 64]).box_dims(&[8, 1]);
    /// let rows = tiled.params().walk_rows(4, [60, 2, 2, 64], Direction::Load).unwrap();
    /// let starts: Vec<_> = rows.map(|row| (row.global_offset / 4, row.inside.end)).collect();
    /// // There is no row 64.
    /// assert_eq!(starts, [(6004, 32), (204, 32), (204, 32), (6404, 0)]);
    /// ```
    ///
    /// # Errors
    /// The copy would stop the GPU, or no instruction does it with a map of this kind.
    pub fn walk_rows(
        &self,
        column: i32,
        rows: [i32; 4],
        direction: Direction,
    ) -> Result<Walk, NoWalk> {
        let Self::Tiled(tiled) = self else {
            return Err(NoWalk::Unfit("four rows of an im2col map"));
        };
        self.check()?;
        if direction == Direction::Store {
            not_negative(0, column)?;
            for row in rows {
                not_negative(1, row)?;
            }
        }
        let rows = Rows::new(tiled, column, rows, direction)?;
        Ok(Walk(Mode::Rows(rows)))
    }

    /// Checks that copies of maps of this kind are known.
    fn check(&self) -> Result<(), NoWalk> {
        if self.build_for(0, crate::Target::SM_90).is_ok() {
            return Ok(());
        }
        let tensor = self.tensor();
        Err(match self {
            _ if tensor.data_type.is_packed() => NoWalk::Unknown("elements of 4 or 6 bits"),
            _ if tensor.swizzle.is_atom() => {
                NoWalk::Unknown("a swizzle that needs compute capability 10.0")
            }
            _ => NoWalk::Broken,
        })
    }
}

/// Coordinates of stores are not negative.
fn not_negative(dim: usize, coordinate: i32) -> Result<(), NoWalk> {
    if coordinate < 0 {
        return Err(NoWalk::NegativeStore { dim, coordinate });
    }
    Ok(())
}

fn length(what: &'static str, given: usize, needed: usize) -> Result<(), NoWalk> {
    if given == needed {
        Ok(())
    } else {
        Err(NoWalk::Length {
            what,
            given,
            needed,
        })
    }
}

/// Returns the offsets of an im2col copy, if the instruction takes them.
fn filter_offsets(
    offsets: &[u16],
    spatial: usize,
    direction: Direction,
) -> Result<Dims<i32>, NoWalk> {
    let mut filter = Dims::<i32>::filled(0, spatial);
    if direction == Direction::Store {
        return match offsets.iter().all(|offset| *offset == 0) {
            true => Ok(filter),
            false => Err(NoWalk::StoreOffsets),
        };
    }
    length("offsets", offsets.len(), spatial)?;
    // The number of bits that the corners have.
    let max = layout::corner(false, spatial, 0).max() as u16;
    for (dim, offset) in offsets.iter().copied().enumerate() {
        if offset > max {
            return Err(NoWalk::OffsetRange {
                spatial: dim,
                offset,
                max,
            });
        }
        filter.put(dim, i32::from(offset));
    }
    Ok(filter)
}

/// A copy of `elems` elements of each row begins at a multiple of 16 bytes.
fn aligned(tensor: &Tensor, first: i32, elems: u32, direction: Direction) -> Result<(), NoWalk> {
    let bytes = i64::from(first) * tensor.step_bytes() as i64;
    if bytes % 16 == 0 {
        Ok(())
    } else {
        // Elements of more than 8 bytes do not exist.
        Err(NoWalk::Unaligned {
            coordinate: first,
            multiple: 16 / tensor.step_bytes() as i32,
            loaded: (direction == Direction::Load).then_some(elems),
        })
    }
}

/// Row `number` of a copy: `elements` elements of dimension 0, or a slice of an interleaved tensor,
/// with dimension 0 like the others.
fn row(
    tensor: &Tensor,
    number: u64,
    elements: u32,
    coordinate: impl Fn(usize) -> i64,
    direction: Direction,
) -> BoxRow {
    let slice = tensor.interleave.slice_bytes();
    let bytes = slice.unwrap_or(u64::from(elements) * tensor.data_type.bytes());
    let pitch = match (slice, tensor.swizzle.span_bytes()) {
        (None, Some(span)) => span,
        _ => bytes,
    };
    let mut global_offset = 0_i64;
    let mut is_inside = true;
    let first_outer = if slice.is_some() { 0 } else { 1 };
    for dim in first_outer..tensor.rank() {
        let coordinate = coordinate(dim);
        is_inside &= (0..tensor.dims.at(dim) as i64).contains(&coordinate);
        let stride = match dim.checked_sub(1) {
            Some(stride) => tensor.strides_bytes.at(stride),
            None => bytes,
        };
        let step = coordinate.wrapping_mul(stride as i64);
        global_offset = step.wrapping_add(global_offset);
    }
    let mut inside_bytes = if is_inside { 0..bytes } else { 0..0 };
    if slice.is_none() {
        let first = coordinate(0) * tensor.data_type.bytes() as i64;
        global_offset = first.wrapping_add(global_offset);
        if is_inside {
            inside_bytes = inside(first, bytes, tensor.row_bytes(), direction);
        }
    }
    BoxRow {
        shared_offset: number * pitch,
        global_offset,
        bytes,
        inside: inside_bytes,
    }
}

/// Returns the bytes in bounds of a row of `bytes` that begins `first_bytes` into dimension 0, which has
/// `dim_bytes` bytes.
fn inside(first_bytes: i64, bytes: u64, dim_bytes: u64, direction: Direction) -> Range<u64> {
    let end = match direction {
        Direction::Load => dim_bytes,
        Direction::Store => dim_bytes.next_multiple_of(16),
    };
    let from = first_bytes.min(0).unsigned_abs().min(bytes);
    let to = i128::from(end) - i128::from(first_bytes);
    let to = to.clamp(0, i128::from(bytes)) as u64;
    if from < to { from..to } else { 0..0 }
}

impl Iterator for Walk {
    type Item = BoxRow;

    fn next(&mut self) -> Option<BoxRow> {
        match &mut self.0 {
            Mode::Tiles(tiles) => tiles.next(),
            Mode::Column(column) => column.next(),
            Mode::Rows(rows) => rows.next(),
            Mode::Wide(wide) => wide.next(),
        }
    }
}
