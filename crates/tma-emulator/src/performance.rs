//! Counts of the memory accesses of a kernel that cost time on a GPU, by line of the source, from one run.
//!
//! A [`Performance`] is an [`Observer`]. The addresses of each lane decide the bank conflicts of accesses to shared
//! memory, the sectors of requests to global memory, and those of bulk and tensor copies. The counts are of the PTX
//! instructions; ptxas may merge or split some of them. The page `docs/performance-lint.md` has the rules.

mod banks;
mod copies;
mod counts;
mod flight;
mod occupancy;
mod products;
mod report;
mod sectors;
mod text;
mod warp_access;

use std::collections::BTreeMap;

use tma_launch::Shape;

use crate::{
    machine::{
        Fault, Program,
        observer::{
            AccessKind, Accesses, CopyCompletion, Event, MbarrierEvent, Memory, Observer,
            OrdinaryAccess, Origin, Proxy, Range, Turn,
        },
    },
    value::{LANES, lanes_of},
};
use banks::wavefronts;
use copies::Copies;
pub use counts::{CopyCounts, FlightCounts, GlobalCounts, ProductCounts, SharedCounts};
use flight::InFlight;
pub use occupancy::{ByPtxas, Occupancy};
use products::Products;
use report::Lines;
pub use report::{Line, PerformanceReport};
use sectors::sectors;
use warp_access::WarpAccess;

/// Counts the accesses of launches; [`finish`](Self::finish) returns the counts by line.
///
/// ```
/// use tma_emulator::{EmulatorBackend, Performance};
/// use tma_launch::{Job, Launch, Ptx};
///
/// // Each of 32 threads writes the first word of a row of 128 bytes, so that all words are in one bank.
/// let text = "
/// .version 8.0
/// .target sm_90a
/// .address_size 64
/// .visible .entry column()
/// {
///     .shared .align 128 .b8 tile[4096];
///     .reg .b32 %r<4>;
///     mov.u32 %r1, %tid.x;
///     mov.u32 %r2, tile;
///     mad.lo.u32 %r3, %r1, 128, %r2;
///     st.shared.u32 [%r3], %r1;
///     ret;
/// }";
/// let mut job = Job::new(Ptx { name: "column.ptx", text });
/// job.launch(Launch::new("column", 1, 32));
/// let mut performance = Performance::default();
/// EmulatorBackend::new(0).observe(&mut job, &mut performance)?;
/// let report = performance.finish();
/// let store = report.shared[0].counts;
/// assert_eq!((store.requests, store.wavefronts, store.ideal), (1, 32, 1));
/// # Ok::<(), tma_launch::Failure>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Performance {
    launch: Option<Launch>,
    shared: Lines<SharedCounts>,
    global: Lines<GlobalCounts>,
    copies: Lines<CopyCounts>,
    products: Lines<ProductCounts>,
    flights: Lines<FlightCounts>,
    /// Registers and barriers, by module and kernel.
    by_ptxas: BTreeMap<(String, String), ByPtxas>,
    /// Each one once, in the order of the launches.
    occupancy: Vec<Occupancy>,
}

/// The running kernel.
#[derive(Clone, Debug)]
struct Launch {
    program: Program,
    /// By instruction.
    families: Vec<Family>,
    shape: Shape,
    request: Option<Request>,
    shared: BTreeMap<usize, SharedCounts>,
    global: BTreeMap<usize, GlobalCounts>,
    copies: Copies,
    in_flight: InFlight,
    products: Products,
}

/// The accesses of a warp by the instruction that it executes now.
#[derive(Clone, Debug)]
struct Request {
    block: u64,
    warp: u32,
    instruction: usize,
    shared: WarpAccess,
    global: WarpAccess,
}

/// How an instruction accesses memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    /// One access of each lane.
    Lanes,
    /// `cp.async`, which accesses memory as the lanes do.
    LaneCopies,
    /// Bulk and tensor copies from or to global memory.
    Bulk,
    /// Accesses that are not counted: textures, surfaces, `wmma`, asynchronous stores, copies within a cluster.
    Other,
}

