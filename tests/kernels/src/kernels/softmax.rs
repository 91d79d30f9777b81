use kernels_gpu::softmax::Softmax;

use super::Kernel;
use crate::{
    Scenario,
    rows::{Case, Operation},
};

pub(super) const KERNEL: Kernel = Kernel {
    name: "softmax",
    summary: "softmax of rows by bulk copies in and out, the greatest element subtracted first",
    golden: &["softmax_bf16", "softmax_short_bf16"],
    showcase: || scenario(&Case::SHOWCASE, "", &Case::SHOWCASE.random(), 2e-3),
    cases,
};

/// The greatest relative change by rounding to `bf16`: nearly the distance if few numbers are large.
const ONE_ROUNDED: f64 = 1.0 / 256.0;

fn cases() -> Vec<Scenario> {
    let mut cases = Vec::new();
    for case in Case::all() {
        cases.push(scenario(&case, "", &case.random(), 2e-3));
        // The powers of all numbers overflow or are zero, and so do powers of distances to the least one.
        let of = |index: usize, number: &f64| match (index, index / case.len) {
            (index, _) if index % 7 == 0 => f64::NEG_INFINITY,
            (_, row) if row % 2 == 0 => 300.0 + 60.0 * number + row as f64,
            (_, row) => -300.0 + 60.0 * number - row as f64,
        };
        let elements = case.random();
        let elements = elements.iter().enumerate();
        let elements: Vec<f64> = elements.map(|(index, it)| of(index, it)).collect();
        cases.push(scenario(&case, "large_", &elements, ONE_ROUNDED));
    }
    // The greatest and the least numbers: the former share the sum, and all others are 0.
    let mut elements = vec![-3e38; Case::SHOWCASE.random().len()];
    elements.iter_mut().step_by(1000).for_each(|it| *it = 3e38);
    cases.push(scenario(&Case::SHOWCASE, "greatest_", &elements, 0.0));
    cases
}

fn scenario(case: &Case, name: &str, elements: &[f64], of_bf16: f64) -> Scenario {
    let of_row = |row: &[f64], _: &[Vec<f64>]| {
        let greatest = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let powers = || row.iter().map(|x| (x - greatest).exp());
        let sum: f64 = powers().sum();
        powers().map(|power| power / sum).collect()
    };
    let operation = Operation {
        launch: &|rows| Softmax { rows }.launch(),
        parameters: 0,
        of_row: &of_row,
        relative_l2: [3e-7, of_bf16],
    };
    case.scenario(name, elements, &operation)
}
