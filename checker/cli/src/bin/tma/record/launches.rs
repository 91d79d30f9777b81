use std::str::FromStr;

use anyhow::{Context, Error, Result, ensure};

/// A range of launch numbers: `3`, `3..7` or `3..=6`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Launches {
    pub(super) first: u64,
    pub(super) last: u64,
}

impl FromStr for Launches {
    type Err = Error;

    fn from_str(given: &str) -> Result<Self> {
        let number = |text: &str| -> Result<u64> {
            text.parse().with_context(|| {
                format!("launch `{text}` must be a number or a range, as in `3` or `3..7`")
            })
        };
        let (first, last) = match given.split_once("..") {
            None => (number(given)?, number(given)?),
            Some((from, to)) => match to.strip_prefix('=') {
                Some(last) => (number(from)?, number(last)?),
                None => (number(from)?, number(to)?.saturating_sub(1)),
            },
        };
        ensure!(first > 0, "launch numbers start at 1");
        ensure!(first <= last, "the range `{given}` contains no launches");
        Ok(Self { first, last })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_or_several() {
        let launches = |given: &str| {
            let launches = given.parse::<Launches>();
            launches
                .map(|launches| (launches.first, launches.last))
                .ok()
        };
        assert_eq!(launches("3"), Some((3, 3)));
        assert_eq!(launches("3..7"), Some((3, 6)));
        assert_eq!(launches("1..=7"), Some((1, 7)));
        for wrong in ["", "0", "3..3", "0..4", "5..4", "-1", "a", "1..", "..2"] {
            assert_eq!(launches(wrong), None, "{wrong}");
        }
    }
}
