use kernels_gpu::softmax::Softmax;

use super::Kernel;
use crate::{
    Scenario,
    rows::{Case, Operation},
};

pub(super) const KERNEL: Kernel = Kernel {
    name: "softmax",
    summary: "softmax of rows by bulk copies in and out, the greatest element subtracted first",
    golden: &["softmax_bf16_false", "softmax_f32_true"],
    showcase: || scenario(&Case::SHOWCASE, "", &Case::SHOWCASE.random()),
    cases,
};

fn cases() -> Vec<Scenario> {
    let mut cases = Vec::new();
    for case in Case::all() {
        cases.push(scenario(&case, "", &case.random()));
        // The powers of all numbers overflow; some rows have one that is nearly all of the sum.
        let of = |index: usize, number: &f64| match index {
            index if index % 7 == 0 => f64::NEG_INFINITY,
            index => 10_000.0 + 20.0 * number + (index / case.len) as f64,
        };
        let elements = case.random();
        let elements = elements.iter().enumerate();
        let elements: Vec<f64> = elements.map(|(index, it)| of(index, it)).collect();
        cases.push(scenario(&case, "large_", &elements));
    }
    // One by one, the least: all others are 0.
    let mut elements = vec![-3e38; Case::SHOWCASE.random().len()];
    elements.iter_mut().step_by(1000).for_each(|it| *it = 3e38);
    cases.push(scenario(&Case::SHOWCASE, "greatest_", &elements));
    cases
}

fn scenario(case: &Case, name: &str, elements: &[f64]) -> Scenario {
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
        relative_l2: [1e-6, 2e-3],
    };
    case.scenario(name, elements, &operation)
}
