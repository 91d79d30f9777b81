//! Statistics of many timings.

use serde::Serialize;

/// The median of some numbers, and their spread.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Spread {
    pub(crate) median: f64,
    /// The bounds that a tenth of the numbers is below and above.
    pub(crate) low: f64,
    pub(crate) high: f64,
    pub(crate) least: f64,
    pub(crate) count: usize,
}

impl Spread {
    /// # Panics
    /// There are no numbers.
    pub(crate) fn of(numbers: &[f64]) -> Self {
        assert!(!numbers.is_empty(), "no measurement");
        let mut sorted = numbers.to_vec();
        sorted.sort_by(f64::total_cmp);
        let at = |share: f64| {
            let index = share * (sorted.len() - 1) as f64;
            let (below, above) = (
                sorted[index.floor() as usize],
                sorted[index.ceil() as usize],
            );
            below + (above - below) * index.fract()
        };
        Self {
            median: at(0.5),
            low: at(0.1),
            high: at(0.9),
            least: sorted[0],
            count: sorted.len(),
        }
    }

    /// Returns the spread as a share of the median.
    pub(crate) fn relative(self) -> f64 {
        (self.high - self.low) / self.median
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_does_not_mind_an_outlier() {
        let mut numbers: Vec<f64> = (0..=10).map(f64::from).rev().collect();
        numbers[0] = 1e9;
        let spread = Spread::of(&numbers);
        assert_eq!((spread.median, spread.low, spread.high), (5.0, 1.0, 9.0));
        assert_eq!((spread.least, spread.count), (0.0, 11));
        assert_eq!(spread.relative(), 8.0 / 5.0);
        assert_eq!(Spread::of(&[1.0, 2.0]).median, 1.5);
    }
}
