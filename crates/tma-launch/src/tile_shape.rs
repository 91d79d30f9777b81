use std::fmt::{self, Display, Formatter};

use tensor_map::{DataType, Decoded, Interleave, Params, Swizzle};

use crate::{Argument, Conditions};

/// The tile that a kernel expects a tensor map to load: its box, element type and swizzle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TileShape {
    /// The element type; an unsigned integer represents every type of its size.
    pub data_type: DataType,
    /// Number of elements of the box along each dimension, innermost first.
    pub box_dims: &'static [u32],
    /// The layout in shared memory.
    pub swizzle: Swizzle,
}

impl TileShape {
    /// Refuses a map with another tile.
    pub(crate) fn check(&self, parameter: &str, map: &Argument, conditions: &mut Conditions) {
        let params = match map.leaves().first().copied().unwrap_or(map) {
            Argument::TensorMap { params, .. } => Ok(**params),
            Argument::EncodedMap(map) => map.decode().map(|Decoded { params, .. }| params),
            // The check of the launch refuses any other argument.
            _ => return,
        };
        let fix = format!("encode the map with {self}");
        let limit = format!("the kernel loads tiles through it: {self}");
        match params {
            Ok(params) if self.is_of(&params) => {}
            Ok(params) => conditions.refuse(parameter, describe(&params), limit, fix),
            Err(error) => conditions.refuse(parameter, error, limit, fix),
        }
    }

    fn is_of(&self, params: &Params) -> bool {
        let Params::Tiled(tiled) = params else {
            return false;
        };
        let tensor = &tiled.tensor;
        self.fits(tensor.data_type)
            && tiled.box_dims.as_slice() == self.box_dims
            && tensor.swizzle == self.swizzle
            && tensor.interleave == Interleave::None
            && tensor
                .element_strides
                .as_slice()
                .iter()
                .all(|step| *step == 1)
    }

    /// Returns an error that describes the map's tile if it differs.
    pub(crate) fn is_brought_by(&self, params: &Params) -> Result<(), String> {
        let Params::Tiled(tiled) = params else {
            return Err(describe(params));
        };
        let tensor = &tiled.tensor;
        let elements = (0..tensor.rank()).map(|dim| tiled.box_elements(dim));
        let brings = self.fits(tensor.data_type)
            && elements.eq(self.box_dims.iter().map(|side| u64::from(*side)))
            && tensor.swizzle == self.swizzle
            && tensor.interleave == Interleave::None;
        if brings {
            Ok(())
        } else {
            Err(describe(params))
        }
    }

    fn fits(&self, data_type: DataType) -> bool {
        let bits = matches!(
            self.data_type,
            DataType::U8 | DataType::U16 | DataType::U32 | DataType::U64
        );
        data_type == self.data_type
            || bits && !data_type.is_packed() && data_type.bytes() == self.data_type.bytes()
    }
}

/// Formats as a box of `64 x 16` elements of `i32` without swizzle.
impl Display for TileShape {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&tile(self.data_type, self.box_dims, self.swizzle))
    }
}

fn tile(data_type: DataType, box_dims: &[u32], swizzle: Swizzle) -> String {
    let extents: Vec<String> = box_dims.iter().map(u32::to_string).collect();
    let swizzle = match swizzle {
        Swizzle::None => "without swizzle".to_owned(),
        swizzle => format!("with swizzle {}", swizzle.name()),
    };
    let (extents, data_type) = (extents.join(" x "), data_type.name());
    format!("a box of {extents} elements of {data_type} {swizzle}")
}

fn describe(params: &Params) -> String {
    let Params::Tiled(tiled) = params else {
        return format!("a map of mode {}", params.mode());
    };
    let tensor = &tiled.tensor;
    let mut description = tile(tensor.data_type, tiled.box_dims.as_slice(), tensor.swizzle);
    if tensor.interleave != Interleave::None {
        description += &format!(", interleaved by {}", tensor.interleave.name());
    }
    if tensor
        .element_strides
        .as_slice()
        .iter()
        .any(|step| *step != 1)
    {
        description += ", of every few elements";
    }
    description
}

#[cfg(test)]
mod tests {
    use tensor_map::TensorMap;

    use super::*;

    const TILE: TileShape = TileShape {
        data_type: DataType::U32,
        box_dims: &[32, 8],
        swizzle: Swizzle::B128,
    };

    fn description(params: Params, is_encoded: bool) -> Option<String> {
        let map = if is_encoded {
            Argument::EncodedMap(Box::new(
                params
                    .build_for(4096, tensor_map::Target::default())
                    .unwrap(),
            ))
        } else {
            Argument::TensorMap {
                params: Box::new(params),
                index: 0,
                offset_bytes: 0,
            }
        };
        let mut conditions = Conditions::default();
        TILE.check("map", &map, &mut conditions);
        conditions
            .into_result()
            .err()
            .map(|refused| refused.to_string())
    }

    #[test]
    fn a_map_with_another_box_is_refused_with_both() {
        let map = TensorMap::tiled(DataType::F32, &[100, 50]).strides_bytes(&[400]);
        let same = map.box_dims(&[32, 8]).swizzle(Swizzle::B128);
        for is_encoded in [false, true] {
            assert_eq!(description(same.into(), is_encoded), None);
            assert_eq!(
                description(
                    same.box_dims(&[32, 4]).swizzle(Swizzle::None).into(),
                    is_encoded
                )
                .unwrap(),
                "kernel-condition: map is a box of 32 x 4 elements of f32 without swizzle; the kernel loads \
                 tiles through it: a box of 32 x 8 elements of u32 with swizzle 128b; encode the map with a \
                 box of 32 x 8 elements of u32 with swizzle 128b"
            );
            let strided = same.element_strides(&[1, 2]).box_dims(&[32, 8]);
            assert!(
                description(strided.into(), is_encoded)
                    .unwrap()
                    .contains("of every few elements")
            );
        }
    }

    #[test]
    fn a_tile_of_signed_numbers_takes_no_others() {
        let map = TensorMap::tiled(DataType::U32, &[100, 50]).box_dims(&[32, 8]);
        let signed = TileShape {
            data_type: DataType::I32,
            swizzle: Swizzle::None,
            ..TILE
        };
        assert!(!signed.is_of(&map.into()));
        assert!(
            TileShape {
                data_type: DataType::U32,
                ..signed
            }
            .is_of(&map.into())
        );
    }
}
