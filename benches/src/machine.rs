//! The measuring GPU: its properties, its peak rates, and whether it is idle.

use std::{env, fs};

use anyhow::{Context, Error, Result, ensure};
use cust::device::DeviceAttribute;
use serde::Serialize;
use tests_records::origin;
use tma_host::{Buffer, Device, Shape};

use crate::{modules::Modules, smi::Smi, statistics::Spread};

/// Data from the driver, and measurements made in advance.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Machine {
    pub(crate) name: String,
    pub(crate) arch: String,
    pub(crate) multiprocessors: u32,
    pub(crate) memory_bytes: u64,
    pub(crate) l2_bytes: u64,
    /// Clocks reported by the driver.
    pub(crate) sm_clock_mhz: f64,
    pub(crate) memory_clock_mhz: f64,
    pub(crate) memory_bus_bits: u64,
    /// Peak bandwidth: two transfers per clock on every line of the bus.
    pub(crate) memory_limit_gb_s: f64,
    /// Versions of CUDA and of the driver.
    pub(crate) driver: String,
    /// The day of the measurement, as in `2025-12-24`.
    pub(crate) date: String,
    /// The commit of this program, if a file next to it contains it.
    pub(crate) commit: Option<String>,
    /// The clock measured by a kernel without other work.
    pub(crate) measured_sm_clock_mhz: f64,
    /// The output of nvidia-smi, if installed.
    pub(crate) nvidia_smi: Option<Smi>,
}

/// Maximum spread of the driver's copies, from the lowest to the highest tenth.
pub(crate) const STEADY: f64 = 0.03;
/// Minimum share of the clock reported by the driver.
const SLOW: f64 = 0.80;

impl Machine {
    pub(crate) fn of(gpu: &Device, modules: &Modules, before: Option<Smi>) -> Result<Self> {
        let properties = gpu.properties().context("the emulator is not measured")?;
        let handle = cust::device::Device::get_device(properties.ordinal)?;
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
        Ok(Self {
            name: properties.name.clone(),
            arch: gpu.arch(),
            multiprocessors: properties.multiprocessors,
            memory_bytes: properties.memory_bytes,
            l2_bytes: attribute(DeviceAttribute::L2CacheSize)?,
            sm_clock_mhz: megahertz(attribute(DeviceAttribute::ClockRate)?),
            memory_clock_mhz,
            memory_bus_bits,
            memory_limit_gb_s: 2.0 * memory_clock_mhz * 1e6 * memory_bus_bits as f64 / 8.0 / 1e9,
            driver: origin::driver().map_err(Error::msg)?,
            date: origin::today(),
            commit: commit(),
            measured_sm_clock_mhz: sm_clock_mhz(gpu, modules)?,
            nvidia_smi: before,
        })
    }

    /// Returns reasons why measurements would not be meaningful, given the spread of the driver's copies.
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

/// Returns the commit written next to this program by `cargo xtask`.
fn commit() -> Option<String> {
    let path = env::current_exe().ok()?.with_file_name("commit.txt");
    let commit = fs::read_to_string(path).ok()?;
    Some(commit.trim().to_owned()).filter(|commit| !commit.is_empty())
}

/// Measures the clock over some milliseconds.
fn sm_clock_mhz(gpu: &Device, modules: &Modules) -> Result<f64> {
    const CYCLES: u64 = 8_000_000;
    let clock = modules.helpers.function("clock")?;
    let elapsed: Buffer<u64> = gpu.zeroed(2)?;
    // The first launch wakes the GPU up.
    for _ in 0..3 {
        // SAFETY: the kernel takes these two arguments (1) and writes two numbers (2); the buffer is read below,
        // which waits (3), and no other kernel runs (4).
        unsafe { clock.launch(Shape::new(1, 1), (&elapsed, CYCLES)) }?;
    }
    let elapsed = elapsed.read()?;
    ensure!(elapsed[1] > 0, "the GPU's timer stands still");
    Ok(elapsed[0] as f64 * 1e3 / elapsed[1] as f64)
}
