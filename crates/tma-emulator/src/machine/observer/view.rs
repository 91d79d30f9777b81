//! The state of the machine between two instructions, for observers that step through a kernel.

use ptx::Type;

use super::{Memory, Origin, Pause, Range};
use crate::{
    machine::{
        Completion, Cta, Group, Here, Location, Mbarrier, Piece, Program, Target, Transfer, Wait,
        Warp, World,
    },
    value::LANES,
};

/// The state of a running kernel, before lanes of a warp execute an instruction.
#[derive(Clone, Copy)]
pub struct View<'a> {
    world: &'a World,
    program: &'a Program,
    /// The running lanes and their warp, which are apart from the world during a turn.
    here: Here,
    warp: &'a Warp,
    group: &'a Group,
    findings: usize,
}

/// Lanes of a warp that are at one instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LanesAt {
    /// Mask of the lanes.
    pub lanes: u32,
    /// Index of the instruction.
    pub instruction: usize,
    /// The wait that the lanes are in.
    pub pause: Option<Pause>,
}

/// A register of a warp.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Register<'a> {
    /// Name in the PTX text.
    pub name: &'a str,
    /// Declared type.
    pub ty: Type,
    /// Bits of each lane.
    pub lanes: [u64; LANES],
}

/// An mbarrier object in shared memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MbarrierState {
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CopyState {
    /// The number of the copy, as in [`Event::CopyIssue`](super::Event::CopyIssue).
    pub copy: u64,
    /// The thread and the instruction that issued the copy.
    pub origin: Origin,
    /// Bytes that are not read yet.
    pub unread_bytes: u64,
    /// Bytes that are read and not written yet.
    pub unwritten_bytes: u64,
    /// The destination of the bytes that have not come: the first and the last byte of them.
    pub to: Option<Range>,
    /// The mbarrier that counts the bytes: its block, and its address in the shared memory there.
    pub mbarrier: Option<(u64, u64)>,
}

impl<'a> View<'a> {
    pub(crate) fn new(
        world: &'a World,
        program: &'a Program,
        here: Here,
        warp: &'a Warp,
        group: &'a Group,
    ) -> Self {
        Self {
            world,
            program,
            here,
            warp,
            group,
            findings: 0,
        }
    }

    pub(super) fn with_findings(self, findings: usize) -> Self {
        Self { findings, ..self }
    }

    /// Returns the number of findings before the instruction, if the checker runs beside the observer.
    pub fn findings(&self) -> usize {
        self.findings
    }

    /// Returns the number of the block whose lanes are about to run.
    pub fn block(&self) -> u64 {
        self.world.clusters[self.here.cluster].ctas[self.here.rank].number
    }

    /// Returns the number of the warp in its block.
    pub fn warp(&self) -> u32 {
        self.here.warp as u32
    }

    /// Returns the lanes that are about to run, one bit for each.
    pub fn lanes(&self) -> u32 {
        self.group.mask
    }

    /// Returns the index of the instruction that is about to run.
    pub fn instruction(&self) -> usize {
        self.group.pc
    }

    /// Returns whether the lanes go on with an instruction in which they waited.
    pub fn resumes(&self) -> bool {
        self.group.wait.is_some()
    }

    /// Returns the location of an instruction.
    pub fn location(&self, instruction: usize) -> Location {
        self.program.location(instruction)
    }

