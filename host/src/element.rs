use std::any::{TypeId, type_name};

use bytemuck::Pod;
use tensor_map::{DataType, Element};

use crate::EncodeError;

/// Checks that a buffer of `T` can hold a tensor of this type: elements of the same kind, or bytes.
pub(crate) fn check<T: Pod>(data_type: DataType) -> Result<(), EncodeError> {
    let plain = match data_type {
        DataType::F32Ftz | DataType::Tf32 | DataType::Tf32Ftz => DataType::F32,
        other => other,
    };
    let fits = match of::<T>() {
        Some(DataType::U8) => true,
        Some(held) => held == plain,
        None => size_of::<T>() as u64 == data_type.bytes() || size_of::<T>() == 1,
    };
    if fits {
        return Ok(());
    }
    Err(EncodeError::Element {
        buffer: type_name::<T>(),
        data_type,
    })
}

/// Returns the element type that corresponds to a Rust type.
fn of<T: 'static>() -> Option<DataType> {
    fn is<T: 'static, E: Element>() -> Option<DataType> {
        (TypeId::of::<T>() == TypeId::of::<E>()).then_some(E::DATA_TYPE)
    }
    is::<T, u8>()
        .or_else(is::<T, u16>)
        .or_else(is::<T, u32>)
        .or_else(is::<T, i32>)
        .or_else(is::<T, u64>)
        .or_else(is::<T, i64>)
        .or_else(is::<T, f32>)
        .or_else(is::<T, f64>)
        .or_else(is::<T, half::f16>)
        .or_else(is::<T, half::bf16>)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_holds_tensors_of_its_elements() {
        assert_eq!(check::<half::bf16>(DataType::Bf16), Ok(()));
        assert_eq!(check::<f32>(DataType::Tf32), Ok(()));
        assert_eq!(check::<u8>(DataType::F64), Ok(()));
        assert_eq!(check::<[f32; 2]>(DataType::F64), Ok(()));
        let error = check::<half::f16>(DataType::Bf16).unwrap_err();
        assert!(
            error.to_string().contains("cannot hold a tensor of bf16"),
            "{error}"
        );
        assert!(check::<f32>(DataType::I32).is_err());
        assert!(check::<[f32; 3]>(DataType::F32).is_err());
    }
}
