//! Limits of a search through schedules.

use std::{
    fmt::{self, Display, Formatter},
    str::FromStr,
    time::Duration,
};

use crate::run::Jobs;

/// Limits of a search through schedules.
///
/// ```
/// use std::time::Duration;
/// use tma_emulator::Bounds;
///
/// let bounds: Bounds = "100000,60s".parse().unwrap();
/// assert_eq!(bounds, Bounds { schedules: 100_000, time: Some(Duration::from_secs(60)), ..Bounds::NONE });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The number of executions, complete or covered.
    pub schedules: u64,
    /// The number of steps of all executions.
    pub steps: u64,
    /// The time from the start of the search, which is looked at after each execution.
    pub time: Option<Duration>,
    /// The number of executions at a time. The answer is the same with any.
    pub jobs: Jobs,
}

impl Bounds {
    /// No limits; one execution at a time.
    pub const NONE: Self = Self {
        schedules: u64::MAX,
        steps: u64::MAX,
        time: None,
        jobs: Jobs::ONE,
    };

    /// Returns the stricter of the limits; the jobs are those of `other`.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let times = self.time.into_iter().chain(other.time);
        Self {
            schedules: self.schedules.min(other.schedules),
            steps: self.steps.min(other.steps),
            time: times.min(),
            jobs: other.jobs,
        }
    }
}

/// 10,000 executions, on all cores.
impl Default for Bounds {
    fn default() -> Self {
        Self {
            schedules: 10_000,
            jobs: Jobs::default(),
            ..Self::NONE
        }
    }
}

/// Reads `10000`, `60s`, `5000000steps`, or several with commas between; the other limits are none.
impl FromStr for Bounds {
    type Err = String;

    fn from_str(given: &str) -> Result<Self, String> {
        let one = |text: &str| {
            let digits = text.trim_end_matches(|letter: char| !letter.is_ascii_digit());
            let number: u64 = digits.parse().ok().filter(|number| *number > 0)?;
            let none = Self::NONE;
            Some(match &text[digits.len()..] {
                "" => Self {
                    schedules: number,
                    ..none
                },
                "s" => Self {
                    time: Some(Duration::from_secs(number)),
                    ..none
                },
                "steps" => Self {
                    steps: number,
                    ..none
                },
                _ => return None,
            })
        };
        let mut all = given.split(',').map(str::trim).map(one);
        let all = all.try_fold(Self::NONE, |all, next| Some(all.and(next?)));
        all.ok_or_else(|| {
            format!(
                "the bound `{given}` must be a number of schedules, of seconds or of steps; use 10000, 60s, 5000000steps, \
                 or several with commas between"
            )
        })
    }
}

/// Writes the bounds as they are read.
impl Display for Bounds {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let number = |number: u64, unit| (number != u64::MAX).then(|| format!("{number}{unit}"));
        let time = self.time.map(|time| format!("{}s", time.as_secs()));
        let all = [
            number(self.schedules, ""),
            time,
            number(self.steps, "steps"),
        ];
        let all: Vec<String> = all.into_iter().flatten().collect();
        f.write_str(&all.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_read_as_they_are_written() {
        for text in ["1", "10000", "60s", "5000000steps", "7,60s,9steps"] {
            let bounds: Bounds = text.parse().unwrap();
            assert_eq!(bounds.to_string(), text);
        }
        let several: Bounds = " 9steps, 7,60s,8 , 61s".parse().unwrap();
        assert_eq!(several.to_string(), "7,60s,9steps");
        for wrong in [
            "",
            "0",
            "-1",
            "s",
            "1m",
            "60 s",
            "1,",
            "5s teps",
            "99999999999999999999",
            "é",
            "1é",
        ] {
            let error = wrong.parse::<Bounds>().unwrap_err();
            assert!(
                error.starts_with(&format!("the bound `{wrong}` must be")),
                "{error}"
            );
        }
    }
}
