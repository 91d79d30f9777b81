//! Cases of the kernels over rows.

use half::bf16;
use kernels_gpu::rows::{Numbers, Rows};
use tma_launch::{Buffer, Launch, Violations};

use crate::{
    Expected, Format, Scenario,
    kernels::{kept, numbers},
};

/// The extents of a case.
#[derive(Clone, Copy)]
pub(crate) struct Case {
    pub(crate) numbers: Numbers,
    pub(crate) len: usize,
    pub(crate) rows: usize,
    pub(crate) is_in_place: bool,
}

/// The results of a row, with the rows of parameters.
type OfRow = dyn Fn(&[f64], &[Vec<f64>]) -> Vec<f64>;

/// A kernel over rows, and the same in `f64`.
pub(crate) struct Operation<'a> {
    /// The launch on these rows, with parameters in buffers from 2 on.
    pub(crate) launch: &'a dyn Fn(Rows) -> Result<Launch, Violations>,
    /// Parameters of a column.
    pub(crate) parameters: usize,
    /// The expected results.
    pub(crate) of_row: &'a OfRow,
    /// The accepted error of results of `f32` and of `bf16`.
    pub(crate) relative_l2: [f64; 2],
}

impl Case {
    pub(crate) const SHOWCASE: Self = Self::of(Numbers::Bf16, 1024, 32);

    const fn of(numbers: Numbers, len: usize, rows: usize) -> Self {
        Self {
            numbers,
            len,
            rows,
            is_in_place: false,
        }
    }

    /// Extents of all kinds, in both types.
    pub(crate) fn all() -> Vec<Self> {
        let extents = [
            // A vector; rows of a warp each, with and without a rest, no multiple of a block's rows.
            [8, 5],
            [256, 1],
            [272, 3],
            [504, 5],
            [512, 9],
            [1000, 5],
            [1024, 6],
            // Rows of a block each, with and without a rest.
            [1032, 5],
            [4096, 2],
            // Longer rows of `f32`, with and without a rest; the longest short row of `bf16`.
            [4104, 9],
            [8192, 2],
            // Longer rows of both, with and without a rest; the longest of `f32`.
            [8200, 5],
            [16384, 4],
            [16392, 3],
            [32768, 3],
        ];
        let of = |numbers| extents.map(|[len, rows]| Self::of(numbers, len, rows));
        let mut cases = [of(Numbers::F32), of(Numbers::Bf16)].concat();
        cases.push(Self::of(Numbers::Bf16, 65536, 2));
        // A vector more than a warp's longest row has.
        cases.push(Self::of(Numbers::F32, 516, 3));
        let in_place = |numbers, len, rows| Self {
            is_in_place: true,
            ..Self::of(numbers, len, rows)
        };
        cases.push(in_place(Numbers::Bf16, 264, 65));
        cases.push(in_place(Numbers::Bf16, 1032, 5));
        cases.push(in_place(Numbers::F32, 4104, 9));
        cases
    }

    /// Numbers from -1 to 1 for all rows.
    pub(crate) fn random(&self) -> Vec<f64> {
        random(self.len * self.rows, 0)
    }

    pub(crate) fn scenario(
        &self,
        name: &str,
        elements: &[f64],
        operation: &Operation<'_>,
    ) -> Scenario {
        let Self {
            len, rows, numbers, ..
        } = *self;
        let (source, elements) = self.buffer("rows", elements);
        let mut buffers = vec![
            self.buffer("results", &vec![f64::NAN; len * rows]).0,
            source,
        ];
        let mut parameters = Vec::new();
        for parameter in 0..operation.parameters {
            let (buffer, values) = self.buffer("parameters", &random(len, 1000 + parameter));
            buffers.push(buffer);
            parameters.push(values);
        }
        let results = elements.chunks(len);
        let results = results.flat_map(|row| (operation.of_row)(row, &parameters));
        let dst = usize::from(self.is_in_place);
        let launch = (operation.launch)(Rows {
            numbers,
            len: len as u32,
            rows: rows as u32,
            dst,
            ..Rows::default()
        });
        let [of_f32, of_bf16] = operation.relative_l2;
        let (format, relative_l2) = match numbers {
            Numbers::F32 => (Format::F32, of_f32),
            Numbers::Bf16 => (Format::Bf16, of_bf16),
        };
        let mut expected = vec![Expected::near(dst, format, results.collect(), relative_l2)];
        let unchanged = (1..buffers.len()).filter(|buffer| *buffer != dst);
        expected.extend(unchanged.map(|at| {
            let bytes = buffers[at].bytes();
            Expected::of(at, bytes)
        }));
        let place = if self.is_in_place { "_in_place" } else { "" };
        Scenario {
            name: format!("{name}{numbers:?}_{rows}x{len}{place}"),
            launches: vec![kept(launch)],
            buffers,
            expected,
        }
    }

    /// The buffer of the nearest numbers, and their values.
    fn buffer(&self, name: &str, values: &[f64]) -> (Buffer, Vec<f64>) {
        match self.numbers {
            Numbers::F32 => {
                let numbers: Vec<f32> = values.iter().map(|value| *value as f32).collect();
                let values = numbers.iter().map(|number| f64::from(*number));
                (Buffer::new(name, &numbers), values.collect())
            }
            Numbers::Bf16 => {
                let numbers: Vec<bf16> = values.iter().map(|it| bf16::from_f64(*it)).collect();
                let bits: Vec<u16> = numbers.iter().map(|number| number.to_bits()).collect();
                let values = numbers.iter().map(|number| number.to_f64());
                (Buffer::new(name, &bits), values.collect())
            }
        }
    }
}

/// Numbers from -1 to 1.
fn random(count: usize, seed: usize) -> Vec<f64> {
    let random = numbers(seed + count).into_iter().skip(seed);
    let random = random.map(|number| f64::from(number) / f64::from(1 << 23));
    random.collect()
}
