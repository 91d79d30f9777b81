//! A copy by a tensor map, and its summary.

use anyhow::Result;
use tensor_map::{
    Params, Swizzle, Tensor,
    walk::{BoxRow, Direction},
};

use crate::{
    conflicts::{Access, Conflicts, Shape},
    coordinates::coordinates,
    picture::picture,
    product::{self, Major, Step},
};

/// A copy by a tensor map, ready to draw.
#[derive(Clone, Debug)]
pub struct TensorCopy {
    /// The parameters of the map.
    pub params: Params,
    /// The coordinates of the box, innermost first.
    pub coordinates: Vec<i32>,
    /// Load or store.
    pub direction: Direction,
    /// The rows of the box.
    pub rows: Vec<BoxRow>,
    /// The first element of each row.
    pub firsts: Vec<Vec<i64>>,
    /// The address of the box in shared memory.
    pub shared_address: u32,
    /// The steps of the matrix product that reads the box; empty if there is none.
    pub steps: Vec<Step>,
}

impl TensorCopy {
    /// Returns the copy of the box at these coordinates; `offsets` are those of an im2col copy.
    ///
    /// # Errors
    /// The coordinates or offsets do not fit the map.
    pub fn new(
        params: Params,
        at: &[i32],
        offsets: &[u16],
        direction: Direction,
        shared_address: u32,
    ) -> Result<Self> {
        let rows: Vec<BoxRow> = params.walk(at, offsets, direction)?.collect();
        Ok(Self {
            firsts: coordinates(&params, at, offsets, rows.len()),
            params,
            coordinates: at.to_vec(),
            direction,
            rows,
            shared_address,
            steps: Vec::new(),
        })
    }

    /// Adds the steps of the matrix product that reads the box.
    ///
    /// # Errors
    /// Tensor cores cannot read the box.
    pub fn read_by_products(mut self, major: Major) -> Result<Self> {
        let row_bytes = self.rows.first().map_or(0, |row| row.bytes);
        let size = (self.rows.len() as u64, row_bytes);
        self.steps = product::steps(major, self.params.tensor(), size, self.shared_address)?;
        Ok(self)
    }

    /// Draws the copy below the lines of the summary.
    pub fn draw(&self, summary: &[String]) -> String {
        picture(self, summary)
    }

    /// Returns the step of the product that reads a shared address.
    pub(crate) fn step_at(&self, address: u64) -> Option<usize> {
        let reads = |piece: &u64| (*piece..*piece + 16).contains(&address);
        self.steps
            .iter()
            .position(|step| step.pieces.iter().any(reads))
    }

    /// Returns the step of the product that reads a byte of a row.
    pub(crate) fn step_of(&self, row: usize, byte: u64) -> Option<usize> {
        let mut pieces = self.rows[row].pieces(self.params.tensor().swizzle, self.shared_address);
        let piece = pieces
            .find(|piece| (piece.row_offset..piece.row_offset + piece.bytes).contains(&byte))?;
        self.step_at(u64::from(piece.shared_address) + byte - piece.row_offset)
    }

    /// Describes the box and the bank conflicts of a warp that reads it, a line each.
    pub fn summary(&self, access: Access) -> Vec<String> {
        let tensor = self.params.tensor();
        let bytes: u64 = self.rows.iter().map(|row| row.bytes).sum();
        let inside: u64 = self
            .rows
            .iter()
            .map(|row| row.inside.end - row.inside.start)
            .sum();
        let (count, at) = (self.rows.len(), &self.coordinates);
        let mut lines = vec![format!(
            "box at {at:?}: {count} rows, {bytes} bytes, {} of them out of bounds",
            bytes - inside
        )];
        let align = tensor.shared_align_bytes();
        if !u64::from(self.shared_address).is_multiple_of(align) {
            let shared = self.shared_address;
            lines.push(format!(
                "shared address {shared} is not a multiple of {align}: the box begins within a swizzle pattern"
            ));
        }
        let shape = shape(tensor, &self.rows);
        let here = access.conflicts(shape, tensor.swizzle, self.shared_address);
        lines.push(format!(
            "a warp reading {}: {}",
            describe(access),
            ways(&here)
        ));
        if tensor.swizzle != Swizzle::None {
            let plain = Shape {
                pitch: shape.row_bytes,
                ..shape
            };
            let plain = access.conflicts(plain, Swizzle::None, self.shared_address);
            lines.push(format!("without the swizzle: {}", ways(&plain)));
        }
        lines
    }
}

fn describe(access: Access) -> String {
    let way = if access.is_down() {
        "down the rows"
    } else {
        "along the rows"
    };
    format!("{way}, {} bytes a thread", access.bytes)
}

fn shape(tensor: &Tensor, rows: &[BoxRow]) -> Shape {
    let row_bytes = rows.first().map_or(16, |row| row.bytes);
    let second = rows.get(1).map_or(row_bytes, |row| row.shared_offset);
    // Slices of interleaved tensors are contiguous.
    let pitch = if tensor.interleave == tensor_map::Interleave::None {
        second
    } else {
        row_bytes
    };
    Shape {
        rows: rows.len() as u64,
        row_bytes,
        pitch,
    }
}

fn ways(conflicts: &Conflicts) -> String {
    let Conflicts { threads, ways } = conflicts;
    let most = ways.iter().max().copied().unwrap_or(0);
    let total: usize = ways.iter().sum();
    let groups = plural(ways.len(), "group");
    let steps = plural(total, "step");
    match most {
        0 | 1 => format!("no bank conflicts, {groups} of {threads} threads in {steps}"),
        _ => format!("up to {most}-way bank conflicts, {groups} of {threads} threads in {steps}"),
    }
}

fn plural(count: usize, noun: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{ending}")
}
