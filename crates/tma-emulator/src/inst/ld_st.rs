//! `ld`, `st`, `ldu`: loads and stores. PTX ISA 9.7.9.8 to 9.7.9.12.

mod together;

use ptx::{Instruction, Operand, OperandKind, Type};

use crate::{
    decode::{Modifiers, NotSupported, Register},
    inst::{Action, Decoder, Execute, Step},
    machine::{
        Address, Flow, Located, Slot, Space, Trapped,
        observer::{AccessKind, Accesses, Event, Memory, Proxy, Range, Scope, Sem, Used},
        of_shared,
    },
    value::{LANES, Lanes, blend, lanes_of},
};
use together::{Starts, differing};

/// A load or store.
#[derive(Clone, Debug)]
pub(crate) struct LoadStore {
    stores: bool,
    address: Address,
    /// Registers, and the bits of them that a load may set.
    registers: Box<[(Slot, u64)]>,
    element_bytes: usize,
    signed: bool,
    order: (Sem, Scope),
    /// Size of each access in bytes. A strong vector access counts as one access for each element (PTX ISA
    /// 8.2.1).
    access_bytes: u64,
    /// True for `ld.global.nc`.
    is_non_coherent: bool,
}

pub(crate) const SPACES: [(&str, Space); 10] = [
    ("global", Space::Global),
    ("shared", Space::SharedCta),
    ("shared::cta", Space::SharedCta),
    ("shared::cluster", Space::SharedCluster),
    ("local", Space::Local),
    ("const", Space::Const),
    ("param", Space::Param),
    ("param::entry", Space::Param),
    ("param::func", Space::Param),
    ("generic", Space::Generic),
];

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
) -> Result<(), NotSupported> {
    let stores = instruction.opcode.stem() == "st";
    modifiers.cache_hints();
    let is_non_coherent = !stores && modifiers.take("nc");
    let sem = modifiers.sem().unwrap_or_default();
    let scope = modifiers.scope().unwrap_or(Scope::Sys);
    let space = modifiers.one_of(&SPACES).unwrap_or(Space::Generic);
    let count = modifiers.vector();
    let ty = modifiers.ty()?;
    let bytes = ty.size_bytes().ok_or(NotSupported::Part("type"))?;
    let signed = matches!(ty, Type::S8 | Type::S16 | Type::S32);
    let (value, address) =
        match decoder.without_policy(instruction, modifiers.take("L2::cache_hint"))? {
            [address, value] if stores => (value, address),
            [value, address] => (value, address),
            _ => return Err(NotSupported::Operands),
        };
    let registers = registers(decoder, value, ty, count, stores)?;
    let address = decoder.address(address, space)?;
    let order = (sem, scope);
    let element_bytes = bytes.min(8) as usize;
    let access_bytes = match sem {
        Sem::Weak => bytes * count as u64,
        _ => bytes,
    };
    let access = LoadStore {
        stores,
        address,
        registers,
        element_bytes,
        signed,
        order,
        access_bytes,
        is_non_coherent,
    };
    decoder.emit(Action::LoadStore(Box::new(access)));
    Ok(())
}

/// Registers that are read or written, and the bits of them that a load may set.
fn registers(
    decoder: &mut Decoder<'_>,
    value: &Operand,
    ty: Type,
    count: usize,
    stores: bool,
) -> Result<Box<[(Slot, u64)]>, NotSupported> {
    let bits_of = |register: &Register| {
        let bits = 8 * register.ty.size_bytes().unwrap_or(8).clamp(1, 8);
        (register.slot, u64::MAX >> (64 - bits))
    };
    if let Some(vector) = decoder.vector(value) {
        if vector.len() != count {
            return Err("the operand count does not match the vector size".into());
        }
        return Ok(vector.iter().map(bits_of).collect());
    }
    let values = match &value.kind {
        OperandKind::Vector(values) if values.len() == count => values.as_slice(),
        _ if count == 1 => std::slice::from_ref(value),
        _ => return Err("the operand count does not match the vector size".into()),
    };
    let mut registers = Vec::new();
    for value in values {
        match ty {
            Type::B128 => {
                let halves = decoder.wide_register(value)?;
                registers.extend(halves.map(|slot| (slot, u64::MAX)));
            }
            _ if stores => registers.push((decoder.source(value, ty)?, u64::MAX)),
            _ => registers.push(bits_of(&decoder.destination(value)?)),
        }
    }
    Ok(registers.into())
}

