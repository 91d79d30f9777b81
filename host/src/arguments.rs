use bytemuck::Pod;
use tma_launch::{Argument, MapArgument, Pointer, Scalar};

use crate::{Buffer, BufferTensorMap, Slice};

/// A value that can be passed to a kernel parameter.
pub trait KernelArgument {
    /// Returns the parameter's argument.
    fn argument(&self) -> Argument;
}

/// Returns an argument that is valid on this device only.
pub(crate) fn on(device: u64, argument: Argument) -> Argument {
    let argument = Box::new(argument);
    Argument::OnDevice { device, argument }
}

macro_rules! scalars {
    ($($scalar:ident)*) => {
        $(impl KernelArgument for $scalar {
            fn argument(&self) -> Argument {
                Argument::Scalar(Scalar::from(*self))
            }
        })*
    };
}

scalars! { u8 i8 u16 i16 u32 i32 u64 i64 usize f32 f64 }

macro_rules! halves {
    ($($half:ident)*) => {
        $(impl KernelArgument for half::$half {
            fn argument(&self) -> Argument {
                self.to_bits().argument()
            }
        })*
    };
}

halves! { f16 bf16 }

impl KernelArgument for Argument {
    fn argument(&self) -> Argument {
        self.clone()
    }
}

/// Implements the traits for memory with elements of type `T`; the address is passed.
macro_rules! pointers {
    ($($memory:ty $(, $bound:ident)?;)*) => {$(
        /// The address of the memory.
        impl<T $(: $bound)?> Pointer<T> for $memory {
            fn pointer(&self) -> Argument {
                on(self.device_id(), Argument::Address(self.address()))
            }
        }

        /// The address of the memory.
        impl<T $(: $bound)?> KernelArgument for $memory {
            fn argument(&self) -> Argument {
                self.pointer()
            }
        }
    )*};
}

pointers! {
    &Buffer<T>, Pod;
    &mut Buffer<T>, Pod;
    Slice<'_, T>;
}

/// The map itself, for a parameter that is a grid constant.
impl MapArgument for &BufferTensorMap<'_> {
    fn map(&self) -> Argument {
        on(
            self.device_id(),
            Argument::EncodedMap(Box::new(*self.encoded())),
        )
    }
}

/// The map itself, for a parameter that is a grid constant.
impl KernelArgument for &BufferTensorMap<'_> {
    fn argument(&self) -> Argument {
        self.map()
    }
}

/// The arguments of all parameters of a kernel, in order: a tuple, or a slice of [`Argument`]s.
pub trait KernelArguments {
    /// Returns the arguments in the order of the parameters.
    fn arguments(&self) -> Vec<Argument>;
}

impl KernelArguments for &[Argument] {
    fn arguments(&self) -> Vec<Argument> {
        self.to_vec()
    }
}

macro_rules! tuples {
    ($($first:ident $($rest:ident)*)?) => {
        impl<$($first: KernelArgument, $($rest: KernelArgument),*)?> KernelArguments
            for ($($first, $($rest,)*)?)
        {
            #[allow(non_snake_case, reason = "a variable is named as its type")]
            fn arguments(&self) -> Vec<Argument> {
                let ($($first, $($rest,)*)?) = self;
                vec![$($first.argument(), $($rest.argument()),*)?]
            }
        }
        $(tuples! { $($rest)* })?
    };
}

tuples! { A B C D E F G H I J K L M N O P }

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Device;

    #[test]
    fn tuples_keep_their_order() {
        let half = half::f16::from_bits(0x0102);
        let arguments = (half, -2_i32, 7_usize, Argument::Address(9)).arguments();
        let bytes: Vec<_> = arguments.iter().flat_map(Argument::to_bytes).collect();
        let expected: [&[u8]; 4] = [
            &[2, 1],
            &[254, 255, 255, 255],
            &[7, 0, 0, 0, 0, 0, 0, 0],
            &[9, 0, 0, 0, 0, 0, 0, 0],
        ];
        assert_eq!(bytes, expected);
        assert!(().arguments().is_empty());
    }

    #[test]
    fn buffers_and_parts_of_them_are_addresses() -> Result<(), tma_launch::Failure> {
        let mut buffer = Device::emulator(0).upload(&[1.0_f32; 8])?;
        let address = |offset| {
            on(
                buffer.device().id(),
                Argument::Address(buffer.address() + offset),
            )
        };
        let expected = [address(0), address(12), address(3), address(32)];
        let parts = (
            &buffer,
            buffer.at(3),
            buffer.bytes().at(3),
            Pointer::<f32>::pointer(&buffer.at(8)),
        );
        assert_eq!(parts.arguments(), expected);
        assert_eq!((&mut buffer,).arguments(), expected[..1]);
        Ok(())
    }
}
