//! `tld4`: a channel of four texels. PTX ISA 9.7.10.4.

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

/// `d = texture[place]`, of one channel
#[derive(Clone, Debug)]
pub(crate) struct Gather {
    d: Destination,
    place: Place,
    ty: Type,
    channel: usize,
}

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
) -> Result<(), NotSupported> {
    let channel = modifiers.one_of(&[("r", 0), ("g", 1), ("b", 2), ("a", 3)]);
    let channel = channel.ok_or(NotSupported::Part("channel"))?;
    let (ty, coordinate) = texture::types(modifiers)?;
    if coordinate != Type::F32 {
        return Err(NotSupported::Part("type"));
    }
    let (d, place, _) = texture::operands(instruction, 0)?;
    let place = texture::place(decoder, place, modifiers, coordinate)?;
    let gather = Gather {
        d: texture::destination(decoder, d)?,
        place,
        ty,
        channel,
    };
    decoder.emit(Action::Gather(Box::new(gather)));
    Ok(())
}

impl Execute for Gather {
    fn run(&self, step: &mut Step<'_>) -> Result<Flow, Trapped> {
        each_lane(step, |step, lane| {
            let texture = self.place.texture(step, lane, self.ty)?;
            let point = Point {
                coordinates: self.place.coordinates(step, lane).map(f32::from_bits),
                layer: self.place.layer(step, lane),
            };
            let bytes = texture.image().format().texel_bytes();
            let read = |address| texture::read(step, lane, address, bytes);
            let four = texture.gather(&point, self.channel, read)?;
            self.d.set(step, lane, four);
            Ok(())
        })
    }
}
