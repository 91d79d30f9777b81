use std::fmt::{self, Display, Formatter};

/// A rule that a launch breaks, and the value that breaks it.
///
/// Displays as `rule: parameter is value; limit; fix`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The rule that the launch breaks.
    pub rule: Rule,
    /// The parameter that breaks the rule.
    pub parameter: String,
    /// The value that breaks the rule.
    pub value: String,
    /// The values that the rule allows, and where the limit comes from.
    pub limit: String,
    /// The smallest change that satisfies the rule.
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
        /// The rules that a launch is checked against.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Rule {
            $($(#[$doc])* $rule,)*
        }

        impl Rule {
            /// Returns the rule's name in messages.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$rule => $name,)* }
            }
        }
    };
}

rules! {
    /// Dimensions must not be zero.
    ZeroDimension = "zero-dimension",
    /// A block must not have more threads than the device's limit.
    BlockThreads = "block-threads",
    /// A block must not exceed the device's limit in any dimension.
    BlockDimension = "block-dimension",
    /// A grid must not exceed the device's limit in any dimension.
    GridDimension = "grid-dimension",
    /// A block must not have more threads than the kernel was compiled for.
    Maxntid = "maxntid",
    /// A block must have exactly the dimensions that the kernel was compiled for.
    Reqntid = "reqntid",
    /// Static and dynamic shared memory together must fit the device.
    SharedBytes = "shared-bytes",
    /// A cluster must not have more blocks than the device's limit.
    ClusterBlocks = "cluster-blocks",
    /// A cluster must have exactly the dimensions that the kernel was compiled for.
    Reqnctapercluster = "reqnctapercluster",
    /// The grid must consist of whole clusters.
    WholeClusters = "whole-clusters",
    /// All blocks of a cooperative launch must be resident at once.
    CooperativeGrid = "cooperative-grid",
    /// The number of arguments must equal the number of parameters.
    ArgumentCount = "argument-count",
    /// An argument must have the size of its parameter.
    ArgumentSize = "argument-size",
    /// A tensor map needs a parameter of 128 bytes with an alignment of 64.
    TensorMapParameter = "tensor-map-parameter",
    /// An argument must refer to an existing buffer.
    BufferIndex = "buffer-index",
    /// An argument must point into its buffer.
    BufferOffset = "buffer-offset",
    /// A buffer must have all bytes that the kernel uses.
    BufferLength = "buffer-length",
    /// Bytes that a kernel writes must not overlap others that it uses.
    Overlap = "overlap",
    /// The counters of a kernel must be zero before the launch.
    Zeroed = "zeroed",
    /// The numbers that a kernel reads must not decrease.
    Ascending = "ascending",
    /// A variable that a kernel reads must be filled.
    Variable = "variable",
    /// The bytes that a kernel reads as a tensor map must be a map with its tile.
    TensorMapContent = "tensor-map-content",
    /// A tensor must fit in its buffer.
    TensorSpan = "tensor-span",
    /// A tensor map in memory must fit in its buffer, at a multiple of 64.
    PlacedMap = "placed-map",
    /// A pointer in memory must fit in its buffer, and point into a buffer.
    PlacedPointer = "placed-pointer",
    /// A documented condition of a kernel on its arguments.
    KernelCondition = "kernel-condition",
}

impl Display for Rule {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// All broken rules, displayed one per line.
#[derive(Clone, Debug, Default, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
pub struct Violations(pub Vec<Violation>);

impl Violations {
    /// Returns an error if any rule is broken.
    pub fn into_result(self) -> Result<(), Self> {
        if self.0.is_empty() { Ok(()) } else { Err(self) }
    }
}
