//! `sured`: a reduction in a surface. PTX ISA 9.7.11.3.

use ptx::{Instruction, Type};

use crate::{
    decode::{Modifiers, NotSupported, operands},
    inst::{Action, Decoder, Execute, Step, each_lane, surface::Access},
    machine::{
        Flow, Slot, Trapped,
        observer::{AccessKind, Scope, Sem},
    },
    value::{Operator, Reduction},
};

/// `surface[access] = operator(surface[access], value)`
#[derive(Clone, Debug)]
pub(crate) struct Reduce {
    value: Slot,
    access: Access,
    reduction: Reduction,
}

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
) -> Result<(), NotSupported> {
    let operators = [
        ("add", Operator::Add),
        ("min", Operator::Min),
        ("max", Operator::Max),
        ("and", Operator::And),
        ("or", Operator::Or),
    ];
    let operator = modifiers.one_of(&operators);
    let operator = operator.ok_or(NotSupported::Part("operator"))?;
    let ty = modifiers.ty()?;
    if !matches!(
        ty,
        Type::U32 | Type::U64 | Type::S32 | Type::S64 | Type::B32
    ) {
        return Err(NotSupported::Part("type"));
    }
    let [place, value] = operands(instruction)?;
    let access = Access::decode(decoder, place, modifiers)?;
    if access.by_texels() {
        return Err(
            "reductions of texels by format are not supported; `sured.b` reduces their bytes"
                .into(),
        );
    }
    let [value] = super::texture::list(value) else {
        return Err(NotSupported::Operands);
    };
    let reduce = Reduce {
        value: decoder.source(value, ty)?,
        access,
        reduction: Reduction::new(operator, ty)?,
    };
    decoder.emit(Action::SurfaceReduce(Box::new(reduce)));
    Ok(())
}

impl Execute for Reduce {
    fn run(&self, step: &mut Step<'_>) -> Result<Flow, Trapped> {
        step.world.progress += 1;
        let bytes = self.reduction.size_bytes();
        each_lane(step, |step, lane| {
            let Some(located) = self.access.locate(step, lane, bytes)? else {
                return Ok(());
            };
            let order = (Sem::Relaxed, Scope::Gpu);
            step.tell_access(lane, located, bytes as u64, AccessKind::Atomic, order);
            let old = crate::value::read(step.bytes(lane, located, bytes));
            let new = self.reduction.apply(old, step.get(self.value)[lane]);
            crate::value::write(step.bytes_mut(lane, located, bytes)?, new);
            Ok(())
        })
    }
}
