//! The forms of copies: ways, operators and types.

use std::sync::OnceLock;

use tensor_map::DataType;

/// The direction of a copy, and the operation on the destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// The copy goes from global to shared memory.
    Load,
    /// The copy goes from shared to global memory.
    Store,
    /// The reduction goes from shared to global memory.
    Reduce(Operator),
    /// Within shared memory.
    Move,
    /// Within shared memory, reducing.
    ReduceShared(Operator),
}

impl Action {
    /// Returns the name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Load => "load",
            Self::Store => "store",
            Self::Move => "move",
            Self::Reduce(operator) | Self::ReduceShared(operator) => operator.name(),
        }
    }

    /// Returns whether an mbarrier counts the bytes; else a bulk group waits.
    pub fn has_barrier(self) -> bool {
        !matches!(self, Self::Store | Self::Reduce(_))
    }
}

/// The operator of a reduction, which combines the old value with the operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// The sum.
    Add,
    /// The lesser.
    Min,
    /// The greater.
    Max,
    /// Counts up to the operand, then from 0.
    Inc,
    /// Counts down to 0, then from the operand.
    Dec,
    /// Bits in both.
    And,
    /// Bits in any.
    Or,
    /// Bits in exactly one.
    Xor,
}

impl Operator {
    /// All operators.
    pub const ALL: [Self; 8] = [
        Self::Add,
        Self::Min,
        Self::Max,
        Self::Inc,
        Self::Dec,
        Self::And,
        Self::Or,
        Self::Xor,
    ];

    /// Returns the name in PTX.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Min => "min",
            Self::Max => "max",
            Self::Inc => "inc",
            Self::Dec => "dec",
            Self::And => "and",
            Self::Or => "or",
            Self::Xor => "xor",
        }
    }

    fn named(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|operator| operator.name() == name)
    }
}

/// The type of the numbers that bytes are, as far as contents and reductions depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// An unsigned number of this many bytes.
    Unsigned(usize),
    /// A signed number of this many bytes.
    Signed(usize),
    /// `f16`
    F16,
    /// `bf16`
    Bf16,
    /// `f32`
    F32,
    /// `f32` whose subnormal numbers are flushed by reductions.
    F32Ftz,
    /// `f64`
    F64,
}

impl Number {
    /// Returns the size in bytes.
    pub fn bytes(self) -> usize {
        match self {
            Self::Unsigned(bytes) | Self::Signed(bytes) => bytes,
            Self::F16 | Self::Bf16 => 2,
            Self::F32 | Self::F32Ftz => 4,
            Self::F64 => 8,
        }
    }

    /// Returns whether it has a fraction.
    pub fn is_float(self) -> bool {
        !matches!(self, Self::Unsigned(_) | Self::Signed(_))
    }

    /// Returns whether `cp.reduce.async.bulk` has this operator for it: PTX ISA 9.7.9.25.5.2, the
    /// table of operations and element types.
    pub fn is_listed(self, operator: Operator) -> bool {
        use Operator::*;
        match self {
            Self::Unsigned(4) => true,
            Self::Signed(4) | Self::Unsigned(8) => !matches!(operator, Inc | Dec),
            // The PTX ISA writes `.b64` for bits; a map of `INT64` with those is illegal on an H200.
            Self::Signed(8) => matches!(operator, Min | Max),
            Self::F16 | Self::Bf16 => matches!(operator, Add | Min | Max),
            Self::F32 | Self::F32Ftz | Self::F64 => operator == Add,
            Self::Unsigned(_) | Self::Signed(_) => false,
        }
    }

    pub(crate) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "u32" | "b32" => Self::Unsigned(4),
            "u64" | "b64" => Self::Unsigned(8),
            "s32" => Self::Signed(4),
            "s64" => Self::Signed(8),
            "f16" => Self::F16,
            "bf16" => Self::Bf16,
            "f32" => Self::F32,
            "f64" => Self::F64,
            _ => return None,
        })
    }
}

