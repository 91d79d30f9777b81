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

#[cfg(test)]
mod tests {
    use tensor_map::{DataType, Swizzle, Target, Tiled};

    use super::*;
    use crate::{Stage, Use};

    /// Buffers, 4096 bytes apart from address 4096 on.
    struct Memory(Vec<Vec<u8>>);

    impl JobMemory for Memory {
        fn extent(&self, index: usize) -> (u64, u64) {
            (4096 * (index as u64 + 1), self.0[index].len() as u64)
        }

        fn read(&mut self, index: usize, start: u64, len_bytes: u64) -> Result<Vec<u8>, Failure> {
            let (start, len) = (start as usize, len_bytes as usize);
            Ok(self.0[index][start..start + len].to_vec())
        }

        fn encode(&mut self, params: &Params, address: u64) -> Result<TensorMap, Failure> {
            let map = params.build_for(address, Target::SM_90);
            map.map_err(|refused| Failure::new(Stage::Encode, refused.to_string()))
        }
    }

    /// Returns the violations of a launch with these uses, without the name of the rule.
    fn wrong(buffers: &[Buffer], uses: &[(Region, Access)]) -> Vec<String> {
        let mut launch = Launch::new("k", 1, 1);
        let used = |(region, access): &(Region, Access)| Use {
            region: region.clone(),
            access: access.clone(),
        };
        launch.uses = uses.iter().map(used).collect();
        let bytes = buffers.iter().map(|buffer| buffer.bytes().to_vec());
        let checked = contents(&launch, buffers, &mut Memory(bytes.collect()));
        let violations = checked.map_or_else(|failure| failure.violations.0, |()| Vec::new());
        let expected = violations.iter().map(|it| {
            let expected = it.to_string();
            expected
                .split_once(": ")
                .map_or("", |(_, rest)| rest)
                .to_owned()
        });
        expected.collect()
    }

    #[test]
    fn counters_begin_at_zero_and_starts_ascend() {
        let counted = |bytes: &[u8], region| {
            let buffers = [
                Buffer::new("a", bytes),
                Buffer::new("b", &[1_u8; 8]).in_variable("v").of_module(1),
                Buffer::new("c", &[0_u8, 0, 3]).in_variable("v"),
            ];
            wrong(&buffers, &[(region, Access::Zeroed)])
        };
        let part = || Region::bytes(0, 4).skip(4);
        assert_eq!(counted(&[9, 9, 9, 9, 0, 0, 0, 0, 9], part()), [""; 0]);
        let expected = "byte 7 of buffer `a` is 2; the kernel counts from zero; set it to zero before each launch";
        assert_eq!(counted(&[0, 0, 0, 0, 0, 0, 0, 2], part()), [expected]);
        let variable = counted(&[], Region::Variable("v".to_owned()));
        assert!(
            variable[0].starts_with("byte 2 of buffer `c` is 3;"),
            "{variable:?}"
        );
        assert_eq!(counted(&[], Region::Variable("w".to_owned())), [""; 0]);
        let ascending = |numbers: &[u32]| {
            let uses = [(
                Region::bytes(0, numbers.len() as u64 * 4),
                Access::Ascending,
            )];
            wrong(&[Buffer::new("a", numbers)], &uses)
        };
        assert_eq!(ascending(&[1, 1, 2]), [""; 0]);
        assert!(ascending(&[1, 3, 2])[0].starts_with("number 2 of buffer `a` is 2;"));
    }

    const TILE: TileShape = TileShape {
        data_type: DataType::U32,
        box_dims: &[8, 4],
        swizzle: Swizzle::None,
    };

    /// A tensor of 1024 bytes.
    fn params() -> Tiled {
        TensorMap::tiled(DataType::I32, &[16, 16]).box_dims(&[8, 4])
    }

    /// Returns the violations of a launch that takes a map of the tensor at this address, which is in the first buffer if it
    /// is 4096, and writes some bytes of a buffer.
    fn of_map(address: u64, params: Tiled, write: (usize, u64, u64)) -> Vec<String> {
        let map = params.build(address).unwrap();
        let buffers = [
            Buffer::zeroed::<u8>("tensor", 1040),
            Buffer::new("map", &map.to_bytes()),
        ];
        let (index, start, len) = write;
        let uses = [
            (Region::bytes(1, 128), Access::Maps(TILE)),
            (Region::bytes(index, len).skip(start), Access::Written),
        ];
        wrong(&buffers, &uses)
    }

    #[test]
    fn maps_are_of_tensors_in_buffers_that_are_not_written() {
        let nothing = (0, 0, 0);
        for address in [4096, 4096 + 16] {
            assert_eq!(of_map(address, params(), nothing), [""; 0]);
        }
        for address in [4096 - 16, 4096 + 32] {
            let expected = format!(
                "map 0 of buffer `map` is of a tensor of 1024 bytes at {address:#x}; the job has no buffer that holds \
                 it; encode such a map there"
            );
            assert_eq!(of_map(address, params(), nothing), [expected]);
        }
        let expected = "map 0 of buffer `map` is of a tensor in buffer `tensor`; the kernel writes there, so overlap is not \
                    allowed; encode such a map there";
        for (address, write, is_reported) in [
            (4096, (0, 1024, 16), false),
            (4096, (0, 1023, 16), true),
            (4096 + 16, (0, 0, 16), false),
            (4096 + 16, (0, 0, 17), true),
            (4096, (1, 0, 128), false),
        ] {
            let found = of_map(address, params(), write);
            assert_eq!(
                found,
                [expected][..is_reported.into()],
                "{address} {write:?}"
            );
        }
        let other = of_map(4096, params().box_dims(&[4, 8]), nothing);
        assert!(
            other[0].contains("a box of 4 x 8 elements of i32"),
            "{other:?}"
        );
    }

    #[test]
    fn a_map_is_that_of_a_certain_tensor() {
        let at = |address| {
            let map = params().build(address).unwrap();
            let buffers = [
                Buffer::zeroed::<u8>("tensor", 1040),
                Buffer::new("map", &map.to_bytes()),
            ];
            let access = Access::MapOf {
                params: Box::new(params().into()),
                index: 0,
            };
            wrong(&buffers, &[(Region::bytes(1, 128), access)])
        };
        assert_eq!(at(4096), [""; 0]);
        let expected = "buffer `map` is another map; the kernel takes the map of the tensor in buffer `tensor`; encode such \
                    a map there";
        assert_eq!(at(4096 + 16), [expected]);
    }
}
