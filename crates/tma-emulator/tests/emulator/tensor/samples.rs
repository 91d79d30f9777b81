//! Results computed by an H200; `mma-h200.py` next to the file describes the layout.

use std::{collections::BTreeMap, sync::LazyLock};

use miniz_oxide::inflate::decompress_to_vec_zlib;

/// Numbers in several dimensions, the last one fastest.
pub(crate) struct Array {
    pub(crate) shape: Vec<usize>,
    pub(crate) numbers: Vec<u64>,
}

impl Array {
    /// The part at one index of the first dimension.
    pub(crate) fn tile(&self, index: usize) -> &[u64] {
        let count: usize = self.shape[1..].iter().product();
        &self.numbers[index * count..(index + 1) * count]
    }
}

/// All results by name.
pub(crate) static SAMPLES: LazyLock<BTreeMap<String, Array>> = LazyLock::new(|| {
    let file = include_bytes!("../../../../../tests/data/mma-h200.z");
    let bytes = decompress_to_vec_zlib(file).expect("the file is whole");
    let mut rest = bytes.as_slice();
    let mut arrays = BTreeMap::new();
    let mut take = |count: usize| {
        let (taken, behind) = rest.split_at_checked(count)?;
        rest = behind;
        Some(taken)
    };
    let number = |bytes: &[u8]| {
        bytes
            .iter()
            .rev()
            .fold(0, |n, byte| n << 8 | u64::from(*byte))
    };
    while let Some([length]) = take(1) {
        let mut next = |count| take(count).expect("the file is whole");
        let name = String::from_utf8_lossy(next((*length).into())).into_owned();
        let [size, dimensions] = next(2) else {
            unreachable!("two bytes")
        };
        let shape = next(2 * usize::from(*dimensions)).chunks_exact(2);
        let shape: Vec<usize> = shape.map(|bytes| number(bytes) as usize).collect();
        let size = usize::from(*size);
        let elements = next(size * shape.iter().product::<usize>()).chunks_exact(size);
        let numbers = elements.map(number).collect();
        arrays.insert(name, Array { shape, numbers });
    }
    arrays
});
