use std::{
    fmt::{self, Debug, Display, Formatter},
    sync::Arc,
};

use tensor_map::TensorMap;

use crate::{Argument, Conditions, Launch, Shape, TileShape, Violations};

/// A kernel with its arguments, created by the host function that `#[kernel]` generates.
///
/// It borrows the memory of its arguments.
#[derive(Clone)]
#[must_use = "a call must be launched to have an effect"]
pub struct Call<'a> {
    entry: String,
    arguments: Vec<Argument>,
    parameters: Vec<&'static str>,
    shared_bytes: Option<SharedBytes<'a>>,
    conditions: Conditions,
}

/// Returns the dynamic shared memory in bytes for a block with the given number of threads.
type SharedBytes<'a> = Arc<dyn Fn(u64) -> u64 + Send + Sync + 'a>;

impl<'a> Call<'a> {
    /// Creates a call of the kernel `entry` without arguments.
    pub fn new(entry: impl Into<String>) -> Self {
        Self {
            entry: entry.into(),
            arguments: Vec::new(),
            parameters: Vec::new(),
            shared_bytes: None,
            conditions: Conditions::default(),
        }
    }

    /// Chooses the kernel's instance by the value of a constant. `of` lists the compiled values with their names in
    /// the entry; the launch refuses any other value.
    pub fn instance<T>(mut self, constant: &str, value: T, of: &[(T, &str)]) -> Self
    where
        T: PartialOrd + Display + Copy,
    {
        let values: Vec<T> = of.iter().map(|(value, _)| *value).collect();
        self.conditions
            .one_of(constant, value, &values, "compiled instances");
        match of.iter().find(|(compiled, _)| *compiled == value) {
            Some((_, name)) => self.instance_of(name),
            None => self.instance_of(&value.to_string()),
        }
    }

    /// Chooses the kernel's instance by the name of a type.
    pub fn instance_of(mut self, name: &str) -> Self {
        self.entry = format!("{}_{name}", self.entry);
        self
    }

    /// Adds the argument of the next parameter, with its name in the source.
    pub fn argument(mut self, parameter: &'static str, argument: Argument) -> Self {
        self.parameters.push(parameter);
        self.arguments.push(argument);
        self
    }

    /// Adds the tensor map of the next parameter, a grid constant of this name. If the kernel declares the tile of
    /// its map, the launch refuses maps with other tiles.
    pub fn grid_constant(
        mut self,
        parameter: &'static str,
        map: Argument,
        tile: Option<TileShape>,
    ) -> Self {
        if let Some(tile) = tile {
            tile.check(parameter, &map, &mut self.conditions);
        }
        self.argument(parameter, map)
    }

    /// Sets the dynamic shared memory that the kernel declares for these arguments, in bytes.
    pub fn shared_bytes(self, shared_bytes: impl Into<u64>) -> Self {
        let shared_bytes = shared_bytes.into();
        self.shared_bytes_of_block(move |_| shared_bytes)
    }

    /// Sets a function from the number of threads per block (at most 2^32) to the dynamic shared memory that the
    /// kernel declares, in bytes.
    pub fn shared_bytes_of_block(self, of: impl Fn(u64) -> u64 + Send + Sync + 'a) -> Self {
        Self {
            shared_bytes: Some(Arc::new(of)),
            ..self
        }
    }

    /// Returns the kernel's name in its module.
    pub fn entry(&self) -> &str {
        &self.entry
    }

    /// Returns the launch with this shape. If the kernel declares its dynamic shared memory, that size replaces the
    /// one in the shape.
    ///
    /// # Errors
    /// A constant has a value that the kernel was not compiled for.
    pub fn launch(self, shape: Shape) -> Result<Launch, Violations> {
        self.conditions.into_result()?;
        let shape = match self.shared_bytes {
            Some(of) => {
                let shared_bytes = of(shape.block.count().min(1 << 32));
                shape.shared_bytes(u32::try_from(shared_bytes).unwrap_or(u32::MAX))
            }
            None => shape,
        };
        Ok(Launch {
            entry: self.entry,
            module: 0,
            shape,
            arguments: self.arguments,
            parameters: self.parameters,
            uses: Vec::new(),
        })
    }

    /// Takes the violations of the kernel's own conditions out of the call.
    pub(crate) fn take_conditions(&mut self) -> Conditions {
        std::mem::take(&mut self.conditions)
    }
}

impl Debug for Call<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call")
            .field("entry", &self.entry)
            .field("arguments", &self.arguments)
            .finish_non_exhaustive()
    }
}

/// An argument for a kernel parameter `*const T` or `*mut T`: memory with elements of type `T`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not memory with elements of the type `{T}`",
    label = "the kernel takes a pointer to `{T}` here"
)]
pub trait Pointer<T> {
    /// Returns the argument for the parameter.
    fn pointer(&self) -> Argument;
}

/// An argument for a kernel parameter `#[grid_constant] map: &TensorMap`: a map, or in a job a
/// [`MapRef`](crate::MapRef).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tensor map",
    label = "the kernel takes a tensor map here"
)]
pub trait MapArgument {
    /// Returns the argument for the parameter.
    fn map(&self) -> Argument;
}

/// An encoded map.
impl MapArgument for TensorMap {
    fn map(&self) -> Argument {
        Argument::EncodedMap(Box::new(*self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shape_gets_the_shared_memory_of_the_kernel() {
        let shape = Shape::new(2, 96).shared_bytes(7);
        let bytes = |call: Call<'_>| call.launch(shape).unwrap().shape.shared_bytes;
        assert_eq!(bytes(Call::new("k")), 7);
        assert_eq!(bytes(Call::new("k").shared_bytes(100_u32)), 100);
        assert_eq!(bytes(Call::new("k").shared_bytes(1_u64 << 32)), u32::MAX);
        let of_block = Call::new("k").shared_bytes_of_block(|threads| 4 * threads + 8);
        assert_eq!(bytes(of_block), 4 * 96 + 8);
    }

    #[test]
    fn an_instance_that_was_not_compiled_is_refused_with_those_next_to_it() {
        let call = |stages: u32, flag: bool| {
            Call::new("k")
                .instance("stages", stages, &[(2, "2"), (4, "4"), (8, "8")])
                .instance("flag", flag, &[(true, "true")])
                .instance_of("f32")
        };
        assert_eq!(call(4, true).entry(), "k_4_true_f32");
        assert!(call(4, true).launch(Shape::new(1, 32)).is_ok());
        assert_eq!(
            call(5, false)
                .launch(Shape::new(1, 32))
                .unwrap_err()
                .to_string(),
            "kernel-condition: stages is 5; must be one of 2, 4, 8 (compiled instances); use 4 or 8\n\
             kernel-condition: flag is false; must be true (compiled instances); use true"
        );
    }
}
