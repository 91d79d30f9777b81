//! The state of a launch before a step.

use serde::{Serialize, Serializer};
use tma_emulator::{
    Location,
    observer::{BoxLayout, CopyState, LanesAt, MbarrierState, Memory, View},
};

use super::Tile;
use crate::json::hex;

/// The state before a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct State {
    /// Number of the launch in its file.
    pub launch: usize,
    /// Number of the block whose lanes are about to run.
    pub block: u64,
    /// Number of the warp in its block.
    pub warp: u32,
    /// The lanes, one bit for each.
    pub lanes: u32,
    /// Line of the instruction in the PTX text.
    pub line: usize,
    /// File and line in the source, if the PTX has them.
    pub source: Option<(String, u32)>,
    /// Location of the instruction.
    #[serde(skip)]
    pub location: Location,
    /// Opcode of the instruction.
    pub opcode: String,
    /// True if the lanes go on with an instruction in which they waited.
    pub resumes: bool,
    /// Positions of each warp of the block; a warp that has ended has none.
    pub warps: Vec<Vec<At>>,
    /// Registers of the warp that was chosen, or of the running one.
    pub registers: Vec<Register>,
    /// The mbarriers of all running blocks.
    pub mbarriers: Vec<Mbarrier>,
    /// The copies in flight of all running blocks.
    pub copies: Vec<Copy>,
    /// Address of the first byte of `shared`.
    pub shared_start: u64,
    /// Shared memory of the block.
    #[serde(serialize_with = "digits")]
    pub shared: Vec<u8>,
    /// The boxes of tensor copies in it.
    pub tiles: Vec<Tile>,
}

/// Lanes of a warp that are at one instruction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct At {
    /// The lanes, one bit for each.
    pub lanes: u32,
    /// Line in the PTX text.
    pub line: usize,
    /// The wait that the lanes are in.
    pub pause: Option<String>,
}

/// A register of a warp.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Register {
    /// Name in the PTX text.
    pub name: String,
    /// Declared type, as in `b32`.
    #[serde(rename = "type")]
    pub ty: String,
    /// Bits of each lane.
    #[serde(serialize_with = "words")]
    pub lanes: [u64; 32],
}

/// An mbarrier.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Mbarrier {
    /// Number of its block.
    pub block: u64,
    /// Address in the block's shared memory.
    pub address: u64,
    /// Name in messages.
    pub name: String,
    /// Number of completed phases.
    pub phase: u64,
    /// Arrivals that each phase expects.
    pub expected: u32,
    /// Arrivals that the current phase still expects.
    pub pending: u32,
    /// Expected bytes of the current phase that have not come.
    pub pending_bytes: i64,
}

/// A copy in flight.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Copy {
    /// Number of the copy in its launch.
    pub copy: u64,
    /// Line of the instruction that issued the copy.
    pub line: usize,
    /// Number of the block that issued the copy.
    pub block: u64,
    /// Number of the thread that issued the copy.
    pub thread: u32,
    /// Bytes that are not read yet.
    pub unread_bytes: u64,
    /// Bytes that are read and not written yet.
    pub unwritten_bytes: u64,
    /// The destination of the bytes that have not come.
    pub to: Option<String>,
}

impl State {
    pub(super) fn of(
        view: &View<'_>,
        (launch, chosen): (usize, Option<u32>),
        boxes: &[BoxLayout],
    ) -> Self {
        let block = view.block();
        let location = view.location(view.instruction());
        let at = |at: &LanesAt| At {
            lanes: at.lanes,
            line: view.location(at.instruction).line,
            pause: at.pause.map(|pause| pause.to_string()),
        };
        let warps = view.warps(block);
        let registers = view.registers(block, chosen.unwrap_or(view.warp()));
        let mbarriers = view.blocks().into_iter().flat_map(|block| {
            let mbarriers = view.mbarriers(block).into_iter();
            mbarriers.map(move |it| mbarrier(block, it))
        });
        let (shared_start, shared) = view.shared(block);
        let tiles = boxes.iter().filter_map(|layout| {
            let start = layout.address.checked_sub(shared_start)?;
            Tile::of(layout, shared.get(start as usize..)?)
        });
        Self {
            launch,
            block,
            warp: view.warp(),
            lanes: view.lanes(),
            line: location.line,
            source: location.source.clone(),
            location,
            opcode: view.opcode(view.instruction()).to_owned(),
            resumes: view.resumes(),
            registers: registers.iter().map(register).collect(),
            warps: warps
                .iter()
                .map(|warp| warp.iter().map(at).collect())
                .collect(),
            mbarriers: mbarriers.collect(),
            copies: view.copies().into_iter().map(|it| copy(view, it)).collect(),
            shared_start,
            tiles: tiles.collect(),
            shared: shared.to_vec(),
        }
    }
}

fn register(register: &tma_emulator::observer::Register<'_>) -> Register {
    Register {
        name: register.name.to_owned(),
        ty: format!("{:?}", register.ty).to_lowercase(),
        lanes: register.lanes,
    }
}

fn mbarrier(block: u64, mbarrier: MbarrierState) -> Mbarrier {
    Mbarrier {
        block,
        address: mbarrier.address,
        name: mbarrier.name,
        phase: mbarrier.phase,
        expected: mbarrier.expected,
        pending: mbarrier.pending,
        pending_bytes: mbarrier.pending_bytes,
    }
}

fn copy(view: &View<'_>, copy: CopyState) -> Copy {
    Copy {
        copy: copy.copy,
        line: view.location(copy.origin.instruction).line,
        block: copy.origin.block,
        thread: copy.origin.thread,
        unread_bytes: copy.unread_bytes,
        unwritten_bytes: copy.unwritten_bytes,
        to: copy.to.map(|to| match to.memory {
            Memory::Shared { block } => {
                format!("shared memory of block {block} at {:#x}", to.address)
            }
            _ => format!("global memory at {:#x}", to.address),
        }),
    }
}

fn digits<S: Serializer>(bytes: &[u8], to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&hex(bytes))
}

/// JSON has no integers of 64 bits.
fn words<S: Serializer>(lanes: &[u64; 32], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(lanes.iter().map(|bits| format!("{bits:x}")))
}
