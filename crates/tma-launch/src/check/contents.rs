use tensor_map::{Decoded, Params, TensorMap};

use super::{Rule, Violation, Violations, regions::writes_to};
use crate::{Access, Buffer, Failure, Launch, Region, TileShape};

/// The memory of a job on a device.
pub trait JobMemory {
    /// Returns the address of a buffer of the job, and its length in bytes.
    fn extent(&self, index: usize) -> (u64, u64);

    /// Reads the current bytes of a buffer.
    ///
    /// # Errors
    /// The device fails.
    fn read(&mut self, index: usize, start: u64, len_bytes: u64) -> Result<Vec<u8>, Failure>;

    /// Returns the map of the tensor at an address.
    ///
    /// # Errors
    /// The parameters break rules.
    fn encode(&mut self, params: &Params, address: u64) -> Result<TensorMap, Failure>;
}

/// Checks the contents of memory that a launch uses, right before it starts.
///
/// # Errors
/// The memory cannot be read, or its contents violate a condition of the kernel.
pub fn contents(
    launch: &Launch,
    buffers: &[Buffer],
    memory: &mut impl JobMemory,
) -> Result<(), Failure> {
    let mut found = Vec::new();
    for used in &launch.uses {
        if !matches!(
            used.access,
            Access::Zeroed | Access::Ascending | Access::Maps(_) | Access::MapOf { .. }
        ) {
            continue;
        }
        let (index, start, len_bytes) = match &used.region {
            Region::Bytes {
                index,
                offset_bytes,
                len_bytes,
            } => (*index, *offset_bytes, *len_bytes),
            Region::Variable(name) => {
                let mut of_job = buffers.iter();
                let index = of_job.position(|buffer| buffer.is_variable(name, launch));
                let Some(index) = index else { continue };
                (index, 0, memory.extent(index).1)
            }
            Region::Tensor { .. } => continue,
        };
        let Some(buffer) = buffers.get(index) else {
            continue;
        };
        let bytes = memory.read(index, start, len_bytes)?;
        let name = format!("buffer `{}`", buffer.name());
        match &used.access {
            Access::Zeroed => found.extend(not_zero(&name, start, &bytes)),
            Access::Ascending => {
                let numbers = bytes.as_chunks().0.iter().copied();
                found.extend(descent(&name, numbers.map(u32::from_le_bytes)));
            }
            Access::Maps(tile) => {
                for (number, map) in bytes.chunks(TensorMap::BYTES).enumerate() {
                    let wrong = no_tile(tile, map, launch, buffers, memory);
                    let parameter = format!("map {number} of {name}");
                    found.extend(wrong.map(|(value, limit)| no_map(parameter, value, limit)));
                }
            }
            Access::MapOf { params, index } => {
                let expected = memory.encode(params, memory.extent(*index).0)?;
                let wrong = bytes.get(..TensorMap::BYTES) != Some(&expected.to_bytes());
                let tensor = buffers.get(*index).map_or("?", Buffer::name);
                let (value, limit) = (
                    "another map",
                    format!("the kernel takes the map of the tensor in buffer `{tensor}`"),
                );
                found.extend(wrong.then(|| no_map(name, value.to_owned(), limit)));
            }
            _ => {}
        }
    }
    let result = Violations(found).into_result();
    result.map_err(|violations| Failure::check(&launch.entry, violations))
}

fn not_zero(name: &str, start: u64, bytes: &[u8]) -> Option<Violation> {
    let at = bytes.iter().position(|byte| *byte != 0)?;
    Some(Violation::new(
        Rule::Zeroed,
        format!("byte {} of {name}", start + at as u64),
        bytes[at],
        "the kernel counts from zero",
        "set it to zero before each launch",
    ))
}

/// Returns a violation for the first number that is less than the previous one.
pub fn descent(name: &str, numbers: impl IntoIterator<Item = u32>) -> Option<Violation> {
    let mut before = 0;
    let mut numbers = numbers.into_iter().enumerate();
    let (index, number) = numbers.find(|(_, number)| {
        let descends = *number < before;
        before = before.max(*number);
        descends
    })?;
    Some(Violation::new(
        Rule::Ascending,
        format!("number {index} of {name}"),
        number,
        format!("numbers must not decrease, and the previous one is {before}"),
        format!("use {before} or more"),
    ))
}

fn no_map(parameter: String, value: String, limit: String) -> Violation {
    let fix = "encode such a map there";
    Violation::new(Rule::TensorMapContent, parameter, value, limit, fix)
}

/// Returns why these bytes are not a map of the tile, as the actual value and the requirement.
fn no_tile(
    tile: &TileShape,
    bytes: &[u8],
    launch: &Launch,
    buffers: &[Buffer],
    memory: &mut impl JobMemory,
) -> Option<(String, String)> {
    let expected = format!("the kernel loads tiles through it: {tile}");
    let Ok(bytes) = <[u8; TensorMap::BYTES]>::try_from(bytes) else {
        return Some((format!("{} bytes", bytes.len()), expected));
    };
    let Decoded {
        params, address, ..
    } = match TensorMap::from_bytes(bytes).decode() {
        Ok(decoded) => decoded,
        Err(error) => return Some((error.to_string(), expected)),
    };
    if let Err(wrong) = tile.is_brought_by(&params) {
        return Some((wrong, expected));
    }
    if let Err(refused) = memory.encode(&params, address) {
        return Some((refused.what, expected));
    }
    let span = params.tensor().span_bytes();
    let holder = (0..buffers.len()).find(|index| {
        let (start, len_bytes) = memory.extent(*index);
        let before = address.checked_sub(start);
        before.is_some_and(|before| before.saturating_add(span) <= len_bytes)
    });
    let Some(index) = holder else {
        let value = format!("of a tensor of {span} bytes at {address:#x}");
        return Some((value, "the job has no buffer that holds it".to_owned()));
    };
    let start = address - memory.extent(index).0;
    let is_written = writes_to(&launch.uses, index, start..start + span);
    is_written.then(|| {
        let name = buffers[index].name();
        let limit = "the kernel writes there, so overlap is not allowed".to_owned();
        (format!("of a tensor in buffer `{name}`"), limit)
    })
}