impl Execute for LoadStore {
    fn run(&self, step: &mut Step<'_>) -> Result<Flow, Trapped> {
        let size = self.element_bytes * self.registers.len();
        let base = step.group.base;
        if self.stores {
            step.world.progress += 1;
        }
        let slow = self.together(step);
        for lane in lanes_of(slow) {
            let located = step.locate(lane, &self.address, size as u64, size as u64)?;
            let valueless = self.tell(step, lane, located, size as u64);
            if self.stores {
                if step.world.watches && step.warp.unwritten.is_some() {
                    self.store_unwritten(step, lane, located);
                }
                let mut values = [0; 8];
                for (value, (slot, _)) in values.iter_mut().zip(&*self.registers) {
                    *value = step.warp.registers[base + slot][lane];
                }
                let elements = step
                    .bytes_mut(lane, located, size)?
                    .chunks_exact_mut(self.element_bytes);
                for (element, value) in elements.zip(values) {
                    crate::value::write(element, value);
                }
                continue;
            }
            let mut values = [0; 8];
            let elements = step
                .bytes(lane, located, size)
                .chunks_exact(self.element_bytes);
            for (value, element) in values.iter_mut().zip(elements) {
                *value = crate::value::read(element);
            }
            for (value, (slot, mask)) in values.iter_mut().zip(&*self.registers) {
                step.warp.registers[base + slot][lane] = self.extended(*value, *mask);
            }
            if valueless != 0 {
                self.load_unwritten(step, lane, valueless);
            }
        }
        Ok(Flow::Next)
    }
}

impl LoadStore {
    /// Performs the accesses of all lanes at once if one piece of memory contains them; with an observer, only
    /// weak ones. Returns the remaining lanes: all or none.
    #[inline]
    fn together(&self, step: &mut Step<'_>) -> u32 {
        let size = self.element_bytes * self.registers.len();
        let (sem, scope) = self.order;
        let follows_stores = self.stores && step.warp.unwritten.is_some();
        let is_one = sem == Sem::Weak && self.access_bytes == size as u64 && !follows_stores;
        if step.world.watches && !is_one {
            return step.active;
        }
        let mut addresses = *step.get(self.address.base);
        for address in &mut addresses {
            *address = address.wrapping_add(self.address.offset);
        }
        let (here, space, active) = (step.here, self.address.space, step.active);
        let one = addresses[active.trailing_zeros() as usize % LANES];
        let Some((first, bytes)) = step.world.usual(here, space, one) else {
            return active;
        };
        let Some(starts) = together::starts(&addresses, active, first, bytes.len(), size) else {
            return active;
        };
        let registers = step.warp.registers.get_mut(step.group.base..);
        let changed = self.transfer(registers.unwrap_or(&mut []), bytes, &starts, active);
        let is_global = matches!(space, Space::Global | Space::Generic);
        step.world.has_changed |= self.stores && is_global && changed != [0; LANES];
        if !step.world.watches {
            return 0;
        }
        let memory = match space {
            Space::SharedCta | Space::SharedCluster => {
                for address in &mut addresses {
                    *address = of_shared(*address).1 as u64;
                }
                let block = step.cta().number;
                Memory::Shared { block }
            }
            _ => Memory::Global,
        };
        let accesses = Accesses {
            kind: match self.stores {
                true => AccessKind::Write,
                false => AccessKind::Read,
            },
            proxy: match self.is_non_coherent {
                true => Proxy::NonCoherent,
                false => Proxy::Generic,
            },
            scope,
            memory,
            bytes: size as u32,
            lanes: active,
            addresses,
            changed,
        };
        let origin = step.origin(0);
        let valueless = step.observer.see_accesses(origin, &accesses);
        let are_valueless = valueless.iter().fold(0, |all, bytes| all | bytes) != 0;
        if are_valueless && !self.stores && !self.is_non_coherent {
            for lane in lanes_of(active).filter(|lane| valueless[*lane] != 0) {
                self.load_unwritten(step, lane, valueless[lane]);
            }
        }
        0
    }

