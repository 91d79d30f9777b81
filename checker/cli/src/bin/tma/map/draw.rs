use std::{
    io::Write,
    path::{Path, PathBuf},
};

use anyhow::{Result, ensure};
use clap::{Args, ValueEnum};
use serde_json::{Value, json};
use tensor_map::{
    Params, Target,
    walk::{BoxRow, Direction},
};
use tma_cli::emulate::Output;
use tma_drawings::{Access, Step, TensorCopy};

use super::parameters::{Given, Parameters, shared_address, to_json};
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

/// The contiguous dimension of a matrix.
#[derive(Clone, Copy, ValueEnum)]
enum Major {
    /// K, the reduced dimension: a row of the box is a row of A or a column of B
    K,
    /// Rows of A or columns of B: a row of the box is at one position of K
    Mn,
}

impl From<Major> for tma_drawings::Major {
    fn from(major: Major) -> Self {
        match major {
            Major::K => Self::K,
            Major::Mn => Self::Mn,
        }
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
        let mut summary = copy.summary(self.access);
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
        let written = output.write(copy.draw(&summary).as_bytes());
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

    fn copy(&self, params: Params) -> Result<TensorCopy> {
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
        let copy = TensorCopy::new(params, &at, &offsets, direction, shared)?;
        Ok(match self.wgmma {
            Some(major) => copy.read_by_products(major.into())?,
            None => copy,
        })
    }
}

/// Checks that the box fits in the shared memory of the target GPU.
fn fits(copy: &TensorCopy, target: Target) -> Result<()> {
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
