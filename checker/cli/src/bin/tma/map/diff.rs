use std::io::Write;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use serde_json::{Value, json};
use tensor_map::{Difference, Rule, TensorMap, Violations};
use tma_host::{Device, EncodeError, encode_with_driver, target};

use super::parameters::{Given, Parameters, from_hex, hex, read_map};

/// Compares two tensor maps field by field
///
/// Pass two maps, one map and parameters, or parameters and --driver to compare our encoding with the driver's.
#[derive(Args)]
pub(crate) struct Diff {
    /// Maps as 256 hexadecimal digits, or files with these digits or the 128 bytes
    #[arg(num_args = 0..=2)]
    maps: Vec<String>,
    /// Compare with the driver's encoding of the parameters
    #[arg(long)]
    driver: bool,
    #[command(flatten)]
    parameters: Parameters,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// One side of the comparison: its name, and a map or the reason why there is none.
struct Side {
    name: String,
    map: Result<TensorMap, String>,
}

impl Side {
    fn new(name: impl Into<String>, map: TensorMap) -> Self {
        Self {
            name: name.into(),
            map: Ok(map),
        }
    }

    /// Reads a map from an argument; its name is the file, or `given` for digits.
    fn read(given: &str) -> Result<Self> {
        let map = read_map(given)?;
        let name = if from_hex(given).is_some() {
            "given"
        } else {
            given
        };
        Ok(Self::new(name, map))
    }

    fn to_json(&self) -> Value {
        json!({
            "name": self.name,
            "bytes": self.map.as_ref().ok().map(hex),
            "refused": self.map.as_ref().err(),
        })
    }
}

impl Diff {
    pub(crate) fn run(self, out: &mut impl Write) -> Result<()> {
        let (left, right) = self.both()?;
        compare(out, &left, &right, self.json)
    }

