use half::{bf16, f16};
use tensor_map::{DataType, Swizzle, TensorMap};
use tests_device as kernels;
use tma_launch::{Buffer, BufferRef, Call, MapRef, Shape};

use super::{compared, launched};
use crate::Scenario;

/// Rows of a warpgroup.
const ROWS: usize = 64;
/// The warpgroups that multiply.
const WARPGROUPS: usize = 2;

#[derive(Clone, Copy, Debug)]
enum Numbers {
    Bf16,
    F16,
}

/// The extents of a chain of products.
#[derive(Clone, Copy)]
struct Chain {
    /// Columns of A, and of B before its transposition.
    k: usize,
    /// Rows of B before its transposition: the K of the second product.
    n: usize,
    /// Columns of C.
    columns: usize,
    c_is_transposed: bool,
    /// The box of C.
    c_box: [u32; 2],
}

const WIDE: Chain = Chain {
    k: 64,
    n: 48,
    columns: 128,
    c_is_transposed: false,
    c_box: [64, 48],
};
const NARROW: Chain = Chain {
    k: 32,
    n: 32,
    columns: 24,
    c_is_transposed: true,
    c_box: [32, 24],
};
const LONG: Chain = Chain {
    k: 16,
    n: 160,
    columns: 16,
    c_is_transposed: false,
    c_box: [16, 160],
};

pub(super) fn cases() -> Vec<Scenario> {
    let mut cases = Vec::new();
    macro_rules! chains {
        ($($kernel:ident $chain:ident;)+) => {$(
            for links in 1..=kernels::LINKS as u32 {
                let name = |numbers| format!("{}_{numbers:?}_{links}", stringify!($kernel));
                cases.extend([
                    chain(&name(Numbers::Bf16), $chain, Numbers::Bf16, links, |output, [a, b, c]| {
                        kernels::$kernel::<bf16>(output, a, b, c, links)
                    }),
                    chain(&name(Numbers::F16), $chain, Numbers::F16, links, |output, [a, b, c]| {
                        kernels::$kernel::<f16>(output, a, b, c, links)
                    }),
                ]);
            }
        )+};
    }
    chains! {
        chained_wide WIDE;
        chained_wide_from_registers WIDE;
        chained_narrow NARROW;
        chained_narrow_from_registers NARROW;
        chained_long LONG;
        chained_long_from_registers LONG;
    }
    cases
}

impl Numbers {
    const fn data_type(self) -> DataType {
        match self {
            Self::Bf16 => DataType::Bf16,
            Self::F16 => DataType::F16,
        }
    }

    /// The nearest number of this type, and its bits.
    fn nearest(self, value: f64) -> (f64, u16) {
        match self {
            Self::Bf16 => {
                let nearest = bf16::from_f64(value);
                (nearest.to_f64(), nearest.to_bits())
            }
            Self::F16 => {
                let nearest = f16::from_f64(value);
                (nearest.to_f64(), nearest.to_bits())
            }
        }
    }
}

/// A matrix of whole numbers from -3 to 3, whose sums of products are exact in `f32` in any order.
struct Matrix {
    columns: usize,
    elements: Vec<f64>,
}

impl Matrix {
    fn new(rows: usize, columns: usize, seed: u32) -> Self {
        let mut state = seed;
        let next = |_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f64::from(state >> 16) % 7.0 - 3.0
        };
        Self {
            columns,
            elements: (0..rows * columns).map(next).collect(),
        }
    }

    fn at(&self, row: usize, column: usize) -> f64 {
        self.elements[row * self.columns + column]
    }

    fn buffer(&self, name: &str, numbers: Numbers) -> Buffer {
        let bits = self.elements.iter().map(|value| numbers.nearest(*value).1);
        Buffer::new(name, &bits.collect::<Vec<_>>())
    }

    /// A map with boxes of this extent, with rows as long as the swizzle's span.
    fn map(&self, numbers: Numbers, box_dims: [u32; 2], buffer: usize) -> MapRef {
        let rows = self.elements.len() / self.columns;
        let swizzle = match box_dims[0] {
            16 => Swizzle::B32,
            32 => Swizzle::B64,
            _ => Swizzle::B128,
        };
        let map = TensorMap::tiled(numbers.data_type(), &[self.columns as u64, rows as u64]);
        MapRef::new(map.box_dims(&box_dims).swizzle(swizzle), buffer)
    }
}

fn chain(
    name: &str,
    chain: Chain,
    numbers: Numbers,
    links: u32,
    kernel: impl Fn(BufferRef<f32>, [MapRef; 3]) -> Call<'static>,
) -> Scenario {
    let Chain {
        k,
        n,
        columns,
        c_box,
        ..
    } = chain;
    let count = links as usize;
    let a = Matrix::new(WARPGROUPS * ROWS, k, 1);
    let b = Matrix::new(count * n, k, 2);
    let [c_rows, c_columns] = if chain.c_is_transposed {
        [columns, n]
    } else {
        [n, columns]
    };
    let c = Matrix::new(count * c_rows, c_columns, 3);
    let c_at = |link: usize, at: usize, column: usize| {
        if chain.c_is_transposed {
            c.at(link * c_rows + column, at)
        } else {
            c.at(link * c_rows + at, column)
        }
    };
    let sums = |row: usize| -> Vec<f64> {
        let mut sums = vec![0.0; columns];
        for link in 0..count {
            // The last one counts twice.
            let times = if link + 1 == count { 2.0 } else { 1.0 };
            for at in 0..n {
                let products = (0..k).map(|step| a.at(row, step) * b.at(link * n + at, step));
                let slant = (row % ROWS) as f64 - at as f64;
                let (rounded, _) = numbers.nearest(products.sum::<f64>() + slant);
                for (column, sum) in sums.iter_mut().enumerate() {
                    *sum += times * rounded * c_at(link, at, column);
                }
            }
        }
        sums
    };
    let sums: Vec<Vec<f64>> = (0..WARPGROUPS * ROWS).map(sums).collect();
    // A warp has 16 rows, a lane four sums of each 8 columns: two neighbours, and two 8 rows below.
    let mut expected = Vec::new();
    for thread in 0..WARPGROUPS * 128 {
        let (row, column) = (16 * (thread / 32) + thread % 32 / 4, thread % 4 * 2);
        for eight in (0..columns).step_by(8) {
            let [above, below] = [&sums[row], &sums[row + 8]];
            expected.extend(
                [above, below].map(|sums| [sums[eight + column], sums[eight + column + 1]]),
            );
        }
    }
    // The signs of zeros differ from the products'.
    let expected: Vec<f32> = expected
        .into_iter()
        .flatten()
        .map(|sum| (sum + 0.0) as f32)
        .collect();
    let maps = [
        a.map(numbers, [k as u32, (WARPGROUPS * ROWS) as u32], 1),
        b.map(numbers, [k as u32, n as u32], 2),
        c.map(numbers, c_box, 3),
    ];
    let launch = launched(kernel(BufferRef::new(0), maps), Shape::new(1, 384));
    let others = vec![
        a.buffer("a", numbers),
        b.buffer("b", numbers),
        c.buffer("c", numbers),
    ];
    compared(name, &expected, others, launch)
}