    /// Returns the opcode of an instruction.
    pub fn opcode(&self, instruction: usize) -> &'a str {
        self.program.opcode(instruction)
    }

    /// Returns the numbers of the blocks that are running.
    pub fn blocks(&self) -> Vec<u64> {
        let ctas = self.world.clusters.iter().flat_map(|it| &it.ctas);
        ctas.map(|cta| cta.number).collect()
    }

    /// Returns the positions of each warp of a running block; a warp that has ended has none.
    pub fn warps(&self, block: u64) -> Vec<Vec<LanesAt>> {
        let Some(cta) = self.cta(block) else {
            return Vec::new();
        };
        let warps = 0..cta.warps.len();
        warps
            .map(|warp| {
                let running = self.is_running(block, warp).then_some(self.group);
                let groups = self.warp_of(cta, block, warp).groups.iter().chain(running);
                let mut at: Vec<LanesAt> = groups.map(LanesAt::of).collect();
                at.sort_by_key(|at| at.lanes.trailing_zeros());
                at
            })
            .collect()
    }

    /// Returns the registers of a warp's current function that have a name, in the order of their declaration or first
    /// use.
    pub fn registers(&self, block: u64, warp: u32) -> Vec<Register<'a>> {
        let Some(cta) = self.cta(block) else {
            return Vec::new();
        };
        let warp = warp as usize;
        if warp >= cta.warps.len() {
            return Vec::new();
        }
        let state = self.warp_of(cta, block, warp);
        let running = self.is_running(block, warp).then_some(self.group);
        let Some(group) = running.or(state.groups.first()) else {
            return Vec::new();
        };
        let Some(function) = self.program.functions.get(group.function) else {
            return Vec::new();
        };
        let named = function.registers.iter();
        let values = named.filter_map(|(name, slot, ty)| {
            let lanes = *state.registers.get(group.base + slot)?;
            Some(Register {
                name,
                ty: *ty,
                lanes,
            })
        });
        values.collect()
    }

    /// Returns the shared memory of a running block, and the address of its first byte.
    pub fn shared(&self, block: u64) -> (u64, &'a [u8]) {
        let first = self.world.first_shared;
        let bytes = self.cta(block).map_or(&[][..], |cta| &cta.shared[..]);
        (first, bytes.get(first as usize..).unwrap_or(&[]))
    }

    /// Returns the mbarriers of a running block.
    pub fn mbarriers(&self, block: u64) -> Vec<MbarrierState> {
        let Some(cta) = self.cta(block) else {
            return Vec::new();
        };
        let names = self.program.names_in(cta);
        let state = |(offset, mbarrier): (&usize, &Mbarrier)| MbarrierState {
            address: *offset as u64,
            name: names.mbarrier(*offset as u64),
            phase: mbarrier.phase,
            expected: mbarrier.expected,
            pending: mbarrier.pending,
            pending_bytes: mbarrier.tx,
        };
        cta.mbarriers.iter().map(state).collect()
    }

    /// Returns the copies in flight of all running blocks.
    pub fn copies(&self) -> Vec<CopyState> {
        let transfers = self.world.transfers.iter();
        let state = |transfer: &Transfer| {
            let bytes = |pieces: &[Piece]| pieces.iter().map(|piece| piece.bytes as u64).sum();
            let number = |rank: usize| self.number(transfer.here.cluster, rank);
            let pieces = transfer.unread.iter().chain(&transfer.unwritten);
            let ranges = pieces.filter_map(|piece| range(piece, number));
            let to = ranges.reduce(|all, next| {
                let start = all.address.min(next.address);
                let ends = [all, next].map(|it| it.address + u64::from(it.bytes));
                match all.memory == next.memory {
                    true => Range {
                        address: start,
                        bytes: (ends[0].max(ends[1]) - start) as u32,
                        ..all
                    },
                    false => all,
                }
            });
            CopyState {
                copy: transfer.id,
                origin: transfer.origin,
                unread_bytes: bytes(&transfer.unread),
                unwritten_bytes: bytes(&transfer.unwritten),
                to,
                mbarrier: match transfer.completion {
                    Completion::Mbarrier { rank, offset } => {
                        number(rank).map(|block| (block, offset as u64))
                    }
                    _ => None,
                },
            }
        };
        transfers.map(state).collect()
    }

    fn cta(&self, block: u64) -> Option<&'a Cta> {
        let mut ctas = self.world.clusters.iter().flat_map(|it| &it.ctas);
        ctas.find(|cta| cta.number == block)
    }

    fn number(&self, cluster: usize, rank: usize) -> Option<u64> {
        let cta = self.world.clusters.get(cluster)?.ctas.get(rank)?;
        Some(cta.number)
    }

    fn is_running(&self, block: u64, warp: usize) -> bool {
        self.block() == block && self.here.warp == warp
    }

    fn warp_of(&self, cta: &'a Cta, block: u64, warp: usize) -> &'a Warp {
        match self.is_running(block, warp) {
            true => self.warp,
            false => &cta.warps[warp],
        }
    }
}

impl LanesAt {
    fn of(group: &Group) -> Self {
        Self {
            lanes: group.mask,
            instruction: group.pc,
            pause: group.wait.as_ref().map(Wait::pause),
        }
    }
}

/// Returns the destination of a piece.
fn range(piece: &Piece, number: impl Fn(usize) -> Option<u64>) -> Option<Range> {
    let (memory, address) = match piece.to {
        Target::Global(address) => (Memory::Global, address),
        Target::Shared(rank, offset) => {
            let block = number(rank)?;
            (Memory::Shared { block }, offset as u64)
        }
    };
    Some(Range {
        memory,
        address,
        bytes: piece.bytes as u32,
    })
}
