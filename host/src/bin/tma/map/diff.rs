use std::io::Write;

use anyhow::{Context, Result, bail};
use clap::Args;
use host::{Gpu, encode_with_driver, target};
use serde_json::{Value, json};
use tensor_map::{Difference, TensorMap};

use super::parameters::{Given, Parameters, read_map};

/// Which fields of two maps differ: of two given, of one and parameters, or ours and the driver's
#[derive(Args)]
pub(crate) struct Diff {
    /// Maps: 256 hexadecimal digits, or files with those or the 128 bytes
    #[arg(num_args = 0..=2)]
    maps: Vec<String>,
    /// Compare with what the driver makes of the parameters
    #[arg(long)]
    driver: bool,
    #[command(flatten)]
    parameters: Parameters,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Diff {
    pub(crate) fn run(self, out: &mut impl Write) -> Result<()> {
        let (left, right) = self.both()?;
        let differences: Vec<Difference> = left.differences(&right).collect();
        if self.json {
            let all: Vec<Value> = differences.iter().map(to_json).collect();
            writeln!(out, "{:#}", json!(all))?;
        } else if differences.is_empty() {
            writeln!(out, "the maps are equal")?;
        } else {
            differences
                .iter()
                .try_for_each(|difference| writeln!(out, "{difference}"))?;
        }
        match differences.len() {
            0 => Ok(()),
            1 => bail!("1 field differs"),
            count => bail!("{count} fields differ"),
        }
    }

    fn both(&self) -> Result<(TensorMap, TensorMap)> {
        match (&self.maps[..], self.driver) {
            ([left, right], false) if !self.parameters.are_given() => {
                Ok((read_map(left)?, read_map(right)?))
            }
            ([map], false) if self.parameters.are_given() => {
                let Given {
                    params,
                    address,
                    target,
                    ..
                } = self.parameters.or_bytes(None)?;
                Ok((params.build_for(address, target)?, read_map(map)?))
            }
            ([], true) => {
                let Given {
                    params, address, ..
                } = self.parameters.or_bytes(None)?;
                let gpu = Gpu::first().context("the driver's map needs a GPU")?;
                let ours = params.build_for(address, target(&gpu))?;
                Ok((ours, encode_with_driver(&gpu, params, address)?))
            }
            _ => bail!("give two maps, or one map and parameters, or parameters and --driver"),
        }
    }
}

fn to_json(difference: &Difference) -> Value {
    let Difference { field, left, right } = difference;
    json!({
        "field": field.name,
        "word": field.word,
        "shift": field.shift,
        "bits": field.bits,
        "left": left,
        "right": right,
        "note": difference.note(),
    })
}
