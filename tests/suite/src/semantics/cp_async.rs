//! The expected results of `cp.async`, thread by thread.

use super::plan::{Plan, UNTOUCHED};

/// Threads of the block.
const LANES: usize = 32;

/// Words of results for each thread.
const PITCH: usize = 8;

/// Words of global memory.
const MEMORY: usize = 4 * (3 * LANES + 2);

/// `cp.async`, its groups and its arrivals.
pub(super) fn plans(text: &str, template: &str) -> Vec<Plan> {
    let plan = match template {
        "small_copies" => copies(text),
        "small_groups" => groups(text),
        _ => arrivals(text),
    };
    vec![plan]
}

/// Words that differ.
fn words(count: usize) -> Vec<u32> {
    (0..count as u32)
        .map(|index| index.wrapping_mul(0x9e37_79b9) | 1)
        .collect()
}

fn with_memory(mut plan: Plan, memory: &[u32]) -> Plan {
    plan.memory = bytemuck::cast_slice(memory).to_vec();
    plan.memory_after.clone_from(&plan.memory);
    plan
}

fn copies(text: &str) -> Plan {
    let operands: Vec<&str> = text.split(", ").collect();
    let bytes: usize = operands[2].parse().unwrap_or_default();
    let limit = operands.get(3).copied().unwrap_or_default();
    let memory = words(MEMORY);
    let before: Vec<u32> = words(LANES * PITCH).iter().map(|word| !word).collect();
    let mut after = before.clone();
    let modulus = match limit {
        "r" => bytes + 1,
        "p" => 2,
        _ => 1,
    };
    for lane in 0..LANES {
        let n = lane % modulus;
        let taken = match limit {
            "r" => n,
            "p" if n != 0 => 0,
            _ => bytes,
        };
        let from: &[u8] = bytemuck::cast_slice(&memory[4 * (3 * lane + 1)..][..4]);
        let to: &mut [u8] = bytemuck::cast_slice_mut(&mut after[lane * PITCH..][..4]);
        to[..bytes].fill(0);
        to[..taken].copy_from_slice(&from[..taken]);
    }
    let mut plan = with_memory(Plan::new(&[modulus as u32], after), &memory);
    plan.out = Some(before);
    plan
}

fn groups(text: &str) -> Plan {
    let what = match text.split(' ').next() {
        Some("cp.async.commit_group") => 0,
        Some("cp.async.wait_group") => 1,
        _ => 2,
    };
    let memory = words(MEMORY);
    let known = if what == 2 { 3 } else { 2 };
    let result = |lane: usize| {
        let mut words = memory[3 * lane..][..known].to_vec();
        words.resize(PITCH, UNTOUCHED);
        words
    };
    let results = (0..LANES).flat_map(result).collect();
    with_memory(Plan::new(&[what], results), &memory)
}

fn arrivals(text: &str) -> Plan {
    let adds_itself = !text.contains(".noinc");
    let expected = if adds_itself { LANES } else { 2 * LANES };
    let memory = words(MEMORY);
    let result = |lane: usize| {
        let mut words = vec![memory[(lane + 1) % LANES], 1];
        words.resize(PITCH, UNTOUCHED);
        words
    };
    let results = (0..LANES).flat_map(result).collect();
    with_memory(Plan::new(&[expected as u32], results), &memory)
}
