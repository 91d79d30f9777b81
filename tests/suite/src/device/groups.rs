use bytemuck::NoUninit;
use tests_device as kernels;
use tma_launch::{Buffer, BufferRef, Call, Launch, Shape};

use super::{compared, launched};
use crate::Scenario;

const WARP: u32 = 32;

pub(super) fn cases() -> Vec<Scenario> {
    let mut cases = shuffles();
    cases.push(votes());
    cases.extend([32, 96].map(warp_reductions));
    cases.extend([32, 96, 1024].map(block_reductions));
    cases.extend([64, 96, 1024].map(groups_of_block));
    cases.extend([1, 2, 4, 8].map(groups_of_cluster));
    cases.push(warpgroups_of_roles());
    cases
}

/// Returns a number that differs in all bits from one index to the next.
fn number(index: u32) -> u32 {
    (index + 1)
        .wrapping_mul(0x9e37_79b9)
        .rotate_left(index % 32)
}

fn shuffles() -> Vec<Scenario> {
    let mut cases = Vec::new();
    // Numbers beyond 31 count modulo 32.
    for by in [0, 1, 5, 16, 31, 33] {
        let u8s = |i| number(i) as u8;
        let i16s = |i| number(i) as i16;
        let f32s = |i| number(i) as f32 - 2e9;
        let u64s = |i| u64::from(number(i)) << 32 | u64::from(number(i + 500));
        let f64s = |i| f64::from(number(i)) / -3.0;
        cases.extend([
            shuffle(kernels::shuffles, by, u8s),
            shuffle(kernels::shuffles, by, i16s),
            shuffle(kernels::shuffles, by, f32s),
            shuffle(kernels::shuffles, by, u64s),
            shuffle(kernels::shuffles, by, f64s),
            shuffle(kernels::shuffles_of_arrays, by, |i| {
                [number(i), number(i + 500), number(i + 1000)]
            }),
            shuffle(kernels::shuffles_of_pairs, by, |i| {
                [number(i), (i as f32 - 20.5).to_bits()]
            }),
            shuffle(kernels::shuffles_of_bools, by, |i| {
                (number(i) >> 7) as u8 & 1
            }),
        ]);
    }
    cases
}

fn shuffle<T: NoUninit>(
    kernel: impl Fn(BufferRef<[T; 4]>, BufferRef<T>, u32) -> Call<'static>,
    by: u32,
    value: impl Fn(u32) -> T,
) -> Scenario {
    const THREADS: u32 = 96;
    let call = kernel(BufferRef::new(0), BufferRef::new(1), by);
    let name = format!("{}_by_{by}", call.entry());
    let by = by % WARP;
    let values: Vec<T> = (0..THREADS).map(value).collect();
    let expected: Vec<T> = (0..THREADS)
        .flat_map(|thread| {
            let (first, lane) = (thread / WARP * WARP, thread % WARP);
            let below = if lane < by { lane } else { lane - by };
            let above = if lane + by < WARP { lane + by } else { lane };
            [by, lane ^ by, below, above].map(|lane| values[(first + lane) as usize])
        })
        .collect();
    let input = Buffer::new("values", &values);
    let launch = launched(call, Shape::new(1, THREADS));
    compared(&name, &expected, vec![input], launch)
}

fn votes() -> Scenario {
    // A warp with only true values, one without any, one with some, and one with a single true value.
    let predicate = |thread: u32| match thread / WARP {
        0 => true,
        1 => false,
        2 => thread.is_multiple_of(3),
        _ => thread == 127,
    };
    let numbers: Vec<u32> = (0..128).map(|i| 6 * u32::from(predicate(i))).collect();
    let of_warp = |warp: u32| {
        let yes: Vec<u32> = (0..WARP).filter(|i| predicate(warp * WARP + i)).collect();
        let mask = yes.iter().fold(0, |mask, lane| mask | 1 << lane);
        [mask, u32::from(yes.len() == 32), u32::from(!yes.is_empty())]
    };
    let expected: Vec<[u32; 3]> = (0..128).map(|i| of_warp(i / WARP)).collect();
    let call = kernels::votes(BufferRef::new(0), BufferRef::new(1));
    let launch = launched(call, Shape::new(1, 128));
    let input = Buffer::new("numbers", &numbers);
    compared("votes", &expected, vec![input], launch)
}

/// Adds up in pairs of lanes 16, 8, 4, 2 and 1 apart.
fn reduced<T: Copy>(mut values: Vec<T>, combine: impl Fn(T, T) -> T) -> Vec<T> {
    for distance in [16, 8, 4, 2, 1] {
        let other = |lane: usize| values[lane ^ distance];
        values = (0..32).map(|i| combine(values[i], other(i))).collect();
    }
    values
}

/// The values up to each lane, the first one first.
fn scanned<T: Copy>(values: &[T], combine: impl Fn(T, T) -> T) -> Vec<T> {
    let up_to = |lane: usize| values[..=lane].iter().copied().reduce(&combine);
    (0..values.len()).filter_map(up_to).collect()
}

/// Repeats a step of `a * x + b`.
fn composed([a, b]: [u32; 2], [c, d]: [u32; 2]) -> [u32; 2] {
    let slope = a.wrapping_mul(c);
    [slope, b.wrapping_mul(c).wrapping_add(d)]
}

