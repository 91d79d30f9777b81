//! Schedules that a search leaves out: it cannot prove a launch that has some.

use std::fmt::{self, Display, Formatter};

/// The first reason why schedules are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unsearched {
    /// A part of a warp has arrived at a barrier with a number of threads. The other lanes may arrive or end before or after
    /// they meet the first ones again, and the search follows only one of these ways.
    Barrier,
    /// A test in a loop has failed after it read what a thread has released, and that orders more than the test that succeeds.
    FailedTests,
    /// Lanes that had parted have executed an operation together, which they may also execute apart.
    Lanes,
    /// Warps take more registers together than warps give back without having to take some first.
    Registers,
}

impl Display for Unsearched {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Barrier => {
                "a part of a warp arrives at a barrier with a number of threads, and its other lanes may come or end at any \
                 time"
            }
            Self::FailedTests => {
                "a loop that waits for a value may read another thread's store before, which orders that thread's accesses; \
                 without that, they may be a race"
            }
            Self::Lanes => {
                "lanes of a warp that parted at a branch execute an atomic or an ordered access together, and may execute it \
                 apart; put `bar.warp.sync` before it"
            }
            Self::Registers => {
                "warps take more registers by `setmaxnreg.inc` than other warps give back first, and not all orders are \
                 explored"
            }
        })
    }
}
