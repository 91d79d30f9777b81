//! `call`. PTX ISA 9.7.12.5, and the functions that the CUDA runtime provides.

mod vprintf;

use ptx::{Instruction, Operand, OperandKind, Type};

use crate::{
    decode::{Modifiers, NotSupported, Symbol},
    inst::{Action, Decoder, Execute, Step},
    machine::{
        Flow, Group, Passed, Slot, Space, Trap, Trapped,
        observer::{AccessKind, Event, Scope, Sem},
    },
    value::{LANES, lanes_of},
};

/// A call with its arguments.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    callee: Callee,
    arguments: Vec<Passed>,
    returns: Vec<Passed>,
}

#[derive(Clone, Copy, Debug)]
enum Callee {
    Function(usize),
    /// The slot with the function's address.
    Address(Slot),
    Builtin(Builtin),
}

/// The functions that every GPU provides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Builtin {
    Vprintf,
    AssertFail,
    Malloc,
    Free,
    SetConditional,
}

impl Builtin {
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        match name {
            "vprintf" => Some(Self::Vprintf),
            "__assertfail" => Some(Self::AssertFail),
            "malloc" => Some(Self::Malloc),
            "free" => Some(Self::Free),
            "cudaGraphSetConditional" => Some(Self::SetConditional),
            _ => None,
        }
    }
}

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
) -> Result<(), NotSupported> {
    modifiers.take("uni");
    let mut rest = instruction.operands.as_slice();
    let list = |operand: &Operand| match &operand.kind {
        OperandKind::List(items) => Some(items.clone()),
        _ => None,
    };
    let mut returns = Vec::new();
    if let [first, tail @ ..] = rest
        && let Some(items) = list(first)
    {
        (returns, rest) = (items, tail);
    }
    let [callee, tail @ ..] = rest else {
        return Err("it names no function".into());
    };
    let arguments = tail.first().and_then(list).unwrap_or_default();
    let name = callee.as_name().ok_or("its callee has no name")?;
    let callee = match decoder.scope.find(name) {
        Some(Symbol::Register(register)) => {
            let slot = register.slot;
            decoder.reach_all();
            Callee::Address(slot)
        }
        Some(_) => return Err(format!("`{name}` is not a function").into()),
        None => match Builtin::from_name(name).filter(|_| decoder.is_external(name)) {
            Some(builtin) => Callee::Builtin(builtin),
            None => Callee::Function(decoder.function_id(name)?),
        },
    };
    let mut passed = |operand: &Operand| {
        let symbol = operand.as_name().and_then(|name| decoder.scope.find(name));
        match symbol {
            Some(Symbol::Local { offset, bytes }) => Ok(Passed::Local { offset, bytes }),
            _ => Ok(Passed::Register(decoder.source(operand, Type::B64)?)),
        }
    };
    let arguments = arguments
        .iter()
        .map(&mut passed)
        .collect::<Result<_, NotSupported>>()?;
    let returns = returns
        .iter()
        .map(&mut passed)
        .collect::<Result<_, NotSupported>>()?;
    decoder.emit(Action::Call(Box::new(Call {
        callee,
        arguments,
        returns,
    })));
    Ok(())
}

impl Execute for Call {
    fn run(&self, step: &mut Step<'_>) -> Result<Flow, Trapped> {
        let id = match self.callee {
            Callee::Function(id) => id,
            Callee::Builtin(builtin) => return self.builtin(step, builtin),
            Callee::Address(slot) => {
                let targets = *step.get(slot);
                let first = lanes_of(step.active).next().map_or(0, |lane| targets[lane]);
                let same = lanes_of(step.active).filter(|lane| targets[*lane] == first);
                let same = same.fold(0, |mask, lane| mask | 1 << lane);
                if same != step.active {
                    // The others call theirs as a group of their own.
                    let rest = Group {
                        mask: step.active & !same,
                        ..step.group.clone()
                    };
                    step.warp.groups.push(rest);
                    (step.group.mask, step.active) = (same, same);
                }
                let Some(id) = step.program.addresses.get(&first) else {
                    let what = format!("{first:#x} is not the address of a function");
                    return Err(step.trapped(Trap::IllegalInstruction, what));
                };
                *id
            }
        };
        let callee = &step.program.functions[id];
        let given = (self.arguments.len(), self.returns.len());
        let taken = (callee.parameters.len(), callee.returns.len());
        if given != taken {
            let what = format!(
                "`{}` takes {} arguments and returns {} values, not {} and {}",
                callee.name, taken.0, taken.1, given.0, given.1
            );
            return Err(step.trapped(Trap::IllegalInstruction, what));
        }
        let from = (step.group.base, step.group.local);
        step.enter_function(id, self.returns.clone())?;
        let to = (step.group.base, step.group.local);
        for (source, destination) in self.arguments.iter().zip(&callee.parameters) {
            step.pass(*source, from, *destination, to);
        }
        Ok(Flow::Jumped)
    }

