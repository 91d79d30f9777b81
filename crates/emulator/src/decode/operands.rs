//! Operands as slots.

use ptx::{ExpressionKind, Operand, OperandKind, Type};

use super::{
    Constant, Decoder, Refusal, Slot, Space,
    image::{Variable, number},
    scope::{Register, Symbol},
};
use crate::{
    action::{Action, Alu},
    lanes::lift,
    machine::CONST_WINDOW,
    sreg::Special,
};

/// `[base + offset]` in a space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    pub(crate) base: Slot,
    pub(crate) offset: u64,
    pub(crate) space: Space,
}

impl Decoder<'_> {
    /// A register that is written; for `_`, one that nobody reads.
    pub(crate) fn destination(&mut self, operand: &Operand) -> Result<Register, Refusal> {
        match &operand.kind {
            OperandKind::Sink => Ok(Register {
                slot: self.scope.slot(),
                ty: Type::B64,
            }),
            _ => self.register(operand),
        }
    }

    /// A register.
    pub(crate) fn register(&mut self, operand: &Operand) -> Result<Register, Refusal> {
        let name = operand
            .as_name()
            .ok_or("an operand that must be a register is none")?;
        match self.scope.find(name) {
            Some(Symbol::Register(register)) => Ok(register),
            Some(Symbol::Refused(reason)) => Err(reason.into()),
            Some(_) => Err(format!("`{name}` is not a register").into()),
            None => Err(format!("the register `{name}` is not declared").into()),
        }
    }

    /// `d`, or `d|p`.
    pub(crate) fn pair(
        &mut self,
        operand: &Operand,
    ) -> Result<(Register, Option<Register>), Refusal> {
        match &operand.kind {
            OperandKind::Pair(first, second) => {
                Ok((self.destination(first)?, Some(self.destination(second)?)))
            }
            _ => Ok((self.destination(operand)?, None)),
        }
    }

    /// A value that is read as this type.
    pub(crate) fn source(&mut self, operand: &Operand, ty: Type) -> Result<Slot, Refusal> {
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
                    let name = format!("{name}.{component}");
                    let special = Special::from_name(&name)
                        .ok_or_else(|| Refusal(format!("the register `{name}` is not known")))?;
                    return self.special(special);
                }
                match self.scope.find(name) {
                    Some(Symbol::Register(register)) => Ok(register.slot),
                    Some(_) => self.variable(name, 0, false),
                    None => match Special::from_name(name) {
                        Some(special) => self.special(special),
                        None if name == "WARP_SZ" => Ok(self.constant(Constant::Value(32))),
                        None => self.variable(name, 0, false),
                    },
                }
            }
            OperandKind::Offset(symbol, offset) => {
                let offset = offset.value().ok_or("an offset is not constant")? as u64;
                self.variable(symbol.name.as_str(), offset, false)
            }
            _ => Err("an operand has a form that is not known here".into()),
        }
    }

    fn special(&mut self, special: Special) -> Result<Slot, Refusal> {
        if special.changes() {
            let d = self.scope.slot();
            self.emit_hidden(Action::Clock { d, special });
            return Ok(d);
        }
        Ok(self.constant(Constant::Special(special)))
    }

    /// The address of a variable or function.
    fn variable(&mut self, name: &str, offset: u64, generic: bool) -> Result<Slot, Refusal> {
        let constant = match self.scope.find(name) {
            Some(Symbol::Local { offset: start, .. }) => {
                Constant::Local(start.wrapping_add(offset), generic)
            }
            Some(Symbol::Param { offset: start }) => Constant::Value(start.wrapping_add(offset)),
            Some(Symbol::Shared { key }) => self.shared_address(key, offset, generic),
            Some(Symbol::Refused(reason)) => return Err(reason.into()),
            Some(Symbol::Register(_) | Symbol::Label(_) | Symbol::Targets(_)) => {
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

    /// `[a]`, in the space that the instruction names.
    pub(crate) fn address(&mut self, operand: &Operand, space: Space) -> Result<Address, Refusal> {
        let OperandKind::Memory { address, rest } = &operand.kind else {
            return Err("an operand that must be an address is none".into());
        };
        if !rest.is_empty() {
            return Err("an address has coordinates".into());
        }
        self.place(address, space)
    }

    /// What stands in the brackets, coordinates left aside.
    pub(crate) fn place(&mut self, operand: &Operand, space: Space) -> Result<Address, Refusal> {
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
                // Without a space in the instruction, that of the variable counts.
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

    /// In functions, parameters lie in local memory.
    fn without_name(&self, space: Space) -> Space {
        if space == Space::Param && !self.in_entry {
            Space::Local
        } else {
            space
        }
    }
}
