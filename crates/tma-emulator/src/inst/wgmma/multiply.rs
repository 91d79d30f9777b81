//! `wgmma.mma_async`. PTX ISA 9.7.14.7.3.

use ptx::{Instruction, Operand, OperandKind, Type};
use ptx_isa::{Flag, Form, Shape, wgmma::Op};

use super::{
    WARPS,
    matrix::{CHUNK_BYTES, SharedMatrix},
};
use crate::{
    decode::NotSupported,
    inst::{
        Decoder, Step,
        mma::{self, Element, Product, ProductGrouping, Selector, fragment},
    },
    machine::{
        Flow, Located, Slot, Trap, Trapped, Wait,
        observer::{AccessKind, CopyCompletion, Event, GroupKind, MatrixRead, Origin, Proxy},
    },
    value::{Lanes, Rounding},
};

/// Number of rows that one warp computes.
const ROWS: usize = 16;

/// Source of A.
#[derive(Clone, Debug)]
enum Left {
    Registers(Box<[Slot]>),
    Shared { descriptor: Slot, transposed: bool },
}

/// A matrix product of a warpgroup.
#[derive(Clone, Debug)]
pub(crate) struct Multiply {
    product: Product,
    shape: Shape,
    d: Box<[Slot]>,
    a: Left,
    b: Slot,
    b_transposed: bool,
    /// The predicate that keeps the earlier sums.
    scale_d: Slot,
    negates: [bool; 2],
    selector: Option<Selector>,
}

/// A warp of the warpgroup at its wgmma: its number, and where its registers begin.
type Party = (usize, usize);

impl Multiply {
    pub(super) fn decode(
        decoder: &mut Decoder<'_>,
        instruction: &Instruction,
        form: &Form,
        op: Op,
    ) -> Result<Self, NotSupported> {
        // The form has the greatest N.
        let shape = instruction.opcode.parts().find_map(Shape::of);
        let shape = shape.ok_or(NotSupported::Part("shape"))?;
        let types: Vec<_> = form.types().collect();
        let [d, a, b] = types[..] else {
            return Err(NotSupported::Part("types"));
        };
        let sum = mma::sum(d)?;
        let product = Product {
            a: mma::element(a)?,
            b: mma::element(b)?,
            c: sum,
            d: sum,
            way: ProductGrouping::Whole,
            clamps: form.has(Flag::Satfinite),
            xor: false,
            rounding: Rounding::Nearest,
        };
        let [d, a, b, rest @ ..] = &instruction.operands[..] else {
            return Err(NotSupported::Operands);
        };
        let (selector, rest) = match (op, rest) {
            (Op::Sparse, [metadata, selector, rest @ ..]) => {
                let selector = Selector::new(decoder, metadata, selector, &product, shape)?;
                (Some(selector), rest)
            }
            (_, rest) => (None, rest),
        };
        let [scale_d, immediates @ ..] = rest else {
            return Err(NotSupported::Operands);
        };
        let immediates = immediates.iter().map(immediate);
        let immediates = immediates.collect::<Result<Vec<_>, _>>()?;
        let is = |index: usize, values: [i64; 2]| match immediates.get(index) {
            None => Ok(false),
            Some(value) if values.contains(value) => Ok(*value == values[1]),
            Some(value) => Err(NotSupported::from(format!(
                "an operand is {value} but must be {} or {}",
                values[0], values[1]
            ))),
        };
        let negates = [is(0, [1, -1])?, is(1, [1, -1])?];
        let (a, b_transposed) = match &a.kind {
            OperandKind::Vector(_) => {
                (Left::Registers(mma::registers(decoder, a)?), is(2, [0, 1])?)
            }
            _ => {
                let descriptor = decoder.source(a, Type::B64)?;
                let transposed = is(2, [0, 1])?;
                (
                    Left::Shared {
                        descriptor,
                        transposed,
                    },
                    is(3, [0, 1])?,
                )
            }
        };
        let multiply = Self {
            product,
            shape,
            d: mma::registers(decoder, d)?,
            a,
            b: decoder.source(b, Type::B64)?,
            b_transposed,
            scale_d: decoder.source(scale_d, Type::Pred)?,
            negates,
            selector,
        };
        decoder.add_products(multiply.registers());
        Ok(multiply)
    }