/// The number type of a tensor's elements.
pub fn tensor_number(data_type: DataType) -> Number {
    match data_type {
        DataType::U8 => Number::Unsigned(1),
        DataType::U16 => Number::Unsigned(2),
        DataType::U32 => Number::Unsigned(4),
        DataType::U64 => Number::Unsigned(8),
        DataType::I32 => Number::Signed(4),
        DataType::I64 => Number::Signed(8),
        DataType::F16 => Number::F16,
        DataType::Bf16 => Number::Bf16,
        DataType::F64 => Number::F64,
        DataType::F32Ftz | DataType::Tf32Ftz => Number::F32Ftz,
        DataType::F32 | DataType::Tf32 => Number::F32,
        _ => Number::Unsigned(1),
    }
}

/// A copy of contiguous bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CopyForm {
    /// The opcode.
    pub instruction: &'static str,
    /// The copy's action.
    pub action: Action,
}

impl CopyForm {
    /// The name in tables.
    pub fn name(&self) -> String {
        match self.action {
            Action::Load | Action::Store | Action::Move => format!("bulk {}", self.action.name()),
            Action::Reduce(_) => "bulk reduce in global memory".into(),
            Action::ReduceShared(_) => "bulk reduce in shared memory".into(),
        }
    }

    /// The type of the numbers.
    pub fn number(&self) -> Number {
        let last = self.instruction.rsplit('.').next();
        last.and_then(Number::named).unwrap_or(Number::Unsigned(1))
    }
}

const PLAIN: [CopyForm; 3] = [
    CopyForm {
        instruction: "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes",
        action: Action::Load,
    },
    CopyForm {
        instruction: "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes",
        action: Action::Move,
    },
    CopyForm {
        instruction: "cp.async.bulk.global.shared::cta.bulk_group",
        action: Action::Store,
    },
];

const REDUCTIONS_IN_SHARED: &str = "and.b32 or.b32 xor.b32 add.u32 add.s32 add.u64 inc.u32 dec.u32 \
    min.u32 min.s32 max.u32 max.s32";

const REDUCTIONS_IN_GLOBAL: &str = "and.b32 and.b64 or.b32 or.b64 xor.b32 xor.b64 add.u32 add.s32 \
    add.u64 add.f32 add.f64 add.noftz.f16 add.noftz.bf16 inc.u32 dec.u32 min.u32 min.s32 min.u64 \
    min.s64 min.f16 min.bf16 max.u32 max.s32 max.u64 max.s64 max.f16 max.bf16";

/// Returns all copies of contiguous bytes: PTX ISA 9.7.9.25.4.1 and 9.7.9.25.5.2.
pub fn linear_forms() -> &'static [CopyForm] {
    static FORMS: OnceLock<Vec<CopyForm>> = OnceLock::new();
    FORMS.get_or_init(|| {
        let shared =
            "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes";
        let global = "cp.reduce.async.bulk.global.shared::cta.bulk_group";
        let mut forms = PLAIN.to_vec();
        forms.extend(reductions(
            REDUCTIONS_IN_SHARED,
            shared,
            Action::ReduceShared,
        ));
        forms.extend(reductions(REDUCTIONS_IN_GLOBAL, global, Action::Reduce));
        forms
    })
}

fn reductions(
    suffixes: &str,
    opcode: &str,
    action: impl Fn(Operator) -> Action,
) -> impl Iterator<Item = CopyForm> {
    suffixes.split_whitespace().filter_map(move |suffix| {
        let operator = Operator::named(suffix.split('.').next()?)?;
        // Made once for the life of the program.
        let instruction = String::leak(format!("{opcode}.{suffix}"));
        let action = action(operator);
        Some(CopyForm {
            instruction,
            action,
        })
    })
}

/// The number of the instruction in its kernel: ranks 1 to 5 tiled, then 3 to 5 im2col.
pub fn tensor_form(is_im2col: bool, rank: usize) -> u32 {
    (if is_im2col { rank + 2 } else { rank - 1 }) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_linear_copies_are_read() {
        let forms = linear_forms();
        assert_eq!(forms.len(), 3 + 12 + 27);
        for form in &forms[3..] {
            let (Action::Reduce(operator) | Action::ReduceShared(operator)) = form.action else {
                panic!("{form:?} reduces nothing");
            };
            assert!(form.number().is_listed(operator), "{form:?}");
        }
    }
}
