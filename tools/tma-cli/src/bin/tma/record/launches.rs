use std::str::FromStr;

use anyhow::{Context, Error, Result, ensure};

/// `3`, `3..7` or `3..=6`: numbers of launches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Launches {
    pub(super) first: u64,
    pub(super) last: u64,
}

impl FromStr for Launches {
    type Err = Error;

    fn from_str(given: &str) -> Result<Self> {
        let number = |text: &str| -> Result<u64> {
            text.parse()
                .with_context(|| format!("`{text}` is no number of a launch; `3` and `3..7` are"))
        };
        let (first, last) = match given.split_once("..") {
            None => (number(given)?, number(given)?),
            Some((from, to)) => match to.strip_prefix('=') {
                Some(last) => (number(from)?, number(last)?),
                None => (number(from)?, number(to)?.saturating_sub(1)),
            },
        };
        ensure!(first > 0, "launches are counted from 1");
        ensure!(first <= last, "there is no launch in `{given}`");
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