    fn splits(&self) -> bool {
        true
    }
}

impl Call {
    /// Returns an argument of a builtin as a number.
    fn argument(&self, step: &Step<'_>, index: usize, lane: usize) -> u64 {
        match self.arguments.get(index) {
            Some(Passed::Register(slot)) => step.get(*slot)[lane],
            Some(Passed::Local { offset, bytes }) => {
                let start = (step.group.local + offset) as usize;
                let local = step.warp.local[lane].get(start..start + (*bytes).min(8) as usize);
                local
                    .unwrap_or(&[])
                    .iter()
                    .rev()
                    .fold(0, |value, byte| value << 8 | u64::from(*byte))
            }
            None => 0,
        }
    }

    fn builtin(&self, step: &mut Step<'_>, builtin: Builtin) -> Result<Flow, Trapped> {
        let mut written = [0; LANES];
        for lane in lanes_of(step.active) {
            match builtin {
                Builtin::Vprintf => {
                    let (format, values) =
                        (self.argument(step, 0, lane), self.argument(step, 1, lane));
                    let text = vprintf::format(step, lane, format, values)?;
                    written[lane] = text.len() as u64;
                    step.world.print(&text);
                }
                Builtin::Malloc => {
                    let bytes = self.argument(step, 0, lane);
                    let address = step.world.memory.allocate_heap(bytes);
                    written[lane] = address;
                    if address != 0 {
                        step.tell(lane, |_| Event::Malloc { address, bytes });
                    }
                }
                Builtin::Free => {
                    let address = self.argument(step, 0, lane);
                    if address != 0 {
                        free(step, lane, address)?;
                    }
                }
                Builtin::SetConditional => {
                    let (handle, value) =
                        (self.argument(step, 0, lane), self.argument(step, 1, lane));
                    set_conditional(step, lane, handle, value)?;
                }
                Builtin::AssertFail => {
                    let text = |step: &mut Step<'_>, index| {
                        let address = self.argument(step, index, lane);
                        vprintf::text(step, lane, address)
                    };
                    let (message, file) = (text(step, 0)?, text(step, 1)?);
                    let (line, function) = (self.argument(step, 2, lane) as u32, text(step, 3)?);
                    let what = format!("{file}:{line}: {function}: assertion `{message}` failed");
                    return Err(step.fault(lane, Trap::Assert, what));
                }
            }
        }
        match self.returns.first() {
            Some(Passed::Register(slot)) => step.set(*slot, &written),
            Some(Passed::Local { offset, bytes }) => {
                let start = (step.group.local + offset) as usize;
                for lane in lanes_of(step.active) {
                    step.grow_local(lane);
                    let local = step.warp.local[lane]
                        .iter_mut()
                        .skip(start)
                        .take(*bytes as usize);
                    local
                        .zip(written[lane].to_le_bytes())
                        .for_each(|(to, from)| *to = from);
                }
            }
            None => {}
        }
        Ok(Flow::Next)
    }
}

/// Frees an allocation of `malloc`.
fn free(step: &mut Step<'_>, lane: usize, address: u64) -> Result<(), Trapped> {
    let found = step.world.memory.heap_bytes(address);
    let bytes = found.map_err(|(trap, what)| step.fault(lane, trap, what))?;
    step.tell(lane, |_| Event::Free { address, bytes });
    let by = step.freed_by(lane);
    step.world.memory.free_heap(address, by);
    Ok(())
}

/// Stores the value of a conditional node: the handle is the address of its 4 bytes. Calls that are not ordered have
/// undefined behaviour, as such stores.
fn set_conditional(
    step: &mut Step<'_>,
    lane: usize,
    handle: u64,
    value: u64,
) -> Result<(), Trapped> {
    const BYTES: usize = size_of::<u32>();
    let located = step.locate_at(lane, Space::Global, handle, BYTES as u64, BYTES as u64)?;
    let order = (Sem::Weak, Scope::Sys);
    step.tell_access(lane, located, BYTES as u64, AccessKind::Write, order);
    crate::value::write(step.bytes_mut(lane, located, BYTES)?, value);
    step.world.progress += 1;
    Ok(())
}
