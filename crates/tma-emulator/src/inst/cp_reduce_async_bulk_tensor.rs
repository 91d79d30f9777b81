//! `cp.reduce.async.bulk.tensor`: reductions of boxes in global memory. PTX ISA 9.7.9.27.1.3.

use ptx::{Instruction, Type};
use ptx_isa::{Form, cp_reduce_async_bulk_tensor::Op};
use tensor_map::DataType;

use crate::{
    decode::{NotSupported, operator},
    inst::{Decoder, cp_async_bulk_tensor},
    value::{Operator, Reduction},
};

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    form: &Form,
    op: Op,
) -> Result<(), NotSupported> {
    let Op::Reduce = op;
    let operator = operator(form)?;
    cp_async_bulk_tensor::decode_copy(decoder, instruction, form, Some(operator))
}

/// Returns the reduction for elements of a map's type.
///
/// Sums of `FLOAT32` keep subnormal numbers and sums of `FLOAT32_FTZ` flush them, as on an H100.
///
/// # Errors
/// The operator is not defined for the type.
pub(crate) fn reduction(operator: Operator, data_type: DataType) -> Result<Reduction, String> {
    let bitwise = matches!(operator, Operator::And | Operator::Or | Operator::Xor);
    let sums = operator == Operator::Add;
    let ty = match data_type {
        DataType::U32 => Some(Type::U32),
        DataType::I32 if bitwise => Some(Type::B32),
        DataType::I32 => Some(Type::S32),
        DataType::U64 if bitwise => Some(Type::B64),
        DataType::U64 if !matches!(operator, Operator::Inc | Operator::Dec) => Some(Type::U64),
        // The bits of `INT64` are not reduced: seen on an H200.
        DataType::I64 if bitwise => None,
        DataType::I64 => Some(Type::S64),
        DataType::F16 => Some(Type::F16),
        DataType::Bf16 => Some(Type::Bf16),
        DataType::F32 | DataType::F32Ftz if sums => Some(Type::F32),
        DataType::F64 if sums => Some(Type::F64),
        _ => None,
    };
    let reduction = ty.and_then(|ty| Reduction::new(operator, ty).ok());
    let reduction = reduction
        .ok_or_else(|| format!("there is no reduction {operator:?} of a map of {data_type:?}"))?;
    Ok(match data_type {
        DataType::F32Ftz => reduction.flushing(),
        _ => reduction,
    })
}
