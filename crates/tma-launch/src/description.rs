use tensor_map::{Params, TensorMap};

use crate::{Access, Argument, Dim3, Region, Scalar, Shape, Use};

/// A launch of a kernel: its name, shape and arguments.
///
/// ```
/// use tma_launch::Launch;
/// use tensor_map::{DataType, TensorMap};
///
/// let tiled = TensorMap::tiled(DataType::I32, &[64, 64]).box_dims(&[16, 16]);
/// let launch = Launch::new("tile", (4, 4), 128)
///     .shared_bytes(1024)
///     .tensor_map(&tiled, 0)
///     .scalar(5_i32);
/// assert_eq!(launch.arguments.len(), 2);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Launch {
    /// The name of the kernel's entry in the PTX.
    pub entry: String,
    /// The index of the kernel's module in the [job](crate::Job); 0 is the first one.
    pub module: usize,
    /// Grid, block, cluster and shared memory.
    pub shape: Shape,
    /// The arguments in the order of the parameters.
    pub arguments: Vec<Argument>,
    /// The names of the first parameters in the source, if known.
    pub parameters: Vec<&'static str>,
    /// The memory of the job that the kernel uses, and how.
    pub uses: Vec<Use>,
}

impl Launch {
    /// Creates a launch of the kernel `entry` with `grid` blocks of `block` threads and no arguments.
    pub fn new(entry: &str, grid: impl Into<Dim3>, block: impl Into<Dim3>) -> Self {
        Self {
            entry: entry.to_owned(),
            module: 0,
            shape: Shape::new(grid, block),
            arguments: Vec::new(),
            parameters: Vec::new(),
            uses: Vec::new(),
        }
    }

    /// Selects the job's module that contains the kernel, by index.
    #[must_use]
    pub fn of_module(mut self, module: usize) -> Self {
        self.module = module;
        self
    }

    /// Sets the blocks per cluster, unless the kernel declares them itself.
    #[must_use]
    pub fn cluster(mut self, cluster: impl Into<Dim3>) -> Self {
        self.shape = self.shape.cluster(cluster);
        self
    }

    /// Allows clusters that not every GPU can run.
    #[must_use]
    pub fn non_portable_cluster(mut self) -> Self {
        self.shape = self.shape.non_portable_cluster();
        self
    }

    /// Sets the dynamic shared memory of each block, in bytes.
    #[must_use]
    pub fn shared_bytes(mut self, shared_bytes: u32) -> Self {
        self.shape = self.shape.shared_bytes(shared_bytes);
        self
    }

    /// Makes all blocks resident at once; see [`Shape::cooperative`].
    #[must_use]
    pub fn cooperative(mut self) -> Self {
        self.shape = self.shape.cooperative();
        self
    }

    /// Lets the launch begin while the previous one ends; see [`Shape::overlaps`].
    #[must_use]
    pub fn overlaps(mut self) -> Self {
        self.shape = self.shape.overlaps();
        self
    }

    /// Passes a number to the next parameter.
    #[must_use]
    pub fn scalar(self, value: impl Into<Scalar>) -> Self {
        self.argument(Argument::Scalar(value.into()))
    }

    /// Passes the address of a buffer of the job to the next parameter.
    #[must_use]
    pub fn buffer(self, index: usize) -> Self {
        self.buffer_at(index, 0)
    }

    /// Passes the address `offset_bytes` into a buffer of the job to the next parameter.
    #[must_use]
    pub fn buffer_at(self, index: usize, offset_bytes: u64) -> Self {
        self.argument(Argument::Buffer {
            index,
            offset_bytes,
        })
    }

    /// Passes the address of a buffer of the job to the next parameter. The kernel uses `least_bytes` bytes, and a
    /// shorter buffer is refused.
    #[must_use]
    pub fn buffer_of(mut self, index: usize, least_bytes: u64) -> Self {
        self.uses.push(Use {
            region: Region::bytes(index, least_bytes),
            access: Access::Used,
        });
        self.buffer(index)
    }

    /// Passes a map of the tensor at the start of a buffer to the next parameter, a grid constant.
    #[must_use]
    pub fn tensor_map(self, params: impl Into<Params>, index: usize) -> Self {
        self.tensor_map_at(params, index, 0)
    }

    /// Passes a map of the tensor `offset_bytes` into a buffer to the next parameter, a grid constant.
    #[must_use]
    pub fn tensor_map_at(self, params: impl Into<Params>, index: usize, offset_bytes: u64) -> Self {
        let params = Box::new(params.into());
        self.argument(Argument::TensorMap {
            params,
            index,
            offset_bytes,
        })
    }

    /// Passes a struct with these fields by value to the next parameter.
    #[must_use]
    pub fn structure(self, fields: impl IntoIterator<Item = Argument>) -> Self {
        self.argument(Argument::Struct(fields.into_iter().collect()))
    }

    /// Adds the argument of the next parameter.
    #[must_use]
    pub fn argument(mut self, argument: Argument) -> Self {
        self.arguments.push(argument);
        self
    }

    /// Returns the launch with existing memory; see [`Argument::placed`].
    ///
    /// # Errors
    /// Any error of `address` and of `encode`.
    pub fn placed<E>(
        &self,
        mut address: impl FnMut(usize) -> Result<u64, E>,
        mut encode: impl FnMut(&Params, u64) -> Result<TensorMap, E>,
    ) -> Result<Self, E> {
        let arguments = self.arguments.iter();
        let arguments = arguments.map(|argument| argument.placed(&mut address, &mut encode));
        Ok(Self {
            arguments: arguments.collect::<Result<_, E>>()?,
            ..self.clone()
        })
    }
}
