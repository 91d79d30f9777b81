//! Bank conflicts of a warp that reads a box in shared memory.

use std::{collections::BTreeSet, str::FromStr};

use anyhow::{Error, Result, bail, ensure};
use tensor_map::Swizzle;

/// The access pattern of a warp that reads a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// True if neighbouring threads read down a column, false if along a row.
    down: bool,
    /// Bytes that each thread reads: 4, 8 or 16.
    pub(crate) bytes: u64,
}

impl FromStr for Access {
    type Err = Error;

    fn from_str(given: &str) -> Result<Self> {
        let (way, bytes) = given.split_once(':').unwrap_or((given, "16"));
        let down = match way {
            "row" => false,
            "column" => true,
            _ => bail!(
                "an access must be `row` or `column` with the bytes per thread, as in `column:16`"
            ),
        };
        let bytes = bytes.parse()?;
        ensure!(
            [4, 8, 16].contains(&bytes),
            "bytes per thread must be 4, 8 or 16"
        );
        Ok(Self { down, bytes })
    }
}

/// The bank conflicts of a warp's read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Conflicts {
    /// Number of threads served together: 8 for 16 bytes, 16 for 8 bytes, 32 for 4 bytes.
    pub(crate) threads: u64,
    /// The number of accesses to the slowest bank in each such group.
    pub(crate) ways: Vec<usize>,
}

impl Access {
    pub(crate) fn is_down(self) -> bool {
        self.down
    }

    /// Counts the bank conflicts of reading a box with `row_bytes` per row and rows `pitch` bytes apart, at a
    /// shared address.
    pub(crate) fn conflicts(
        self,
        shape: Shape,
        swizzle: Swizzle,
        shared_address: u32,
    ) -> Conflicts {
        let threads = 32 / (self.bytes / 4);
        let addresses: Vec<u32> = (0..32)
            .filter_map(|thread| self.offset(shape, thread))
            .map(|offset| swizzle.apply(shared_address.wrapping_add(offset as u32)))
            .collect();
        let ways = addresses
            .chunks(threads as usize)
            .map(|group| ways(group, self.bytes))
            .collect();
        Conflicts { threads, ways }
    }

    fn offset(self, shape: Shape, thread: u64) -> Option<u64> {
        let per_row = (shape.row_bytes / self.bytes).max(1);
        let (row, index) = if self.down {
            (thread % shape.rows, thread / shape.rows)
        } else {
            (thread / per_row, thread % per_row)
        };
        (row < shape.rows && index < per_row).then(|| row * shape.pitch + index * self.bytes)
    }
}

/// The rows of a box in shared memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) rows: u64,
    pub(crate) row_bytes: u64,
    pub(crate) pitch: u64,
}

/// Returns the largest number of different words that one of the 32 banks must deliver.
fn ways(addresses: &[u32], bytes: u64) -> usize {
    let words = addresses
        .iter()
        .flat_map(|address| (0..bytes as u32 / 4).map(move |word| address / 4 + word));
    let mut banks = vec![BTreeSet::new(); 32];
    words.for_each(|word| _ = banks[word as usize % 32].insert(word));
    banks.iter().map(BTreeSet::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TILE: Shape = Shape {
        rows: 64,
        row_bytes: 128,
        pitch: 128,
    };

    fn ways(access: &str, swizzle: Swizzle) -> Vec<usize> {
        access
            .parse::<Access>()
            .unwrap()
            .conflicts(TILE, swizzle, 0)
            .ways
    }

    #[test]
    fn a_swizzle_serves_columns_of_16_bytes_without_conflict() {
        assert_eq!(ways("column:16", Swizzle::None), [8; 4]);
        assert_eq!(ways("column:16", Swizzle::B32), [4; 4]);
        assert_eq!(ways("column:16", Swizzle::B64), [2; 4]);
        assert_eq!(ways("column:16", Swizzle::B128), [1; 4]);
        assert_eq!(ways("row:16", Swizzle::B128), [1; 4]);
        assert_eq!(ways("column:4", Swizzle::None), [32]);
        assert_eq!(ways("column:4", Swizzle::B128), [4]);
    }

    #[test]
    fn accesses_that_make_no_sense_are_refused() {
        assert!("diagonal".parse::<Access>().is_err());
        assert!("row:3".parse::<Access>().is_err());
        assert_eq!("row".parse::<Access>().unwrap().bytes, 16);
    }
}
