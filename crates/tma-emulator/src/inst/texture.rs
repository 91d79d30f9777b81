//! Shared by instructions of textures and surfaces: the operand that has a handle and coordinates, and the texels of
//! memory. PTX ISA 5.3, 9.7.10 and 9.7.11.

use ptx::{Instruction, Operand, OperandKind, Type};

use crate::{
    decode::{Modifiers, NotSupported},
    inst::{Decoder, Step},
    machine::{
        Slot, Space, Trap, Trapped,
        observer::{AccessKind, Event, Proxy, Scope, Sem},
    },
    texture::{Geometry, Image, Texel, Texture, TextureObject},
};

const GEOMETRIES: &[(&str, Geometry)] = &[
    ("1d", Geometry::Line),
    ("2d", Geometry::Plane),
    ("3d", Geometry::Volume),
    ("a1d", Geometry::LayeredLine),
    ("a2d", Geometry::LayeredPlane),
    ("cube", Geometry::Cube),
    ("acube", Geometry::LayeredCube),
];

/// `[handle, {layer, x, y, z}]`
#[derive(Clone, Debug)]
pub(crate) struct Place {
    handle: Slot,
    geometry: Geometry,
    layer: Option<Slot>,
    coordinates: Box<[Slot]>,
}

/// Decodes the register with a handle, and returns it with the remaining operands.
pub(crate) fn handle<'i>(
    decoder: &mut Decoder<'_>,
    operand: &'i Operand,
) -> Result<(Slot, &'i [Operand]), NotSupported> {
    let OperandKind::Memory { address, rest } = &operand.kind else {
        return Err("an operand must be a texture or surface".into());
    };
    match decoder.register(address) {
        Ok(register) if register.ty.size_bytes() == Some(8) => Ok((register.slot, rest)),
        _ => Err(
            "its texture or surface is not the handle of an object in a register of 64 bits; references \
             (`.texref`, `.surfref`, `.samplerref`) are not known here"
                .into(),
        ),
    }
}

/// Takes the geometry, and makes slots of an operand with a handle and coordinates of this type.
pub(crate) fn place(
    decoder: &mut Decoder<'_>,
    operand: &Operand,
    modifiers: &mut Modifiers<'_>,
    ty: Type,
) -> Result<Place, NotSupported> {
    let geometry = modifiers.one_of(GEOMETRIES);
    let geometry = geometry.ok_or(NotSupported::Part("geometry"))?;
    let (handle, rest) = handle(decoder, operand)?;
    let coordinates = match rest {
        [coordinates] => list(coordinates),
        [_, _] => {
            return Err(
                "it has a sampler of its own (`texmode_independent`), which is not known here"
                    .into(),
            );
        }
        _ => return Err("it has no coordinates".into()),
    };
    let is_layered = geometry.is_layered() && geometry != Geometry::Cube;
    let (layer, coordinates) = match coordinates.split_first() {
        Some((layer, rest)) if is_layered => (Some(decoder.source(layer, Type::U32)?), rest),
        _ => (None, coordinates),
    };
    let needed = match geometry {
        // A direction.
        Geometry::Cube | Geometry::LayeredCube => 3,
        _ => geometry.dimensions(),
    };
    if coordinates.len() < needed {
        let there = coordinates.len();
        return Err(format!("it has {there} coordinates but needs {needed}").into());
    }
    // An operand of three is filled up to four.
    let coordinates = coordinates[..needed].iter();
    let coordinates: Result<_, _> = coordinates
        .map(|coordinate| decoder.source(coordinate, ty))
        .collect();
    Ok(Place {
        handle,
        geometry,
        layer,
        coordinates: coordinates?,
    })
}

/// Returns the elements of a vector, or a single operand.
pub(crate) fn list(operand: &Operand) -> &[Operand] {
    match &operand.kind {
        OperandKind::Vector(operands) => operands,
        _ => std::slice::from_ref(operand),
    }
}

/// The four destination registers, and the predicate that reports whether the texels are resident.
#[derive(Clone, Debug)]
pub(crate) struct Destination {
    registers: [Slot; 4],
    resident: Option<Slot>,
}

impl Destination {
    /// Sets the registers of a lane.
    pub(crate) fn set(&self, step: &mut Step<'_>, lane: usize, values: [u32; 4]) {
        let base = step.group.base;
        for (slot, value) in self.registers.iter().zip(values) {
            step.warp.registers[base + slot][lane] = value.into();
        }
        if let Some(slot) = self.resident {
            step.warp.registers[base + slot][lane] = 1;
        }
    }
}

/// Decodes the destination of a fetch.
pub(crate) fn destination(
    decoder: &mut Decoder<'_>,
    operand: &Operand,
) -> Result<Destination, NotSupported> {
    let (vector, resident) = match &operand.kind {
        OperandKind::Pair(vector, predicate) => {
            (&**vector, Some(decoder.destination(predicate)?.slot))
        }
        _ => (operand, None),
    };
    if let Some(registers) = decoder.vector(vector) {
        let slots: Vec<Slot> = registers.iter().map(|register| register.slot).collect();
        let registers = slots.try_into().map_err(|_| NotSupported::Operands)?;
        return Ok(Destination {
            registers,
            resident,
        });
    }
    let [a, b, c, d] = list(vector) else {
        return Err("it does not write four registers".into());
    };
    let mut registers = [0; 4];
    for (slot, operand) in registers.iter_mut().zip([a, b, c, d]) {
        *slot = decoder.destination(operand)?.slot;
    }
    Ok(Destination {
        registers,
        resident,
    })
}

