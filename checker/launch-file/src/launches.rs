//! Launches of a launch file: grid and block dimensions, and arguments.

use std::ops::Range;

use tma_emulator::BufferTexture;
use tma_launch::{Argument, Dim3, Launch, Scalar};

use super::{
    buffer::{FileBuffer, target},
    element::ElementType,
    maps::{FileMap, find_map},
    modules::{FileModule, named},
    reader::{Table, Value},
    textures::{FileTexture, find_texture},
    violations::{Invalid, Noted},
};

/// `[[launch]]`
#[derive(Clone, Debug, PartialEq)]
pub(super) struct FileLaunch {
    pub(super) launch: Launch,
    /// The index of the module that the launch names.
    pub(super) module: Option<usize>,
    /// The location in the text.
    pub(super) at: Range<usize>,
    /// The location of the entry's name.
    pub(super) entry_at: Range<usize>,
}

impl FileLaunch {
    pub(super) fn read(
        table: &Table<'_>,
        modules: &[FileModule],
        buffers: &[FileBuffer],
        maps: &[FileMap],
        textures: &[FileTexture],
    ) -> Result<Self, Noted> {
        let entry = table.required("entry", |value| Ok((value.string()?, value.at.clone())));
        let module = named(table, modules);
        let grid = table.required("grid", extent);
        let block = table.required("block", extent);
        let cluster = table.optional("cluster", extent);
        let non_portable = table.optional("non_portable_cluster", Value::boolean);
        let cooperative = table.optional("cooperative", Value::boolean);
        let overlaps = table.optional("overlaps", Value::boolean);
        let shared_bytes = table.optional("shared_bytes", Value::integer::<u32>);
        let arguments = table.optional("arguments", |value| {
            value.list(|value| argument(value, buffers, maps, textures))
        });
        table.end();
        let (entry, entry_at) = entry?;
        let mut launch = Launch::new(entry, grid?, block?);
        launch.shape.cluster = cluster?;
        launch.shape.non_portable_cluster = non_portable?.unwrap_or(false);
        launch.shape.cooperative = cooperative?.unwrap_or(false);
        launch.shape.overlaps = overlaps?.unwrap_or(false);
        launch.shape.shared_bytes = shared_bytes?.unwrap_or(0);
        launch.arguments = arguments?.unwrap_or_default();
        Ok(Self {
            launch,
            module: module?,
            at: table.at.clone(),
            entry_at,
        })
    }
}

/// Reads a number, or a list of one to three numbers, innermost first.
fn extent(value: &Value<'_>) -> Result<Dim3, Invalid> {
    if !value.is_array() {
        return Ok(Dim3::from(value.integer::<u32>()?));
    }
    match value.list(Value::integer::<u32>)?[..] {
        [x] => Ok(Dim3::new(x, 1, 1)),
        [x, y] => Ok(Dim3::new(x, y, 1)),
        [x, y, z] => Ok(Dim3::new(x, y, z)),
        ref all => Err(value.wrong(format!(
            "must be one to three numbers, innermost first, not {}",
            all.len()
        ))),
    }
}

/// Reads an argument: `{ buffer = "x" }`, `{ variable = "x" }`, `{ map = "tile" }`, `{ texture = "x" }`, `{ u32 = 5
/// }`, or a list of these for a struct.
fn argument(
    value: &Value<'_>,
    buffers: &[FileBuffer],
    maps: &[FileMap],
    textures: &[FileTexture],
) -> Result<Argument, Invalid> {
    if value.is_array() {
        let fields = value.list(|value| argument(value, buffers, maps, textures))?;
        return match fields.is_empty() {
            true => Err(value.wrong("a struct must have fields")),
            false => Ok(Argument::Struct(fields)),
        };
    }
    let table = value.table("arguments")?;
    let buffer = target(&table, buffers);
    let offset_bytes = table.optional("offset_bytes", Value::integer::<u64>);
    let map = table.optional("map", |value| find_map(maps, value));
    let texture = table.optional("texture", |value| {
        find_texture(textures, value).map(BufferTexture::handle)
    });
    let surface = table.optional("surface", |value| {
        find_texture(textures, value).map(BufferTexture::surface_handle)
    });
    let scalars = ElementType::ALL.map(|ty| table.optional(ty.name(), |value| scalar(ty, value)));
    let is_known = table.end();
    let (buffer, offset_bytes, map) = (buffer?, offset_bytes?, map?);
    let handles = [texture, surface].map(|handle| Ok(handle?.map(Scalar::U64)));
    let scalars = scalars
        .into_iter()
        .chain(handles)
        .filter_map(Result::transpose)
        .collect::<Result<Vec<_>, Noted>>()?;
    if offset_bytes.is_some() && buffer.is_none() {
        return Err(value.wrong("`offset_bytes` requires a `buffer` or a `variable`"));
    }
    match (buffer, map, &scalars[..]) {
        (Some(index), None, []) => Ok(Argument::Buffer {
            index,
            offset_bytes: offset_bytes.unwrap_or(0),
        }),
        (None, Some(map), []) => Ok(map),
        (None, None, [scalar]) => Ok(Argument::Scalar(*scalar)),
        _ if !is_known => Err(Invalid::Noted),
        _ => Err(value.wrong(
            "an argument must be exactly one of `{ buffer = \"x\" }`, `{ variable = \"x\" }`, `{ map = \"x\" }`, \
             `{ texture = \"x\" }`, `{ surface = \"x\" }`, or a number with its type, as in `{ u32 = 5 }`",
        )),
    }
}

/// Converts a number to a scalar argument; half-precision numbers are passed as their 16 bits.
fn scalar(ty: ElementType, value: &Value<'_>) -> Result<Scalar, Invalid> {
    let bits = ty.exact_bits(value)?;
    Ok(match ty {
        ElementType::U8 => Scalar::U8(bits as u8),
        ElementType::I8 => Scalar::I8(bits as i8),
        ElementType::U16 | ElementType::F16 | ElementType::Bf16 => Scalar::U16(bits as u16),
        ElementType::I16 => Scalar::I16(bits as i16),
        ElementType::U32 => Scalar::U32(bits as u32),
        ElementType::I32 => Scalar::I32(bits as i32),
        ElementType::U64 => Scalar::U64(bits),
        ElementType::I64 => Scalar::I64(bits as i64),
        ElementType::F32 => Scalar::F32(f32::from_bits(bits as u32)),
        ElementType::F64 => Scalar::F64(f64::from_bits(bits)),
    })
}
