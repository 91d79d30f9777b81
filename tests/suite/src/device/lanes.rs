use tma_launch::Launch;

use super::writes;
use crate::Scenario;

const WARP: u32 = 32;

pub(super) fn cases() -> Vec<Scenario> {
    let lanes = |threads: u32| {
        let expected: Vec<u32> = (0..threads)
            .flat_map(|thread| in_lane(thread, threads))
            .collect();
        writes(
            &format!("lanes_of_{threads}"),
            Launch::new("lanes", 1, threads).buffer(0),
            &expected,
        )
    };
    let halves: Vec<u32> = (0..128)
        .map(|thread| {
            let opposite = thread / 64 * 64 + 63 - thread % 64;
            1000 * opposite + 127 - thread
        })
        .collect();
    let halves = writes(
        "half_barriers",
        Launch::new("half_barriers", 1, 128).buffer(0),
        &halves,
    );
    vec![lanes(32), lanes(96), halves]
}

/// The numbers that the kernel writes for one thread of a block of whole warps.
fn in_lane(thread: u32, threads: u32) -> [u32; 11] {
    let (lane, first) = (thread % WARP, thread / WARP * WARP);
    let value = |lane: u32| 100 * (first + lane);
    let warp = || first..(first + WARP).min(threads);
    let every_third = (0..WARP)
        .filter(|lane| lane % 3 == 0)
        .fold(0, |mask, lane| mask | 1 << lane);
    let in_first_warp = u32::from(first == 0);
    [
        lane,
        value(5),
        value(31 - lane),
        value(lane.saturating_sub(1)),
        value(if lane + 2 < WARP { lane + 2 } else { lane }),
        value(lane ^ 3),
        every_third,
        u32::from(warp().all(|thread| thread < 33)),
        u32::from(warp().any(|thread| thread == 31)),
        in_first_warp,
        in_first_warp,
    ]
}
