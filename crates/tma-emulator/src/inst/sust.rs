//! `sust`: a store to a surface. PTX ISA 9.7.11.2.

use ptx::{Instruction, Type};

use crate::{
    decode::{Modifiers, NotSupported, operands},
    inst::{
        Action, Decoder, Execute, Step, each_lane,
        surface::{self, Access, Elements},
    },
    machine::{Flow, Slot, Trap, Trapped},
    texture::{Channel, Texel},
};

/// Computes `surface[access] = values`.
#[derive(Clone, Debug)]
pub(crate) struct Store {
    values: Elements,
    access: Access,
    ty: Type,
}

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
) -> Result<(), NotSupported> {
    modifiers.cache_hints();
    let [place, values] = operands(instruction)?;
    let access = Access::decode(decoder, place, modifiers)?;
    let (count, ty) = (modifiers.vector(), modifiers.ty()?);
    let is_known = match access.by_texels() {
        true => matches!(ty, Type::B32 | Type::U32 | Type::S32 | Type::F32),
        false => matches!(ty, Type::B8 | Type::B16 | Type::B32 | Type::B64),
    };
    if !is_known {
        return Err(NotSupported::Part("type"));
    }
    let values = surface::elements(decoder, values, (count, ty), false)?;
    let store = Store { values, access, ty };
    decoder.emit(Action::SurfaceStore(Box::new(store)));
    Ok(())
}

impl Store {
    /// Returns the registers to store.
    pub(crate) fn stored(&self) -> &[Slot] {
        &self.values.slots
    }

    /// Returns the bytes that a lane stores, and their number. Channels without a value become 0.
    fn content(&self, step: &Step<'_>, lane: usize) -> Result<(Texel, usize), Trapped> {
        let Elements { slots, bytes } = &self.values;
        let values = slots.iter().map(|slot| step.get(*slot)[lane]);
        if self.access.by_texels() {
            let format = self.access.format(step, lane)?;
            self.fits(step, lane, format.kind())?;
            let values: Vec<u32> = values.map(|value| value as u32).collect();
            return Ok((format.texel(&values), format.texel_bytes() as usize));
        }
        let mut content = Texel::default();
        for (to, value) in content.chunks_exact_mut(*bytes).zip(values) {
            crate::value::write(to, value);
        }
        Ok((content, bytes * slots.len()))
    }

    /// Values of a type go into channels of their kind.
    fn fits(&self, step: &Step<'_>, lane: usize, kind: Channel) -> Result<(), Trapped> {
        let fits = match self.ty {
            Type::F32 => kind == Channel::Float,
            Type::U32 => kind == Channel::Unsigned,
            Type::S32 => kind == Channel::Signed,
            _ => true,
        };
        if fits {
            return Ok(());
        }
        let ty = self.ty.as_str();
        let what =
            format!("the texels of the surface are {kind}, but the instruction stores `{ty}`");
        Err(step.fault(lane, Trap::IllegalInstruction, what))
    }
}

impl Execute for Store {
    fn run(&self, step: &mut Step<'_>) -> Result<Flow, Trapped> {
        step.world.progress += 1;
        each_lane(step, |step, lane| {
            let (content, bytes) = self.content(step, lane)?;
            match self.access.locate(step, lane, bytes)? {
                Some(located) => surface::write(step, lane, located, &content[..bytes]),
                None => Ok(()),
            }
        })
    }
}
