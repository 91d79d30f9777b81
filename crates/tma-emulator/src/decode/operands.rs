//! Operands as slots.

use ptx::{ExpressionKind, Instruction, Operand, OperandKind, Type};

use super::{
    Decoder, InstructionSet, NotSupported,
    image::{Variable, number},
    scope::{Register, Symbol},
};
use crate::{
    machine::{Address, Alu, CONST_WINDOW, Constant, Slot, Space, Special},
    value::lift,
};

/// Returns the operands, if there are exactly `N`.
pub(crate) fn operands<const N: usize>(
    instruction: &Instruction,
) -> Result<&[Operand; N], NotSupported> {
    let operands = instruction.operands.as_slice();
    operands.try_into().map_err(|_| NotSupported::Operands)
}

impl<A: InstructionSet> Decoder<'_, A> {
    /// Decodes a destination register; `_` becomes an unused one.
    pub(crate) fn destination(&mut self, operand: &Operand) -> Result<Register, NotSupported> {
        match &operand.kind {
            OperandKind::Sink => Ok(Register {
                slot: self.scope.slot(),
                ty: Type::B64,
            }),
            _ => self.register(operand),
        }
    }

    /// Decodes a register of at most 64 bits.
    pub(crate) fn register(&mut self, operand: &Operand) -> Result<Register, NotSupported> {
        let OperandKind::Symbol(symbol) = &operand.kind else {
            return Err("an operand must be a register".into());
        };
        let name = symbol.name.as_str();
        match (self.scope.find(name), &symbol.component) {
            (Some(Symbol::Register(register)), None) if register.ty == Type::B128 => {
                Err(format!("`{name}` is a register of 128 bits").into())
            }
            (Some(Symbol::Register(register)), None) => {
                self.name(register.slot);
                Ok(register)
            }
            (Some(Symbol::Vector(first, elements)), Some(component)) => {
                element(first, elements, component.as_str())
            }
            (Some(Symbol::Refused(reason)), _) => Err(reason.into()),
            (Some(_), _) => Err(format!("`{name}` is not a register").into()),
            (None, _) => Err(format!("the register `{name}` is not declared").into()),
        }
    }

    /// Decodes a register of 128 bits into its two halves, the lower one first.
    pub(crate) fn wide_register(&mut self, operand: &Operand) -> Result<[Slot; 2], NotSupported> {
        let name = operand.as_name().unwrap_or_default();
        match self.scope.find(name) {
            Some(Symbol::Register(Register {
                slot,
                ty: Type::B128,
            })) => Ok([slot, slot + 1]),
            _ => Err("an operand must be a register of 128 bits".into()),
        }
    }

    /// Decodes the registers of a named vector.
    pub(crate) fn vector(&mut self, operand: &Operand) -> Option<Vec<Register>> {
        match self.scope.find(operand.as_name()?) {
            Some(Symbol::Vector(first, elements)) => {
                let element = |slot| Register { slot, ..first };
                Some((first.slot..first.slot + elements).map(element).collect())
            }
            _ => None,
        }
    }

    pub(crate) fn is_predicate(&mut self, operand: &Operand) -> bool {
        let register = self.register(operand);
        register.is_ok_and(|register| register.ty == Type::Pred)
    }

    /// Decodes `d` or `d|p`.
    pub(crate) fn pair(
        &mut self,
        operand: &Operand,
    ) -> Result<(Register, Option<Register>), NotSupported> {
        match &operand.kind {
            OperandKind::Pair(first, second) => {
                Ok((self.destination(first)?, Some(self.destination(second)?)))
            }
            _ => Ok((self.destination(operand)?, None)),
        }
    }

    /// Returns the operands without the cache policy, which is the last one if the opcode has a hint.
    pub(crate) fn without_policy<'i>(
        &mut self,
        instruction: &'i Instruction,
        has_hint: bool,
    ) -> Result<&'i [Operand], NotSupported> {
        let operands = instruction.operands.as_slice();
        if !has_hint {
            return Ok(operands);
        }
        let (policy, operands) = operands.split_last().ok_or(NotSupported::Operands)?;
        self.source(policy, Type::B64)?;
        Ok(operands)
    }

    /// Decodes a value that is read as this type.
    pub(crate) fn source(&mut self, operand: &Operand, ty: Type) -> Result<Slot, NotSupported> {
        match &operand.kind {
            OperandKind::Constant(expression) => {
                if let ExpressionKind::Generic(name) = &expression.kind {
                    return self.variable(name.as_str(), 0, true);
                }
                let value = number(expression, ty).ok_or("a constant is not understood")?;
                Ok(self.constant(Constant::Value(value)))
            }
            OperandKind::Not(inner) => {
                let a = self.source(inner, Type::Pred)?;
                Ok(self.temporary(|d| Alu::Unary {
                    f: lift!(|p: bool| !p),
                    d,
                    a,
                }))
            }
            OperandKind::Symbol(symbol) => {
                let name = symbol.name.as_str();
                if let Some(component) = &symbol.component {
                    if let Some(Symbol::Vector(first, elements)) = self.scope.find(name) {
                        return Ok(element(first, elements, component.as_str())?.slot);
                    }
                    let name = format!("{name}.{component}");
                    let special = Special::from_name(&name).ok_or_else(|| {
                        NotSupported::from(format!("the register `{name}` is not known"))
                    })?;
                    return self.special(special);
                }
                match self.scope.find(name) {
                    Some(Symbol::Register(_)) => Ok(self.register(operand)?.slot),
                    Some(_) => self.variable(name, 0, false),
                    None => match Special::from_name(name) {
                        Some(special) => self.special(special),
                        None if name == "WARP_SZ" => Ok(self.constant(Constant::Value(32))),
                        None => self.variable(name, 0, false),
                    },
                }
            }
            OperandKind::Offset(sum) => {
                let (symbol, offset) = &**sum;
                let offset = offset.value().ok_or("an offset is not constant")? as u64;
                self.variable(symbol.name.as_str(), offset, false)
            }
            _ => Err("an operand has a form that is not known here".into()),
        }
    }

    fn special(&mut self, special: Special) -> Result<Slot, NotSupported> {
        if special.changes() {
            let d = self.scope.slot();
            self.emit_hidden(A::read(special, d));
            return Ok(d);
        }
        self.reads(special);
        Ok(self.constant(Constant::Special(special)))
    }

    /// Decodes the address of a variable or function.
    fn variable(&mut self, name: &str, offset: u64, generic: bool) -> Result<Slot, NotSupported> {
        self.reach(name);
        let constant = match self.scope.find(name) {
            Some(Symbol::Local { offset: start, .. }) => {
                Constant::Local(start.wrapping_add(offset), generic)
            }
            Some(Symbol::Param { offset: start }) => Constant::Value(start.wrapping_add(offset)),
            Some(Symbol::Shared { key }) => self.shared_address(key, offset, generic),
            Some(Symbol::Refused(reason)) => return Err(reason.into()),
            Some(
                Symbol::Register(_) | Symbol::Vector(..) | Symbol::Label(_) | Symbol::Targets(_),
            ) => {
                return Err(format!("`{name}` has no address").into());
            }
            None => match self.image.names.get(name) {
                Some(Variable::Global(address)) => Constant::Value(address.wrapping_add(offset)),
                Some(Variable::Const(start)) => {
                    let window = if generic { CONST_WINDOW } else { 0 };
                    Constant::Value(start.wrapping_add(offset).wrapping_add(window))
                }
                Some(Variable::Shared(key)) => self.shared_address(*key, offset, generic),
                Some(Variable::Refused(reason)) => return Err(reason.as_str().into()),
                None => Constant::Value(self.function_address(name)?),
            },
        };
        Ok(self.constant(constant))
    }

    /// Decodes `[a]`, in the space that the instruction names.
    pub(crate) fn address(
        &mut self,
        operand: &Operand,
        space: Space,
    ) -> Result<Address, NotSupported> {
        let OperandKind::Memory { address, rest } = &operand.kind else {
            return Err("an operand must be an address".into());
        };
        if !rest.is_empty() {
            return Err("an address has coordinates".into());
        }
        self.place(address, space)
    }

    /// Decodes the address in the brackets, without coordinates.
    pub(crate) fn place(
        &mut self,
        operand: &Operand,
        space: Space,
    ) -> Result<Address, NotSupported> {
        let Some((symbol, offset)) = operand.base_and_offset() else {
            let base = self.source(operand, Type::U64)?;
            return Ok(Address {
                base,
                offset: 0,
                space: self.without_name(space),
            });
        };
        let name = symbol.name.as_str();
        let found = if symbol.component.is_none() {
            self.scope.find(name)
        } else {
            None
        };
        match found {
            Some(Symbol::Register(register)) => Ok(Address {
                base: register.slot,
                offset: offset as u64,
                space: self.without_name(space),
            }),
            Some(Symbol::Local { .. }) if matches!(space, Space::Param | Space::Local) => {
                let base = self.variable(name, offset as u64, false)?;
                Ok(Address {
                    base,
                    offset: 0,
                    space: Space::Local,
                })
            }
            found => {
                let declared = match found {
                    Some(Symbol::Shared { .. }) => Some(Space::SharedCta),
                    Some(_) => None,
                    None => self
                        .image
                        .names
                        .get(name)
                        .and_then(|variable| match variable {
                            Variable::Shared(_) => Some(Space::SharedCta),
                            Variable::Const(_) => Some(Space::Const),
                            _ => None,
                        }),
                };
                // If the instruction has no space, the variable's space counts.
                let space = if space == Space::Generic {
                    declared.unwrap_or(space)
                } else {
                    space
                };
                Ok(Address {
                    base: self.variable(name, offset as u64, false)?,
                    offset: 0,
                    space,
                })
            }
        }
    }

    /// Returns local memory for parameters of functions, which are stored there.
    fn without_name(&self, space: Space) -> Space {
        if space == Space::Param && !self.in_entry {
            Space::Local
        } else {
            space
        }
    }
}

/// Returns the element that `.x`, `.y` and so on name, or `.r`, `.g` and so on.
fn element(first: Register, elements: usize, component: &str) -> Result<Register, NotSupported> {
    let index = ["x", "y", "z", "w"]
        .iter()
        .position(|name| *name == component)
        .or_else(|| {
            let colours = ["r", "g", "b", "a"];
            colours.iter().position(|name| *name == component)
        });
    match index.filter(|index| *index < elements) {
        Some(index) => Ok(Register {
            slot: first.slot + index,
            ..first
        }),
        None => Err(format!("a vector of {elements} has no element `.{component}`").into()),
    }
}
