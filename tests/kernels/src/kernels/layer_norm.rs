use kernels_gpu::{layer_norm::LayerNorm, rows::Numbers};

use super::Kernel;
use crate::{
    Scenario,
    rows::{Case, Operation},
};

pub(super) const KERNEL: Kernel = Kernel {
    name: "layer_norm",
    summary: "layer normalisation of rows by bulk copies in and out, the variance from distances to the mean",
    golden: &["layer_norm_bf16", "layer_norm_short_bf16"],
    showcase: || scenario(&Case::SHOWCASE, "", &Case::SHOWCASE.random(), [2e-7, 2e-3]),
    cases,
};

/// Large enough for its place under the root to count.
const EPSILON: f32 = 0.05;

fn cases() -> Vec<Scenario> {
    let mut cases = Vec::new();
    for case in Case::all() {
        cases.push(scenario(&case, "", &case.random(), [2e-7, 2e-3]));
        // The mean of squares less the square of the mean would lose the variance: `f32` has 24 bits.
        if case.numbers == Numbers::F32 {
            let elements: Vec<f64> = case.random().iter().map(|it| 5000.0 + it).collect();
            cases.push(scenario(&case, "offset_", &elements, [5e-4, 0.0]));
        }
        // Rounded, the sum of equal elements is not a multiple of them.
        let equal = |index| 12345.6 + (index / case.len) as f64;
        let elements: Vec<f64> = (0..case.len * case.rows).map(equal).collect();
        cases.push(scenario(&case, "equal_", &elements, [0.0, 0.0]));
    }
    cases
}

fn scenario(case: &Case, name: &str, elements: &[f64], relative_l2: [f64; 2]) -> Scenario {
    let of_row = |row: &[f64], parameters: &[Vec<f64>]| {
        let len = row.len() as f64;
        let mean = row.iter().sum::<f64>() / len;
        let squares: f64 = row.iter().map(|x| (x - mean).powi(2)).sum();
        let deviation = (squares / len + f64::from(EPSILON)).sqrt();
        let weighted = row.iter().zip(&parameters[0]).zip(&parameters[1]);
        weighted
            .map(|((x, weight), bias)| (x - mean) / deviation * weight + bias)
            .collect()
    };
    let operation = Operation {
        launch: &|rows| {
            let norm = LayerNorm {
                rows,
                weight: 2,
                bias: 3,
                epsilon: EPSILON,
            };
            norm.launch()
        },
        parameters: 2,
        of_row: &of_row,
        relative_l2,
    };
    case.scenario(name, elements, &operation)
}
