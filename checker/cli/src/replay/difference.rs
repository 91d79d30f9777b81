//! Describes the difference between two regions of memory.

use launch_archive::{Launch, MemoryKind, Region};

/// Size of the words that are compared when the element type is unknown.
const WORD_BYTES: usize = 4;

/// Describes how memory of the emulator differs from the GPU's; `None` if it does not.
pub(super) fn between(
    region: &Region,
    gpu: &[u8],
    emulator: &[u8],
    launch: &Launch,
) -> Option<String> {
    let words = gpu.chunks(WORD_BYTES).zip(emulator.chunks(WORD_BYTES));
    let mut different = words
        .enumerate()
        .filter(|(_, (gpu, emulator))| gpu != emulator);
    let (first, (gpu_word, emulator_word)) = different.next()?;
    let count = 1 + different.count();
    let parameters: Vec<String> = parameters(region, launch)
        .map(|index| index.to_string())
        .collect();
    let parameters = match parameters.is_empty() {
        true => String::new(),
        false => format!(" (argument {})", parameters.join(", ")),
    };
    Some(format!(
        "`{}`{parameters}: {count} of {} words of 4 bytes differ; at byte {} the GPU has {}, the emulator {}",
        region.name,
        gpu.len().div_ceil(WORD_BYTES),
        first * WORD_BYTES,
        word(gpu_word),
        word(emulator_word),
    ))
}

/// Returns the indices, from 0, of the arguments that point into the region.
fn parameters(region: &Region, launch: &Launch) -> impl Iterator<Item = usize> {
    let range = region.address..region.address.saturating_add(region.before.len() as u64);
    let arguments = launch.arguments.iter().enumerate();
    arguments.filter_map(move |(index, value)| {
        let address = u64::from_le_bytes(value.get(..8)?.try_into().ok()?);
        // No argument points into an array.
        let is_memory = region.kind != MemoryKind::Array;
        (is_memory && range.contains(&address)).then_some(index)
    })
}

/// Formats the bits of a word, and its value as an `f32`.
fn word(bytes: &[u8]) -> String {
    let Ok(bytes) = <[u8; WORD_BYTES]>::try_from(bytes) else {
        return format!("{bytes:02x?}");
    };
    let bits = u32::from_le_bytes(bytes);
    format!("{bits:#010x} ({:?} as an f32)", f32::from_bits(bits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_word_is_told_with_the_number_of_all() {
        let region = Region {
            name: "cuMemAlloc 2".to_owned(),
            kind: MemoryKind::Allocation,
            address: 0x7000,
            before: vec![0; 11],
            after: None,
        };
        let launch = Launch {
            arguments: vec![
                0x7000_u64.to_le_bytes().to_vec(),
                vec![1],
                0x700b_u64.to_le_bytes().to_vec(),
                [0x700a_u64.to_le_bytes(), [0; 8]].concat(),
            ],
            ..Launch::default()
        };
        let gpu = [0, 0, 0x80, 0x3f, 0, 0, 0, 0, 1, 2, 3];
        assert_eq!(between(&region, &gpu, &gpu, &launch), None);
        assert_eq!(
            between(&region, &gpu, &[0; 11], &launch).unwrap(),
            "`cuMemAlloc 2` (argument 0, 3): 2 of 3 words of 4 bytes differ; at byte 0 the GPU has 0x3f800000 (1.0 as \
             an f32), the emulator 0x00000000 (0.0 as an f32)"
        );
        let mut other = gpu;
        other[10] = 4;
        let told = between(&region, &gpu, &other, &launch).unwrap();
        assert!(
            told.contains("1 of 3 words of 4 bytes differ; at byte 8 the GPU has [01, 02, 03]"),
            "{told}"
        );
    }
}