/// Decodes the types of a fetch's result and of its coordinates.
pub(crate) fn types(modifiers: &mut Modifiers<'_>) -> Result<(Type, Type), NotSupported> {
    let is_vector = modifiers.vector() == 4;
    is_vector
        .then_some(())
        .ok_or(NotSupported::Part("vector"))?;
    let types = (modifiers.ty()?, modifiers.ty()?);
    match types {
        (Type::U32 | Type::S32 | Type::F32, Type::S32 | Type::F32) => Ok(types),
        _ => Err(NotSupported::Part("type")),
    }
}

/// Returns the two operands of a fetch, and its `more` further ones.
pub(crate) fn operands(
    instruction: &Instruction,
    more: usize,
) -> Result<(&Operand, &Operand, &[Operand]), NotSupported> {
    match instruction.operands.as_slice() {
        [d, place, rest @ ..] if rest.len() == more => Ok((d, place, rest)),
        [_, _, rest @ ..] if rest.len() > more => {
            Err("it has offsets or a number to compare with, which are not known here".into())
        }
        _ => Err(NotSupported::Operands),
    }
}

impl Place {
    /// Returns the coordinates of a lane, as their bits; 0 for missing ones.
    pub(crate) fn coordinates(&self, step: &Step<'_>, lane: usize) -> [u32; 3] {
        let mut all = [0; 3];
        for (to, slot) in all.iter_mut().zip(&*self.coordinates) {
            *to = step.get(*slot)[lane] as u32;
        }
        all
    }

    /// Returns the layer that a lane selects.
    pub(crate) fn layer(&self, step: &Step<'_>, lane: usize) -> u32 {
        self.layer.map_or(0, |slot| step.get(slot)[lane] as u32)
    }

    /// Returns the texture of a lane, which must have the geometry of the instruction and numbers of this type.
    pub(crate) fn texture(
        &self,
        step: &Step<'_>,
        lane: usize,
        ty: Type,
    ) -> Result<Texture, Trapped> {
        let handle = step.get(self.handle)[lane];
        let texture = texture(step, lane, handle)?;
        self.fits(step, lane, texture.image())?;
        let wants_floats = ty == Type::F32;
        if texture.gives_floats() != wants_floats {
            let format = texture.image().format();
            let returned = match texture.gives_floats() {
                true => "floating-point numbers",
                false => "integers",
            };
            let what = format!(
                "the texture {handle:#x} returns {returned}, but the instruction is for `{}`; its texels are {format}, read as \
                 {}",
                ty.as_str(),
                match texture.sampler().read_mode {
                    crate::texture::ReadMode::Element => "elements",
                    crate::texture::ReadMode::NormalizedFloat => "normalized floats",
                }
            );
            return Err(step.fault(lane, Trap::IllegalInstruction, what));
        }
        Ok(texture)
    }

    /// Returns the surface of a lane, which must have the geometry of the instruction.
    pub(crate) fn surface(&self, step: &Step<'_>, lane: usize) -> Result<Image, Trapped> {
        let handle = step.get(self.handle)[lane];
        let image = match step.world.memory.objects.get(handle) {
            Some(TextureObject::Surface(image)) => *image,
            _ => return Err(none(step, lane, handle, "a surface")),
        };
        self.fits(step, lane, &image)?;
        Ok(image)
    }

    fn fits(&self, step: &Step<'_>, lane: usize, image: &Image) -> Result<(), Trapped> {
        use Geometry::*;
        let fits = match (self.geometry, image.geometry()) {
            (Line, Linear) => true,
            // The faces of cubes are layers, too.
            (LayeredPlane, Cube | LayeredCube) => true,
            (wanted, is) => wanted == is,
        };
        if fits {
            return Ok(());
        }
        let handle = step.get(self.handle)[lane];
        let what = format!(
            "{handle:#x} is {}, but the instruction is for {}",
            image.geometry().name(),
            self.geometry.name()
        );
        Err(step.fault(lane, Trap::IllegalInstruction, what))
    }
}

/// Returns the texture of a handle.
pub(crate) fn texture(step: &Step<'_>, lane: usize, handle: u64) -> Result<Texture, Trapped> {
    match step.world.memory.objects.get(handle) {
        Some(TextureObject::Texture(texture)) => Ok(*texture),
        _ => Err(none(step, lane, handle, "a texture")),
    }
}

#[cold]
pub(crate) fn none(step: &Step<'_>, lane: usize, handle: u64, wanted: &str) -> Trapped {
    let what = step.world.memory.objects.why_none(handle, wanted);
    step.fault(lane, Trap::IllegalInstruction, what)
}

/// Reads a texel for a texture. A fetch may not see writes of the same kernel (CUDA C++ Programming Guide,
/// "Read/Write Coherency").
pub(crate) fn read(
    step: &mut Step<'_>,
    lane: usize,
    address: u64,
    bytes: u32,
) -> Result<Texel, Trapped> {
    let located = step.locate_at(lane, Space::Global, address, bytes.into(), 1)?;
    step.tell(lane, |step| Event::Access {
        proxy: Proxy::NonCoherent,
        kind: AccessKind::Read,
        sem: Sem::Weak,
        scope: Scope::Cta,
        range: step.range(located, bytes.into()),
        copy: None,
    });
    let mut texel = Texel::default();
    let there = step.bytes(lane, located, bytes as usize);
    texel[..there.len()].copy_from_slice(there);
    Ok(texel)
}
