use bytemuck::NoUninit;
use tma_emulator::EmulatorBackend;
use tma_host::Jobs;
use tma_launch::{
    Buffer, Failure, Job, Launch, Ptx,
    compare::{self, Mismatch},
};

/// Launches with their expected results.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// The subject, in words that make a file name.
    pub name: String,
    /// Memory before the launches.
    pub buffers: Vec<Buffer>,
    /// The launches, one after the other.
    pub launches: Vec<Launch>,
    /// Memory after the launches.
    pub expected: Vec<Expected>,
}

/// The expected contents of one buffer.
#[derive(Clone, Debug)]
pub struct Expected {
    /// The index among the buffers.
    pub buffer: usize,
    /// The contents.
    pub content: Content,
    /// Elements per dimension, innermost first, for the report.
    pub dims: Vec<usize>,
}

/// The contents that a buffer is compared with.
#[derive(Clone, Debug)]
pub enum Content {
    /// The given elements.
    Exact(Vec<i32>),
    /// Numbers near these values, together and one by one: the error of each is at most
    /// 16 times the error of all.
    Near {
        /// The type of the elements.
        format: Format,
        /// The values; NaNs are not compared, and infinite values must be equal.
        values: Vec<f64>,
        /// The greatest distance: the length of the difference, divided by the length of the
        /// values.
        relative_l2: f64,
    },
}

/// A type of numbers that are compared with values.
#[derive(Clone, Copy, Debug)]
pub enum Format {
    /// `f16`.
    F16,
    /// `bf16`.
    Bf16,
    /// `f32`.
    F32,
}

impl Format {
    /// The numbers that the buffer holds.
    fn numbers(self, buffer: &Buffer) -> Vec<f64> {
        let halves = |value: fn(u16) -> f64| {
            let bits = buffer.to_vec::<u16>().unwrap_or_default();
            bits.into_iter().map(value).collect()
        };
        match self {
            Self::F16 => halves(|bits| half::f16::from_bits(bits).to_f64()),
            Self::Bf16 => halves(|bits| half::bf16::from_bits(bits).to_f64()),
            Self::F32 => {
                let numbers = buffer.to_vec::<f32>().unwrap_or_default();
                numbers.into_iter().map(f64::from).collect()
            }
        }
    }
}

/// Limit of one number's error, as a multiple of the mean error.
const ONE_OFF: f64 = 16.0;

/// The failure of a scenario.
#[derive(Debug)]
pub enum CaseFailure {
    /// The run failed.
    Failed(Failure),
    /// A buffer holds something else.
    Mismatch {
        /// The buffer's name.
        buffer: String,
        /// The first difference.
        mismatch: Mismatch,
    },
    /// A buffer is too far from the expected values.
    Far {
        /// The buffer's name.
        buffer: String,
        /// The distance.
        relative_l2: f64,
        /// The accepted error.
        at_most: f64,
    },
    /// One number is too far from its expected value.
    FarElement {
        /// The buffer's name.
        buffer: String,
        /// The number's index.
        index: usize,
        /// The expected value.
        value: f64,
        /// The actual value.
        got: f64,
    },
}

impl std::fmt::Display for CaseFailure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Failed(failure) => write!(f, "{failure}"),
            Self::Mismatch { buffer, mismatch } => write!(f, "buffer `{buffer}`: {mismatch}"),
            Self::Far {
                buffer,
                relative_l2,
                at_most,
            } => write!(
                f,
                "buffer `{buffer}`: its relative distance (L2) is {relative_l2:.3e}, more than {at_most:.1e}"
            ),
            Self::FarElement {
                buffer,
                index,
                value,
                got,
            } => write!(
                f,
                "buffer `{buffer}`: number {index} is {got}, far from {value}"
            ),
        }
    }
}

