//! Pointers and tensor maps inside buffers and variables.

use tma_launch::{Argument, Buffer, PlacedMap, PlacedPointer};

use super::{
    buffer::{FileBuffer, target},
    maps::{FileMap, find_map},
    reader::Value,
    violations::Invalid,
};

/// An entry of `holds`.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Hold {
    Pointer(PlacedPointer),
    Map(Box<PlacedMap>),
}

impl Hold {
    /// `{ at_bytes = 0, buffer = "x" }` or `{ at_bytes = 0, map = "tile" }`
    pub(super) fn read(
        value: &Value<'_>,
        buffers: &[FileBuffer],
        maps: &[FileMap],
    ) -> Result<Self, Invalid> {
        let table = value.table("holds")?;
        let at_bytes = table.optional("at_bytes", Value::integer::<u32>);
        let index = target(&table, buffers);
        let offset_bytes = table.optional("offset_bytes", Value::integer::<u64>);
        let map = table.optional("map", |value| find_map(maps, value));
        let is_known = table.end();
        let at_bytes = at_bytes?.unwrap_or(0) as usize;
        match (index?, map?, offset_bytes?) {
            (Some(index), None, offset_bytes) => Ok(Self::Pointer(PlacedPointer {
                at_bytes,
                index,
                offset_bytes: offset_bytes.unwrap_or(0),
            })),
            (
                None,
                Some(Argument::TensorMap {
                    params,
                    index,
                    offset_bytes,
                }),
                None,
            ) => Ok(Self::Map(Box::new(PlacedMap {
                at_bytes,
                params: *params,
                index,
                offset_bytes,
            }))),
            _ if !is_known => Err(Invalid::Noted),
            _ => Err(value.wrong(
                "set exactly one target: `{ at_bytes = 0, buffer = \"x\" }`, `{ at_bytes = 0, variable = \"x\" }` \
                 or `{ at_bytes = 0, map = \"x\" }`",
            )),
        }
    }

    /// Returns the buffer with this value placed in it.
    pub(super) fn put(&self, buffer: Buffer) -> Buffer {
        match self {
            Self::Pointer(pointer) => buffer.with_pointer(*pointer),
            Self::Map(map) => buffer.with_tensor_map(**map),
        }
    }
}
