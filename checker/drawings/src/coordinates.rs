//! Coordinates of the first element of each row of a copy.

use tensor_map::{Im2col, Interleave, Params, Tiled};

/// Returns the coordinates of the first element of each row, innermost first, in the order of the walk. Coordinates
/// may be out of bounds.
pub(crate) fn coordinates(
    params: &Params,
    at: &[i32],
    offsets: &[u16],
    rows: usize,
) -> Vec<Vec<i64>> {
    match params {
        Params::Tiled(tiled) => (0..rows as u64)
            .map(|row| of_tile(tiled, at, row))
            .collect(),
        Params::Im2col(im2col) => of_column(im2col, at, offsets, rows),
        Params::Im2colWide(wide) => of_column(&wide.as_im2col(), at, offsets, rows),
    }
}

fn of_tile(tiled: &Tiled, at: &[i32], row: u64) -> Vec<i64> {
    let is_row = |dim: usize| dim == 0 && tiled.tensor.interleave == Interleave::None;
    let mut rest = row;
    let coordinate = |(dim, first): (usize, &i32)| {
        let length = tiled.box_elements(dim).max(1);
        if is_row(dim) {
            return i64::from(*first);
        }
        let step = (rest % length) as i64;
        rest /= length;
        i64::from(*first) + step * i64::from(tiled.tensor.element_strides.at(dim))
    };
    at.iter().enumerate().map(coordinate).collect()
}

fn of_column(im2col: &Im2col, at: &[i32], offsets: &[u16], rows: usize) -> Vec<Vec<i64>> {
    let tensor = &im2col.tensor;
    let first = match tensor.interleave {
        Interleave::None => 1,
        _ => 0,
    };
    let mut pixel: Vec<i64> = at.iter().copied().map(i64::from).collect();
    let mut all = Vec::with_capacity(rows);
    for _ in 0..rows {
        let mut shifted = pixel.clone();
        for (spatial, offset) in offsets.iter().enumerate() {
            shifted[first + spatial] += i64::from(*offset);
        }
        all.push(shifted);
        let mut turned = true;
        for spatial in 0..offsets.len() {
            let dim = first + spatial;
            pixel[dim] += i64::from(tensor.element_strides.at(dim));
            let upper = i64::from(im2col.upper_corner.at(spatial));
            if pixel[dim] < tensor.dims.at(dim) as i64 + upper {
                turned = false;
                break;
            }
            pixel[dim] = i64::from(im2col.lower_corner.at(spatial));
        }
        if turned && let Some(image) = pixel.last_mut() {
            *image += i64::from(tensor.element_strides.at(at.len() - 1));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use tensor_map::{DataType, TensorMap, walk::Direction};

    /// Checks that the walk's offsets match the coordinates.
    fn agree(params: Params, at: &[i32], offsets: &[u16]) {
        let tensor = *params.tensor();
        let walk = params.walk(at, offsets, Direction::Load).unwrap();
        let rows: Vec<_> = walk.collect();
        let all = coordinates(&params, at, offsets, rows.len());
        assert!(rows.len() > 1);
        for (row, coordinates) in rows.iter().zip(&all) {
            let innermost = tensor.interleave.slice_bytes().unwrap_or(4) as i64;
            let outer = tensor.strides_bytes.iter().map(|stride| *stride as i64);
            let strides = std::iter::once(innermost).chain(outer);
            let offset: i64 = coordinates.iter().zip(strides).map(|(c, s)| c * s).sum();
            assert_eq!(offset, row.global_offset, "{coordinates:?}");
        }
    }

    #[test]
    fn coordinates_are_those_of_the_walk() {
        let dims = [8, 7, 6, 5];
        let tiled = TensorMap::tiled(DataType::F32, &dims).box_dims(&[4, 3, 4, 2]);
        agree(tiled.params(), &[4, -1, 5, 3], &[]);
        agree(
            tiled.element_strides(&[1, 2, 3, 1]).params(),
            &[0, 1, 0, 0],
            &[],
        );
        let sliced = tiled.interleave(Interleave::B16).params();
        agree(sliced, &[1, 2, 3, 4], &[]);
        let im2col = TensorMap::im2col(DataType::F32, &dims)
            .pixel_box(&[-1, -1], &[-1, -1])
            .channels_per_pixel(4)
            .pixels_per_column(60);
        agree(im2col.params(), &[4, 2, 1, 0], &[2, 1]);
    }
}
