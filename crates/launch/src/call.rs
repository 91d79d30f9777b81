use std::marker::PhantomData;

use crate::{Argument, Launch, Shape};

/// A kernel with its arguments, as the function makes it that `#[kernel]` writes for the host.
///
/// It borrows the memory that the arguments point to.
#[derive(Clone, Debug, PartialEq)]
pub struct Call<'a> {
    entry: String,
    arguments: Vec<Argument>,
    shared_bytes: Option<u32>,
    memory: PhantomData<&'a ()>,
}

impl<'a> Call<'a> {
    /// The kernel `entry` without arguments.
    pub fn new(entry: impl Into<String>) -> Self {
        Self {
            entry: entry.into(),
            arguments: Vec::new(),
            shared_bytes: None,
            memory: PhantomData,
        }
    }

    /// What the next parameter gets.
    #[must_use]
    pub fn argument(mut self, argument: Argument) -> Self {
        self.arguments.push(argument);
        self
    }

    /// The dynamic shared memory that the kernel declares for these arguments, in bytes.
    #[must_use]
    pub fn shared_bytes(self, shared_bytes: u32) -> Self {
        Self {
            shared_bytes: Some(shared_bytes),
            ..self
        }
    }

    /// The launch with this shape. Where the kernel declares its dynamic shared memory, the launch asks
    /// for so much, whatever the shape says.
    pub fn launch(self, shape: Shape) -> Launch {
        let shape = match self.shared_bytes {
            Some(shared_bytes) => shape.shared_bytes(shared_bytes),
            None => shape,
        };
        Launch {
            entry: self.entry,
            shape,
            arguments: self.arguments,
            least_bytes: Vec::new(),
        }
    }
}

/// What a parameter `*const T` or `*mut T` of a kernel takes: memory with elements of the type `T`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no memory with elements of the type `{T}`",
    label = "the kernel takes a pointer to `{T}` here"
)]
pub trait Pointer<T> {
    /// The argument that the parameter gets.
    fn pointer(&self) -> Argument;
}

/// What a parameter `#[grid_constant] map: &TensorMap` of a kernel takes.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no tensor map",
    label = "the kernel takes a tensor map here"
)]
pub trait MapArgument {
    /// The argument that the parameter gets.
    fn map(&self) -> Argument;
}
