//! Names of schedules.

use std::{
    fmt::{self, Display, Formatter},
    str::FromStr,
};

use super::Schedule;

/// The name of a schedule: a digest of the module's text, the number of the launch, and the choices, as
/// `33a85bde:0:3.2`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ScheduleName {
    /// Digest of the text of the kernel's module.
    pub digest: u32,
    /// Number of the launch in its session, from 0.
    pub launch: usize,
    /// The choices.
    pub schedule: Schedule,
}

impl ScheduleName {
    pub(crate) fn new(digest: u32, launch: usize, schedule: Schedule) -> Self {
        Self {
            digest,
            launch,
            schedule,
        }
    }

    /// Returns whether the schedule is one of a kernel in this text.
    pub fn is_of(&self, text: &str) -> bool {
        self.digest == Self::digest(text)
    }

    /// Returns the digest of a text: the 32 bits of FNV-1a, which are the same in every release.
    pub(crate) fn digest(text: &str) -> u32 {
        text.bytes().fold(0x811c_9dc5, |hash, byte| {
            (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
        })
    }
}

impl Display for ScheduleName {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{:08x}:{}:{}", self.digest, self.launch, self.schedule)
    }
}

impl FromStr for ScheduleName {
    type Err = &'static str;

    fn from_str(given: &str) -> Result<Self, Self::Err> {
        let name = || {
            let (digest, rest) = given.split_once(':')?;
            let (launch, choices) = rest.split_once(':')?;
            Some(Self {
                digest: u32::from_str_radix(digest, 16).ok()?,
                launch: launch.parse().ok()?,
                schedule: Schedule::parse(choices)?,
            })
        };
        name().ok_or("a schedule must be a name that a search has printed, such as 33a85bde:0:3.2")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for text in ["0012abcd:0:usual", "ffffffff:3:1.0-17.2"] {
            let name: ScheduleName = text.parse().unwrap();
            assert_eq!(name.to_string(), text);
        }
        for wrong in [
            "",
            "12",
            "1:2",
            "1:2:",
            "x:0:usual",
            "1:-1:usual",
            "1:0:2.1-1.1",
        ] {
            assert!(wrong.parse::<ScheduleName>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_digest_is_fnv_1a() {
        // Published values.
        assert_eq!(ScheduleName::digest("foobar"), 0xbf9c_f968);
        assert_eq!(ScheduleName::digest(""), 0x811c_9dc5);
    }
}
