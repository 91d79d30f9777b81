//! Textures and surfaces of a recorded launch, with the handles that they had on the GPU.

use std::collections::BTreeMap;

use launch_archive::{Texels, TextureObject};
use tma_emulator::{
    Session,
    texture::{Format, Geometry, Image, Reading, Refused, TextureError},
};
use tma_launch::{Failure, Stage};

use crate::emulate::{Stopped, stopped};

/// Places a texture or surface after its array has been allocated.
pub(super) fn place(
    object: &TextureObject,
    arrays: &BTreeMap<u64, u64>,
    session: &mut Session,
) -> Result<(), Stopped> {
    let image = image(object, arrays)?;
    let Some(reading) = object.reading else {
        let placed = session.place_surface(object.handle, image);
        return placed.map_err(stopped);
    };
    let bits = image.format().bits();
    let launch_archive::Reading {
        address_modes,
        filter,
        flags,
        border,
    } = reading;
    let reading = Reading {
        address_modes,
        filter,
        border: border.map(f32::from_bits),
        ..Reading::default()
    };
    let texture = reading.with_flags(flags, bits).texture(image);
    let texture = texture.map_err(|refused| match refused {
        Refused::Number(number) => wrong(
            object,
            &format!("the number {number} in its sampler is not valid"),
        ),
        Refused::Lacks(what) => unsupported(&format!("a texture of {what}")),
        Refused::Rule(rule) => wrong(object, &rule.to_string()),
    })?;
    session
        .place_texture(object.handle, texture)
        .map_err(stopped)
}

fn image(object: &TextureObject, arrays: &BTreeMap<u64, u64>) -> Result<Image, Stopped> {
    let broken = |rule: TextureError| wrong(object, &rule.to_string());
    let format = Format::of_number(object.format, object.channels);
    let format = format
        .ok_or_else(|| unsupported(&format!("a texture of the format {:#x}", object.format)))?
        .map_err(broken)?;
    let image = match object.texels {
        Texels::Array {
            array,
            extents,
            flags,
        } => {
            let (geometry, extents) = Geometry::of_array(extents, flags)
                .ok_or_else(|| unsupported(&format!("an array with the flags {flags:#x}")))?;
            let address = arrays.get(&array);
            let address =
                address.ok_or_else(|| wrong(object, "its array is missing from the archive"))?;
            Image::array(*address, format, geometry, extents)
        }
        Texels::Linear { address, bytes } => Image::linear(address, format, bytes as u64),
        Texels::Pitched {
            address,
            extents,
            pitch_bytes,
        } => {
            let extents = extents.map(|extent| extent as u64);
            Image::pitched(address, format, extents, pitch_bytes as u64)
        }
    };
    image.map_err(broken)
}

fn wrong(object: &TextureObject, what: &str) -> Stopped {
    let what = format!(
        "the texture or surface {:#x} of the archive: {what}",
        object.handle
    );
    Stopped::Failure(Failure::new(Stage::Load, what))
}

fn unsupported(what: &str) -> Stopped {
    Stopped::Unsupported(what.to_owned())
}
