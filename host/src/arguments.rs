use std::ffi::c_void;

use bytemuck::Pod;
use launch::{Form, Scalar};

use crate::{DeviceBuffer, TensorMap};

/// What one kernel parameter gets.
#[derive(Clone, Debug)]
pub struct Value {
    form: Form,
    content: Content,
}

#[derive(Clone, Debug)]
enum Content {
    /// Up to eight bytes, in the order of the device.
    Word([u64; 1]),
    Map(tensor_map::TensorMap),
    /// Bytes in the order of the device, and zeros to the end of the last word.
    Words(Vec<u64>),
}

impl Value {
    /// A number.
    pub fn scalar(scalar: impl Into<Scalar>) -> Self {
        let scalar = scalar.into();
        let word = u64::from_ne_bytes(scalar.to_bytes());
        Self {
            form: Form::scalar(scalar),
            content: Content::Word([word]),
        }
    }

    /// A device address.
    pub fn address(address: u64) -> Self {
        let word = u64::from_ne_bytes(address.to_le_bytes());
        Self {
            form: Form::ADDRESS,
            content: Content::Word([word]),
        }
    }

    /// A tensor map, for a parameter that is a grid constant.
    pub fn tensor_map(map: tensor_map::TensorMap) -> Self {
        Self {
            form: Form::TENSOR_MAP,
            content: Content::Map(map),
        }
    }

    /// A struct passed by value, with its bytes in the order of the device.
    pub fn structure(bytes: &[u8]) -> Self {
        let mut words = vec![0_u64; bytes.len().div_ceil(8)];
        bytemuck::cast_slice_mut(&mut words)[..bytes.len()].copy_from_slice(bytes);
        Self {
            form: Form {
                name: "struct",
                size_bytes: bytes.len(),
                is_tensor_map: false,
            },
            content: Content::Words(words),
        }
    }

    /// Its bytes, in the order of the device.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let bytes: &[u8] = match &self.content {
            Content::Word(word) => bytemuck::cast_slice(word),
            Content::Map(map) => return map.to_bytes().to_vec(),
            Content::Words(words) => bytemuck::cast_slice(words),
        };
        bytes[..self.form.size_bytes].to_vec()
    }

    /// How it looks to the kernel.
    pub fn form(&self) -> Form {
        self.form
    }

    /// Where its bytes are: as many as its form says, or more.
    pub(crate) fn as_ptr(&self) -> *mut c_void {
        match &self.content {
            Content::Word(word) => word.as_ptr().cast_mut().cast(),
            Content::Map(map) => (&raw const *map).cast_mut().cast(),
            Content::Words(words) => words.as_ptr().cast_mut().cast(),
        }
    }
}

/// Something that a kernel parameter can get.
pub trait KernelArgument {
    /// What the parameter gets.
    fn value(&self) -> Value;
}

macro_rules! scalars {
    ($($scalar:ident)*) => {
        $(impl KernelArgument for $scalar {
            fn value(&self) -> Value {
                Value::scalar(*self)
            }
        })*
    };
}

scalars! { u8 i8 u16 i16 u32 i32 u64 i64 usize f32 f64 }

/// Its address.
impl<T: Pod> KernelArgument for &DeviceBuffer<T> {
    fn value(&self) -> Value {
        Value::address(self.address())
    }
}

/// Its address.
impl<T: Pod> KernelArgument for &mut DeviceBuffer<T> {
    fn value(&self) -> Value {
        Value::address(self.address())
    }
}

/// The map itself, for a parameter that is a grid constant.
impl KernelArgument for TensorMap<'_> {
    fn value(&self) -> Value {
        Value::tensor_map(*self.map())
    }
}

/// The map itself, for a parameter that is a grid constant.
impl KernelArgument for &TensorMap<'_> {
    fn value(&self) -> Value {
        Value::tensor_map(*self.map())
    }
}

impl KernelArgument for Value {
    fn value(&self) -> Value {
        self.clone()
    }
}

/// What all parameters of a kernel get, in order: a tuple, or a slice of [`Value`]s.
pub trait KernelArguments {
    /// What the parameters get.
    fn values(&self) -> Vec<Value>;
}

impl KernelArguments for &[Value] {
    fn values(&self) -> Vec<Value> {
        self.to_vec()
    }
}

macro_rules! tuples {
    ($($first:ident $($rest:ident)*)?) => {
        impl<$($first: KernelArgument, $($rest: KernelArgument),*)?> KernelArguments
            for ($($first, $($rest,)*)?)
        {
            #[allow(non_snake_case, reason = "a variable is named as its type")]
            fn values(&self) -> Vec<Value> {
                let ($($first, $($rest,)*)?) = self;
                vec![$($first.value(), $($rest.value()),*)?]
            }
        }
        $(tuples! { $($rest)* })?
    };
}

tuples! { A B C D E F G H I J K L M N O P }

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(value: &Value) -> Vec<u8> {
        let (start, len) = (
            value.as_ptr().cast::<u8>().cast_const(),
            value.form().size_bytes,
        );
        // SAFETY: a value has as many bytes as its form says.
        unsafe { std::slice::from_raw_parts(start, len) }.to_vec()
    }

    #[test]
    fn values_lie_as_the_device_reads_them() {
        let values = (0x0102_u16, -2_i32, 1.0_f32, 7_usize).values();
        let all: Vec<_> = values.iter().map(bytes).collect();
        let expected: [&[u8]; 4] = [
            &[2, 1],
            &[254, 255, 255, 255],
            &[0, 0, 128, 63],
            &[7, 0, 0, 0, 0, 0, 0, 0],
        ];
        assert_eq!(all, expected);
        assert_eq!(
            bytes(&Value::address(0x0102_0304_0506_0708)),
            [8, 7, 6, 5, 4, 3, 2, 1]
        );
        assert!(().values().is_empty());
    }

    #[test]
    fn maps_keep_their_bytes_and_alignment() {
        let map = tensor_map::TensorMap::from_words(std::array::from_fn(|word| word as u64));
        let values = [Value::scalar(1_u8), Value::tensor_map(map)];
        assert_eq!(bytes(&values[1]), map.to_bytes());
        assert_eq!(values[1].as_ptr().addr() % 64, 0);
    }
}
