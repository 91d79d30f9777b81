//! The origin of a recorded file: the device, the day, and the code that ran.

use std::{
    fmt::{self, Display, Formatter},
    fs,
    time::SystemTime,
};

use crate::Digest;

/// Between the parts of an origin.
const BETWEEN: &str = "; ";

/// The origin of a recorded file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The device's name, as `gpu: NVIDIA H100 80GB HBM3 (sm_90a)`.
    pub device: String,
    /// The driver's version; like the next fields empty in earlier files.
    pub driver: String,
    /// The day, as in `2025-12-24`.
    pub date: String,
    /// The digest of the launches.
    pub ran: String,
}

impl Origin {
    /// Returns the origin of a run at this moment, with this digest, on a device of this machine.
    ///
    /// # Errors
    /// The driver does not report its version.
    pub fn now(device: &str, ran: Digest) -> Result<Self, String> {
        Ok(Self {
            device: device.to_owned(),
            driver: driver()?,
            date: today(),
            ran: ran.to_string(),
        })
    }

    /// Parses the displayed text, or a device's name alone.
    pub fn parse(text: &str) -> Self {
        let mut parts = text.split(BETWEEN).map(str::to_owned);
        let mut next = || parts.next().unwrap_or_default();
        Self {
            device: next(),
            driver: next(),
            date: next(),
            ran: next(),
        }
    }

    /// Returns whether the current launches are the recorded ones.
    pub fn is_of(&self, today: Digest) -> bool {
        self.ran == today.to_string()
    }
}

impl Display for Origin {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let parts = [&self.device, &self.driver, &self.date, &self.ran];
        f.write_str(&parts.map(String::as_str).join(BETWEEN))
    }
}

/// Returns the driver of this machine, as in `CUDA 13.0, 580.159.04`.
///
/// # Errors
/// The driver does not report its version.
pub fn driver() -> Result<String, String> {
    let (version, _) = tma_host::devices().map_err(|error| error.to_string())?;
    // The kernel module's own version, if available.
    let module = fs::read_to_string("/proc/driver/nvidia/version").unwrap_or_default();
    let is_version =
        |word: &&str| word.contains('.') && word.chars().all(|c| c.is_ascii_digit() || c == '.');
    let module = module.split_whitespace().find(is_version);
    let module = module.map_or(String::new(), |version| format!(", {version}"));
    Ok(format!("CUDA {version}{module}"))
}

/// The day in UTC, as in `2025-12-24`.
pub fn today() -> String {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let days = since.map_or(0, |since| since.as_secs() / 86_400);
    date(days)
}

/// Returns the date of this many days after 1970-01-01.
fn date(mut days: u64) -> String {
    let is_leap =
        |year: u64| year.is_multiple_of(4) && !year.is_multiple_of(100) || year.is_multiple_of(400);
    let mut year = 1970;
    loop {
        let length = 365 + u64::from(is_leap(year));
        if days < length {
            break;
        }
        days -= length;
        year += 1;
    }
    let february = 28 + u64::from(is_leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    format!("{year}-{month:02}-{:02}", days + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_come_back_and_a_name_alone_is_of_nothing() {
        let today = Digest::EMPTY.and(b"kernels");
        let origin = Origin {
            device: "gpu: NVIDIA H100 80GB HBM3 (sm_90a)".into(),
            driver: "CUDA 13.0, 580.159.04".into(),
            date: "2025-12-24".into(),
            ran: today.to_string(),
        };
        assert_eq!(Origin::parse(&origin.to_string()), origin);
        assert!(origin.is_of(today) && !origin.is_of(Digest::EMPTY));
        assert!(!Origin::parse("gpu: NVIDIA H100").is_of(today));
    }

    #[test]
    fn days_have_dates() {
        assert_eq!(date(0), "1970-01-01");
        assert_eq!(date(59), "1970-03-01");
        assert_eq!(date(11_016), "2000-02-29");
        assert_eq!(date(20_446), "2025-12-24");
    }
}