    fn both(&self) -> Result<(Side, Side)> {
        let flags = self.parameters.given();
        match (&self.maps[..], self.driver) {
            ([left, right], false) => {
                ensure!(
                    flags.is_empty() && self.parameters.sm.is_none(),
                    "two maps cannot be combined with {}; pass two maps, or one map and parameters",
                    if flags.is_empty() {
                        "--sm".to_owned()
                    } else {
                        flags.join(", ")
                    }
                );
                let (mut left, mut right) = (Side::read(left)?, Side::read(right)?);
                if left.name == right.name {
                    left.name.insert_str(0, "first ");
                    right.name.insert_str(0, "second ");
                }
                Ok((left, right))
            }
            ([map], false) if !flags.is_empty() => {
                let Given {
                    params,
                    address,
                    target,
                    ..
                } = self.parameters.or_bytes(None)?;
                let made = params.build_for(address, target)?;
                Ok((Side::read(map)?, Side::new("parameters", made)))
            }
            ([], true) => {
                let Given {
                    params, address, ..
                } = self.parameters.or_bytes(None)?;
                ensure!(
                    self.parameters.sm.is_none(),
                    "--driver uses the GPU's compute capability; omit --sm"
                );
                let gpu = Device::gpu().context("the driver's map needs a GPU")?;
                let ours = params.build_for(address, target(&gpu));
                let theirs = encode_with_driver(&gpu, params, address);
                verdicts(ours, theirs)
            }
            _ => bail!("pass two maps, or one map and parameters, or parameters and --driver"),
        }
    }
}

/// Encodes the parameters here and with the driver; each side is a map or an error.
fn verdicts(
    ours: Result<TensorMap, Violations>,
    theirs: Result<TensorMap, EncodeError>,
) -> Result<(Side, Side)> {
    if let Err(refused) = &ours
        && refused
            .violations()
            .all(|broken| broken.rule == Rule::WideBitsUnknown)
        && theirs.is_ok()
    {
        bail!(
            "{refused}\nthe driver accepts the parameters, so there is no map of ours to compare with"
        );
    }
    let theirs = match theirs {
        Ok(map) => Ok(map),
        Err(EncodeError::Driver { error, .. }) => Err(error.to_string()),
        Err(error) => return Err(error.into()),
    };
    let side = |name: &str, map| Side {
        name: name.to_owned(),
        map,
    };
    let ours = ours.map_err(|refused| refused.to_string());
    Ok((side("ours", ours), side("driver", theirs)))
}

fn compare(out: &mut impl Write, left: &Side, right: &Side, is_json: bool) -> Result<()> {
    let differences: Vec<Difference> = match (&left.map, &right.map) {
        (Ok(left), Ok(right)) => left.differences(right).collect(),
        _ => Vec::new(),
    };
    if is_json {
        let all: Vec<Value> = differences.iter().map(difference_to_json).collect();
        let value = json!({
            "left": left.to_json(),
            "right": right.to_json(),
            "differences": all,
        });
        writeln!(out, "{value:#}")?;
    } else if left.map.is_err() || right.map.is_err() {
        for Side { name, map } in [left, right] {
            match map {
                Ok(map) => writeln!(out, "{name}: {}", hex(map))?,
                Err(refused) => writeln!(out, "{name}: {refused}")?,
            }
        }
        if left.map.is_err() && right.map.is_err() {
            writeln!(out, "the verdicts are equal: refused by both")?;
        }
    } else if differences.is_empty() {
        writeln!(out, "the maps are equal")?;
    }
    if !is_json {
        for difference in &differences {
            writeln!(out, "{}", line(difference, &left.name, &right.name))?;
        }
    }
    match differences.len() {
        _ if left.map.is_ok() != right.map.is_ok() => {
            let refuser = if left.map.is_err() { left } else { right };
            bail!("the verdicts differ: refused by one side, {}", refuser.name)
        }
        0 => Ok(()),
        1 => bail!("1 field differs"),
        count => bail!("{count} fields differ"),
    }
}

/// Formats a difference with the names of the two sides.
pub(crate) fn line(difference: &Difference, left_name: &str, right_name: &str) -> String {
    let Difference { field, left, right } = difference;
    let (name, word, low) = (field.name, field.word, field.shift);
    let high = low + field.bits - 1;
    let note = difference.note().map(|note| format!("; {note}"));
    format!(
        "{name} (word {word}, bits {high}:{low}): {left_name} {left:#x}, {right_name} {right:#x}{}",
        note.unwrap_or_default()
    )
}

pub(crate) fn difference_to_json(difference: &Difference) -> Value {
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

#[cfg(test)]
mod tests {
    use super::*;
    use cuda_driver::{DriverError, Origin};
    use tensor_map::{DataType, Target};

    /// Returns the output and the error.
    fn compared(address: u64, theirs: Result<TensorMap, EncodeError>) -> (String, Option<String>) {
        let params = TensorMap::tiled(DataType::F32, &[64])
            .box_dims(&[4])
            .params();
        let ours = params.build_for(address, Target::SM_90);
        let (left, right) = verdicts(ours, theirs).unwrap();
        let mut out = Vec::new();
        let result = compare(&mut out, &left, &right, false);
        let error = result.err().map(|error| error.to_string());
        (String::from_utf8(out).unwrap(), error)
    }

    #[test]
    fn verdicts_that_differ_are_shown() {
        let map = TensorMap::from_words([0; 16]);
        let (text, error) = compared(0x1008, Ok(map));
        assert!(
            text.starts_with("ours: parameters of the tiled tensor map"),
            "{text}"
        );
        assert!(text.contains("\ndriver: 0000"), "{text}");
        let expected = "the verdicts differ: refused by one side, ours";
        assert_eq!(error.as_deref(), Some(expected));
        let failed = || {
            let error = DriverError {
                function: "f",
                code: 1,
                origin: Origin::Driver,
            };
            let params = Box::new(TensorMap::tiled(DataType::F32, &[64]).params());
            Err(EncodeError::Driver {
                params,
                address: 0x1000,
                error,
            })
        };
        let (_, error) = compared(0x1000, failed());
        let expected = "the verdicts differ: refused by one side, driver";
        assert_eq!(error.as_deref(), Some(expected));
        let (text, error) = compared(0x1008, failed());
        assert!(text.ends_with("refused by both\n"), "{text}");
        assert_eq!(error, None);
        let (text, error) = compared(0x1000, Ok(map));
        assert!(text.contains(": ours 0x1000, driver 0x0"), "{text}");
        assert!(error.unwrap().ends_with("fields differ"));
    }
}