impl Expected {
    /// Expects these elements, in one dimension. Other types than `i32` are compared as the `i32` of their bytes,
    /// whose number must be a multiple of 4.
    pub fn of<T: NoUninit>(buffer: usize, elements: &[T]) -> Self {
        let words = bytemuck::cast_slice(elements).chunks_exact(4);
        let words = words.map(|word| i32::from_le_bytes([word[0], word[1], word[2], word[3]]));
        let elements: Vec<i32> = words.collect();
        Self {
            buffer,
            dims: vec![elements.len()],
            content: Content::Exact(elements),
        }
    }

    /// Numbers near these values: the length of the difference is at most `relative_l2` of theirs.
    pub fn near(buffer: usize, format: Format, values: Vec<f64>, relative_l2: f64) -> Self {
        Self {
            buffer,
            dims: vec![values.len()],
            content: Content::Near {
                format,
                values,
                relative_l2,
            },
        }
    }

    /// Sets the elements per dimension, innermost first, for the report.
    #[must_use]
    pub fn dims(mut self, dims: &[usize]) -> Self {
        self.dims = dims.to_vec();
        self
    }

    /// Compares a buffer; returns the number of compared elements.
    fn compare(&self, buffer: &Buffer) -> Result<usize, CaseFailure> {
        let name = || buffer.name().to_owned();
        match &self.content {
            Content::Exact(elements) => {
                let got = buffer.to_vec::<i32>().unwrap_or_default();
                let result = compare::exact(elements, &got);
                result.map_err(|mismatch| CaseFailure::Mismatch {
                    buffer: name(),
                    mismatch: mismatch.at(&self.dims),
                })?;
                Ok(got.len())
            }
            Content::Near {
                format,
                values,
                relative_l2: at_most,
            } => {
                let (values, got) = finite(values, format.numbers(buffer));
                let relative_l2 = relative_l2(&values, &got);
                if relative_l2 <= *at_most {
                    let Some(index) = far_element(&values, &got, *at_most) else {
                        return Ok(got.len());
                    };
                    let (value, got) = (values[index], got[index]);
                    return Err(CaseFailure::FarElement {
                        buffer: name(),
                        index,
                        value,
                        got,
                    });
                }
                Err(CaseFailure::Far {
                    buffer: name(),
                    relative_l2,
                    at_most: *at_most,
                })
            }
        }
    }
}

impl Scenario {
    /// Returns whether every buffer is compared bit by bit.
    pub fn is_exact(&self) -> bool {
        let exact = |expected: &Expected| matches!(expected.content, Content::Exact(_));
        self.expected.iter().all(exact)
    }

    /// Runs the scenario and compares every expected buffer; returns the number of elements in
    /// the ones that the launches changed.
    ///
    /// # Errors
    /// The first failure.
    ///
    /// # Safety
    /// The conditions of [`Jobs::run`] with the job of this text.
    pub unsafe fn check(&self, jobs: &mut Jobs, ptx: Ptx<'_>) -> Result<usize, CaseFailure> {
        // SAFETY: the condition is the same (1).
        self.compare(ptx, |job| unsafe { jobs.run(job) })
    }

    /// Works like [`check`](Self::check), on the emulator, on which any kernel is safe.
    ///
    /// # Errors
    /// The first failure.
    pub fn emulate(&self, emulator: &EmulatorBackend, ptx: Ptx<'_>) -> Result<usize, CaseFailure> {
        self.compare(ptx, |job| emulator.run(job))
    }

    /// Returns the launches as a job with one module.
    pub fn job<'a>(&self, ptx: Ptx<'a>) -> Job<'a> {
        Job {
            ptx,
            further: Vec::new(),
            buffers: self.buffers.clone(),
            launches: self.launches.clone(),
        }
    }

    /// Works like [`check`](Self::check), with this function to run the job.
    ///
    /// # Errors
    /// The first failure.
    pub fn compare<T>(
        &self,
        ptx: Ptx<'_>,
        run: impl FnOnce(&mut Job<'_>) -> Result<T, Failure>,
    ) -> Result<usize, CaseFailure> {
        let mut job = self.job(ptx);
        run(&mut job).map_err(CaseFailure::Failed)?;
        let mut elements = 0;
        for expected in &self.expected {
            let buffer = &job.buffers[expected.buffer];
            let compared = expected.compare(buffer)?;
            if buffer.bytes() != self.buffers[expected.buffer].bytes() {
                elements += compared;
            }
        }
        Ok(elements)
    }
}

