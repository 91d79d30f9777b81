use std::f64::consts::FRAC_2_PI;

use half::{bf16, f16};
use kernels_gpu::gemm::{Activation, Gemm, Numbers};
use tests_references::{Matrix, product};
use tma_launch::Buffer;

use super::{Kernel, kept, numbers};
use crate::{Expected, Format, Scenario};

pub(super) const KERNEL: Kernel = Kernel {
    name: "gemm",
    summary: "multiplies matrices by tensor cores, which a warpgroup feeds and two keep busy",
    golden: &["gemm_bf16_true_true", "gemm_batched_narrow_bf16_true_true"],
    showcase: || scenario(Case::of([256, 256, 192], 2)),
    cases,
};

/// A product to be computed.
#[derive(Clone, Copy)]
struct Case {
    numbers: Numbers,
    /// M, N and K.
    size: [usize; 3],
    multiprocessors: u32,
    a_transposed: bool,
    b_transposed: bool,
    alpha: f32,
    has_bias: bool,
    activation: Activation,
    results: Results,
}

/// Options of the results: `f32`, beta, several products.
#[derive(Clone, Copy)]
struct Results {
    is_single: bool,
    beta: f32,
    batches: usize,
    /// All products have the same B.
    shares_b: bool,
    /// Rows and matrices are not contiguous.
    has_gaps: bool,
}

impl Results {
    const PLAIN: Self = Self {
        is_single: false,
        beta: 0.0,
        batches: 1,
        shares_b: false,
        has_gaps: false,
    };
}

impl Case {
    const fn of(size: [usize; 3], multiprocessors: u32) -> Self {
        Self {
            numbers: Numbers::Bf16,
            size,
            multiprocessors,
            a_transposed: false,
            b_transposed: true,
            alpha: 1.0,
            has_bias: false,
            activation: Activation::NONE,
            results: Results::PLAIN,
        }
    }
}

fn cases() -> Vec<Scenario> {
    let mut cases = vec![
        Case::of([128, 256, 64], 1),
        // Less than a tile, and less than a stage.
        Case::of([8, 16, 8], 1),
        Case::of([72, 40, 24], 3),
        // Beyond a tile on every side, and more stages than the pipeline has.
        Case::of([136, 264, 328], 2),
        Case::of([1, 8, 400], 1),
        // Several tiles a block.
        Case::of([300, 520, 72], 1),
        Case::of([300, 520, 72], 4),
        // Results are stored during the products of the next tile: too few stages for this, exactly enough, and more.
        Case::of([136, 8, 256], 1),
        Case::of([136, 8, 320], 1),
        Case {
            alpha: 2.0,
            has_bias: true,
            activation: Activation::RELU,
            ..Case::of([136, 264, 392], 1)
        },
        // More rows than a group has.
        Case::of([2056, 264, 8], 3),
        // No products at all.
        Case::of([130, 24, 0], 2),
        // Few tiles for many multiprocessors: narrow ones.
        Case::of([64, 200, 136], 132),
        Case::of([200, 72, 392], 132),
        // Narrow ones, several a block.
        Case::of([136, 200, 392], 4),
        // Ones that blocks share: of 128 rows, and of 64.
        Case::of([136, 200, 3072], 8),
        Case::of([64, 200, 3072], 132),
        Case::of([1, 8, 3080], 132),
    ];
    for numbers in [Numbers::Bf16, Numbers::F16] {
        for (a_transposed, b_transposed) in
            [(false, false), (true, true), (true, false), (false, true)]
        {
            // Wide tiles, narrow ones, and ones that blocks share, of 128 rows and of 64.
            let forms = [(2, 328, 72), (132, 328, 72), (6, 72, 3080), (132, 72, 3080)];
            for (multiprocessors, n, k) in forms {
                cases.push(Case {
                    numbers,
                    a_transposed,
                    b_transposed,
                    alpha: -0.5,
                    has_bias: true,
                    activation: if a_transposed {
                        Activation::RELU
                    } else {
                        Activation::NONE
                    },
                    ..Case::of([136, n, k], multiprocessors)
                });
            }
        }
    }
    cases.extend(cases_of_results());
    cases.into_iter().map(scenario).collect()
}