    /// Returns the registers that it uses after its issue.
    fn registers(&self) -> impl Iterator<Item = Slot> {
        let a: &[Slot] = match &self.a {
            Left::Registers(slots) => slots,
            Left::Shared { .. } => &[],
        };
        self.d.iter().chain(a).copied()
    }

    /// Records that a warp issues the product, and reports a missing fence.
    fn issue(&self, step: &mut Step<'_>) {
        let (base, pc) = (step.group.base, step.group.pc);
        let products = &mut step.warp.products;
        let group = products.current;
        products.is_fenced = false;
        let missing = match &mut products.accessed {
            None => Some((None, false)),
            Some(accessed) => {
                // Accumulator registers come first.
                let found: Vec<_> = self
                    .registers()
                    .map(|slot| accessed.remove(&(base + slot)))
                    .enumerate()
                    .filter_map(|(at, access)| {
                        let (access, is_early) = access?;
                        Some((Some(access), is_early && at < self.d.len()))
                    })
                    .collect();
                let is_wrong = |(_, is_early): &&(_, bool)| !is_early;
                found.iter().find(is_wrong).or(found.first()).copied()
            }
        };
        let registers = self.registers().map(|slot| (base + slot, (group, pc)));
        products.in_flight.extend(registers);
        if let Some((access, is_early)) = missing {
            step.tell(0, |_| Event::ProductUnfenced { access, is_early });
        }
    }

    pub(super) fn run(&self, step: &mut Step<'_>) -> Result<Flow, Trapped> {
        if step.world.watches {
            self.issue(step);
        }
        let Some(parties) = self.meet(step)? else {
            return Ok(step.wait(Wait::Warpgroup));
        };
        let (descriptors, adds) = self.agreed(step, &parties)?;
        let mut read = Vec::new();
        let mut matrices = Vec::new();
        let (m, n) = (WARPS * ROWS, self.shape.n as usize);
        let depth = self.depth();
        let a_depth = if self.selector.is_some() {
            depth / 2
        } else {
            depth
        };
        let mut left = vec![0; m * a_depth];
        match (&self.a, descriptors[0]) {
            (Left::Shared { transposed, .. }, Some(descriptor)) => {
                let matrix = SharedMatrix {
                    is_a: true,
                    descriptor,
                    is_mn_major: *transposed,
                    element: self.product.a,
                    mn: m,
                    k: a_depth,
                };
                matrix.load(step, &mut left, &mut read)?;
                matrices.push(matrix.as_read());
            }
            (Left::Registers(slots), _) => {
                let bits = self.product.a.bits();
                let per = (32 / bits) as usize;
                for (party, rows) in parties.iter().zip(left.chunks_exact_mut(ROWS * a_depth)) {
                    let registers = registers(step, *party, slots);
                    fragment::gather(
                        &registers,
                        bits,
                        a_depth,
                        rows,
                        |_| true,
                        |lane, r, i| fragment::a(ROWS, lane, r, i, per),
                    );
                }
            }
            _ => {}
        }
        let mut right = vec![0; n * depth];
        let matrix = SharedMatrix {
            is_a: false,
            descriptor: descriptors[1].unwrap_or_default(),
            is_mn_major: self.b_transposed,
            element: self.product.b,
            mn: n,
            k: depth,
        };
        matrix.load(step, &mut right, &mut read)?;
        matrices.push(matrix.as_read());
        let kept = self.kept(step, &parties)?;
        let mut sums = vec![0; m * n];
        let bits = self.product.d.bits();
        let per = (32 / bits) as usize;
        let place = |lane, r, i| fragment::c(ROWS, lane, r * per + i);
        if adds {
            for (party, rows) in parties.iter().zip(sums.chunks_exact_mut(ROWS * n)) {
                fragment::gather(
                    &registers(step, *party, &self.d),
                    bits,
                    n,
                    rows,
                    |_| true,
                    place,
                );
            }
        }
        let operands = (&left[..], &right[..]);
        self.product
            .add_negated(self.negates, operands, depth, &mut sums, kept.as_deref());
        for ((warp, base), rows) in parties.iter().zip(sums.chunks_exact(ROWS * n)) {
            for (r, slot) in self.d.iter().enumerate() {
                let value = fragment::spread(rows, bits, n, r, place);
                let registers = match *warp == step.here.warp {
                    true => &mut step.warp.registers,
                    false => &mut step.cta().warps[*warp].registers,
                };
                registers[base + slot] = value;
            }
        }
        self.tell(step, read, &matrices);
        let here = step.here.warp;
        for (warp, _) in parties.iter().filter(|(warp, _)| *warp != here) {
            for group in &mut step.cta().warps[*warp].groups {
                group.wait = None;
                group.pc += 1;
            }
        }
        step.world.progress += 1;
        Ok(Flow::Next)
    }

