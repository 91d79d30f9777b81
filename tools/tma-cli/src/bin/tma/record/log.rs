//! The counts of the library in the program.

use std::{collections::BTreeMap, path::Path};

/// The lines that the library adds one by one.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Log {
    /// The library was loaded and called.
    is_there: bool,
    /// All launches, as far as programs have ended in the usual way.
    launches: u64,
    recorded: u64,
    bytes: u64,
    /// Launches by kernel and reason.
    skipped: BTreeMap<(String, String), u64>,
}

impl Log {
    pub(super) fn parse(text: &str) -> Self {
        let mut log = Self::default();
        for line in text.lines() {
            log.is_there = true;
            let (key, value) = line.split_once(' ').unwrap_or((line, ""));
            let (number, rest) = value.split_once(' ').unwrap_or((value, ""));
            let number = number.parse::<u64>().unwrap_or_default();
            match key {
                "launches" => log.launches += number,
                "recorded" => {
                    log.recorded += 1;
                    log.bytes += number;
                }
                "skipped" => {
                    let (kernel, why) = rest.split_once('\t').unwrap_or((rest, ""));
                    let key = (kernel.to_owned(), why.to_owned());
                    *log.skipped.entry(key).or_default() += number;
                }
                _ => {}
            }
        }
        log
    }

    /// The last lines.
    pub(super) fn closing(&self, folder: &Path) -> String {
        if !self.is_there {
            return "tma record: the program has called nothing of the CUDA driver\n".to_owned();
        }
        let mut text = String::new();
        for ((kernel, why), count) in &self.skipped {
            text += &format!("not recorded: `{kernel}`, {}: {why}\n", launches(*count));
        }
        text += &format!(
            "tma record: {} recorded in {}, {:.1} MiB",
            launches(self.recorded),
            folder.display(),
            self.bytes as f64 / f64::from(1 << 20)
        );
        let skipped: u64 = self.skipped.values().sum();
        if skipped > 0 {
            text += &format!(", {skipped} not recorded");
        }
        let others = self.launches.saturating_sub(self.recorded + skipped);
        if others > 0 {
            text += &format!(", {others} not chosen");
        }
        text + "\n"
    }
}

fn launches(count: u64) -> String {
    match count {
        1 => "1 launch".to_owned(),
        count => format!("{count} launches"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted() {
        let text = "start\nrecorded 1048576 /a b/0001-k.launch\nrecorded 524288 /x\nskipped 2 k\tno PTX\n\
                    skipped 1 k\tno PTX\nlaunches 9\n";
        assert_eq!(
            Log::parse(text).closing(Path::new("out")),
            "not recorded: `k`, 3 launches: no PTX\n\
             tma record: 2 launches recorded in out, 1.5 MiB, 3 not recorded, 4 not chosen\n"
        );
        assert!(
            Log::default()
                .closing(Path::new("out"))
                .contains("called nothing")
        );
    }
}