fn warp_reductions(threads: u32) -> Scenario {
    let numbers: Vec<u32> = (0..threads).map(number).collect();
    let mut expected = Vec::new();
    for warp in numbers.chunks(32) {
        let real: Vec<f32> = warp.iter().map(|number| *number as f32).collect();
        let signed: Vec<i32> = warp.iter().map(|number| *number as i32).collect();
        let steps: Vec<[u32; 2]> = warp.iter().map(|n| [n | 1, n >> 7]).collect();
        let sums = reduced(warp.to_vec(), u32::wrapping_add);
        let most = reduced(signed.clone(), i32::max);
        let reals = reduced(real, |a, b| a + b);
        let composition = reduced(steps.clone(), composed);
        let scans = (
            scanned(warp, u32::wrapping_add),
            scanned(&signed, i32::max),
            // Sums of these are exact, in any order.
            scanned(
                &warp.iter().map(|n| (n & 0xffff) as f32).collect::<Vec<_>>(),
                |a, b| a + b,
            ),
            scanned(&steps, composed),
        );
        for lane in 0..32 {
            expected.extend([
                sums[lane],
                most[lane] as u32,
                reals[lane].to_bits(),
                composition[lane][0],
                composition[lane][1],
                scans.0[lane],
                scans.1[lane] as u32,
                scans.2[lane].to_bits(),
                scans.3[lane][0],
                scans.3[lane][1],
            ]);
        }
    }
    let call = kernels::warp_reductions(BufferRef::new(0), BufferRef::new(1));
    let launch = launched(call, Shape::new(1, threads));
    let name = format!("warp_reductions_of_{threads}");
    let input = Buffer::new("numbers", &numbers);
    compared(&name, &expected, vec![input], launch)
}

fn block_reductions(threads: u32) -> Scenario {
    const BLOCKS: u32 = 2;
    let numbers: Vec<u32> = (0..BLOCKS * threads).map(number).collect();
    let mut expected: Vec<u32> = Vec::new();
    for block in numbers.chunks(threads as usize) {
        let sum = block.iter().fold(0, |a: u32, b| a.wrapping_add(*b));
        let other = block.iter().fold(0, |a: u32, b| a.wrapping_add(b ^ sum));
        let quarters: f64 = block.iter().map(|number| f64::from(*number) / 4.0).sum();
        let quarters = quarters.to_bits();
        let largest = (0..).zip(block).map(|(thread, number)| (*number, thread));
        let (most, thread) = largest.max().unwrap_or_default();
        let least = |of: fn(u32) -> u32| block.iter().map(|n| of(*n)).min().unwrap_or_default();
        let results = [
            sum,
            other,
            quarters as u32,
            (quarters >> 32) as u32,
            most,
            thread,
            least(|number| number),
            least(|number| !number),
            least(|number| number << 9),
            least(|number| number ^ 0x5555),
        ];
        expected.extend(results.repeat(threads as usize));
    }
    let call = kernels::block_reductions(BufferRef::new(0), BufferRef::new(1));
    let launch = launched(call, Shape::new(BLOCKS, threads));
    let name = format!("block_reductions_of_{threads}");
    let input = Buffer::new("numbers", &numbers);
    compared(&name, &expected, vec![input], launch)
}

fn groups_of_block(threads: u32) -> Scenario {
    let mut expected: Vec<[u32; 6]> = Vec::new();
    for thread in 0..threads {
        let warp = thread / WARP;
        // The threads from `first` on, with numbers that are `times` the block's.
        let of = |first: u32, count: u32, times: u32| {
            let own = thread - first;
            let behind = first + (own + 1) % count;
            let elected = u32::from(first / WARP == warp);
            [own, count, elected, 1, times * (1000 + behind), warp]
        };
        let part = match warp {
            0 => of(0, WARP, 3),
            _ => of(WARP, threads - WARP, 3),
        };
        expected.extend([of(0, threads, 1), of(warp * WARP, WARP, 2), part]);
    }
    let call = kernels::groups_of_block(BufferRef::new(0));
    let launch = launched(call, Shape::new(1, threads));
    let name = format!("groups_of_{threads}");
    compared(&name, &expected, Vec::new(), launch)
}

fn groups_of_cluster(blocks: u32) -> Scenario {
    const GRID: u32 = 16;
    let mut expected: Vec<[u32; 3]> = Vec::new();
    for block in 0..GRID {
        let rank = block % blocks;
        let behind = block - rank + (rank + 1) % blocks;
        expected.extend([[rank, blocks, 7 * behind + GRID]; 64]);
    }
    let call = kernels::groups_of_cluster(BufferRef::new(0), BufferRef::new(1));
    let launch: Launch = launched(call, Shape::new(GRID, 64).cluster(blocks));
    let name = format!("groups_of_clusters_of_{blocks}");
    let numbers = Buffer::zeroed::<u32>("numbers", GRID as usize);
    compared(&name, &expected, vec![numbers], launch)
}

/// Both roles synchronise their warpgroup, each at its own barrier.
fn warpgroups_of_roles() -> Scenario {
    const ROUNDS: u32 = 5;
    let next = |thread: u32| thread / 128 * 128 + (thread + 1) % 128;
    let expected: Vec<u32> = (0..256).map(|i| 1000 * (ROUNDS - 1) + next(i)).collect();
    let call = kernels::warpgroups_of_roles(BufferRef::new(0), ROUNDS);
    let launch = launched(call, Shape::new(1, 256));
    compared("warpgroups_of_roles", &expected, Vec::new(), launch)
}
