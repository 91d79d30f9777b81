//! Counts reported by the library in the program.

use std::collections::BTreeMap;

/// The lines of a record, which the library appends one at a time.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Record {
    launches: u64,
    errors: u64,
    warnings: u64,
    /// Number of findings that were reported before.
    again: u64,
    /// Launches with every schedule clean, and those with schedules that were not explored.
    proved: u64,
    unfinished: u64,
    /// Number of calls by name.
    unsupported: BTreeMap<String, u64>,
    /// Number of findings by index of the suppression.
    suppressed: BTreeMap<usize, u64>,
    /// True if the library was loaded.
    is_there: bool,
}

impl Record {
    pub(super) fn parse(text: &str) -> Self {
        let mut record = Self::default();
        for line in text.lines() {
            record.is_there = true;
            let (key, value) = line.split_once(' ').unwrap_or((line, ""));
            match key {
                "launch" => record.launches += 1,
                "error" => record.errors += 1,
                "warning" => record.warnings += 1,
                "again" => record.again += 1,
                "proved" => record.proved += 1,
                "unfinished" => record.unfinished += 1,
                "unsupported" => *record.unsupported.entry(value.to_owned()).or_default() += 1,
                "suppressed" => {
                    let numbers = value.split_once(' ');
                    if let Some((index, count)) = numbers
                        && let (Ok(index), Ok(count)) = (index.parse(), count.parse::<u64>())
                    {
                        *record.suppressed.entry(index).or_default() += count;
                    }
                }
                _ => {}
            }
        }
        record
    }

    /// Returns the number of errors, including unsupported functions and launches that are not proved.
    pub(super) fn errors(&self) -> u64 {
        self.errors + self.unfinished + self.unsupported.len() as u64
    }

    /// Describes the answers of a search through the schedules of each launch.
    pub(super) fn answers(&self) -> String {
        let found = self.launches - (self.proved + self.unfinished).min(self.launches);
        format!(
            "under every schedule ({} proved, {found} with an error, {} not finished)",
            self.proved, self.unfinished
        )
    }

    pub(super) fn suppressed(&self, index: usize) -> u64 {
        self.suppressed.get(&index).copied().unwrap_or_default()
    }

    /// Returns the final lines of the report.
    pub(super) fn closing(&self, how: &str) -> String {
        if !self.is_there {
            return "tma exec: the program made no CUDA calls: it is another kind of program, or it was built \
                    without `-cudart shared`\n"
                .to_owned();
        }
        let mut text = String::new();
        for (name, calls) in &self.unsupported {
            let times = if *calls == 1 {
                "once"
            } else {
                &format!("{calls} times")
            };
            text += &format!("unsupported: {name}, {times}\n");
        }
        let counted = |count: u64, what: &str| match count {
            1 => format!("1 {what}"),
            count => format!("{count} {what}s"),
        };
        let launches = self.launches;
        let launches = match launches {
            1 => "1 launch".to_owned(),
            launches => format!("{launches} launches"),
        };
        text += &format!(
            "tma exec: {launches} {how}: {}, {}",
            counted(self.errors, "error"),
            counted(self.warnings, "warning")
        );
        if self.again > 0 {
            text += &format!(", {} not shown again", self.again);
        }
        if !self.unsupported.is_empty() {
            text += &format!(", {} unsupported", self.unsupported.len());
        }
        text + "\n"
    }
}

#[cfg(test)]
mod tests {
    use super::Record;

    #[test]
    fn lines_are_counted() {
        let text = "start\nlaunch\nerror data-race\nlaunch\nagain\nunsupported cudaX\nunsupported cudaX\n\
                    suppressed 1 2\nsuppressed 1 1\n";
        let record = Record::parse(text);
        assert_eq!(record.errors(), 2);
        assert_eq!((record.suppressed(0), record.suppressed(1)), (0, 3));
        assert_eq!(
            record.closing("checked"),
            "unsupported: cudaX, 2 times\n\
             tma exec: 2 launches checked: 1 error, 0 warnings, 1 not shown again, 1 unsupported\n"
        );
        let record = Record::parse("start\nlaunch\nproved\nlaunch\nfound\nlaunch\nunfinished\n");
        assert_eq!(record.errors(), 1);
        assert_eq!(
            record.answers(),
            "under every schedule (1 proved, 1 with an error, 1 not finished)"
        );
        assert!(
            Record::default()
                .closing("checked")
                .contains("-cudart shared")
        );
    }
}
