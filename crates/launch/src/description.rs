use tensor_map::{Params, TensorMap};

use crate::{Access, Argument, Dim3, Region, Scalar, Shape, Use};

/// One launch of one kernel.
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
    /// The kernel's name.
    pub entry: String,
    /// The number of its module in the [job](crate::Job); 0 is the first one.
    pub module: usize,
    /// Grid, block, cluster and shared memory.
    pub shape: Shape,
    /// The arguments of its parameters, in order.
    pub arguments: Vec<Argument>,
    /// The names of its first parameters in the source, where they are known.
    pub parameters: Vec<&'static str>,
    /// Memory of the job that the kernel uses, and how.
    pub uses: Vec<Use>,
}

impl Launch {
    /// The kernel `entry` with `grid` blocks of `block` threads, and no arguments.
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

    /// The kernel is in the module of the job that has this number.
    #[must_use]
    pub fn of_module(mut self, module: usize) -> Self {
        self.module = module;
        self
    }

    /// Blocks in a cluster, where the kernel itself does not say so.
    #[must_use]
    pub fn cluster(mut self, cluster: impl Into<Dim3>) -> Self {
        self.shape = self.shape.cluster(cluster);
        self
    }

    /// Allow clusters that not every GPU can run.
    #[must_use]
    pub fn non_portable_cluster(mut self) -> Self {
        self.shape = self.shape.non_portable_cluster();
        self
    }

    /// Dynamic shared memory of each block, in bytes.
    #[must_use]
    pub fn shared_bytes(mut self, shared_bytes: u32) -> Self {
        self.shape = self.shape.shared_bytes(shared_bytes);
        self
    }

    /// Make all blocks run at once: see [`Shape::cooperative`].
    #[must_use]
    pub fn cooperative(mut self) -> Self {
        self.shape = self.shape.cooperative();
        self
    }

    /// Let it begin while the launch before it ends: see [`Shape::overlaps`].
    #[must_use]
    pub fn overlaps(mut self) -> Self {
        self.shape = self.shape.overlaps();
        self
    }

    /// The next parameter gets a number.
    #[must_use]
    pub fn scalar(self, value: impl Into<Scalar>) -> Self {
        self.argument(Argument::Scalar(value.into()))
    }

    /// The next parameter gets the address of a buffer of the job.
    #[must_use]
    pub fn buffer(self, index: usize) -> Self {
        self.buffer_at(index, 0)
    }

    /// The next parameter gets the address `offset_bytes` into a buffer of the job.
    #[must_use]
    pub fn buffer_at(self, index: usize, offset_bytes: u64) -> Self {
        self.argument(Argument::Buffer {
            index,
            offset_bytes,
        })
    }

    /// The next parameter gets the address of a buffer of the job, of which the kernel uses so many
    /// bytes: a shorter one is refused.
    #[must_use]
    pub fn buffer_of(mut self, index: usize, least_bytes: u64) -> Self {
        self.uses.push(Use {
            region: Region::bytes(index, least_bytes),
            access: Access::Used,
        });
        self.buffer(index)
    }

    /// The next parameter is a grid constant and gets a map of the tensor at the start of a buffer.
    #[must_use]
    pub fn tensor_map(self, params: impl Into<Params>, index: usize) -> Self {
        self.tensor_map_at(params, index, 0)
    }

    /// The next parameter is a grid constant and gets a map of the tensor `offset_bytes` into a
    /// buffer.
    #[must_use]
    pub fn tensor_map_at(self, params: impl Into<Params>, index: usize, offset_bytes: u64) -> Self {
        let params = Box::new(params.into());
        self.argument(Argument::TensorMap {
            params,
            index,
            offset_bytes,
        })
    }

    /// The next parameter gets a struct of these fields by value.
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

    /// The same launch for memory that is there: see [`Argument::placed`].
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
