//! Textures and surfaces of a program, and their arrays.

use std::collections::{BTreeMap, BTreeSet};

use launch_archive::{MemoryKind, Reading, Texels, TextureObject};

use crate::{
    driver::{self, SUCCESS},
    parts::Parts,
    recording::Region,
};

/// `CUDA_RESOURCE_DESC`, as far as it is used.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct ResourceDescription {
    kind: i32,
    /// The handle of an array, or an address.
    at: u64,
    format: u32,
    channels: u32,
    /// Bytes of linear memory; width, height and pitch in bytes of rows.
    sizes: [usize; 3],
}

/// `CUDA_TEXTURE_DESC`, as far as it is used.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct TextureDescription {
    address_modes: [i32; 3],
    filter: i32,
    flags: u32,
    max_anisotropy: u32,
    mipmap_filter: i32,
    mipmap_levels: [f32; 3],
    border: [f32; 4],
}

/// The descriptions that a texture or surface was created from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Description {
    pub(crate) resource: ResourceDescription,
    /// `None` for surfaces.
    pub(crate) texture: Option<TextureDescription>,
    /// True if texels are reinterpreted with a resource view.
    pub(crate) has_view: bool,
}

/// The live textures and surfaces by handle.
#[derive(Debug, Default)]
pub(crate) struct Objects(BTreeMap<u64, Description>);

impl Objects {
    pub(crate) fn add(&mut self, handle: u64, description: Description) {
        self.0.insert(handle, description);
    }

    pub(crate) fn remove(&mut self, handle: u64) {
        self.0.remove(&handle);
    }

    /// Adds the handles contained in these bytes, aligned to eight bytes.
    pub(crate) fn named_by(&self, bytes: &[u8], found: &mut BTreeSet<u64>) {
        let (Some((first, _)), Some((last, _))) =
            (self.0.first_key_value(), self.0.last_key_value())
        else {
            return;
        };
        let (words, _) = bytes.as_chunks::<8>();
        let values = words.iter().map(|word| u64::from_le_bytes(*word));
        let handles =
            values.filter(|value| (first..=last).contains(&value) && self.0.contains_key(value));
        found.extend(handles);
    }

    /// Returns a texture or surface for an archive.
    pub(crate) fn object(&self, handle: u64) -> Result<TextureObject, String> {
        let Description {
            resource,
            texture,
            has_view,
        } = self.0.get(&handle).ok_or("its texture was destroyed")?;
        let ResourceDescription {
            kind, at, sizes, ..
        } = *resource;
        let (mut format, mut channels) = (resource.format, resource.channels);
        if *has_view {
            return Err("one of its textures has a resource view".to_owned());
        }
        let texels = match kind {
            0 => {
                let array = driver::array(at)?;
                (format, channels) = (array.format, array.channels);
                Texels::Array {
                    array: at,
                    extents: array.extents,
                    flags: array.flags,
                }
            }
            2 => Texels::Linear {
                address: at,
                bytes: sizes[0],
            },
            3 => Texels::Pitched {
                address: at,
                extents: [sizes[0], sizes[1]],
                pitch_bytes: sizes[2],
            },
            _ => return Err("one of its textures is a mipmapped array".to_owned()),
        };
        let reading = texture.map(|texture| Reading {
            address_modes: texture.address_modes,
            filter: texture.filter,
            flags: texture.flags,
            border: texture.border.map(f32::to_bits),
        });
        Ok(TextureObject {
            handle,
            texels,
            format,
            channels,
            reading,
        })
    }
}

/// Returns the bytes of an array's texels.
pub(crate) fn array_bytes(array: u64) -> Result<u64, String> {
    driver::array(array)?.bytes()
}

/// Copies an array as consecutive rows.
pub(crate) fn read_array(array: u64) -> Result<Parts, String> {
    let described = driver::array(array)?;
    let bytes = described.bytes()?;
    let mut texels = vec![0; bytes as usize];
    match driver::read_array(array, &described, &mut texels) {
        SUCCESS => Ok(crate::parts::of(&texels)),
        code => Err(format!(
            "the {bytes} bytes of its array cannot be copied: error {code}"
        )),
    }
}

/// Returns the region of an array before a launch.
pub(crate) fn region(array: u64) -> Result<Region, String> {
    Ok(Region {
        name: format!("array {array:#x}"),
        kind: MemoryKind::Array,
        address: array,
        bytes: array_bytes(array)?,
        before: read_array(array)?,
        after: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn description(kind: i32) -> Description {
        Description {
            resource: ResourceDescription {
                kind,
                at: 0x7000,
                format: 0x20,
                channels: 2,
                sizes: [100, 7, 1024],
            },
            texture: None,
            has_view: false,
        }
    }

    #[test]
    fn handles_are_found_and_described() {
        let mut objects = Objects::default();
        let found = |objects: &Objects, values: &[u64]| {
            let bytes: Vec<u8> = values
                .iter()
                .flat_map(|value| value.to_le_bytes())
                .collect();
            let mut found = BTreeSet::new();
            objects.named_by(&bytes, &mut found);
            found.into_iter().collect::<Vec<u64>>()
        };
        assert!(found(&objects, &[0, 1]).is_empty());
        objects.add(3, description(2));
        objects.add(9, description(3));
        assert_eq!(found(&objects, &[9, 2, 4, 3, 10, 3]), [3, 9]);
        let texels = |handle| objects.object(handle).map(|object| object.texels);
        let (address, bytes) = (0x7000, 100);
        assert_eq!(texels(3), Ok(Texels::Linear { address, bytes }));
        let (extents, pitch_bytes) = ([100, 7], 1024);
        let pitched = Texels::Pitched {
            address,
            extents,
            pitch_bytes,
        };
        assert_eq!(texels(9), Ok(pitched));
        objects.add(4, description(1));
        assert!(objects.object(4).unwrap_err().contains("mipmapped"));
        let has_view = true;
        objects.add(
            4,
            Description {
                has_view,
                ..description(2)
            },
        );
        assert!(objects.object(4).unwrap_err().contains("view"));
        objects.remove(3);
        assert!(found(&objects, &[3]).is_empty());
    }
}
