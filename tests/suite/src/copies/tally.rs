//! Counts of cases of each kind, and of the ones with a difference.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};

use super::{CopyCase, Excluded};

/// Counts of cases.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Cases, and the ones with a difference, of all kinds together.
    pub all: (u64, u64),
    /// Cases that stopped the GPU.
    pub stops: u64,
    kinds: BTreeMap<(String, String), (u64, u64)>,
    excluded: BTreeMap<String, u64>,
}

impl Tally {
    /// Counts a case.
    pub fn add(&mut self, case: &CopyCase, differs: bool) {
        let count = |counts: &mut (u64, u64)| {
            counts.0 += 1;
            counts.1 += u64::from(differs);
        };
        count(&mut self.all);
        for (group, name) in case.categories() {
            count(self.kinds.entry((group.to_owned(), name)).or_default());
        }
    }

    /// Counts cases that were not compared.
    pub fn exclude(&mut self, reasons: &[Excluded]) {
        for reason in reasons {
            *self.excluded.entry(reason.name().to_owned()).or_default() += 1;
        }
    }

    /// Returns one line, for [`Tally::from_line`].
    pub fn to_line(&self) -> String {
        let mut words = vec![format!("{}:{}:{}", self.all.0, self.all.1, self.stops)];
        for ((group, name), (cases, different)) in &self.kinds {
            words.push(format!("{group}:{name}:{cases}:{different}"));
        }
        for (name, cases) in &self.excluded {
            words.push(format!("{name}:{cases}"));
        }
        words.join(";")
    }

    /// Reads a line that [`Tally::to_line`] wrote.
    pub fn from_line(line: &str) -> Option<Self> {
        let mut tally = Self::default();
        for (index, word) in line.split(';').enumerate() {
            match word.split(':').collect::<Vec<_>>()[..] {
                [cases, different, stops] if index == 0 => {
                    tally.all = (cases.parse().ok()?, different.parse().ok()?);
                    tally.stops = stops.parse().ok()?;
                }
                [group, name, cases, different] => {
                    let counts = (cases.parse().ok()?, different.parse().ok()?);
                    tally.kinds.insert((group.into(), name.into()), counts);
                }
                [name, cases] => {
                    tally.excluded.insert(name.into(), cases.parse().ok()?);
                }
                _ => return None,
            }
        }
        Some(tally)
    }
}

/// A table.
impl Display for Tally {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:<16} {:<32} {:>8} {:>10}",
            "", "", "cases", "different"
        )?;
        let mut last = "";
        for ((group, name), (cases, different)) in &self.kinds {
            let shown = if group == last { "" } else { group };
            writeln!(f, "{shown:<16} {name:<32} {cases:>8} {different:>10}")?;
            last = group;
        }
        let (cases, different) = self.all;
        writeln!(f, "{:<16} {:<32} {cases:>8} {different:>10}", "all", "")?;
        if self.stops > 0 {
            writeln!(f, "{} of them stopped the GPU", self.stops)?;
        }
        for (name, cases) in &self.excluded {
            let reason = name.parse::<Excluded>().map_or("", Excluded::reason);
            writeln!(f, "not compared: {cases} of {name}: {reason}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::copies::generate::draw;

    #[test]
    fn a_tally_comes_back_from_its_line() {
        let mut tally = Tally {
            stops: 3,
            ..Tally::default()
        };
        for number in 0..500 {
            let drawn = draw(3, number, &[]);
            tally.add(&drawn.case, number % 7 == 0);
            tally.exclude(&drawn.excluded);
        }
        assert_eq!(Tally::from_line(&tally.to_line()), Some(tally));
        assert_eq!(Tally::from_line("1:2;no"), None);
    }
}
