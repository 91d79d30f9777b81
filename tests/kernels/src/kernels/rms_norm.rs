use kernels_gpu::rms_norm::RmsNorm;

use super::Kernel;
use crate::{
    Scenario,
    rows::{Case, Operation},
};

pub(super) const KERNEL: Kernel = Kernel {
    name: "rms_norm",
    summary: "root mean square normalisation of rows by bulk copies in and out",
    golden: &["rms_norm_bf16", "rms_norm_short_bf16"],
    showcase: || scenario(&Case::SHOWCASE, "", &Case::SHOWCASE.random()),
    cases,
};

/// Large enough for its place under the root to count.
const EPSILON: f32 = 0.05;

fn cases() -> Vec<Scenario> {
    let mut cases = Vec::new();
    for case in Case::all() {
        cases.push(scenario(&case, "", &case.random()));
    }
    // Squares of these numbers are nearly as large as possible, and as small.
    for (name, factor) in [("large_", 1e17), ("small_", 1e-17)] {
        let case = Case::SHOWCASE;
        let elements: Vec<f64> = case.random().iter().map(|it| factor * it).collect();
        cases.push(scenario(&case, name, &elements));
    }
    cases
}

fn scenario(case: &Case, name: &str, elements: &[f64]) -> Scenario {
    let of_row = |row: &[f64], parameters: &[Vec<f64>]| {
        let squares: f64 = row.iter().map(|x| x * x).sum();
        let root = (squares / row.len() as f64 + f64::from(EPSILON)).sqrt();
        let weighted = row.iter().zip(&parameters[0]);
        weighted.map(|(x, weight)| x / root * weight).collect()
    };
    let operation = Operation {
        launch: &|rows| {
            let norm = RmsNorm {
                rows,
                weight: 2,
                epsilon: EPSILON,
            };
            norm.launch()
        },
        parameters: 1,
        of_row: &of_row,
        relative_l2: [2e-7, 2e-3],
    };
    case.scenario(name, elements, &operation)
}
