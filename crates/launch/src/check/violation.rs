use std::fmt::{self, Display, Formatter};

/// One broken rule.
///
/// Displays as `rule: parameter is value; limit; fix`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The rule.
    pub rule: Rule,
    /// The parameter that breaks the rule.
    pub parameter: String,
    /// Its value.
    pub value: String,
    /// The values that the rule allows, and who says so.
    pub limit: String,
    /// The smallest change that would do.
    pub fix: String,
}

impl Violation {
    pub(super) fn new(
        rule: Rule,
        parameter: impl Into<String>,
        value: impl Display,
        limit: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        Self {
            rule,
            parameter: parameter.into(),
            value: value.to_string(),
            limit: limit.into(),
            fix: fix.into(),
        }
    }
}

impl Display for Violation {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self {
            rule,
            parameter,
            value,
            limit,
            fix,
        } = self;
        write!(f, "{rule}: {parameter} is {value}; {limit}; {fix}")
    }
}

macro_rules! rules {
    ($($(#[$doc:meta])* $rule:ident = $name:literal,)*) => {
        /// The rules of a launch.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Rule {
            $($(#[$doc])* $rule,)*
        }

        impl Rule {
            /// Its name in messages.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$rule => $name,)* }
            }
        }
    };
}

rules! {
    /// No dimension is zero.
    ZeroDimension = "zero-dimension",
    /// A block has no more threads than the device can run.
    BlockThreads = "block-threads",
    /// A block is no longer in any dimension than the device can run.
    BlockDimension = "block-dimension",
    /// A grid is no longer in any dimension than the device can run.
    GridDimension = "grid-dimension",
    /// A block has no more threads than the kernel was compiled for.
    Maxntid = "maxntid",
    /// A block is exactly as the kernel was compiled for.
    Reqntid = "reqntid",
    /// Static and dynamic shared memory fit the device.
    SharedBytes = "shared-bytes",
    /// A cluster has no more blocks than the device can run.
    ClusterBlocks = "cluster-blocks",
    /// A cluster is exactly as the kernel was compiled for.
    Reqnctapercluster = "reqnctapercluster",
    /// The grid is made of whole clusters.
    WholeClusters = "whole-clusters",
    /// The blocks of a cooperative launch all run at once.
    CooperativeGrid = "cooperative-grid",
    /// There is one argument for each parameter.
    ArgumentCount = "argument-count",
    /// An argument has the size of its parameter.
    ArgumentSize = "argument-size",
    /// A tensor map stands for a parameter of 128 bytes at a multiple of 64.
    TensorMapParameter = "tensor-map-parameter",
    /// An argument names a buffer that is there.
    BufferIndex = "buffer-index",
    /// An argument points into its buffer.
    BufferOffset = "buffer-offset",
    /// A buffer has the bytes that the kernel uses.
    BufferLength = "buffer-length",
    /// The bytes that a kernel writes are apart from all others that it uses.
    Overlap = "overlap",
    /// The counters of a kernel are zero before the launch.
    Zeroed = "zeroed",
    /// Numbers that a kernel reads ascend.
    Ascending = "ascending",
    /// A variable that a kernel reads is filled.
    Variable = "variable",
    /// The bytes that a kernel takes for a tensor map are one that it can take.
    TensorMapContent = "tensor-map-content",
    /// A tensor lies in its buffer.
    TensorSpan = "tensor-span",
    /// A tensor map in memory lies in its buffer, at a multiple of 64.
    PlacedMap = "placed-map",
    /// A pointer in memory lies in its buffer, and points into one.
    PlacedPointer = "placed-pointer",
    /// A condition that a kernel documents for its own arguments.
    KernelCondition = "kernel-condition",
}

impl Display for Rule {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// All broken rules. Displays one on each line.
#[derive(Clone, Debug, Default, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
pub struct Violations(pub Vec<Violation>);

impl Violations {
    /// An error unless no rule is broken.
    pub fn into_result(self) -> Result<(), Self> {
        if self.0.is_empty() { Ok(()) } else { Err(self) }
    }
}
