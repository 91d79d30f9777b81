use std::{
    io::Write,
    path::{Path, PathBuf},
};

use anyhow::{Result, ensure};
use clap::Args;
use serde_json::{Value, json};
use tensor_map::{
    Params, Swizzle, Target, Tensor,
    walk::{BoxRow, Direction},
};
use tma_cli::emulate::Output;

use super::{
    conflicts::{Access, Conflicts, Shape},
    coordinates::coordinates,
    parameters::{Given, Parameters, shared_address, to_json},
    picture::picture,
    product::{self, Major, Step},
};
use crate::wrong_input::OrWrongInput;

/// Draws one copy as SVG: its elements in global memory and their places in shared memory
#[derive(Args)]
pub(crate) struct Draw {
    /// Map as 256 hexadecimal digits, or a file with these digits or the 128 bytes
    map: Option<String>,
    #[command(flatten)]
    parameters: Parameters,
    /// Coordinates of the box, innermost first unless --outermost-first is set [default: the origin]
    #[arg(long, value_delimiter = ',', allow_hyphen_values = true)]
    at: Option<Vec<i32>>,
    /// Offsets of an im2col copy, W first
    #[arg(long, value_delimiter = ',')]
    offsets: Vec<u16>,
    /// Draw a store instead of a load
    #[arg(long)]
    store: bool,
    /// Shared address of the box, a multiple of 128, as in 1024 or 0x400
    #[arg(long, default_value = "0", value_parser = shared_address)]
    shared: u32,
    /// Count bank conflicts of a warp that reads along a `row` or `column`, with the bytes per thread
    #[arg(long, default_value = "column:16")]
    access: Access,
    /// Draw the part of the box that each `wgmma` reads, one colour per step along K, and print the matrix
    /// descriptors
    #[arg(long, value_name = "MAJOR")]
    wgmma: Option<Major>,
    /// Output file for the drawing
    #[arg(short, long, default_value = "map.svg")]
    output: PathBuf,
    /// Print the contents of the drawing as JSON
    #[arg(long)]
    json: bool,
}

/// The copy to draw.
pub(crate) struct Copy {
    pub(crate) params: Params,
    pub(crate) coordinates: Vec<i32>,
    pub(crate) direction: Direction,
    pub(crate) rows: Vec<BoxRow>,
    /// The first element of each row.
    pub(crate) firsts: Vec<Vec<i64>>,
    pub(crate) shared_address: u32,
    /// The steps of the matrix product that reads the box; empty if there is none.
    pub(crate) steps: Vec<Step>,
}

impl Copy {
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
}

impl Draw {
    pub(crate) fn run(self, out: &mut impl Write) -> Result<()> {
        let Given {
            params,
            address,
            target,
            ..
        } = self.given()?;
        params.build_for(address, target)?;
        let copy = self.copy(params)?;
        fits(&copy, target)?;
        let mut summary = self.summary(&copy);
        summary.extend(copy.steps.iter().enumerate().map(described));
        if self.json {
            let mut value = to_json(&params, address);
            value["coordinates"] = json!(copy.coordinates);
            value["rows"] = copy
                .rows
                .iter()
                .zip(&copy.firsts)
                .map(row_to_json)
                .collect();
            value["summary"] = json!(summary);
            if self.wgmma.is_some() {
                value["wgmma"] = copy.steps.iter().map(step_to_json).collect();
            }
            writeln!(out, "{value:#}")?;
            return Ok(());
        }
        let path = self.output.display();
        let input = self.map.as_deref().map(Path::new);
        let output = Output::open(&self.output, input).or_wrong_input()?;
        let written = output.write(picture(&copy, &summary).as_bytes());
        written.or_wrong_input()?;
        summary
            .iter()
            .try_for_each(|line| writeln!(out, "{line}"))?;
        writeln!(out, "wrote {path}")?;
        Ok(())
    }

    /// Returns the parameters or the map. With a map, only the coordinates depend on --outermost-first.
    fn given(&self) -> Result<Given> {
        let mut parameters = self.parameters.clone();
        parameters.outermost_first &= self.map.is_none();
        parameters.or_bytes(self.map.as_deref())
    }

    fn copy(&self, params: Params) -> Result<Copy> {
        let rank = params.tensor().rank();
        let at = self.at.clone().unwrap_or(vec![0; rank]);
        let at = self.parameters.in_order(&at);
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
        let shared = self.shared;
        ensure!(
            shared.is_multiple_of(128),
            "the shared address {shared:#x} must be a multiple of 128; the GPU stops with a misaligned address"
        );
        let rows: Vec<BoxRow> = params.walk(&at, &offsets, direction)?.collect();
        let row_bytes = rows.first().map_or(0, |row| row.bytes);
        let steps = self.wgmma.map(|major| {
            let size = (rows.len() as u64, row_bytes);
            product::steps(major, params.tensor(), size, shared)
        });
        Ok(Copy {
            steps: steps.transpose()?.unwrap_or_default(),
            firsts: coordinates(&params, &at, &offsets, rows.len()),
            params,
            coordinates: at,
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
            lines.push(format!(
                "shared address {shared} is not a multiple of {align}: the box begins within a swizzle pattern"
            ));
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

/// Checks that the box fits in the shared memory of the target GPU.
fn fits(copy: &Copy, target: Target) -> Result<()> {
    let begin = u64::from(copy.shared_address);
    let ends = copy.rows.iter().map(|row| row.shared_offset + row.bytes);
    let (end, most) = (begin + ends.max().unwrap_or(0), target.shared_bytes);
    ensure!(
        end <= most,
        "the box needs shared bytes {begin} to {}, but the shared memory limit of compute capability \
         {}.{} is {most} bytes",
        end.saturating_sub(1),
        target.major,
        target.minor
    );
    Ok(())
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

/// Formats a line for a step of a product.
fn described((index, step): (usize, &Step)) -> String {
    let Step { k, descriptor, .. } = step;
    format!(
        "wgmma step {index}, K {} to {}: matrix descriptor {:#018x}",
        k.start,
        k.end - 1,
        descriptor.encode()
    )
}

fn step_to_json(step: &Step) -> Value {
    json!({
        "k": [step.k.start, step.k.end],
        "descriptor": format!("{:#018x}", step.descriptor.encode()),
        "pieces": step.pieces,
    })
}

fn row_to_json((row, first): (&BoxRow, &Vec<i64>)) -> Value {
    json!({
        "coordinates": first,
        "shared_offset": row.shared_offset,
        "global_offset": row.global_offset,
        "bytes": row.bytes,
        "inside": [row.inside.start, row.inside.end],
    })
}
