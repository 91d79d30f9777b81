//! The origin of a recorded file: the device, the day, and the code that ran.

use std::fmt::{self, Display, Formatter};

use crate::{digest::Digest, semantics::results};

/// Between the parts of an origin.
const BETWEEN: &str = "; ";

/// The origin of a recorded file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The device's name, as `gpu: NVIDIA H100 80GB HBM3 (sm_90a)`.
    pub device: String,
    /// The driver's version; none in earlier files, as what follows.
    pub driver: String,
    /// The day, as in `2025-12-24`.
    pub date: String,
    /// The digest of what ran.
    pub ran: String,
}

impl Origin {
    /// The origin of a run at this moment, with this digest, on a device of this machine.
    ///
    /// # Errors
    /// The driver does not say what it is.
    pub fn now(device: &str, ran: Digest) -> Result<Self, String> {
        Ok(Self {
            device: device.to_owned(),
            driver: results::driver()?,
            date: results::today(),
            ran: ran.to_string(),
        })
    }

    /// Of the text that it is displayed as, or of a device's name alone.
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

    /// False where something else ran than what runs today.
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
}
