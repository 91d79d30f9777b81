//! The operators of atomics and reducing copies.

use half::{bf16, f16};
use ptx::Type;

use super::{Bits, Float};

/// Combination of the old and the new value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    Add,
    Min,
    Max,
    And,
    Or,
    Xor,
    Exch,
    /// Up to the operand, then from 0.
    Inc,
    /// Down to 0, then from the operand.
    Dec,
}

/// An operator on values of one type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reduction {
    operator: Operator,
    ty: Type,
    /// Subnormal numbers count as zeros, and become such.
    flushes: bool,
}

impl Reduction {
    pub(crate) fn new(operator: Operator, ty: Type) -> Result<Self, &'static str> {
        use Operator::*;
        let known = match ty {
            Type::U32 => matches!(
                operator,
                Add | Min | Max | And | Or | Xor | Exch | Inc | Dec
            ),
            Type::U64 => matches!(
                operator,
                Add | Min | Max | And | Or | Xor | Exch | Inc | Dec
            ),
            Type::S32 | Type::S64 => matches!(operator, Add | Min | Max),
            Type::B32 | Type::B64 => matches!(operator, And | Or | Xor | Exch),
            Type::F16 | Type::Bf16 | Type::F32 | Type::F64 => matches!(operator, Add | Min | Max),
            Type::F16x2 | Type::Bf16x2 => matches!(operator, Add | Min | Max),
            _ => false,
        };
        known
            .then_some(Self {
                operator,
                ty,
                flushes: false,
            })
            .ok_or("its operator is not known for its type")
    }

    /// Returns the operation with subnormal numbers flushed to zero.
    pub(crate) fn flushing(self) -> Self {
        Self {
            flushes: true,
            ..self
        }
    }

    pub(crate) fn size_bytes(self) -> usize {
        self.ty.size_bytes().unwrap_or(1) as usize
    }

    pub(crate) fn apply(self, old: u64, new: u64) -> u64 {
        match self.ty {
            Type::U32 | Type::B32 => self.unsigned(old, new, 32),
            Type::U64 | Type::B64 => self.unsigned(old, new, 64),
            Type::S32 => self.signed(i64::from(old as u32 as i32), i64::from(new as u32 as i32))
                as u32 as u64,
            Type::S64 => self.signed(old as i64, new as i64) as u64,
            Type::F16 => self.float::<f16>(old, new),
            Type::Bf16 => self.float::<bf16>(old, new),
            Type::F32 => self.float::<f32>(old, new),
            // A NaN keeps its bits, even a signalling one: measured on an H200.
            Type::F64 if f64::from_bits(new).is_nan() => new,
            Type::F64 if f64::from_bits(old).is_nan() => old,
            Type::F64 => self.float::<f64>(old, new),
            Type::F16x2 => self.halves::<f16>(old, new),
            Type::Bf16x2 => self.halves::<bf16>(old, new),
            _ => old,
        }
    }

    /// Applies the operation element by element.
    pub(crate) fn apply_all(self, to: &mut [u8], from: &[u8]) {
        let size = self.size_bytes();
        for (to, from) in to.chunks_exact_mut(size).zip(from.chunks_exact(size)) {
            let number = |bytes: &[u8]| {
                bytes
                    .iter()
                    .rev()
                    .fold(0, |n, byte| n << 8 | u64::from(*byte))
            };
            let result = self.apply(number(to), number(from)).to_le_bytes();
            to.copy_from_slice(&result[..size]);
        }
    }

    fn unsigned(self, old: u64, new: u64, bits: u32) -> u64 {
        let result = match self.operator {
            Operator::Add => old.wrapping_add(new),
            Operator::Min => old.min(new),
            Operator::Max => old.max(new),
            Operator::And => old & new,
            Operator::Or => old | new,
            Operator::Xor => old ^ new,
            Operator::Exch => new,
            Operator::Inc => {
                if old >= new {
                    0
                } else {
                    old + 1
                }
            }
            Operator::Dec => {
                if old == 0 || old > new {
                    new
                } else {
                    old - 1
                }
            }
        };
        result & (u64::MAX >> (64 - bits))
    }

    fn signed(self, old: i64, new: i64) -> i64 {
        match self.operator {
            Operator::Min => old.min(new),
            Operator::Max => old.max(new),
            _ => old.wrapping_add(new),
        }
    }

    fn float<T: Float + Bits>(self, old: u64, new: u64) -> u64 {
        let flush = |value: T| if self.flushes { value.flush() } else { value };
        let (old, new) = (flush(T::of(old)), flush(T::of(new)));
        let result = match self.operator {
            Operator::Min => old.min(new),
            Operator::Max => old.max(new),
            _ => old.add(new),
        };
        flush(result).bits()
    }

    fn halves<T: Float + Bits>(self, old: u64, new: u64) -> u64 {
        let low = self.float::<T>(old & 0xffff, new & 0xffff);
        self.float::<T>(old >> 16, new >> 16) << 16 | low
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_wrap_at_their_operand() {
        let inc = Reduction::new(Operator::Inc, Type::U32).unwrap();
        assert_eq!(
            [inc.apply(3, 5), inc.apply(5, 5), inc.apply(9, 5)],
            [4, 0, 0]
        );
        let dec = Reduction::new(Operator::Dec, Type::U32).unwrap();
        assert_eq!(
            [dec.apply(3, 5), dec.apply(0, 5), dec.apply(9, 5)],
            [2, 5, 5]
        );
    }

    #[test]
    fn elements_are_reduced_one_by_one() {
        let add = Reduction::new(Operator::Add, Type::S32).unwrap();
        let mut bytes = [1_i32, -1].map(i32::to_le_bytes).concat();
        add.apply_all(
            &mut bytes,
            &[-2_i32, i32::MIN].map(i32::to_le_bytes).concat(),
        );
        assert_eq!(bytes, [-1_i32, i32::MAX].map(i32::to_le_bytes).concat());
    }

    #[test]
    fn subnormal_numbers_are_kept_unless_they_are_to_be_flushed() {
        let add = Reduction::new(Operator::Add, Type::F32).unwrap();
        let least = f32::MIN_POSITIVE.to_bits();
        let sum = |reduction: Reduction, a: u32, b: u32| reduction.apply(a.into(), b.into()) as u32;
        assert_eq!(sum(add, 1, least), least + 1);
        assert_eq!(sum(add.flushing(), 1, least), least);
        // The difference of two normal numbers, with its sign.
        let (negative, subnormal) = ((1 << 31) | (least + 1), (1 << 31) | 1);
        assert_eq!(sum(add, least, negative), subnormal);
        assert_eq!(sum(add.flushing(), least, negative), 1 << 31);
    }
}
