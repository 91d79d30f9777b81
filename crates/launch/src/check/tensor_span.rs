use tensor_map::Tiled;

/// The coordinates, innermost first, of the first element that does not lie in `room_bytes` from
/// the tensor's address; `None` when all do.
///
/// First means in the order of the coordinates, the outermost counting most.
pub fn first_outside(tiled: &Tiled, room_bytes: u64) -> Option<Vec<u64>> {
    let dims = tiled.global_dim();
    if tiled.span_bytes() <= room_bytes || dims.contains(&0) {
        return None;
    }
    let strides_bytes: Vec<u64> = std::iter::once(tiled.data_type().bytes())
        .chain(tiled.global_strides_bytes().iter().copied())
        .collect();
    // From the outermost dimension inwards: the smallest coordinate whose last inner element is
    // outside. `inner` is how far that reaches from where the coordinate begins.
    let mut coordinates = vec![0; dims.len()];
    let mut room = room_bytes;
    for dim in (0..dims.len()).rev() {
        let inner = (0..dim).fold(tiled.data_type().bytes(), |reach: u64, inner| {
            reach.saturating_add((dims[inner] - 1).saturating_mul(strides_bytes[inner]))
        });
        let whole = room
            .checked_sub(inner)
            .and_then(|spare| spare.checked_div(strides_bytes[dim]));
        let Some(whole) = whole else {
            continue;
        };
        coordinates[dim] = whole.saturating_add(1).min(dims[dim] - 1);
        room = room.saturating_sub(coordinates[dim].saturating_mul(strides_bytes[dim]));
    }
    Some(coordinates)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tensor_map::DataType;

    #[test]
    fn a_tensor_that_fits_has_nothing_outside() {
        let tiled = Tiled::new(DataType::I32, &[4, 3]).strides_bytes(&[32]);
        assert_eq!(first_outside(&tiled, 32 + 32 + 16), None);
        assert_eq!(first_outside(&tiled, 32 + 32 + 15), Some(vec![3, 2]));
    }

    /// Against a walk over all elements, for packed, padded and overlapping rows.
    #[test]
    fn agrees_with_a_walk() {
        for strides in [[12, 48], [16, 64], [32, 96], [8, 16], [0, 12], [16, 4]] {
            let tiled = Tiled::new(DataType::I32, &[3, 4, 2]).strides_bytes(&strides);
            for room in 0..tiled.span_bytes() {
                let end = |c: &[u64; 3]| c[0] * 4 + c[1] * strides[0] + c[2] * strides[1] + 4;
                let walk = (0..2)
                    .flat_map(|z| (0..4).flat_map(move |y| (0..3).map(move |x| [x, y, z])))
                    .find(|coordinates| end(coordinates) > room);
                let expected = walk.map(|coordinates| coordinates.to_vec());
                assert_eq!(first_outside(&tiled, room), expected, "{strides:?} {room}");
            }
        }
    }
}
