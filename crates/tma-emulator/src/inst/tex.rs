//! `tex`: a fetch from a texture. PTX ISA 9.7.10.3.

use ptx::{Instruction, Type};

use crate::{
    decode::{Modifiers, NotSupported},
    inst::{
        Action, Decoder, Execute, Step, each_lane,
        texture::{self, Destination, Place},
    },
    machine::{Flow, Trapped},
    texture::Point,
};

/// Computes `d = texture[place]`.
#[derive(Clone, Debug)]
pub(crate) struct Fetch {
    d: Destination,
    place: Place,
    ty: Type,
    /// True if coordinates count texels.
    is_integer: bool,
}

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
) -> Result<(), NotSupported> {
    // Textures have one level here, so a requested level is ignored.
    let more = modifiers.one_of(&[("base", 0), ("level", 1), ("grad", 2)]);
    let (ty, coordinate) = texture::types(modifiers)?;
    let (d, place, levels) = texture::operands(instruction, more.unwrap_or(0))?;
    for level in levels.iter().flat_map(texture::list) {
        decoder.source(level, Type::F32)?;
    }
    let place = texture::place(decoder, place, modifiers, coordinate)?;
    let fetch = Fetch {
        d: texture::destination(decoder, d)?,
        place,
        ty,
        is_integer: coordinate == Type::S32,
    };
    decoder.emit(Action::Fetch(Box::new(fetch)));
    Ok(())
}

impl Execute for Fetch {
    fn run(&self, step: &mut Step<'_>) -> Result<Flow, Trapped> {
        each_lane(step, |step, lane| {
            let texture = self.place.texture(step, lane, self.ty)?;
            let coordinates = self.place.coordinates(step, lane);
            let layer = self.place.layer(step, lane);
            let bytes = texture.image().format().texel_bytes();
            let read = |address| texture::read(step, lane, address, bytes);
            let channels = match self.is_integer {
                true => texture.texel(coordinates.map(|bits| bits as i32), layer, read)?,
                false => {
                    let coordinates = coordinates.map(f32::from_bits);
                    texture.sample(&Point { coordinates, layer }, read)?
                }
            };
            self.d.set(step, lane, channels);
            Ok(())
        })
    }
}
