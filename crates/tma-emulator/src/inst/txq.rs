//! `txq` and `suq`: queries of texture and surface properties. PTX ISA 9.7.10.5 and 9.7.11.4.

use ptx::Instruction;

use crate::{
    decode::{Modifiers, NotSupported, operands},
    inst::{Action, Decoder, Execute, Step, each_lane, texture},
    machine::{Flow, Slot, Trapped},
    texture::{Geometry, Image, TextureObject},
};

/// Computes `d = property of handle`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Query {
    d: Slot,
    handle: Slot,
    property: Property,
    of_surface: bool,
}

#[derive(Clone, Copy, Debug)]
enum Property {
    Width,
    Height,
    Depth,
    Layers,
    IsNormalized,
}

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
) -> Result<(), NotSupported> {
    let of_surface = instruction.opcode.stem() == "suq";
    let properties = [
        ("width", Property::Width),
        ("height", Property::Height),
        ("depth", Property::Depth),
        ("array_size", Property::Layers),
        ("normalized_coords", Property::IsNormalized),
    ];
    let property = modifiers.one_of(&properties);
    let property = property.ok_or(NotSupported::Part("property"))?;
    if of_surface && matches!(property, Property::IsNormalized) {
        return Err(NotSupported::Part("property"));
    }
    modifiers.take_type("b32")?;
    let [d, object] = operands(instruction)?;
    let (handle, rest) = texture::handle(decoder, object)?;
    if !rest.is_empty() {
        return Err(NotSupported::Operands);
    }
    let d = decoder.destination(d)?.slot;
    decoder.emit(Action::Query(Query {
        d,
        handle,
        property,
        of_surface,
    }));
    Ok(())
}

impl Execute for Query {
    fn run(&self, step: &mut Step<'_>) -> Result<Flow, Trapped> {
        let base = step.group.base;
        each_lane(step, |step, lane| {
            let handle = step.get(self.handle)[lane];
            let (image, is_normalized) = match step.world.memory.objects.get(handle) {
                Some(TextureObject::Surface(image)) if self.of_surface => (image, false),
                Some(TextureObject::Texture(texture)) if !self.of_surface => {
                    (texture.image(), texture.sampler().normalized_coordinates)
                }
                _ => {
                    let wanted = match self.of_surface {
                        true => "a surface",
                        false => "a texture",
                    };
                    return Err(texture::none(step, lane, handle, wanted));
                }
            };
            let value = match self.property {
                Property::Layers => layers(image),
                Property::IsNormalized => is_normalized.into(),
                Property::Width => image.extents()[0],
                Property::Height => image.extents()[1],
                Property::Depth => image.extents()[2],
            };
            step.warp.registers[base + self.d][lane] = value.into();
            Ok(())
        })
    }
}

/// Returns the number of layers, or of cubes.
fn layers(image: &Image) -> u32 {
    match image.geometry() {
        Geometry::LayeredLine | Geometry::LayeredPlane => image.extents()[2],
        Geometry::LayeredCube => image.extents()[2] / 6,
        _ => 1,
    }
}
