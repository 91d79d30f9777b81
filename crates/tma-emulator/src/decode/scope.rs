//! The meaning of names, block by block.

use std::collections::HashMap;

use ptx::{Space, Type};

use crate::machine::Slot;

/// Meaning of a name.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Symbol {
    /// A register.
    Register(Register),
    /// Registers of one type that make up a vector: the first, and how many.
    Vector(Register, usize),
    /// A variable in the function's frame in local memory: `.local`, or a parameter.
    Local { offset: u64, bytes: u64 },
    /// A parameter of the kernel.
    Param { offset: u64 },
    /// A shared variable of a function, given its place when it is first used.
    Shared { key: usize },
    /// A label in the code.
    Label(usize),
    /// `.branchtargets`
    Targets(Vec<String>),
    /// A name that cannot be used, and why.
    Refused(String),
}

/// A register. One of 128 bits has two slots, the lower half first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Register {
    pub(crate) slot: Slot,
    pub(crate) ty: Type,
}

/// Names of one pair of braces.
#[derive(Clone, Debug, Default)]
struct Names {
    symbols: HashMap<String, Symbol>,
    /// `%r<12>`: the prefix, how many there are, their type and how many make up a vector.
    ranges: HashMap<String, (u32, Type, usize)>,
}

/// The names that can be seen, innermost last.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope {
    open: Vec<Names>,
    /// Number of allocated slots.
    pub(crate) slots: usize,
    /// The registers with a name.
    pub(crate) registers: Vec<(String, Slot, Type)>,
}

impl Scope {
    pub(crate) fn enter(&mut self) {
        self.open.push(Names::default());
    }

    pub(crate) fn leave(&mut self) {
        self.open.pop();
    }

    pub(crate) fn declare(&mut self, name: &str, symbol: Symbol) {
        self.keep(name, &symbol);
        if let Some(names) = self.open.last_mut() {
            names.symbols.insert(name.to_owned(), symbol);
        }
    }

    pub(crate) fn declare_range(&mut self, prefix: &str, count: u32, ty: Type, elements: usize) {
        if let Some(names) = self.open.last_mut() {
            let range = (count, ty, elements);
            names.ranges.insert(prefix.to_owned(), range);
        }
    }

    /// Allocates a register, or a vector of several.
    pub(crate) fn register(&mut self, ty: Type, elements: usize) -> Symbol {
        let register = Register {
            slot: self.slots,
            ty,
        };
        self.slots += elements * if ty == Type::B128 { 2 } else { 1 };
        match elements {
            1 => Symbol::Register(register),
            _ => Symbol::Vector(register, elements),
        }
    }

    fn keep(&mut self, name: &str, symbol: &Symbol) {
        if let Symbol::Register(register) = symbol {
            let named = (name.to_owned(), register.slot, register.ty);
            self.registers.push(named);
        }
    }

    /// Allocates an unnamed slot.
    pub(crate) fn slot(&mut self) -> Slot {
        self.slots += 1;
        self.slots - 1
    }

    /// Looks the name up, from the innermost block outwards. The registers of a range get their
    /// slots when they are first used.
    pub(crate) fn find(&mut self, name: &str) -> Option<Symbol> {
        let digits = name.bytes().rev().take_while(u8::is_ascii_digit).count();
        for depth in (0..self.open.len()).rev() {
            if let Some(symbol) = self.open[depth].symbols.get(name) {
                return Some(symbol.clone());
            }
            let in_range = (1..=digits).find_map(|digits| {
                let (prefix, number) = name.split_at(name.len() - digits);
                let (count, ty, elements) = self.open[depth].ranges.get(prefix)?;
                let is_canonical = digits == 1 || !number.starts_with('0');
                let is_in = is_canonical && number.parse::<u32>().ok()? < *count;
                is_in.then_some((*ty, *elements))
            });
            if let Some((ty, elements)) = in_range {
                let register = self.register(ty, elements);
                self.keep(name, &register);
                self.open[depth]
                    .symbols
                    .insert(name.to_owned(), register.clone());
                return Some(register);
            }
        }
        None
    }
}

/// Returns whether variables of the space are shared memory.
pub(crate) fn is_shared(space: Space) -> bool {
    matches!(
        space,
        Space::Shared | Space::SharedCta | Space::SharedCluster
    )
}
