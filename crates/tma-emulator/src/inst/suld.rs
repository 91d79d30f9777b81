//! `suld`: a load from a surface. PTX ISA 9.7.11.1.

use ptx::Instruction;

use crate::{
    decode::{Modifiers, NotSupported, operands},
    inst::{
        Action, Decoder, Execute, Step, each_lane,
        surface::{self, Access, Elements},
    },
    machine::{Flow, Trapped},
    texture::Texel,
};

/// Computes `d = surface[access]`.
#[derive(Clone, Debug)]
pub(crate) struct Load {
    d: Elements,
    access: Access,
}

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
) -> Result<(), NotSupported> {
    modifiers.cache_hints();
    let [d, place] = operands(instruction)?;
    let access = Access::decode(decoder, place, modifiers)?;
    if access.by_texels() {
        return Err(
            "loads of texels by format are not supported; `suld.b` loads their bytes".into(),
        );
    }
    let vector = (modifiers.vector(), modifiers.ty()?);
    let d = surface::elements(decoder, d, vector, true)?;
    decoder.emit(Action::SurfaceLoad(Box::new(Load { d, access })));
    Ok(())
}

impl Execute for Load {
    fn run(&self, step: &mut Step<'_>) -> Result<Flow, Trapped> {
        let Elements { slots, bytes } = &self.d;
        let base = step.group.base;
        each_lane(step, |step, lane| {
            let whole = bytes * slots.len();
            let mut texel = Texel::default();
            if let Some(located) = self.access.locate(step, lane, whole)? {
                let there = surface::read(step, lane, located, whole);
                texel[..there.len()].copy_from_slice(there);
            }
            for (slot, element) in slots.iter().zip(texel.chunks_exact(*bytes)) {
                step.warp.registers[base + slot][lane] = crate::value::read(element);
            }
            Ok(())
        })
    }
}
