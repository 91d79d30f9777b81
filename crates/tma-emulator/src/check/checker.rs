//! The state of the checker of one launch.

use std::collections::{HashMap, HashSet};

use super::{
    copy_table::Copies,
    finding::Finding,
    grid::{Extents, Grid},
    heap::HeapAllocations,
    in_flight::{Dependency, InFlight},
    kind::DiagnosticKind,
    layouts::collisions::Collisions,
    linear_map::LinearMap,
    locations::Locations,
    mbarriers::state::Mbarriers,
    shadow::Shadow,
    sites::Sites,
    unreleased::{ReleasedMaps, Unreleased},
};
use crate::machine::{Names, Places, observer::Memory};

/// Two instructions at which threads of a block, or lanes of a warp, met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Meeting {
    pub(super) is_of_warp: bool,
    pub(super) instructions: [usize; 2],
}

/// Words read before they were written.
#[derive(Debug, Default)]
pub(super) struct Unwritten {
    /// Diagnostics of the reads of each word.
    pub(super) words: HashMap<(Memory, u64), Vec<usize>>,
    /// A race that was found later, for such a diagnostic.
    pub(super) raced: HashMap<usize, usize>,
    /// Instructions that read them without following the values.
    pub(super) lost: HashSet<usize>,
}

/// Checker of one launch.
#[derive(Debug)]
pub(crate) struct Checker {
    pub(super) grid: Grid,
    pub(super) shared_names: Names,
    pub(super) global_names: Names,
    pub(super) shadow: Shadow,
    pub(super) fresh: HeapAllocations,
    pub(super) copies: Copies,
    pub(super) collisions: Collisions,
    pub(super) mbarriers: Mbarriers,
    pub(super) meetings: Vec<Meeting>,
    pub(super) locations: Locations,
    /// Number of releases by strong accesses so far.
    pub(super) releases: u64,
    /// Instructions that were executed as `fence.proxy.async`.
    pub(super) proxy_fences: HashSet<usize>,
    pub(super) sites: Sites,
    pub(super) found: Vec<Finding>,
    /// Index into `found` by kind and the two instructions.
    pub(super) known: HashMap<(DiagnosticKind, usize, usize), usize>,
    pub(super) unwritten: Unwritten,
    /// Also report lanes that store the same value by one instruction, and reads of uninitialised memory with
    /// values that are never used.
    pub(super) is_strict: bool,
    /// Bytes of tensor maps that earlier launches wrote and did not release.
    pub(super) unreleased: Unreleased,
    pub(super) released_maps: ReleasedMaps,
    /// Earlier launches that may still run.
    pub(super) in_flight: InFlight,
    pub(super) dependency: Dependency,
    pub(crate) printed: String,
}

impl Checker {
    /// Creates the checker of a launch. `unreleased` is what earlier launches [left](Self::unreleased);
    /// `in_flight` are launches that [may still run](Self::leave_in_flight).
    pub(crate) fn new(
        places: Places,
        [shared_names, global_names]: [Names; 2],
        (unreleased, in_flight): (Unreleased, InFlight),
        is_strict: bool,
    ) -> Self {
        let extents = Extents {
            threads: places.threads().max(1),
            grid: places.grid,
            cluster: places.cluster,
        };
        let shadow = Shadow::of_blocks(extents.threads);
        Self {
            grid: Grid {
                extents,
                blocks: LinearMap::default(),
                cluster_barriers: Default::default(),
                memos: Default::default(),
            },
            shared_names,
            global_names,
            shadow,
            fresh: HeapAllocations::default(),
            copies: Copies::default(),
            collisions: Collisions::default(),
            mbarriers: Mbarriers::default(),
            meetings: Vec::new(),
            locations: Locations::default(),
            releases: 0,
            proxy_fences: HashSet::new(),
            sites: Sites::default(),
            found: Vec::new(),
            known: HashMap::new(),
            unwritten: Unwritten::default(),
            is_strict,
            unreleased,
            released_maps: ReleasedMaps::default(),
            in_flight,
            dependency: Dependency::default(),
            printed: String::new(),
        }
    }
}
