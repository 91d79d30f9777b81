//! The options of `tma record`, read from a file in the folder named by `TMA_RECORD`, and the log for it.

use std::{
    env,
    fs::{self, OpenOptions},
    io::Write,
    ops::RangeInclusive,
    path::PathBuf,
};

/// Environment variable with the folder.
const VARIABLE: &str = "TMA_RECORD";

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    /// The path of the real driver.
    pub(crate) driver: PathBuf,
    /// The folder for archives.
    pub(crate) archives: PathBuf,
    /// The launches to record; `None` for all.
    pub(crate) launches: Option<RangeInclusive<u64>>,
    /// The kernels to record, as names in which `*` matches any text; empty for all.
    pub(crate) kernels: Vec<String>,
    /// Total limit in bytes of memory to copy before launches.
    pub(crate) most_bytes: u64,
    log: PathBuf,
}

impl Options {
    /// Reads the options of this process; `None` if `tma record` did not start it.
    pub(crate) fn read() -> Option<Self> {
        let folder = PathBuf::from(env::var_os(VARIABLE)?);
        let text = fs::read_to_string(folder.join("options")).ok()?;
        let options = Self::parse(&text);
        Some(Self {
            log: folder.join("log"),
            ..options
        })
    }

    fn parse(text: &str) -> Self {
        let mut options = Self {
            most_bytes: u64::MAX,
            ..Self::default()
        };
        let (mut first, mut last) = (None, u64::MAX);
        for line in text.lines() {
            let (key, value) = line.split_once(' ').unwrap_or((line, ""));
            let number = || value.parse::<u64>().unwrap_or_default();
            match key {
                "driver" => options.driver = PathBuf::from(value),
                "archives" => options.archives = PathBuf::from(value),
                "first-launch" => first = Some(number()),
                "last-launch" => last = number(),
                "kernel" => options.kernels.push(value.to_owned()),
                "max-bytes" => options.most_bytes = number(),
                _ => {}
            }
        }
        options.launches = first.map(|first| first..=last);
        options
    }

    /// Returns whether to record a launch, given its number and the name of its kernel.
    pub(crate) fn wants(&self, number: u64, kernel: &str) -> bool {
        let launches = self.launches.as_ref();
        launches.is_none_or(|launches| launches.contains(&number))
            && (self.kernels.is_empty() || self.kernels.iter().any(|name| is_like(name, kernel)))
    }

    /// Appends a line for `tma record`. A lost line is only missing from its final summary.
    pub(crate) fn log(&self, line: &str) {
        let file = OpenOptions::new().append(true).create(true).open(&self.log);
        if let Ok(mut file) = file {
            // A single write keeps lines of several processes whole.
            let _ = file.write_all(format!("{}\n", line.replace('\n', " ")).as_bytes());
        }
    }
}

/// Returns whether a name matches a pattern in which `*` matches any text.
fn is_like(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = name.strip_prefix(parts.next().unwrap_or_default()) else {
        return false;
    };
    let Some(last) = parts.next_back() else {
        return rest.is_empty();
    };
    for part in parts {
        let Some(at) = rest.find(part) else {
            return false;
        };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_options() {
        let text = "driver /a b/libcuda.so.1\narchives /c\nfirst-launch 3\nlast-launch 5\nkernel k*\nmax-bytes 7\n";
        let options = Options::parse(text);
        assert_eq!(options.driver, PathBuf::from("/a b/libcuda.so.1"));
        assert_eq!(options.launches, Some(3..=5));
        assert_eq!(options.most_bytes, 7);
        assert!(options.wants(3, "k1") && options.wants(5, "k"));
        assert!(!options.wants(2, "k1") && !options.wants(6, "k1") && !options.wants(4, "ak"));
        assert!(Options::parse("").wants(1, "any"));
    }

    #[test]
    fn a_star_stands_for_anything() {
        for (pattern, name) in [
            ("k", "k"),
            ("*", ""),
            ("a*", "abc"),
            ("*c", "abc"),
            ("a*b*c", "axbbc"),
            ("**", "a"),
        ] {
            assert!(is_like(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [
            ("k", "kk"),
            ("k", ""),
            ("a*", "ba"),
            ("*c", "cb"),
            ("a*b*c", "acb"),
            ("ab*ba", "aba"),
        ] {
            assert!(!is_like(pattern, name), "{pattern} {name}");
        }
    }
}
