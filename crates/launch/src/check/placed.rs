use tensor_map::TensorMap;

use super::{Rule, Violation, Violations};
use crate::{Buffer, PlacedMap};

/// Checks the tensor maps that lie in buffers.
pub fn placed_maps(buffers: &[Buffer]) -> Violations {
    let maps = buffers
        .iter()
        .flat_map(|buffer| buffer.placed_maps().iter().map(move |map| (buffer, map)));
    Violations(
        maps.flat_map(|(buffer, map)| wrong(buffer, map, buffers))
            .collect(),
    )
}

fn wrong(buffer: &Buffer, map: &PlacedMap, buffers: &[Buffer]) -> Vec<Violation> {
    let parameter = format!("a tensor map in buffer `{}`", buffer.name());
    let violation = |rule, value: String, limit: String, fix: String| {
        Violation::new(rule, &parameter, value, limit, fix)
    };
    let mut found = Vec::new();
    let (at, len) = (map.at_bytes, buffer.bytes().len());
    let value = format!("{at} bytes into it");
    if !at.is_multiple_of(64) {
        let fix = format!("take {}", at.saturating_add(63) / 64 * 64);
        let limit = "a map lies at a multiple of 64".to_owned();
        found.push(violation(Rule::PlacedMap, value.clone(), limit, fix));
    }
    let end = at.saturating_add(TensorMap::BYTES);
    if end > len {
        let limit = format!("a map has 128 bytes, and the buffer has {len}");
        let fix = format!("make the buffer {} bytes longer", end - len);
        found.push(violation(Rule::PlacedMap, value, limit, fix));
    }
    let Some(tensor) = buffers.get(map.index) else {
        let limit = format!("the job has {}", buffers.len());
        let fix = "name a buffer that is there".to_owned();
        let value = format!("of a tensor in buffer {}", map.index);
        found.push(violation(Rule::BufferIndex, value, limit, fix));
        return found;
    };
    let room = (tensor.bytes().len() as u64).saturating_sub(map.offset_bytes);
    if map.params.tensor().first_outside(room).is_some() {
        let span = map.params.tensor().memory_bytes();
        let value = format!("of a tensor of {span} bytes from byte {}", map.offset_bytes);
        let limit = format!(
            "buffer `{}` has {} bytes",
            tensor.name(),
            tensor.bytes().len()
        );
        let fix = format!(
            "make that buffer {} bytes longer",
            span.saturating_sub(room)
        );
        found.push(violation(Rule::TensorSpan, value, limit, fix));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_outside_their_buffer_or_of_too_long_a_tensor_are_named() {
        let params = TensorMap::tiled_of::<f32>(&[64, 8]).box_dims(&[64]).into();
        let map = PlacedMap {
            at_bytes: 72,
            params,
            index: 1,
            offset_bytes: 4,
        };
        let buffers = [
            Buffer::zeroed::<u8>("maps", 192).with_tensor_map(map),
            Buffer::zeroed::<f32>("tensor", 64 * 8),
        ];
        assert_eq!(
            placed_maps(&buffers).to_string(),
            "placed-map: a tensor map in buffer `maps` is 72 bytes into it; a map lies at a multiple of \
             64; take 128\n\
             placed-map: a tensor map in buffer `maps` is 72 bytes into it; a map has 128 bytes, and the \
             buffer has 192; make the buffer 8 bytes longer\n\
             tensor-span: a tensor map in buffer `maps` is of a tensor of 2048 bytes from byte 4; buffer \
             `tensor` has 2048 bytes; make that buffer 4 bytes longer"
        );
        let lone =
            [Buffer::zeroed::<u8>("maps", 128).with_tensor_map(PlacedMap { at_bytes: 0, ..map })];
        assert!(placed_maps(&lone).to_string().contains("buffer-index"));
    }
}
