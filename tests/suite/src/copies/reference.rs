//! The expected result, element by element from the definition. This module shares no code with the
//! emulator or with the walks of tensor maps.

mod arithmetic;

pub(crate) use arithmetic::reduce;
use tensor_map::{DataType, Im2col, Interleave, OobFill, Params, Swizzle, Tensor, Tiled};

use super::{Action, CopyCase, LinearCopy, Output, TensorCopy, Transfer, linear_forms};

/// Returns the expected output; none for interleaved tensors, and for reductions of half precision or with
/// NaNs.
pub fn expected(case: &CopyCase) -> Option<Output> {
    let mut output = Output::before(case);
    match &case.transfer {
        Transfer::Linear(copy) => linear(case, copy, &mut output)?,
        Transfer::Tensor(copy) => {
            let (rows, elements) = match &copy.params {
                _ if copy.params.tensor().interleave != Interleave::None => return None,
                Params::Tiled(tiled) => (box_rows(tiled, &copy.coordinates), tiled.box_dims[0]),
                Params::Im2col(im2col) => (column_rows(im2col, copy), im2col.channels_per_pixel),
                Params::Im2colWide(_) => return None,
            };
            for (number, row) in rows.iter().enumerate() {
                for column in 0..elements as usize {
                    let mut element = *row;
                    element[0] += column as i64;
                    let shared = shared_offset(case, copy, elements as usize, (number, column));
                    one(case, copy, &element, shared, &mut output)?;
                }
            }
        }
    }
    Some(output)
}

fn linear(case: &CopyCase, copy: &LinearCopy, output: &mut Output) -> Option<()> {
    let form = linear_forms()[copy.form];
    let bytes = copy.bytes as usize;
    let region = |region: &[u8], at: u32| region[at as usize..][..bytes].to_vec();
    let in_shared = region(&output.shared, case.shared_at);
    let in_global = region(&output.global, case.global_at);
    let (source, destination) = match form.action {
        Action::Load => (in_global, &mut output.shared[case.shared_at as usize..]),
        Action::Move | Action::ReduceShared(_) => {
            (in_shared, &mut output.shared[copy.to as usize..])
        }
        _ => (in_shared, &mut output.global[case.global_at as usize..]),
    };
    match form.action {
        Action::Reduce(operator) | Action::ReduceShared(operator) => {
            let number = form.number();
            let elements = destination
                .chunks_mut(number.bytes())
                .zip(source.chunks(number.bytes()));
            for (old, new) in elements {
                arithmetic::reduce(operator, number, old, new)?;
            }
        }
        _ => destination[..bytes].copy_from_slice(&source),
    }
    Some(())
}

/// Coordinates, innermost first; missing dimensions have 0.
type Coords = [i64; 5];

fn coords(coordinates: &[i32]) -> Coords {
    std::array::from_fn(|dim| coordinates.get(dim).map_or(0, |number| i64::from(*number)))
}

/// Returns the first element of each row of a box, the innermost dimension first.
fn box_rows(tiled: &Tiled, start: &[i32]) -> Vec<Coords> {
    let mut rows = vec![coords(start)];
    for dim in 1..start.len() {
        let step = tiled.tensor.element_strides[dim] as usize;
        let mut more = Vec::new();
        for further in (0..i64::from(tiled.box_dims[dim])).step_by(step) {
            more.extend(rows.iter().map(|row| {
                let mut row = *row;
                row[dim] += further;
                row
            }));
        }
        rows = more;
    }
    rows
}

/// Returns the coordinates of each pixel of a column: W advances first, and each dimension that leaves the box of
/// pixels restarts at its lower corner.
fn column_rows(im2col: &Im2col, copy: &TensorCopy) -> Vec<Coords> {
    let tensor = &im2col.tensor;
    let images = tensor.rank() - 1;
    let mut pixel = coords(&copy.coordinates);
    let mut rows = Vec::new();
    for _ in 0..im2col.pixels_per_column {
        let mut row = pixel;
        for (dim, offset) in copy.offsets.iter().enumerate() {
            row[dim + 1] += i64::from(*offset);
        }
        rows.push(row);
        for (dim, coordinate) in pixel.iter_mut().enumerate().take(images + 1).skip(1) {
            *coordinate += i64::from(tensor.element_strides[dim]);
            if dim == images {
                break;
            }
            let end = tensor.dims[dim] as i64 + i64::from(im2col.upper_corner[dim - 1]);
            if *coordinate < end {
                break;
            }
            *coordinate = i64::from(im2col.lower_corner[dim - 1]);
        }
    }
    rows
}

fn one(
    case: &CopyCase,
    copy: &TensorCopy,
    element: &Coords,
    shared: usize,
    output: &mut Output,
) -> Option<()> {
    let tensor = copy.params.tensor();
    let bytes = tensor.data_type.bytes() as usize;
    let shared = &mut output.shared[shared..][..bytes];
    let loads = copy.action == Action::Load;
    let Some(global) = global_offset(tensor, element, !loads) else {
        if loads {
            fill(tensor.oob_fill, shared);
        }
        return Some(());
    };
    let global = &mut output.global[case.global_at as usize + global..][..bytes];
    match copy.action {
        Action::Load => {
            shared.copy_from_slice(global);
            if matches!(tensor.data_type, DataType::Tf32 | DataType::Tf32Ftz) {
                arithmetic::to_tf32(shared);
            }
        }
        Action::Reduce(operator) => {
            arithmetic::reduce(operator, case.number(), global, shared)?;
        }
        _ => global.copy_from_slice(shared),
    }
    Some(())
}

/// Rows follow one another, or begin at multiples of the swizzle's span. Its pieces of 16 bytes
/// trade places by the index of their 128-byte line.
fn shared_offset(
    case: &CopyCase,
    copy: &TensorCopy,
    row_elements: usize,
    (row, column): (usize, usize),
) -> usize {
    let tensor = copy.params.tensor();
    let bytes = tensor.data_type.bytes() as usize;
    let (pitch, pieces) = match tensor.swizzle {
        Swizzle::B32 => (32, 2),
        Swizzle::B64 => (64, 4),
        Swizzle::B128 => (128, 8),
        _ => (row_elements * bytes, 1),
    };
    let plain = case.shared_at as usize + row * pitch + column * bytes;
    let (line, piece, rest) = (plain / 128, plain % 128 / 16, plain % 16);
    line * 128 + (piece ^ (line % pieces)) * 16 + rest
}

/// Returns the bytes from the tensor's first element; none out of bounds. Stores reach to the end of the 16
/// bytes in which a row ends.
fn global_offset(tensor: &Tensor, element: &Coords, stores: bool) -> Option<usize> {
    let bytes = tensor.data_type.bytes() as i64;
    let mut offset = 0;
    for (dim, coordinate) in element.iter().enumerate().take(tensor.rank()) {
        let length = tensor.dims[dim] as i64;
        let (end, stride) = match dim {
            0 if stores => ((length * bytes + 15) / 16 * 16 / bytes, bytes),
            0 => (length, bytes),
            _ => (length, tensor.strides_bytes[dim - 1] as i64),
        };
        if *coordinate < 0 || *coordinate >= end {
            return None;
        }
        offset += coordinate * stride;
    }
    usize::try_from(offset).ok()
}

/// Zeros, or the 16 bits 0x7FF7 again and again.
fn fill(fill: OobFill, shared: &mut [u8]) {
    for (index, byte) in shared.iter_mut().enumerate() {
        *byte = match (fill, index % 2) {
            (OobFill::Zeros, _) => 0,
            (_, 0) => 0xf7,
            _ => 0x7f,
        };
    }
}
