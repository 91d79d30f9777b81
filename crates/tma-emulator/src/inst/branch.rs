//! `bra` and `brx`. PTX ISA 9.7.12.

use ptx::{Instruction, Type};

use crate::{
    decode::{Modifiers, NotSupported, Symbol, operands},
    inst::{Action, Decoder, Execute, Step},
    machine::{Flow, Group, Slot, Trap, Trapped},
    value::lanes_of,
};

/// Jumps to one of its targets.
#[derive(Clone, Debug)]
pub(crate) struct Branch {
    /// Labels while decoding, then indices of operations.
    pub(crate) targets: Vec<usize>,
    /// The register with the target's index; without one the first is taken.
    index: Option<Slot>,
}

pub(crate) fn bra(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
) -> Result<(), NotSupported> {
    modifiers.take("uni");
    let [target] = operands(instruction)?;
    let target = decoder.label(target.as_name().ok_or("its target is not a label")?)?;
    decoder.emit(Action::Branch(Branch {
        targets: vec![target],
        index: None,
    }));
    Ok(())
}

pub(crate) fn brx(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
) -> Result<(), NotSupported> {
    modifiers
        .take("idx")
        .then_some(())
        .ok_or(NotSupported::Part("kind"))?;
    modifiers.take("uni");
    let [index, list] = operands(instruction)?;
    let name = list.as_name().ok_or("its list of targets has no name")?;
    let Some(Symbol::Targets(names)) = decoder.scope.find(name) else {
        return Err(format!("there is no list `{name}`").into());
    };
    let targets = names
        .iter()
        .map(|name| decoder.label(name))
        .collect::<Result<Vec<_>, _>>()?;
    if targets.is_empty() {
        return Err("its list of targets is empty".into());
    }
    let index = Some(decoder.source(index, Type::U32)?);
    decoder.emit(Action::Branch(Branch { targets, index }));
    Ok(())
}

impl Branch {
    /// Returns the register that chooses a target of a list.
    pub(crate) fn index(&self) -> Option<Slot> {
        self.index
    }
}

impl Execute for Branch {
    fn run(&self, step: &mut Step<'_>) -> Result<Flow, Trapped> {
        let Some(index) = self.index else {
            step.group.pc = self.targets[0];
            return Ok(Flow::Jumped);
        };
        // The lanes of each target become a group.
        let indices = *step.get(index);
        let mut groups: Vec<(usize, u32)> = Vec::new();
        for lane in lanes_of(step.active) {
            let index = indices[lane] as u32;
            let Some(target) = self.targets.get(index as usize).copied() else {
                let count = self.targets.len();
                let what = format!(
                    "the index {index} must be below {count}, the length of its list of targets"
                );
                return Err(step.fault(lane, Trap::IllegalInstruction, what));
            };
            match groups.iter_mut().find(|(pc, _)| *pc == target) {
                Some((_, mask)) => *mask |= 1 << lane,
                None => groups.push((target, 1 << lane)),
            }
        }
        let Some((pc, mask)) = groups.pop() else {
            return Ok(Flow::Next);
        };
        for (pc, mask) in groups {
            step.warp.groups.push(Group {
                pc,
                mask,
                ..step.group.clone()
            });
        }
        (step.group.pc, step.group.mask) = (pc, mask);
        Ok(Flow::Jumped)
    }

    fn splits(&self) -> bool {
        true
    }
}
