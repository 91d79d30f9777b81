use std::{fs, io::Write, path::PathBuf};

use anyhow::{Context, Result};
use clap::Args;
use serde_json::{Value, json};
use tensor_map::{
    Params, Swizzle, Tensor,
    walk::{Direction, Row},
};

use super::{
    conflicts::{Access, Conflicts, Shape},
    parameters::{Given, Parameters, to_json},
    picture::picture,
};

/// Draw one copy as SVG: the elements it covers in global memory, and where they land in shared
#[derive(Args)]
pub(crate) struct Draw {
    /// A map: 256 hexadecimal digits, or a file with those or the 128 bytes
    map: Option<String>,
    #[command(flatten)]
    parameters: Parameters,
    /// Coordinates of the box, innermost first; the origin unless given
    #[arg(long, value_delimiter = ',', allow_hyphen_values = true)]
    at: Option<Vec<i32>>,
    /// Offsets of an im2col copy, W first
    #[arg(long, value_delimiter = ',')]
    offsets: Vec<u16>,
    /// Draw a store
    #[arg(long)]
    store: bool,
    /// The shared address of the box
    #[arg(long, default_value_t = 0)]
    shared: u32,
    /// Count bank conflicts of a warp that reads `row` or `column`, so many bytes a thread
    #[arg(long, default_value = "column:16")]
    access: Access,
    /// Where to write the drawing
    #[arg(short, long, default_value = "map.svg")]
    output: PathBuf,
    /// Print what would be drawn as JSON
    #[arg(long)]
    json: bool,
}

/// A copy that is to be drawn.
pub(crate) struct Copy {
    pub(crate) params: Params,
    pub(crate) coordinates: Vec<i32>,
    pub(crate) direction: Direction,
    pub(crate) rows: Vec<Row>,
    pub(crate) shared_address: u32,
}

impl Draw {
    pub(crate) fn run(self, out: &mut impl Write) -> Result<()> {
        let Given {
            params,
            address,
            target,
            ..
        } = self.parameters.or_bytes(self.map.as_deref())?;
        params.build_for(address, target)?;
        let copy = self.copy(params)?;
        let summary = self.summary(&copy);
        if self.json {
            let mut value = to_json(&params, address);
            value["coordinates"] = json!(copy.coordinates);
            value["rows"] = copy.rows.iter().map(row_to_json).collect();
            value["summary"] = json!(summary);
            writeln!(out, "{value:#}")?;
            return Ok(());
        }
        let path = self.output.display();
        fs::write(&self.output, picture(&copy, &summary))
            .with_context(|| format!("writing {path}"))?;
        summary
            .iter()
            .try_for_each(|line| writeln!(out, "{line}"))?;
        writeln!(out, "wrote {path}")?;
        Ok(())
    }

    fn copy(&self, params: Params) -> Result<Copy> {
        let rank = params.tensor().rank();
        let coordinates = self.at.clone().unwrap_or(vec![0; rank]);
        let spatial = if matches!(params, Params::Tiled(_)) {
            0
        } else {
            rank.saturating_sub(2)
        };
        let offsets = if self.offsets.is_empty() {
            vec![0; spatial]
        } else {
            self.offsets.clone()
        };
        let direction = if self.store {
            Direction::Store
        } else {
            Direction::Load
        };
        let rows = params.walk(&coordinates, &offsets, direction)?.collect();
        Ok(Copy {
            params,
            coordinates,
            direction,
            rows,
            shared_address: self.shared,
        })
    }

    fn summary(&self, copy: &Copy) -> Vec<String> {
        let tensor = copy.params.tensor();
        let bytes: u64 = copy.rows.iter().map(|row| row.bytes).sum();
        let inside: u64 = copy
            .rows
            .iter()
            .map(|row| row.inside.end - row.inside.start)
            .sum();
        let (count, at) = (copy.rows.len(), &copy.coordinates);
        let mut lines = vec![format!(
            "box at {at:?}: {count} rows, {bytes} bytes, {} of them out of bounds",
            bytes - inside
        )];
        let align = tensor.shared_align_bytes();
        if !u64::from(self.shared).is_multiple_of(align) {
            let shared = self.shared;
            lines.push(format!("shared address {shared} is no multiple of {align}: the box begins within the swizzle"));
        }
        let shape = shape(tensor, &copy.rows);
        let here = self.access.conflicts(shape, tensor.swizzle, self.shared);
        lines.push(format!(
            "a warp reading {}: {}",
            self.describe(),
            ways(&here)
        ));
        if tensor.swizzle != Swizzle::None {
            let plain = Shape {
                pitch: shape.row_bytes,
                ..shape
            };
            let plain = self.access.conflicts(plain, Swizzle::None, self.shared);
            lines.push(format!("without the swizzle: {}", ways(&plain)));
        }
        lines
    }

    fn describe(&self) -> String {
        let way = if self.access.is_down() {
            "down the rows"
        } else {
            "along the rows"
        };
        format!("{way}, {} bytes a thread", self.access.bytes)
    }
}

fn shape(tensor: &Tensor, rows: &[Row]) -> Shape {
    let row_bytes = rows.first().map_or(16, |row| row.bytes);
    let second = rows.get(1).map_or(row_bytes, |row| row.shared_offset);
    // Slices of interleaved tensors follow each other without gaps.
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

fn row_to_json(row: &Row) -> Value {
    json!({
        "shared_offset": row.shared_offset,
        "global_offset": row.global_offset,
        "bytes": row.bytes,
        "inside": [row.inside.start, row.inside.end],
    })
}
