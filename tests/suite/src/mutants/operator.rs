use std::fmt::{self, Display, Formatter};

macro_rules! operators {
    ($($(#[$doc:meta])* $name:ident $text:literal)*) => {
        /// The change of an instruction.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Operator {
            $($(#[$doc])* $name,)*
        }

        impl Operator {
            /// All operators.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// Returns the name, in kebab case.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }
        }
    };
}

operators! {
    /// A fence, a barrier, an arrival, an initialisation, a commit, a wait for a group, or an atomic
    /// is deleted.
    Delete "delete"
    /// A wait at an mbarrier passes at once.
    PassWait "pass-wait"
    /// A wait at an mbarrier is for the other parity.
    OtherParity "other-parity"
    /// A wait for groups lets one more be under way.
    OneMoreGroup "one-more-group"
    /// A wait for bulk groups only waits for their reads.
    OnlyReads "only-reads"
    /// The bytes of an arrival are not expected.
    OnlyArrive "only-arrive"
    /// The bytes are expected, without the arrival.
    OnlyExpect "only-expect"
    /// A byte count is less by 16.
    FewerBytes "fewer-bytes"
    /// A byte count is more by 16.
    MoreBytes "more-bytes"
    /// A byte count is zero.
    NoBytes "no-bytes"
    /// A count of arrivals is less by one.
    FewerArrivals "fewer-arrivals"
    /// A count of arrivals is more by one.
    MoreArrivals "more-arrivals"
    /// A scope becomes the block.
    NarrowScope "narrow-scope"
    /// A release or acquire is relaxed, a relaxed access is weak.
    Relax "relax"
    /// A guard is deleted: the instruction or the branch is for all threads.
    OpenGuard "open-guard"
    /// All lanes are elected.
    ElectAll "elect-all"
}

impl Display for Operator {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