    /// Returns K, in elements or in words of bits.
    fn depth(&self) -> usize {
        match self.product.a {
            Element::Bit => self.shape.k as usize / 32,
            _ => self.shape.k as usize,
        }
    }

    /// Returns all warps of the warpgroup, in order, once all are here.
    fn meet(&self, step: &mut Step<'_>) -> Result<Option<Vec<Party>>, Trapped> {
        let first = step.here.warp / WARPS * WARPS;
        let (here, base, pc) = (step.here.warp, step.group.base, step.group.pc);
        let mut parties = Vec::new();
        for warp in first..first + WARPS {
            if warp == here {
                parties.push((warp, base));
                continue;
            }
            let other = step.cta().warps.get(warp);
            if other.is_none_or(|other| other.alive != u32::MAX) {
                let what = format!(
                    "warp {warp} of the block, which is of the same warpgroup, has not all its threads: \
                     all 128 threads of four warps execute it, the first a multiple of four"
                );
                return Err(step.trapped(Trap::IllegalInstruction, what));
            }
            let groups = other.map_or(&[][..], |other| &other.groups[..]);
            let [group] = groups else {
                return Ok(None);
            };
            let (waits, its_base, its_pc) =
                (group.wait == Some(Wait::Warpgroup), group.base, group.pc);
            if !waits {
                return Ok(None);
            }
            if its_pc != pc {
                let what = format!(
                    "warp {warp} of the same warpgroup is at another wgmma, from {}: all four warps must execute \
                     the same one",
                    step.program.location(its_pc)
                );
                return Err(step.trapped(Trap::IllegalInstruction, what));
            }
            parties.push((warp, its_base));
        }
        Ok(Some(parties))
    }

    /// Returns the descriptors, which the first warp provides, and whether the accumulator is an input. All
    /// lanes of a warp must agree on them.
    fn agreed(
        &self,
        step: &mut Step<'_>,
        parties: &[Party],
    ) -> Result<([Option<u64>; 2], bool), Trapped> {
        let a = match &self.a {
            Left::Shared { descriptor, .. } => Some(*descriptor),
            Left::Registers(_) => None,
        };
        let mut agreed = [None; 3];
        let slots = [a, Some(self.b), Some(self.scale_d)];
        for (at, slot) in slots.iter().enumerate() {
            let Some(slot) = slot else { continue };
            for party in parties.iter().rev() {
                let lanes = registers(step, *party, &[*slot])[0];
                if lanes.iter().any(|lane| lane != &lanes[0]) {
                    let what = ["the descriptor of A", "the descriptor of B", "`scale-d`"][at];
                    let what = format!("the lanes of warp {} disagree on {what}", party.0);
                    return Err(step.trapped(Trap::InvalidCollective, what));
                }
                agreed[at] = Some(lanes[0]);
            }
            let others = parties[1..].iter();
            let other = others
                .filter(|party| Some(registers(step, **party, &[*slot])[0][0]) != agreed[at])
                .map(|(warp, _)| *warp)
                .next();
            if let Some(warp) = other.filter(|_| step.world.watches) {
                let origin = Origin {
                    thread: (warp * 32) as u32,
                    ..step.origin(0)
                };
                step.observer.see(origin, Event::ProductDescriptor);
            }
        }
        let [a, b, scale_d] = agreed;
        Ok(([a, b], scale_d.is_some_and(|scale_d| scale_d & 1 != 0)))
    }