/// Returns both, with zeros for matching infinite values, and NaN for other results.
fn finite(values: &[f64], mut got: Vec<f64>) -> (Vec<f64>, Vec<f64>) {
    let mut values = values.to_vec();
    for (value, got) in values.iter_mut().zip(&mut got) {
        if value.is_infinite() {
            *got = if got == value { 0.0 } else { f64::NAN };
            *value = 0.0;
        }
    }
    (values, got)
}

/// Returns the length of the difference, divided by the length of the values; infinite if the counts
/// differ or a result is NaN.
fn relative_l2(values: &[f64], got: &[f64]) -> f64 {
    let pairs = values.iter().copied().zip(got.iter().copied());
    let pairs: Vec<(f64, f64)> = pairs.filter(|(value, _)| !value.is_nan()).collect();
    if values.len() != got.len() || pairs.iter().any(|(_, got)| !got.is_finite()) {
        return f64::INFINITY;
    }
    let square = |sum: f64, value: f64| sum + value * value;
    let apart = pairs.iter().map(|(value, got)| value - got);
    let apart = apart.fold(0.0, square).sqrt();
    let length = pairs.iter().map(|(value, _)| *value);
    let length = length.fold(0.0, square).sqrt();
    if apart == 0.0 { 0.0 } else { apart / length }
}

/// Returns the first number whose own error is too great, given the error of all.
fn far_element(values: &[f64], got: &[f64], relative_l2: f64) -> Option<usize> {
    let counted = values.iter().filter(|value| !value.is_nan());
    let (count, squares) = counted.fold((0.0, 0.0), |(count, squares), value| {
        (count + 1.0, squares + value * value)
    });
    let at_most = ONE_OFF * relative_l2 * (squares / f64::max(count, 1.0)).sqrt();
    let mut pairs = values.iter().zip(got);
    pairs.position(|(value, got)| (value - got).abs() > at_most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_wrong_half_among_a_million_is_found() {
        let values = vec![1.0; 1_000_000];
        let mut got = values.clone();
        got[777_777] = 1.5;
        assert!(relative_l2(&values, &got) < 1e-3);
        assert_eq!(far_element(&values, &got, 1e-3), Some(777_777));
        got[777_777] = 1.01;
        assert_eq!(far_element(&values, &got, 1e-3), None);
        assert_eq!(far_element(&[f64::NAN, 1.0], &[9.0, 1.0], 1e-3), None);
    }

    #[test]
    fn infinite_values_are_met_exactly() {
        let values = [1.0, f64::NEG_INFINITY];
        let distance = |got| {
            let (values, got) = finite(&values, vec![1.0, got]);
            relative_l2(&values, &got)
        };
        assert_eq!(distance(f64::NEG_INFINITY), 0.0);
        for wrong in [0.0, f64::INFINITY, f64::NAN] {
            assert_eq!(distance(wrong), f64::INFINITY);
        }
    }

    #[test]
    fn the_distance_is_relative_and_infinite_for_what_is_no_number() {
        let values = [3.0, 4.0];
        assert_eq!(relative_l2(&values, &[3.0, 4.0]), 0.0);
        assert_eq!(relative_l2(&values, &[3.0, 4.5]), 0.1);
        assert_eq!(relative_l2(&values, &[3.0]), f64::INFINITY);
        assert_eq!(relative_l2(&values, &[3.0, f64::NAN]), f64::INFINITY);
        assert_eq!(relative_l2(&[0.0], &[0.5]), f64::INFINITY);
        assert_eq!(relative_l2(&[3.0, f64::NAN], &[3.0, 7.0]), 0.0);
    }
}
