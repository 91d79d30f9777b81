//! The options of `tma record`, lines of a file in the folder that `TMA_RECORD` names, and the lines that it counts.

use std::{
    env,
    fs::{self, OpenOptions},
    io::Write,
    ops::RangeInclusive,
    path::PathBuf,
};

/// Names the folder.
const VARIABLE: &str = "TMA_RECORD";

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    /// The library of the driver.
    pub(crate) driver: PathBuf,
    /// Where archives are written.
    pub(crate) archives: PathBuf,
    /// The launches that are recorded, where not all are.
    pub(crate) launches: Option<RangeInclusive<u64>>,
    /// The kernels that are recorded, where not all are: names in which `*` stands for anything.
    pub(crate) kernels: Vec<String>,
    /// Memory that is taken, in bytes of all launches together.
    pub(crate) most_bytes: u64,
    log: PathBuf,
}

impl Options {
    /// Those of this process; nothing where `tma record` did not start it.
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

    /// Returns whether a launch is to be recorded, by its number and the name of its kernel.
    pub(crate) fn wants(&self, number: u64, kernel: &str) -> bool {
        let launches = self.launches.as_ref();
        launches.is_none_or(|launches| launches.contains(&number))
            && (self.kernels.is_empty() || self.kernels.iter().any(|name| is_like(name, kernel)))
    }

    /// Adds a line for `tma record`. What is lost here is missing in its last lines alone.
    pub(crate) fn log(&self, line: &str) {
        let file = OpenOptions::new().append(true).create(true).open(&self.log);
        if let Ok(mut file) = file {
            // One write, so that lines of several processes stay whole.
            let _ = file.write_all(format!("{}\n", line.replace('\n', " ")).as_bytes());
        }
    }
}

/// Returns whether a name is as a pattern says, in which `*` stands for anything.
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
