//! The GPU that measures: what it is, what it could do, and whether it is free to do it.

use std::{fs, process::Command, thread, time::Duration};

use anyhow::{Context, Result, ensure};
use cust::device::DeviceAttribute;
use host::{DeviceBuffer, Gpu, Shape};
use serde::Serialize;

use crate::{modules::Modules, statistics::Spread};

/// What the driver says, and what was measured before anything else.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Machine {
    pub(crate) name: String,
    pub(crate) arch: String,
    pub(crate) multiprocessors: u32,
    pub(crate) memory_bytes: u64,
    pub(crate) l2_bytes: u64,
    /// As the driver has them.
    pub(crate) sm_clock_mhz: f64,
    pub(crate) memory_clock_mhz: f64,
    pub(crate) memory_bus_bits: u64,
    /// Two transfers a clock on every line of the bus.
    pub(crate) memory_limit_gb_s: f64,
    /// Of CUDA, and of itself.
    pub(crate) driver: String,
    /// Cycles by the time that they took, in a kernel that does nothing else.
    pub(crate) measured_sm_clock_mhz: f64,
    /// What nvidia-smi says, where it is there.
    pub(crate) nvidia_smi: Option<Smi>,
}

/// One line of nvidia-smi.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Smi {
    pub(crate) driver: String,
    pub(crate) sm_clock_mhz: String,
    pub(crate) memory_clock_mhz: String,
    pub(crate) power_w: String,
    pub(crate) power_limit_w: String,
    pub(crate) temperature_c: String,
    pub(crate) utilization_percent: String,
    pub(crate) ecc: String,
    /// Bits that say why clocks are lower than they could be.
    pub(crate) clock_reasons: String,
}

const SMI_FIELDS: &str = "driver_version,clocks.sm,clocks.mem,power.draw,power.limit,temperature.gpu,\
                          utilization.gpu,ecc.mode.current";
/// What the reasons are called, in newer and older ones.
const SMI_REASONS: [&str; 2] = [
    "clocks_event_reasons.active",
    "clocks_throttle_reasons.active",
];

/// Bits of nvidia-smi's reasons that mean a clock below what the GPU could have: the hardware's
/// slowdown, heat by software and by hardware, and the power brake.
const THROTTLED: &[(u64, &str)] = &[
    (0x08, "a slowdown by the hardware"),
    (0x20, "heat (software)"),
    (0x40, "heat (hardware)"),
    (0x80, "the power brake"),
];

/// Beyond this share of its time someone else uses the GPU.
const BUSY_PERCENT: f64 = 10.0;
/// Copies of the same bytes differ by less than this, from the tenth part of them to the ninth.
pub(crate) const STEADY: f64 = 0.03;
/// Of the clock that the driver names.
const SLOW: f64 = 0.80;

impl Machine {
    pub(crate) fn of(gpu: &Gpu, modules: &Modules, before: Option<Smi>) -> Result<Self> {
        let device = gpu.device();
        let handle = cust::device::Device::get_device(device.ordinal)?;
        let attribute = |attribute| -> Result<u64> {
            let value = handle.get_attribute(attribute);
            Ok(value
                .with_context(|| format!("{attribute:?}"))?
                .unsigned_abs()
                .into())
        };
        let megahertz = |kilohertz: u64| kilohertz as f64 / 1e3;
        let memory_clock_mhz = megahertz(attribute(DeviceAttribute::MemoryClockRate)?);
        let memory_bus_bits = attribute(DeviceAttribute::GlobalMemoryBusWidth)?;
        let (version, _) = host::devices()?;
        Ok(Self {
            name: device.name.clone(),
            arch: gpu.arch(),
            multiprocessors: device.multiprocessors,
            memory_bytes: device.memory_bytes,
            l2_bytes: attribute(DeviceAttribute::L2CacheSize)?,
            sm_clock_mhz: megahertz(attribute(DeviceAttribute::ClockRate)?),
            memory_clock_mhz,
            memory_bus_bits,
            memory_limit_gb_s: 2.0 * memory_clock_mhz * 1e6 * memory_bus_bits as f64 / 8.0 / 1e9,
            driver: format!("CUDA {version}{}", kernel_driver()),
            measured_sm_clock_mhz: sm_clock_mhz(gpu, modules)?,
            nvidia_smi: before,
        })
    }

    /// Why measuring would say little, if so. The spread is that of the driver's own copies.
    pub(crate) fn unfit(&self, copies: Spread) -> Vec<String> {
        let mut reasons = Vec::new();
        if let Some(smi) = &self.nvidia_smi {
            reasons.extend(smi.unfit());
        }
        if self.measured_sm_clock_mhz < SLOW * self.sm_clock_mhz {
            reasons.push(format!(
                "its clock is at {:.0} MHz of {:.0}",
                self.measured_sm_clock_mhz, self.sm_clock_mhz
            ));
        }
        if copies.relative() > STEADY {
            reasons.push(format!(
                "the driver's copies of the same bytes took {:.3} to {:.3} ms, {:.1} % apart",
                copies.low,
                copies.high,
                100.0 * copies.relative()
            ));
        }
        reasons
    }
}