impl Family {
    fn of(opcode: &str) -> Self {
        let mut parts = opcode.split('.');
        match (parts.next().unwrap_or_default(), parts.next()) {
            ("st" | "red", Some("async" | "bulk")) => Self::Other,
            ("ld" | "ldu" | "st" | "atom" | "red" | "ldmatrix" | "stmatrix", _) => Self::Lanes,
            ("cp", Some("async")) if parts.next() != Some("bulk") => Self::LaneCopies,
            ("cp", Some("async" | "reduce")) if parts.any(|part| part == "global") => Self::Bulk,
            _ => Self::Other,
        }
    }
}

impl Performance {
    /// Sets registers and barriers, which ptxas reports, by the names of the module and the kernel.
    #[must_use]
    pub fn with_ptxas(mut self, by_ptxas: BTreeMap<(String, String), ByPtxas>) -> Self {
        self.by_ptxas = by_ptxas;
        self
    }

    /// Returns the counts of all launches so far.
    pub fn finish(mut self) -> PerformanceReport {
        self.close();
        PerformanceReport {
            shared: self.shared.finish(),
            global: self.global.finish(),
            copies: self.copies.finish(),
            products: self.products.finish(),
            flights: self.flights.finish(),
            occupancy: self.occupancy,
        }
    }

    /// Adds the counts of the launch to those of its lines.
    fn close(&mut self) {
        let Some(mut launch) = self.launch.take() else {
            return;
        };
        launch.end_instruction();
        let program = &launch.program;
        self.shared.extend(program, &launch.shared);
        self.global.extend(program, &launch.global);
        self.copies.extend(program, &launch.copies.by_instruction);
        self.products
            .extend(program, &launch.products.by_instruction);
        let occupancy = launch.occupancy(&self.by_ptxas);
        if let Some((block_bytes, instruction)) = launch.in_flight.most {
            let (stages, filled) = launch.in_flight.longest_pipeline();
            let flight = FlightCounts {
                block_bytes,
                resident_blocks: occupancy.blocks().into(),
                stages,
                filled,
            };
            self.flights.add(program, instruction, &flight);
        }
        if !self.occupancy.contains(&occupancy) {
            self.occupancy.push(occupancy);
        }
    }
}

impl Launch {
    /// Counts the accesses of the instruction that has ended.
    fn end_instruction(&mut self) {
        self.copies.finish();
        if let Some(request) = self.request.take() {
            self.count(request.instruction, &request.shared, &request.global);
        }
    }

    fn count(&mut self, instruction: usize, shared: &WarpAccess, global: &WarpAccess) {
        if shared.lanes != 0 {
            let counted = wavefronts(shared);
            let all = self.shared.entry(instruction).or_default();
            all.requests += 1;
            all.wavefronts += counted.count;
            all.ideal += counted.ideal;
            all.ways = all.ways.max(counted.ways);
        }
        if global.lanes != 0 {
            let counted = sectors(global);
            let all = self.global.entry(instruction).or_default();
            all.requests += 1;
            all.sectors += counted.count;
            all.ideal += counted.ideal;
            all.lines += counted.lines;
        }
    }

    fn family(&self, instruction: usize) -> Family {
        let family = self.families.get(instruction);
        family.copied().unwrap_or(Family::Other)
    }

    /// Adds the access of one lane to the request of its warp.
    fn access(&mut self, origin: Origin, range: Range) {
        let (block, warp, instruction) = (origin.block, origin.thread / 32, origin.instruction);
        let belongs = |request: &Request| {
            (request.block, request.warp, request.instruction) == (block, warp, instruction)
        };
        if !self.request.as_ref().is_some_and(belongs) {
            self.end_instruction();
        }
        let request = self.request.get_or_insert_with(|| Request {
            block,
            warp,
            instruction,
            shared: WarpAccess::default(),
            global: WarpAccess::default(),
        });
        let access = match range.memory {
            // The memory of other blocks of the cluster is not reached through the banks here.
            Memory::Shared { block } if block == origin.block => &mut request.shared,
            Memory::Global => &mut request.global,
            _ => return,
        };
        access.add(origin.thread as usize % LANES, range.address, range.bytes);
    }

