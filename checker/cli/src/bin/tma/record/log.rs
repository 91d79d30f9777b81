//! Counts reported by the library in the program.

use std::{collections::BTreeMap, path::Path};

/// The lines that the library appends one at a time.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Log {
    /// True if the library was loaded and called.
    is_there: bool,
    /// Number of launches of all programs that ended normally.
    launches: u64,
    recorded: u64,
    bytes: u64,
    /// Number of skipped launches by kernel and reason.
    skipped: BTreeMap<(String, String), u64>,
    /// Number of incomplete archives by kernel and missing part.
    gaps: BTreeMap<(String, String), u64>,
    /// Nanoseconds and bytes by the reason for waiting.
    waits: BTreeMap<String, (u64, u64)>,
}

/// Reasons for the program to wait: the library's name, and its description.
const WAITS: [(&str, &str); 6] = [
    ("earlier", "for earlier kernels"),
    ("before", "for copies before launches"),
    ("kernel", "for recorded kernels"),
    ("after", "for copies after launches"),
    ("room", "for room for more archives"),
    ("end", "for archives when it ended"),
];

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
                "skipped" | "gap" => {
                    let (kernel, why) = rest.split_once('\t').unwrap_or((rest, ""));
                    let launches = match key {
                        "gap" => &mut log.gaps,
                        _ => &mut log.skipped,
                    };
                    let kernel = (kernel.to_owned(), why.to_owned());
                    *launches.entry(kernel).or_default() += number;
                }
                "waited" => {
                    let (bytes, name) = rest.split_once(' ').unwrap_or((rest, ""));
                    let (time, all) = log.waits.entry(name.to_owned()).or_default();
                    *time += number;
                    *all += bytes.parse::<u64>().unwrap_or_default();
                }
                _ => {}
            }
        }
        log
    }

    /// Returns a line with all waiting times.
    pub(super) fn waits(&self) -> String {
        let waits = WAITS.iter().map(|(name, words)| {
            let (nanoseconds, bytes) = self.waits.get(*name).copied().unwrap_or_default();
            let seconds = nanoseconds as f64 / 1e9;
            match mib(bytes) {
                0.0 => format!("{seconds:.3} s {words}"),
                mib => format!("{seconds:.3} s {words}, {mib:.1} MiB"),
            }
        });
        let waits: Vec<String> = waits.collect();
        format!("waited: {}\n", waits.join("; "))
    }

    /// Returns the final lines of the report.
    pub(super) fn closing(&self, folder: &Path) -> String {
        if !self.is_there {
            return "tma record: the program made no CUDA driver calls\n".to_owned();
        }
        let mut text = String::new();
        for ((kernel, why), count) in &self.skipped {
            text += &format!("not recorded: `{kernel}`, {}: {why}\n", launches(*count));
        }
        for ((kernel, why), count) in &self.gaps {
            text += &format!(
                "recorded in part: `{kernel}`, {}: {why}\n",
                launches(*count)
            );
        }
        text += &format!(
            "tma record: {} recorded in {}, {:.1} MiB",
            launches(self.recorded),
            folder.display(),
            mib(self.bytes)
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

fn mib(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
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
                    skipped 1 k\tno PTX\ngap 1 k\tit calls `malloc`\nlaunches 9\n";
        assert_eq!(
            Log::parse(text).closing(Path::new("out")),
            "not recorded: `k`, 3 launches: no PTX\n\
             recorded in part: `k`, 1 launch: it calls `malloc`\n\
             tma record: 2 launches recorded in out, 1.5 MiB, 3 not recorded, 4 not chosen\n"
        );
        let waited = "waited 1500000000 2097152 before\nwaited 500000000 1048576 before\nwaited 7000000 0 end\n";
        let waits = Log::parse(waited).waits();
        assert!(
            waits.contains("2.000 s for copies before launches, 3.0 MiB; "),
            "{waits}"
        );
        assert!(
            waits.ends_with("; 0.007 s for archives when it ended\n"),
            "{waits}"
        );
        assert!(
            Log::default()
                .closing(Path::new("out"))
                .contains("made no CUDA driver calls")
        );
    }
}
