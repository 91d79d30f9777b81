use std::{ops::Range, str::FromStr};

use anyhow::{Context, Error, Result, ensure};

/// Parses a seed given on the command line.
pub(crate) fn seed(given: &str) -> Result<u64, String> {
    let number = given.parse();
    number.map_err(|_| {
        format!(
            "seed `{given}` must be a whole number from 0 to {}",
            u64::MAX
        )
    })
}

/// A range of seeds: `0..64` or `0..=63`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seeds {
    first: u64,
    last: u64,
}

impl Seeds {
    pub(crate) fn one(seed: u64) -> Self {
        Self {
            first: seed,
            last: seed,
        }
    }

    /// Returns the first and the last seed.
    pub(crate) fn ends(self) -> (u64, u64) {
        (self.first, self.last)
    }

    pub(crate) fn count(self) -> u64 {
        (self.last - self.first).saturating_add(1)
    }

    pub(crate) fn iter(self) -> impl Iterator<Item = u64> {
        self.first..=self.last
    }
}

impl FromStr for Seeds {
    type Err = Error;

    fn from_str(given: &str) -> Result<Self> {
        let (from, to) = given
            .split_once("..")
            .context("must be a range of seeds, as in `0..64`")?;
        let number = |text: &str| seed(text).map_err(Error::msg);
        let first = number(from)?;
        let range: Range<u64> = match to.strip_prefix('=') {
            Some(last) => {
                first
                    ..number(last)?
                        .checked_add(1)
                        .context("the last seed is too large")?
            }
            None => first..number(to)?,
        };
        ensure!(!range.is_empty(), "the range `{given}` contains no seeds");
        Ok(Self {
            first,
            last: range.end - 1,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_those_of_rust() {
        let seeds = |given: &str| -> Vec<u64> { given.parse::<Seeds>().unwrap().iter().collect() };
        assert_eq!(seeds("0..3"), [0, 1, 2]);
        assert_eq!(seeds("5..=6"), [5, 6]);
        for wrong in [
            "",
            "3",
            "..3",
            "3..",
            "4..4",
            "5..4",
            "-1..2",
            "0..18446744073709551616",
        ] {
            assert!(wrong.parse::<Seeds>().is_err(), "{wrong}");
        }
    }
}
