use tensor_map::TensorMap;

use super::{Rule, Violation, Violations};
use crate::{Buffer, Failure, PlacedMap, PlacedPointer, Stage};

/// Refuses contents whose length differs from the variable's, `len_bytes`.
///
/// # Errors
/// The lengths differ.
pub fn variable_bytes(variable: &str, len_bytes: u64, content: usize) -> Result<(), Failure> {
    if len_bytes == content as u64 {
        return Ok(());
    }
    let what = format!("the variable `{variable}` has {len_bytes} bytes, not {content}");
    Err(Failure::new(Stage::Upload, what))
}

/// Checks the tensor maps and pointers placed in buffers.
pub fn placed(buffers: &[Buffer]) -> Violations {
    let found = buffers.iter().flat_map(|buffer| {
        let maps = buffer.placed_maps().iter();
        let pointers = buffer.placed_pointers().iter();
        maps.flat_map(|map| wrong(buffer, map, buffers))
            .chain(pointers.filter_map(|pointer| wrong_pointer(buffer, pointer, buffers)))
            .collect::<Vec<_>>()
    });
    Violations(found.collect())
}

fn wrong_pointer(
    buffer: &Buffer,
    pointer: &PlacedPointer,
    buffers: &[Buffer],
) -> Option<Violation> {
    let (at, len) = (pointer.at_bytes, buffer.bytes().len());
    let (rule, value, limit, fix) = match buffers.get(pointer.index) {
        _ if at.saturating_add(8) > len => (
            Rule::PlacedPointer,
            format!("{at} bytes into it"),
            format!("a pointer needs 8 bytes, but the buffer has {len}"),
            format!(
                "make the buffer {} bytes longer",
                at.saturating_add(8) - len
            ),
        ),
        None => (
            Rule::BufferIndex,
            format!("of buffer {}", pointer.index),
            format!("the job has {}", buffers.len()),
            "use the index of an existing buffer".to_owned(),
        ),
        Some(to) if pointer.offset_bytes > to.bytes().len() as u64 => (
            Rule::BufferOffset,
            format!("{} bytes into buffer `{}`", pointer.offset_bytes, to.name()),
            format!("that has {} bytes", to.bytes().len()),
            format!("use {} or less", to.bytes().len()),
        ),
        Some(_) => return None,
    };
    let parameter = format!("a pointer in buffer `{}`", buffer.name());
    Some(Violation::new(rule, parameter, value, limit, fix))
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
        let fix = format!("use {}", at.saturating_add(63) / 64 * 64);
        let limit = "a map must be at a multiple of 64".to_owned();
        found.push(violation(Rule::PlacedMap, value.clone(), limit, fix));
    }
    let end = at.saturating_add(TensorMap::BYTES);
    if end > len {
        let limit = format!("a map needs 128 bytes, but the buffer has {len}");
        let fix = format!("make the buffer {} bytes longer", end - len);
        found.push(violation(Rule::PlacedMap, value, limit, fix));
    }
    let Some(tensor) = buffers.get(map.index) else {
        let limit = format!("the job has {}", buffers.len());
        let fix = "use the index of an existing buffer".to_owned();
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
            placed(&buffers).to_string(),
            "placed-map: a tensor map in buffer `maps` is 72 bytes into it; a map must be at a multiple of 64; use 128\n\
             placed-map: a tensor map in buffer `maps` is 72 bytes into it; a map needs 128 bytes, but the buffer has 192; make the buffer 8 bytes longer\n\
             tensor-span: a tensor map in buffer `maps` is of a tensor of 2048 bytes from byte 4; buffer \
             `tensor` has 2048 bytes; make that buffer 4 bytes longer"
        );
        let lone =
            [Buffer::zeroed::<u8>("maps", 128).with_tensor_map(PlacedMap { at_bytes: 0, ..map })];
        assert!(placed(&lone).to_string().contains("buffer-index"));
    }

    #[test]
    fn pointers_lie_in_their_buffer_and_point_into_one() {
        let pointer = |at_bytes, index, offset_bytes| PlacedPointer {
            at_bytes,
            index,
            offset_bytes,
        };
        let table = Buffer::zeroed::<u8>("table", 24)
            .with_pointer(pointer(16, 1, 12))
            .with_pointer(pointer(17, 1, 0))
            .with_pointer(pointer(0, 1, 13))
            .with_pointer(pointer(8, 2, 0));
        let buffers = [table, Buffer::zeroed::<u32>("row", 3)];
        assert_eq!(
            placed(&buffers).to_string(),
            "placed-pointer: a pointer in buffer `table` is 17 bytes into it; a pointer needs 8 bytes, but the buffer has 24; make the buffer 1 bytes longer\n\
             buffer-offset: a pointer in buffer `table` is 13 bytes into buffer `row`; that has 12 bytes; use \
             12 or less\n\
             buffer-index: a pointer in buffer `table` is of buffer 2; the job has 2; use the index of an existing buffer"
        );
    }
}