fn cases_of_results() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut add = |case: Case, results| cases.push(Case { results, ..case });
    let plain = Results::PLAIN;
    let single = Results {
        is_single: true,
        ..plain
    };
    let gaps = Results {
        has_gaps: true,
        ..plain
    };
    add(Case::of([72, 40, 24], 3), gaps);
    add(Case::of([136, 264, 328], 2), single);
    add(
        Case::of([70, 37, 40], 132),
        Results {
            has_gaps: true,
            ..single
        },
    );
    add(
        Case::of([300, 520, 72], 3),
        Results {
            beta: -2.0,
            ..plain
        },
    );
    // Sums of a few units, where these functions are neither 0 nor the identity.
    for (activation, size, multiprocessors, alpha, results) in [
        (Activation::SILU, [136, 264, 392], 2, 1.0 / 256.0, plain),
        (Activation::GELU, [136, 72, 392], 132, 1.0 / 256.0, plain),
        (Activation::SILU, [64, 200, 3072], 132, 1.0 / 1024.0, plain),
        (Activation::GELU, [70, 36, 40], 132, 1.0 / 64.0, single),
    ] {
        let case = Case {
            activation,
            alpha,
            ..Case::of(size, multiprocessors)
        };
        add(case, results);
    }
    for (a_transposed, b_transposed) in [(false, false), (true, true), (true, false), (false, true)]
    {
        for (multiprocessors, numbers) in [(2, Numbers::F16), (132, Numbers::Bf16)] {
            let case = Case {
                numbers,
                a_transposed,
                b_transposed,
                alpha: 0.5,
                has_bias: true,
                activation: Activation::RELU,
                ..Case::of([136, 72, 136], multiprocessors)
            };
            let results = Results {
                is_single: a_transposed,
                beta: 3.0,
                batches: 3,
                shares_b: b_transposed,
                has_gaps: a_transposed != b_transposed,
            };
            add(case, results);
        }
    }
    // More stages than the pipeline has, several times, and several tiles a block.
    add(Case::of([16, 24, 1160], 132), single);
    add(Case::of([16, 520, 648], 8), single);
    // No products at all.
    let many = Results {
        batches: 3,
        ..plain
    };
    add(Case::of([40, 24, 0], 2), Results { beta: -1.0, ..many });
    add(
        Case::of([40, 24, 0], 2),
        Results {
            is_single: true,
            ..many
        },
    );
    cases
}

/// The places of the elements of matrices.
#[derive(Clone, Copy)]
struct Places {
    count: usize,
    strides: [usize; 2],
}

impl Places {
    fn of(case: &Case, [rows, columns]: [usize; 2], count: usize) -> Self {
        let gap = |elements| if case.results.has_gaps { elements } else { 0 };
        let row = if case.results.has_gaps {
            columns.next_multiple_of(8)
        } else {
            columns
        } + gap(8);
        let matrix = rows * row + gap(24);
        Self {
            count,
            strides: [row, matrix],
        }
    }

    const fn len(&self) -> usize {
        self.count * self.strides[1]
    }

    /// Missing matrices repeat the last one.
    fn at(&self, matrix: usize, row: usize, column: usize) -> usize {
        let [of_row, of_matrix] = self.strides;
        matrix.min(self.count - 1) * of_matrix + row * of_row + column
    }

    fn matrix<'a>(&self, elements: &'a [f64], matrix: usize, is_transposed: bool) -> Matrix<'a> {
        let given = Matrix {
            elements: &elements[self.at(matrix, 0, 0)..],
            strides: [self.strides[0], 1],
        };
        match is_transposed {
            true => given.transposed(),
            false => given,
        }
    }
}

/// Small whole numbers, whose sums are exact in `f32` in any order.
pub(super) fn small(len: usize, least: i32, most: i32) -> Vec<f64> {
    let numbers = numbers(len).into_iter();
    let small = numbers.map(|number| least + number.rem_euclid(most - least + 1));
    small.map(f64::from).collect()
}

/// Returns the bits of the nearest numbers; zeros are positive, and NaN is all ones.
pub(super) fn rounded(values: &[f64], numbers: Numbers) -> Vec<u16> {
    let values = values.iter().map(|value| value + 0.0);
    values
        .map(|value| match numbers {
            _ if value.is_nan() => u16::MAX,
            Numbers::Bf16 => bf16::from_f64(value).to_bits(),
            Numbers::F16 => f16::from_f64(value).to_bits(),
        })
        .collect()
}

/// Returns whether results come from the hardware's approximations.
fn is_approximate(activation: Activation) -> bool {
    [Activation::SILU, Activation::GELU].contains(&activation)
}

/// The function of a number.
fn activated(activation: Activation, x: f64) -> f64 {
    match activation {
        Activation::RELU => x.max(0.0),
        Activation::SILU => x / (1.0 + (-x).exp()),
        Activation::GELU => {
            x * (1.0 + (FRAC_2_PI.sqrt() * (x + 0.044715 * x.powi(3))).tanh()) / 2.0
        }
        _ => x,
    }
}

/// The elements, as in memory.
enum Elements {
    Halves(Vec<u16>),
    Singles(Vec<u32>),
}

impl Elements {
    fn of(values: &[f64], case: &Case) -> Self {
        if !case.results.is_single {
            return Self::Halves(rounded(values, case.numbers));
        }
        let bits = |value: f64| match value.is_nan() {
            true => u32::MAX,
            false => (value as f32 + 0.0).to_bits(),
        };
        Self::Singles(values.iter().copied().map(bits).collect())
    }