    /// Returns the index in K of each element of a sparse A.
    fn kept(&self, step: &mut Step<'_>, parties: &[Party]) -> Result<Option<Vec<u8>>, Trapped> {
        let Some(selector) = &self.selector else {
            return Ok(None);
        };
        let rows = ROWS * self.depth() / 2;
        let mut kept = vec![0; WARPS * rows];
        for (party, kept) in parties.iter().zip(kept.chunks_exact_mut(rows)) {
            let words = *registers(step, *party, &[selector.metadata()])[0];
            selector.spread(step, &words, self.depth(), kept)?;
        }
        Ok(Some(kept))
    }

    /// Reports the bytes read until a wait, for the first thread of each warp.
    fn tell(&self, step: &mut Step<'_>, mut read: Vec<u64>, matrices: &[MatrixRead]) {
        if !step.world.watches {
            return;
        }
        read.sort();
        read.dedup();
        let mut ranges: Vec<(u64, u64)> = Vec::new();
        for address in read {
            match ranges.last_mut() {
                Some((start, bytes)) if *start + *bytes == address => *bytes += CHUNK_BYTES as u64,
                _ => ranges.push((address, CHUNK_BYTES as u64)),
            }
        }
        let copy = step.world.next_copy;
        step.world.next_copy += 1;
        let warpgroup = step.here.warp / WARPS;
        let rank = step.here.rank;
        let group = step.warp.products.current;
        step.cta()
            .products
            .entry(warpgroup)
            .or_default()
            .push((group, copy));
        let origins = [0, 1, 2, 3].map(|warp| Origin {
            thread: ((warpgroup * WARPS + warp) * 32) as u32,
            ..step.origin(0)
        });
        step.observer.see(origins[0], Event::WarpgroupMeet);
        for matrix in matrices {
            step.observer.see(origins[0], Event::ProductMatrix(*matrix));
        }
        let bytes = ranges.iter().map(|(_, bytes)| *bytes as u32).sum();
        let completion = CopyCompletion::Group(GroupKind::Wgmma, group);
        step.observer.see(
            origins[0],
            Event::CopyIssue {
                copy,
                completion,
                bytes,
            },
        );
        for origin in origins {
            for (start, bytes) in &ranges {
                let offset = *start as usize;
                let range = step.range(Located::Shared { rank, offset }, *bytes);
                let plan = Event::CopyPlan {
                    copy,
                    proxy: Proxy::Async,
                    kind: AccessKind::Read,
                    range,
                };
                step.observer.see(origin, plan);
            }
        }
    }
}

/// Decodes an operand that must be a number.
fn immediate(operand: &Operand) -> Result<i64, NotSupported> {
    let number = operand.as_integer();
    number.ok_or_else(|| "an operand must be a number".into())
}

/// Returns the registers of a warp at its wgmma.
fn registers<'s>(step: &'s Step<'_>, (warp, base): Party, slots: &[Slot]) -> Vec<&'s Lanes> {
    let registers = match warp == step.here.warp {
        true => &step.warp.registers,
        false => &step.world.clusters[step.here.cluster].ctas[step.here.rank].warps[warp].registers,
    };
    slots.iter().map(|slot| &registers[base + slot]).collect()
}