impl Smi {
    /// What it says of the GPU; nothing where there is none.
    pub(crate) fn ask(ordinal: u32) -> Option<Self> {
        SMI_REASONS.iter().find_map(|reasons| {
            let query = format!("--query-gpu={SMI_FIELDS},{reasons}");
            let mut command = Command::new("nvidia-smi");
            command.args([&query, "--format=csv,noheader,nounits", "-i"]);
            let output = command.arg(ordinal.to_string()).output().ok()?;
            Self::parse(&String::from_utf8_lossy(&output.stdout))
        })
    }

    /// The same, when the GPU has come to rest: its use is told of the time before.
    pub(crate) fn ask_at_rest(ordinal: u32) -> Option<Self> {
        let mut smi = Self::ask(ordinal)?;
        for _ in 0..6 {
            if smi.unfit().is_empty() {
                break;
            }
            thread::sleep(Duration::from_millis(500));
            smi = Self::ask(ordinal)?;
        }
        Some(smi)
    }

    fn parse(line: &str) -> Option<Self> {
        let fields: Vec<String> = line
            .trim()
            .split(',')
            .map(|field| field.trim().to_owned())
            .collect();
        let [
            driver,
            sm,
            memory,
            power,
            limit,
            temperature,
            utilization,
            ecc,
            reasons,
        ] = <[String; 9]>::try_from(fields).ok()?;
        Some(Self {
            driver,
            sm_clock_mhz: sm,
            memory_clock_mhz: memory,
            power_w: power,
            power_limit_w: limit,
            temperature_c: temperature,
            utilization_percent: utilization,
            ecc,
            clock_reasons: reasons,
        })
    }

    /// Why it is not fit, asked before anything ran here.
    pub(crate) fn unfit(&self) -> Vec<String> {
        let mut reasons = self.throttled();
        if let Ok(percent) = self.utilization_percent.parse::<f64>()
            && percent > BUSY_PERCENT
        {
            reasons.push(format!("someone else uses it {percent} % of the time"));
        }
        reasons
    }

    pub(crate) fn throttled(&self) -> Vec<String> {
        let digits = self.clock_reasons.trim_start_matches("0x");
        let bits = u64::from_str_radix(digits, 16).unwrap_or(0);
        let held = THROTTLED.iter().filter(|(bit, _)| bits & bit != 0);
        held.map(|(_, why)| format!("its clocks are held down by {why}"))
            .collect()
    }
}

/// The driver's own version, as its kernel module tells.
fn kernel_driver() -> String {
    let text = fs::read_to_string("/proc/driver/nvidia/version").unwrap_or_default();
    let version = text
        .split_whitespace()
        .find(|word| word.contains('.') && word.chars().all(|c| c.is_ascii_digit() || c == '.'));
    version.map_or(String::new(), |version| format!(", {version}"))
}

/// Measured over some milliseconds.
fn sm_clock_mhz(gpu: &Gpu, modules: &Modules) -> Result<f64> {
    const CYCLES: u64 = 8_000_000;
    let clock = modules.helpers.function("clock")?;
    let elapsed: DeviceBuffer<u64> = gpu.zeroed(2)?;
    // The first wakes the GPU up.
    for _ in 0..3 {
        // SAFETY: the kernel takes these two (1) and writes two numbers (2); the buffer is read
        // below, which waits (3), and nothing else runs (4).
        unsafe { clock.launch(Shape::new(1, 1), (&elapsed, CYCLES)) }?;
    }
    let elapsed = elapsed.read()?;
    ensure!(elapsed[1] > 0, "the GPU's timer stands still");
    Ok(elapsed[0] as f64 * 1e3 / elapsed[1] as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    const IDLE: &str =
        "580.159.04, 1980, 2619, 71.95, 700.00, 31, 0, Enabled, 0x0000000000000001\n";

    #[test]
    fn an_idle_gpu_is_fit() {
        let smi = Smi::parse(IDLE).unwrap();
        assert_eq!(smi.power_limit_w, "700.00");
        assert_eq!(smi.unfit(), [""; 0]);
        assert_eq!(Smi::parse("No devices were found"), None);
    }

    #[test]
    fn reasons_are_told() {
        let busy = Smi::parse(&IDLE.replace("31, 0,", "88, 97,").replace("01\n", "60\n")).unwrap();
        let expected = [
            "its clocks are held down by heat (software)",
            "its clocks are held down by heat (hardware)",
            "someone else uses it 97 % of the time",
        ];
        assert_eq!(busy.unfit(), expected);
    }
}
