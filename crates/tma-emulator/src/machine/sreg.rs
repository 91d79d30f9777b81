//! Special registers. PTX ISA section 10.

use super::{RESERVED_SHARED_END, SHARED_START, World};

/// The value of a special register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Special {
    Tid(usize),
    Ntid(usize),
    Ctaid(usize),
    Nctaid(usize),
    Laneid,
    Warpid,
    Nwarpid,
    Smid,
    Nsmid,
    Gridid,
    /// The index of the lowest lane of the mask, and one past the highest.
    LaneMask(u8),
    Clusterid(usize),
    Nclusterid(usize),
    ClusterCtaid(usize),
    ClusterNctaid(usize),
    ClusterCtarank,
    ClusterNctarank,
    IsExplicitCluster,
    DynamicSmemSize,
    TotalSmemSize,
    AggrSmemSize,
    /// An offset in the part of shared memory that is reserved for the system. 10.29.
    ReservedSmemOffset(u64),
    /// One half of the address of the workspace shared by the blocks of a cooperative launch: the low half if
    /// true. 0 in other launches. Cooperative groups use it for their grid barrier, as compiled by nvcc 13.0.
    Workspace(bool),
    /// Another `%envreg`, which the driver sets; 0 here. 10.25.
    Envreg,
    /// Bits of the counter, and how far they are shifted.
    Clock,
    ClockHi,
    Globaltimer,
    GlobaltimerHi,
}

const EQ: u8 = 0;
const LE: u8 = 1;
const LT: u8 = 2;
const GE: u8 = 3;
const GT: u8 = 4;

impl Special {
    /// Returns the register with this name; vectors have their component in it.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        let name = name.strip_prefix('%')?;
        if let Some((vector, component)) = name.split_once('.') {
            let axis = ["x", "y", "z"].iter().position(|axis| *axis == component)?;
            return Some(match vector {
                "tid" => Self::Tid(axis),
                "ntid" => Self::Ntid(axis),
                "ctaid" => Self::Ctaid(axis),
                "nctaid" => Self::Nctaid(axis),
                "clusterid" => Self::Clusterid(axis),
                "nclusterid" => Self::Nclusterid(axis),
                "cluster_ctaid" => Self::ClusterCtaid(axis),
                "cluster_nctaid" => Self::ClusterNctaid(axis),
                _ => return None,
            });
        }
        Some(match name {
            "laneid" => Self::Laneid,
            "warpid" => Self::Warpid,
            "nwarpid" => Self::Nwarpid,
            "smid" => Self::Smid,
            "nsmid" => Self::Nsmid,
            "gridid" => Self::Gridid,
            "lanemask_eq" => Self::LaneMask(EQ),
            "lanemask_le" => Self::LaneMask(LE),
            "lanemask_lt" => Self::LaneMask(LT),
            "lanemask_ge" => Self::LaneMask(GE),
            "lanemask_gt" => Self::LaneMask(GT),
            "cluster_ctarank" => Self::ClusterCtarank,
            "cluster_nctarank" => Self::ClusterNctarank,
            "is_explicit_cluster" => Self::IsExplicitCluster,
            "dynamic_smem_size" => Self::DynamicSmemSize,
            "total_smem_size" => Self::TotalSmemSize,
            "aggr_smem_size" => Self::AggrSmemSize,
            "reserved_smem_offset_begin" | "reserved_smem_offset_0" | "reserved_smem_offset_1" => {
                Self::ReservedSmemOffset(0)
            }
            "reserved_smem_offset_end" => Self::ReservedSmemOffset(RESERVED_SHARED_END),
            "reserved_smem_offset_cap" => Self::ReservedSmemOffset(SHARED_START),
            "envreg1" => Self::Workspace(false),
            "envreg2" => Self::Workspace(true),
            _ if name.starts_with("envreg") => Self::Envreg,
            "clock" | "clock64" => Self::Clock,
            "clock_hi" => Self::ClockHi,
            "globaltimer" | "globaltimer_lo" => Self::Globaltimer,
            "globaltimer_hi" => Self::GlobaltimerHi,
            _ => return None,
        })
    }

    /// Returns whether it changes while a thread runs.
    pub(crate) fn changes(self) -> bool {
        matches!(
            self,
            Self::Clock | Self::ClockHi | Self::Globaltimer | Self::GlobaltimerHi
        )
    }

    /// Returns whether blocks of a grid have different values.
    pub(crate) fn is_of_block(self) -> bool {
        matches!(
            self,
            Self::Ctaid(_)
                | Self::Smid
                | Self::Clusterid(_)
                | Self::ClusterCtaid(_)
                | Self::ClusterCtarank
        )
    }

    /// Returns the value of a clock after `steps` steps.
    pub(crate) fn time(self, steps: u64) -> u64 {
        match self {
            Self::ClockHi | Self::GlobaltimerHi => steps >> 32,
            _ => steps,
        }
    }

    /// Returns the value for one thread.
    pub(crate) fn value(self, world: &World, id: [u32; 3], rank: u32, thread: u32) -> u64 {
        let places = &world.places;
        let within = |axis: usize| id[axis] % places.cluster[axis].max(1);
        let lane = thread % 32;
        let value = match self {
            Self::Tid(axis) => places.thread(thread)[axis],
            Self::Ntid(axis) => places.block[axis],
            Self::Ctaid(axis) => id[axis],
            Self::Nctaid(axis) => places.grid[axis],
            Self::Laneid => lane,
            Self::Warpid => thread / 32,
            Self::Nwarpid => 64,
            Self::Smid => 0,
            Self::Nsmid => 1,
            Self::Gridid => 1,
            Self::LaneMask(EQ) => 1 << lane,
            Self::LaneMask(LE) => u32::MAX >> (31 - lane),
            Self::LaneMask(LT) => !(u32::MAX << lane),
            Self::LaneMask(GE) => u32::MAX << lane,
            Self::LaneMask(_) => !(u32::MAX >> (31 - lane)),
            Self::Clusterid(axis) => id[axis] / places.cluster[axis].max(1),
            Self::Nclusterid(axis) => places.clusters()[axis],
            Self::ClusterCtaid(axis) => within(axis),
            Self::ClusterNctaid(axis) => places.cluster[axis],
            Self::ClusterCtarank => rank,
            Self::ClusterNctarank => places.cluster_blocks(),
            Self::IsExplicitCluster => u32::from(places.cluster_blocks() > 1),
            Self::DynamicSmemSize => world.dynamic_shared_bytes,
            Self::TotalSmemSize => world.allocated_shared_bytes(),
            Self::AggrSmemSize => world.allocated_shared_bytes() + SHARED_START as u32,
            Self::ReservedSmemOffset(offset) => offset as u32,
            Self::Workspace(true) => world.memory.workspace as u32,
            Self::Workspace(false) => (world.memory.workspace >> 32) as u32,
            Self::Envreg
            | Self::Clock
            | Self::ClockHi
            | Self::Globaltimer
            | Self::GlobaltimerHi => 0,
        };
        u64::from(value)
    }
}
