//! The stamps of a pipeline on the emulator.

use host_examples::TRACED;
use kernels_gpu::add_one_ring::add_one_ring;
use tma_host::{Device, Module, Rings, StampKind, StampRole, WarpStamps};

const STAGES: u32 = 3;
/// A warp that loads and two that work, which have 32 bytes each of a chunk.
const THREADS: u32 = 96;
const CHUNK_BYTES: usize = 64 * 32;
const BLOCKS: u32 = 2;
/// The last one is shorter.
const CHUNKS: usize = 14;
const BYTES: usize = 13 * CHUNK_BYTES + 48;

/// Adds one and checks the result; returns the stamps and the timeline.
fn traced(module: &Module, stamps: u32) -> (Vec<WarpStamps>, String) {
    let device = module.device();
    let numbers: Vec<u32> = (0..BYTES as u32 / 4).map(|index| index * index).collect();
    let source = device
        .upload(bytemuck::cast_slice::<u32, u8>(&numbers))
        .unwrap();
    let target = device.zeroed::<u8>(BYTES).unwrap();
    let counter = device.zeroed::<u32>(1).unwrap();
    let rings = Rings {
        blocks: BLOCKS,
        warps: THREADS / 32,
        stamps,
    };
    let timeline = module.timeline(rings).unwrap();
    let call = add_one_ring(STAGES, &target, &source, BYTES as u64, &counter);
    // SAFETY: the call is of this kernel, which stays in the buffers; they are read, which waits for the launch.
    unsafe { module.launch((BLOCKS, THREADS), call) }.unwrap();
    let more: Vec<u32> = numbers.iter().map(|number| number + 1).collect();
    assert_eq!(
        target.read().unwrap(),
        bytemuck::cast_slice::<u32, u8>(&more)
    );
    (timeline.read().unwrap(), timeline.to_json().unwrap())
}

fn module(seed: u64) -> Module {
    Device::emulator(seed).load("traced.ptx", TRACED).unwrap()
}

/// Kinds and visits, in order.
fn did(warp: &WarpStamps) -> Vec<(StampKind, u32)> {
    warp.stamps
        .iter()
        .map(|stamp| (stamp.kind, stamp.visit))
        .collect()
}

/// The clock of a stamp.
fn at(warp: &WarpStamps, kind: StampKind, visit: u32) -> Option<u32> {
    let mut stamps = warp.stamps.iter();
    let stamp = stamps.find(|stamp| (stamp.kind, stamp.visit) == (kind, visit))?;
    Some(warp.began.1 + stamp.cycles)
}

#[test]
fn every_warp_stamps_what_it_does_in_order() {
    use StampKind::{Acquired, Full, Issued, Stored};
    for seed in 0..4 {
        let (warps, _) = traced(&module(seed), 64);
        // The producer warp, and the consumer warp that issues the stores.
        assert_eq!(warps.len(), 2 * BLOCKS as usize, "seed {seed}");
        let mut chunks = 0;
        for block in warps.chunk_by(|a, b| a.block == b.block) {
            let [fill, store] = block else {
                panic!("{} warps", block.len());
            };
            assert_eq!([fill.warp, store.warp], [0, 1]);
            assert_eq!(
                [fill.role, store.role],
                [StampRole::Fills, StampRole::Drains]
            );
            let is_whole = |warp: &WarpStamps| warp.stages == STAGES && warp.ended.is_some();
            assert!(block.iter().all(is_whole));
            let issued = fill.stamps.iter().filter(|stamp| stamp.kind == Issued);
            let visits = issued.count() as u32;
            let of = |kinds: [StampKind; 2]| {
                let all = (0..visits).flat_map(move |visit| kinds.map(|kind| (kind, visit)));
                all.collect::<Vec<_>>()
            };
            assert_eq!(did(fill), of([Acquired, Issued]));
            assert_eq!(did(store), of([Full, Stored]));
            for visit in 0..visits {
                // A phase is complete after the copy that it counts was issued, and a stage is loaded again after
                // the store from it was read, which is seen when the next one has been issued.
                let full = at(store, Full, visit);
                assert!(at(fill, Issued, visit) < full, "seed {seed}, visit {visit}");
                if let Some(acquired) = at(fill, Acquired, visit + STAGES) {
                    let next = at(store, Stored, visit + 1).unwrap();
                    assert!(next < acquired, "seed {seed}, visit {visit}");
                }
            }
            chunks += visits as usize;
        }
        assert_eq!(chunks, CHUNKS, "seed {seed}");
        let amount = |kind| {
            let stamps = warps.iter().flat_map(|warp| &warp.stamps);
            let of_kind = stamps.filter(move |stamp| stamp.kind == kind);
            of_kind.map(|stamp| stamp.amount as usize).sum::<usize>()
        };
        assert_eq!(amount(Issued), BYTES, "seed {seed}");
    }
}

#[test]
fn the_timeline_has_each_copy_and_each_phase() {
    let (warps, json) = traced(&module(0), 64);
    let count = |text: &str| json.matches(text).count();
    assert_eq!(count(r#""ph":"b""#), CHUNKS);
    assert_eq!(count(r#""ph":"e""#), CHUNKS);
    assert_eq!(count(r#""ph":"f""#), CHUNKS);
    assert_eq!(
        count(r#""name":"2048 bytes, global to shared""#),
        2 * (CHUNKS - 1)
    );
    // Loads and stores.
    assert_eq!(count(r#""name":"issue a copy""#), 2 * CHUNKS);
    let fills = warps.iter().filter(|warp| warp.role == StampRole::Fills);
    let acquired = fills
        .flat_map(|warp| &warp.stamps)
        .filter(|stamp| stamp.kind == StampKind::Acquired);
    // The full barriers have a phase for each chunk, the empty ones only the phases that were waited for.
    let again = acquired.filter(|stamp| stamp.visit >= STAGES).count();
    let phases = count(r#""name":"phase "#) - count(r#""name":"phase is complete""#);
    assert_eq!(phases, CHUNKS + again);
    assert_eq!(count(r#""name":"process_name""#), BLOCKS as usize);
}

#[test]
fn a_ring_that_is_full_keeps_the_last_stamps() {
    let (all, _) = traced(&module(1), 64);
    let (last, _) = traced(&module(1), 8);
    for (all, last) in all.iter().zip(&last) {
        // Four visits of two stamps.
        let visits = all.stamps.last().unwrap().visit;
        let kept = did(all).into_iter().filter(|(_, visit)| visit + 4 > visits);
        assert_eq!(did(last), kept.collect::<Vec<_>>());
    }
}

#[test]
fn rings_and_modules_are_checked() {
    let module = module(0);
    let rings = |stamps| Rings {
        blocks: 1,
        warps: 1,
        stamps,
    };
    let error = module.timeline(rings(100)).unwrap_err().to_string();
    assert!(
        error.contains("a ring size of 100 stamps") && error.contains("use 128"),
        "{error}"
    );
    assert!(module.timeline(rings(2)).is_err());
    let plain = host_examples::load(&Device::emulator(0)).unwrap();
    let error = plain.timeline(rings(8)).unwrap_err().to_string();
    assert!(error.contains("PtxBuilder::trace"), "{error}");
}