    fn buffer(&self, name: &str) -> Buffer {
        match self {
            Self::Halves(bits) => Buffer::new(name, bits),
            Self::Singles(bits) => Buffer::new(name, bits),
        }
    }

    fn expected(&self, index: usize) -> Expected {
        match self {
            Self::Halves(bits) => Expected::of(index, bits),
            Self::Singles(bits) => Expected::of(index, bits),
        }
    }
}

fn scenario(case: Case) -> Scenario {
    let [m, n, k] = case.size;
    let given = |is_transposed, [rows, columns]: [usize; 2]| match is_transposed {
        true => [columns, rows],
        false => [rows, columns],
    };
    let Results {
        is_single,
        beta,
        batches,
        shares_b,
        has_gaps,
    } = case.results;
    let places_of_a = Places::of(&case, given(case.a_transposed, [m, k]), batches);
    let count_of_b = if shares_b { 1 } else { batches };
    let places_of_b = Places::of(&case, given(case.b_transposed, [k, n]), count_of_b);
    let places = Places::of(&case, [m, n], batches);
    let a = small(places_of_a.len(), -8, 9);
    let b = small(places_of_b.len(), -5, 4);
    let bias = small(if case.has_bias { n } else { 0 }, -100, 100);
    let bias: Vec<f32> = bias.into_iter().map(|number| number as f32).collect();
    let mut before = vec![f64::NAN; places.len()];
    if beta != 0.0 {
        before = small(places.len(), -20, 20);
    }
    let mut after = before.clone();
    for batch in 0..batches {
        let of_a = places_of_a.matrix(&a, batch, case.a_transposed);
        let of_b = places_of_b.matrix(&b, batch, case.b_transposed);
        let mut sums = product(case.size, of_a, of_b).into_iter();
        for row in 0..m {
            for (column, sum) in sums.by_ref().take(n).enumerate() {
                let bias = bias.get(column).copied().map_or(0.0, f64::from);
                let at = places.at(batch, row, column);
                let mut result = f64::from(case.alpha) * sum + bias;
                if beta != 0.0 {
                    result += f64::from(beta) * before[at];
                }
                after[at] = activated(case.activation, result);
            }
            if n % 2 == 1 && is_single {
                // Columns are written in pairs.
                after[places.at(batch, row, n)] = 0.0;
            }
        }
    }
    let [a, b] = [a, b].map(|values| rounded(&values, case.numbers));
    let before = Elements::of(&before, &case);
    let after = if is_approximate(case.activation) {
        let (format, relative_l2) = match (is_single, case.numbers) {
            (true, _) => (Format::F32, 1e-6),
            (false, Numbers::Bf16) => (Format::Bf16, 3e-3),
            (false, Numbers::F16) => (Format::F16, 4e-4),
        };
        Expected::near(0, format, after, relative_l2)
    } else {
        Elements::of(&after, &case).expected(0)
    };
    let Case {
        numbers,
        multiprocessors,
        a_transposed,
        b_transposed,
        ..
    } = case;
    let all = [places, places_of_a, places_of_b];
    let stride = |places: Places, number: usize| Some(places.strides[number] as u64);
    let gemm = Gemm {
        numbers,
        is_single,
        size: case.size.map(|extent| extent as u32),
        batches: batches as u32,
        a_transposed,
        b_transposed,
        strides: all.map(|places| stride(places, 0).filter(|_| has_gaps)),
        batch_strides: all.map(|places| match places.count {
            1 => Some(0).filter(|_| shares_b),
            _ => stride(places, 1).filter(|_| has_gaps),
        }),
        alpha: case.alpha,
        beta,
        bias: case.has_bias.then_some(3),
        activation: case.activation,
        c: 0,
        a: 1,
        b: 2,
        multiprocessors,
    };
    let mut name = format!(
        "{m}x{n}x{k}_{numbers:?}_a_{a_transposed}_b_{b_transposed}_{multiprocessors}_blocks"
    );
    for (has, suffix) in [
        (is_single, "_to_f32".to_owned()),
        (beta != 0.0, format!("_beta_{beta}")),
        (batches != 1, format!("_batches_{batches}")),
        (shares_b, "_one_b".to_owned()),
        (has_gaps, "_gaps".to_owned()),
        (case.activation == Activation::SILU, "_silu".to_owned()),
        (case.activation == Activation::GELU, "_gelu".to_owned()),
    ] {
        name += if has { &suffix } else { "" };
    }
    Scenario {
        name,
        buffers: vec![
            before.buffer("c"),
            Buffer::new("a", &a),
            Buffer::new("b", &b),
            Buffer::new("bias", &bias),
        ],
        launches: vec![kept(gemm.launch())],
        expected: vec![after, Expected::of(1, &a), Expected::of(2, &b)],
    }
}
