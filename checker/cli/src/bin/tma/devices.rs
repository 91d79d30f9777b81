use std::io::Write;

use anyhow::Result;
use serde_json::{Value, json};
use tma_host::{DeviceProperties, supported};

/// Lists the driver version and its GPUs
#[derive(clap::Args)]
pub(crate) struct Devices {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Devices {
    pub(crate) fn run(self, out: &mut impl Write) -> Result<()> {
        let (version, devices) = tma_host::devices()?;
        if self.json {
            let devices: Vec<Value> = devices.into_iter().map(to_json).collect();
            let all = json!({ "driver": version.to_string(), "devices": devices });
            writeln!(out, "{all:#}")?;
            return Ok(());
        }
        writeln!(out, "driver  CUDA {version}")?;
        for device in devices {
            print(out, device)?;
        }
        Ok(())
    }
}

fn print(out: &mut impl Write, device: DeviceProperties) -> Result<()> {
    let DeviceProperties {
        ordinal,
        name,
        multiprocessors,
        ..
    } = &device;
    let (arch, gib) = (
        device.capability.arch(),
        device.memory_bytes as f64 / f64::from(1 << 30),
    );
    write!(
        out,
        "gpu {ordinal}   {name}   {arch}   {gib:.1} GiB   {multiprocessors} SMs   "
    )?;
    writeln!(
        out,
        "{} bytes of shared memory per block",
        device.shared_bytes
    )?;
    if let Err(error) = supported(device) {
        writeln!(out, "        not usable: {error}")?;
    }
    Ok(())
}

fn to_json(device: DeviceProperties) -> Value {
    json!({
        "ordinal": device.ordinal,
        "name": device.name,
        "compute_capability": device.capability.to_string(),
        "arch": device.capability.arch(),
        "memory_bytes": device.memory_bytes,
        "multiprocessors": device.multiprocessors,
        "shared_bytes_per_block": device.shared_bytes,
        "usable": supported(device).is_ok(),
    })
}