    fn occupancy(&self, by_ptxas: &BTreeMap<(String, String), ByPtxas>) -> Occupancy {
        let key = [self.program.name(), self.program.kernel()]
            .map(str::to_owned)
            .into();
        Occupancy {
            threads: self.shape.block.count(),
            shared_bytes: self.program.static_shared_bytes + u64::from(self.shape.shared_bytes),
            by_ptxas: by_ptxas.get(&key).copied(),
            kernel: key.1,
        }
    }
}

impl Observer for Performance {
    fn begin(&mut self, program: &Program, shape: &Shape, _: [u32; 3]) {
        self.close();
        self.launch = Some(Launch {
            program: program.clone(),
            families: (0..program.instructions())
                .map(|instruction| Family::of(program.opcode(instruction)))
                .collect(),
            shape: *shape,
            request: None,
            shared: BTreeMap::new(),
            global: BTreeMap::new(),
            copies: Copies::default(),
            in_flight: InFlight::default(),
            products: Products::default(),
        });
    }

    fn end(&mut self, _: Option<&Fault>) {
        self.close();
    }

    fn turn(&mut self, _: Turn) {
        if let Some(launch) = &mut self.launch {
            launch.end_instruction();
        }
    }

    fn execute(&mut self, _: usize) {
        if let Some(launch) = &mut self.launch {
            launch.end_instruction();
        }
    }

    fn keeps_warps_together(&self) -> bool {
        true
    }

    fn see_access(&mut self, origin: Origin, access: OrdinaryAccess) -> u32 {
        if let Some(launch) = &mut self.launch
            && launch.family(origin.instruction) == Family::Lanes
        {
            launch.access(origin, access.range);
        }
        0
    }

    fn see_accesses(&mut self, origin: Origin, accesses: &Accesses) -> [u32; LANES] {
        let Some(launch) = &mut self.launch else {
            return [0; LANES];
        };
        let mut access = WarpAccess {
            lanes: accesses.lanes,
            addresses: accesses.addresses,
            bytes: [0; LANES],
        };
        lanes_of(accesses.lanes).for_each(|lane| access.bytes[lane] = accesses.bytes);
        let nothing = WarpAccess::default();
        match accesses.memory {
            Memory::Shared { block } if block == origin.block => {
                launch.count(origin.instruction, &access, &nothing);
            }
            Memory::Global => launch.count(origin.instruction, &nothing, &access),
            _ => {}
        }
        [0; LANES]
    }

    fn see(&mut self, origin: Origin, event: Event) {
        let Some(launch) = &mut self.launch else {
            return;
        };
        let instruction = origin.instruction;
        match event {
            Event::Access {
                copy: None, range, ..
            } if launch.family(instruction) == Family::Lanes => {
                launch.access(origin, range);
            }
            Event::CopyIssue {
                copy,
                completion,
                bytes,
            } if launch.family(instruction) == Family::Bulk => {
                launch.copies.issue(origin, bytes);
                if let CopyCompletion::Mbarrier(barrier) = completion {
                    launch.in_flight.issue(barrier, copy, bytes, origin);
                }
            }
            Event::CopyPlan {
                proxy, kind, range, ..
            } if proxy != Proxy::TensorMap => match launch.family(instruction) {
                Family::LaneCopies => launch.access(origin, range),
                Family::Bulk if range.memory == Memory::Global => {
                    let writes = kind != AccessKind::Read;
                    launch.copies.global(range.address, range.bytes, writes);
                }
                _ => {}
            },
            Event::CopyBox {
                tile, l2_promotion, ..
            } => launch.copies.tile(&tile, l2_promotion),
            Event::Mbarrier {
                range, operation, ..
            } => match operation {
                MbarrierEvent::CompleteTx {
                    phase,
                    copy: Some(copy),
                    ..
                } => launch.in_flight.arrived(range, copy, phase),
                MbarrierEvent::WaitDone { phase, .. } => launch.in_flight.waited(range, phase),
                _ => {}
            },
            Event::GroupCommit { kind, group } => launch.products.commit(origin, kind, group),
            Event::GroupWait { kind, until, .. } => {
                let (products, program) = (&mut launch.products, &launch.program);
                products.wait(origin, kind, until, program);
            }
            _ => {}
        }
    }

    /// Drops the output, which the checked run has printed.
    fn print(&mut self, _: &str) {}
}
