use kernels_gpu::{
    Matrix,
    transpose::{Transpose, TransposeForm},
};
use tma_launch::Buffer;

use super::{Kernel, kept, numbers};
use crate::{Expected, Scenario};

pub(super) const KERNEL: Kernel = Kernel {
    name: "transpose",
    summary: "transposes a matrix through tiles with a 128-byte swizzle, without bank conflicts",
    golden: &["transpose", "transpose_wide"],
    showcase: || scenario(TransposeForm::Tile, Matrix::packed(256, 192), 192),
    cases,
};

fn cases() -> Vec<Scenario> {
    let padded = Matrix {
        width: 75,
        height: 46,
        pitch: 84,
    };
    let sizes = [
        (Matrix::packed(32, 32), 32),
        (Matrix::packed(64, 96), 96),
        (Matrix::packed(100, 44), 44),
        (Matrix::packed(4, 200), 200),
        // Rows with padding on both sides; of the target's, two elements of padding are overwritten.
        (padded, 48),
        (padded, 60),
        (Matrix::packed(8, 1), 4),
    ];
    let mut cases = Vec::new();
    for form in [TransposeForm::Tile, TransposeForm::Wide] {
        cases.extend(sizes.map(|(source, pitch)| scenario(form, source, pitch)));
    }
    // Several blocks both ways, the last with a few columns and rows.
    cases.push(scenario(TransposeForm::Wide, Matrix::packed(164, 420), 424));
    cases
}

fn scenario(form: TransposeForm, source: Matrix, target_pitch: usize) -> Scenario {
    let data = numbers(source.len_elems());
    let transpose = Transpose {
        form,
        source,
        source_data: 0,
        target_pitch,
        target_data: 1,
    };
    let target = transpose.target();
    let mut expected = vec![-1; target.len_elems()];
    for row in 0..target.height {
        // A store cuts rows at multiples of 16 bytes; beyond the row it writes the zeros of
        // the rows that the source lacks.
        for column in 0..target.width.next_multiple_of(4) {
            let inside = column < source.height;
            let value = || data[column * source.pitch + row];
            expected[row * target.pitch + column] = if inside { value() } else { 0 };
        }
    }
    let launch = kept(transpose.launch());
    Scenario {
        name: format!(
            "{}_{}x{}_pitch_{}_to_{target_pitch}",
            launch.entry, source.width, source.height, source.pitch
        ),
        buffers: vec![
            Buffer::new("source", &data),
            Buffer::new("target", &vec![-1; target.len_elems()]),
        ],
        launches: vec![launch],
        expected: vec![
            Expected::of(1, &expected).dims(&[target.pitch, target.height]),
            Expected::of(0, &data),
        ],
    }
}
