//! Common parts of surface instructions: bytes at coordinates, and accesses out of bounds. PTX ISA 9.7.11.

use ptx::{Operand, Type};

use crate::{
    decode::{Modifiers, NotSupported},
    inst::{
        Decoder, Step,
        texture::{self, Place},
    },
    machine::{
        Located, Slot, Space, Trap, Trapped,
        observer::{AccessKind, Scope, Sem},
    },
};

/// The order of accesses to surfaces among others: none.
const ORDER: (Sem, Scope) = (Sem::Weak, Scope::Sys);

/// The effect of an access outside of the surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outside {
    Trap,
    Clamp,
    /// Out of bounds, a load returns zeros and a store has no effect.
    Zero,
}

/// An access to bytes of a surface.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    place: Place,
    outside: Outside,
    /// The first coordinate counts texels, not bytes.
    by_texels: bool,
}

/// An element of a vector in registers, and how many.
#[derive(Clone, Debug)]
pub(crate) struct Elements {
    pub(crate) slots: Box<[Slot]>,
    pub(crate) bytes: usize,
}

impl Access {
    /// Takes `.b` or `.p`, the geometry and the mode.
    pub(crate) fn decode(
        decoder: &mut Decoder<'_>,
        operand: &Operand,
        modifiers: &mut Modifiers<'_>,
    ) -> Result<Self, NotSupported> {
        let by_texels = modifiers.one_of(&[("b", false), ("p", true)]);
        let by_texels = by_texels.ok_or("it is neither `.b` nor `.p`")?;
        let modes = [
            ("trap", Outside::Trap),
            ("clamp", Outside::Clamp),
            ("zero", Outside::Zero),
        ];
        // The default (9.7.11.1).
        let outside = modifiers.one_of(&modes).unwrap_or(Outside::Trap);
        Ok(Self {
            place: texture::place(decoder, operand, modifiers, Type::S32)?,
            outside,
            by_texels,
        })
    }

    pub(crate) fn by_texels(&self) -> bool {
        self.by_texels
    }

    /// Returns the format of a lane's texels.
    pub(crate) fn format(
        &self,
        step: &Step<'_>,
        lane: usize,
    ) -> Result<crate::texture::Format, Trapped> {
        Ok(self.place.surface(step, lane)?.format())
    }

    /// Locates the bytes that a lane accesses; `None` if it accesses none.
    pub(crate) fn locate(
        &self,
        step: &mut Step<'_>,
        lane: usize,
        bytes: usize,
    ) -> Result<Option<Located>, Trapped> {
        let image = self.place.surface(step, lane)?;
        let bytes = bytes as i64;
        let texel_bytes = i64::from(image.format().texel_bytes());
        let [x, y, z] = self
            .place
            .coordinates(step, lane)
            .map(|bits| i64::from(bits as i32));
        let x_bytes = match self.by_texels {
            true => x * texel_bytes,
            false => x,
        };
        let [width, height, depth] = image.extents().map(i64::from);
        let mut location = [x_bytes, y, z];
        if image.geometry().is_layered() {
            location[2] = i64::from(self.place.layer(step, lane));
        }
        let most = [width * texel_bytes - bytes, height - 1, depth - 1];
        let outside = (0..3).find(|axis| !(0..=most[*axis]).contains(&location[*axis]));
        if let Some(axis) = outside {
            match self.outside {
                Outside::Zero => return Ok(None),
                Outside::Clamp if most[0] >= 0 => {
                    for (at, most) in location.iter_mut().zip(most) {
                        *at = (*at).clamp(0, most);
                    }
                }
                Outside::Clamp | Outside::Trap => {
                    let coordinate = match axis {
                        0 => "x",
                        1 => "y",
                        _ if image.geometry().is_layered() => "the layer",
                        _ => "z",
                    };
                    let extent = [width, height, depth][axis];
                    let mut what = format!(
                        "{coordinate} is {}, outside of the surface, which has {extent}",
                        location[axis]
                    );
                    if axis == 0 {
                        what = format!(
                            "{bytes} bytes at byte {x_bytes} of a row are outside of the surface, whose rows have {width} \
                             texels of {texel_bytes} bytes"
                        );
                    }
                    return Err(step.fault(lane, Trap::IllegalAddress, what));
                }
            }
        }
        let [x_bytes, y, z] = location;
        if x_bytes % bytes != 0 {
            let what = format!(
                "byte {x_bytes} of a row is not a multiple of the {bytes} bytes of the access"
            );
            return Err(step.fault(lane, Trap::MisalignedAddress, what));
        }
        let address = image.byte(x_bytes as u64, y as u32, z as u32);
        let located = step.locate_at(lane, Space::Global, address, bytes as u64, 1)?;
        Ok(Some(located))
    }
}

/// Reads bytes and reports the access.
pub(crate) fn read<'s>(
    step: &'s mut Step<'_>,
    lane: usize,
    located: Located,
    bytes: usize,
) -> &'s [u8] {
    step.tell_access(lane, located, bytes as u64, AccessKind::Read, ORDER);
    step.bytes(lane, located, bytes)
}

/// Writes bytes and reports the access.
pub(crate) fn write(
    step: &mut Step<'_>,
    lane: usize,
    located: Located,
    content: &[u8],
) -> Result<(), Trapped> {
    let there = step.bytes(lane, located, content.len());
    let differs = there.iter().zip(content).map(|(old, new)| old != new);
    let changed = (0..)
        .zip(differs)
        .fold(0, |mask, (byte, differs)| mask | u32::from(differs) << byte);
    let bytes = content.len() as u64;
    step.tell_changes(lane, located, bytes, AccessKind::Write, ORDER, changed);
    step.bytes_mut(lane, located, content.len())?
        .copy_from_slice(content);
    Ok(())
}

/// Decodes the vector of registers, which are written if `is_written`.
pub(crate) fn elements(
    decoder: &mut Decoder<'_>,
    operand: &Operand,
    (count, ty): (usize, Type),
    is_written: bool,
) -> Result<Elements, NotSupported> {
    let bytes = ty.size_bytes().ok_or(NotSupported::Part("type"))? as usize;
    if !matches!(bytes, 1 | 2 | 4 | 8) || bytes * count > 16 {
        return Err(NotSupported::Part("type"));
    }
    let slots: Vec<Slot> = match decoder.vector(operand) {
        Some(registers) => registers.iter().map(|register| register.slot).collect(),
        None => {
            let slot = |element| match is_written {
                true => decoder.destination(element).map(|register| register.slot),
                false => decoder.source(element, ty),
            };
            let slots: Result<_, _> = texture::list(operand).iter().map(slot).collect();
            slots?
        }
    };
    match slots.len() == count {
        true => Ok(Elements {
            slots: slots.into(),
            bytes,
        }),
        false => Err("the operand count does not match the vector size".into()),
    }
}