    /// Moves the data of all lanes. Returns, for each lane, the bytes that a store changes.
    fn transfer(
        &self,
        registers: &mut [Lanes],
        bytes: &mut [u8],
        starts: &Starts,
        active: u32,
    ) -> [u32; LANES] {
        let size = self.element_bytes;
        let mut changed = [if self.stores { 0 } else { u32::MAX }; LANES];
        for (number, (slot, mask)) in self.registers.iter().enumerate() {
            let register = &mut registers[*slot];
            let at = number * size;
            if self.stores {
                together::store(bytes, starts, at, size, (register, active), &mut changed);
                continue;
            }
            let mut values = together::load(bytes, starts, at, size);
            if self.signed {
                for value in &mut values {
                    *value = self.extended(*value, *mask);
                }
            }
            blend(register, &values, active);
        }
        changed
    }

    /// Extends a number in memory to the width of its register.
    #[inline]
    fn extended(&self, value: u64, mask: u64) -> u64 {
        if !self.signed {
            return value;
        }
        let shift = 64 - 8 * self.element_bytes as u32;
        ((value << shift) as i64 >> shift) as u64 & mask
    }

    /// Returns the register of its address.
    pub(crate) fn base(&self) -> Slot {
        self.address.base
    }

    /// Returns whether the access has an order, or is volatile.
    pub(crate) fn has_order(&self) -> bool {
        self.order.0 != Sem::Weak
    }

    /// Returns the registers that a load sets.
    pub(crate) fn loads(&self) -> Option<impl Iterator<Item = Slot>> {
        (!self.stores).then(|| self.registers.iter().map(|(slot, _)| *slot))
    }

    /// Marks the registers of uninitialised bytes, given a mask of these bytes.
    #[cold]
    fn load_unwritten(&self, step: &mut Step<'_>, lane: usize, valueless: u32) {
        let bytes = (1 << self.element_bytes) - 1;
        for (number, (slot, _)) in self.registers.iter().enumerate() {
            let lanes = u32::from(valueless >> (number * self.element_bytes) & bytes != 0) << lane;
            let register = step.group.base + slot;
            let read = step.group.pc;
            step.warp.set_unwritten(register, 1 << lane, lanes, read);
        }
    }

    /// Marks shared memory as uninitialised if a store writes an uninitialised value to it.
    #[cold]
    fn store_unwritten(&self, step: &mut Step<'_>, lane: usize, located: Located) {
        for (number, (slot, _)) in self.registers.iter().enumerate() {
            match located {
                Located::Global { .. } => step.use_unwritten(*slot, 1 << lane, Used::Store),
                // A strong store stays one.
                Located::Shared { .. }
                    if self.order.0 == Sem::Weak && step.unwritten(*slot).0 & 1 << lane != 0 =>
                {
                    let size = self.element_bytes as u64;
                    step.tell(lane, |step| {
                        let whole = step.range(located, size);
                        let address = whole.address + size * number as u64;
                        Event::Discard(Range { address, ..whole })
                    });
                }
                _ => step.use_unwritten(*slot, 1 << lane, Used::Unknown),
            }
        }
    }

    /// Returns a mask of the bytes that a store changes.
    #[inline]
    fn changed(&self, step: &Step<'_>, lane: usize, located: Located, bytes: usize) -> u32 {
        if !step.world.watches || !self.stores || matches!(located, Located::Local { .. }) {
            return u32::MAX;
        }
        let size = self.element_bytes;
        let elements = step.bytes(lane, located, bytes).chunks_exact(size);
        let mut changed = 0;
        for (number, (element, (slot, _))) in elements.zip(&*self.registers).enumerate() {
            let bits = crate::value::read(element) ^ step.get(*slot)[lane];
            changed |= differing(bits, size) << (size * number);
        }
        changed
    }

    #[inline]
    fn tell(&self, step: &mut Step<'_>, lane: usize, located: Located, bytes: u64) -> u32 {
        let kind = match self.stores {
            true => AccessKind::Write,
            false => AccessKind::Read,
        };
        if self.access_bytes == bytes && !self.is_non_coherent {
            let changed = self.changed(step, lane, located, bytes as usize);
            return step.tell_changes(lane, located, bytes, kind, self.order, changed);
        }
        let (sem, scope) = self.order;
        for part in 0..bytes / self.access_bytes {
            step.tell(lane, |step| {
                let whole = step.range(located, self.access_bytes);
                Event::Access {
                    proxy: match self.is_non_coherent {
                        true => Proxy::NonCoherent,
                        false => Proxy::Generic,
                    },
                    kind,
                    sem,
                    scope,
                    range: Range {
                        address: whole.address + part * self.access_bytes,
                        ..whole
                    },
                    copy: None,
                }
            });
        }
        0
    }
}
