//! Reads clocks, power and processes of a GPU from nvidia-smi.

use std::{process::Command, thread, time::Duration};

use serde::Serialize;

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
    /// Bits with the reasons for reduced clocks.
    pub(crate) clock_reasons: String,
}

const SMI_FIELDS: &str = "driver_version,clocks.sm,clocks.mem,power.draw,power.limit,temperature.gpu,\
                          utilization.gpu,ecc.mode.current";
/// The names of the reasons, in newer and older versions.
const SMI_REASONS: [&str; 2] = [
    "clocks_event_reasons.active",
    "clocks_throttle_reasons.active",
];

/// Bits of nvidia-smi's reasons that mean a throttled clock: hardware slowdown, software and hardware thermal
/// limits, and the power brake.
const THROTTLED: &[(u64, &str)] = &[
    (0x08, "a slowdown by the hardware"),
    (0x20, "heat (software)"),
    (0x40, "heat (hardware)"),
    (0x80, "the power brake"),
];

/// Above this utilisation in percent, another program uses the GPU.
const BUSY_PERCENT: f64 = 10.0;
impl Smi {
    /// Queries the GPU; `None` without nvidia-smi.
    pub(crate) fn ask(ordinal: u32) -> Option<Self> {
        SMI_REASONS.iter().find_map(|reasons| {
            let query = format!("--query-gpu={SMI_FIELDS},{reasons}");
            let mut command = Command::new("nvidia-smi");
            command.args([&query, "--format=csv,noheader,nounits", "-i"]);
            let output = command.arg(ordinal.to_string()).output().ok()?;
            Self::parse(&String::from_utf8_lossy(&output.stdout))
        })
    }

    /// Queries the GPU after it has become idle, since the utilisation is of the preceding period.
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

    /// Returns reasons why the GPU is not ready, queried before any work ran here.
    pub(crate) fn unfit(&self) -> Vec<String> {
        let mut reasons = self.throttled();
        if let Ok(percent) = self.utilization_percent.parse::<f64>()
            && percent > BUSY_PERCENT
        {
            reasons.push(format!("another program uses it {percent} % of the time"));
        }
        reasons
    }

    pub(crate) fn throttled(&self) -> Vec<String> {
        let digits = self.clock_reasons.trim_start_matches("0x");
        let bits = u64::from_str_radix(digits, 16).unwrap_or(0);
        let held = THROTTLED.iter().filter(|(bit, _)| bits & bit != 0);
        held.map(|(_, why)| format!("its clocks are reduced by {why}"))
            .collect()
    }
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
    fn reasons_are_listed() {
        let busy = Smi::parse(&IDLE.replace("31, 0,", "88, 97,").replace("01\n", "60\n")).unwrap();
        let expected = [
            "its clocks are reduced by heat (software)",
            "its clocks are reduced by heat (hardware)",
            "another program uses it 97 % of the time",
        ];
        assert_eq!(busy.unfit(), expected);
    }
}
