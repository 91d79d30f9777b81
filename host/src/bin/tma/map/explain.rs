use std::io::Write;

use anyhow::Result;
use clap::Args;
use serde_json::json;
use tensor_map::Decoded;

use super::parameters::{Given, Parameters, hex, to_json};

/// The fields of a map, from parameters or from its 128 bytes
#[derive(Args)]
pub(crate) struct Explain {
    /// A map: 256 hexadecimal digits, or a file with those or the 128 bytes
    map: Option<String>,
    #[command(flatten)]
    parameters: Parameters,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Explain {
    pub(crate) fn run(self, out: &mut impl Write) -> Result<()> {
        let given = self.parameters.or_bytes(self.map.as_deref())?;
        let Given {
            params,
            address,
            target,
            decoded,
        } = &given;
        let built = params.build_for(*address, *target);
        if self.json {
            let mut value = to_json(params, *address);
            if let Ok(map) = &built {
                value["bytes"] = json!(hex(map));
            }
            writeln!(out, "{value:#}")?;
            return Ok(());
        }
        writeln!(out, "{}", params.explain(*address))?;
        if let Some(decoded) = decoded {
            self::decoded(out, decoded)?;
        }
        match built {
            Ok(map) => writeln!(out, "  bytes            {}", hex(&map))?,
            Err(refused) => writeln!(out, "{refused}")?,
        }
        for warning in params.warnings(*address, *target) {
            writeln!(out, "warning: {warning}")?;
        }
        Ok(())
    }
}

/// What bytes say besides the parameters.
fn decoded(out: &mut impl Write, decoded: &Decoded) -> Result<()> {
    let Decoded {
        box_bytes,
        box_align_bytes,
        is_large,
        ..
    } = decoded;
    writeln!(
        out,
        "  in the map       box of {box_bytes} bytes, aligned to {box_align_bytes}, by the driver's count"
    )?;
    if *is_large {
        writeln!(
            out,
            "                   marked as a tensor of 128 KiB or more"
        )?;
    }
    Ok(())
}
