//! Fences and halves of the cluster's barrier, around data that must arrive.

use super::plan::{Plan, UNTOUCHED};

const MESSAGE: u32 = 0x0bad_cafe;
const WRITES: u32 = 1;
const READS: u32 = 2;

/// Plans by template.
pub(super) fn plans(text: &str, template: &str) -> Vec<Plan> {
    let has = |word: &str| text.split('.').any(|part| part == word);
    let plan = match template {
        "ordered" => message(has),
        "cluster_halves" => {
            let what = match (has("wait"), has("relaxed")) {
                (true, _) => 2,
                (_, true) => 3,
                _ => 1,
            };
            let results = if what == 3 { [1, 1] } else { [100, 101] };
            Plan {
                blocks: 2,
                ..Plan::new(&[what, 100], results.into())
            }
        }
        "made_known" => Plan::new(&[0], vec![1]).cluster(2),
        "handed_over" | "handed_over_here" => {
            let memory: Vec<u32> = (0..32).map(|index| index * 0x0101_0101).collect();
            let read = (0..32).map(|index| MESSAGE ^ index);
            // Block 0 writes nothing; the results of block 1 come after its own.
            let results = [UNTOUCHED; 64]
                .into_iter()
                .chain(read)
                .chain(memory.clone());
            let role = if has("release") { WRITES } else { READS };
            let mut plan = Plan::new(&[role, MESSAGE], results.collect());
            if template == "handed_over" {
                plan.blocks = 2;
            } else {
                plan.expected.drain(..64);
            }
            // After the data, the number of threads that have handed over.
            let data: &[u8] = bytemuck::cast_slice(&memory);
            let with = |count: u32| [data, &count.to_le_bytes()].concat();
            (plan.memory, plan.memory_after) = (with(0), with(32));
            plan
        }
        _ => proxied(text, has),
    };
    vec![plan]
}

/// The reader is at the edge of the fence's scope.
fn message(has: impl Fn(&str) -> bool) -> Plan {
    let is_shared = has("sync_restrict::shared::cta") || has("sync_restrict::shared::cluster");
    let in_other_block = !has("cta");
    let in_cluster = has("cluster");
    let side = match (has("release"), has("acquire")) {
        (true, _) => WRITES,
        (_, true) => READS,
        _ => WRITES | READS,
    };
    let words = [
        u32::from(in_other_block),
        side,
        MESSAGE,
        u32::from(is_shared),
    ];
    let mut after = vec![0_u32; 33];
    after[0] = if is_shared { 0 } else { MESSAGE };
    after[32] = 1;
    let (clusters, blocks) = match (in_other_block, in_cluster) {
        (false, _) => (1, 1),
        (_, true) => (1, 2),
        _ => (2, 1),
    };
    Plan {
        clusters,
        blocks,
        is_clustered: in_cluster,
        threads: 64,
        memory: vec![0; 4 * after.len()],
        memory_after: bytemuck::cast_slice(&after).to_vec(),
        ..Plan::new(&words, vec![MESSAGE])
    }
}

fn proxied(text: &str, has: impl Fn(&str) -> bool) -> Plan {
    let target = match () {
        () if text.contains("alias") => 3,
        () if has("global") => 2,
        () if has("shared::cluster") => 1,
        () => 0,
    };
    let numbers: Vec<u32> = (0..64).map(|index| MESSAGE ^ index).collect();
    // The numbers that the other block wrote.
    let crossed = || [&numbers[32..], &numbers[..32]].concat();
    let memory: Vec<u32> = match target {
        0 | 2 => numbers.clone(),
        1 => crossed(),
        _ => vec![0; 64],
    };
    let results = match target {
        2 | 3 => numbers,
        _ => vec![UNTOUCHED; 64],
    };
    Plan {
        blocks: 2,
        memory: vec![0; 256],
        memory_after: bytemuck::cast_slice(&memory).to_vec(),
        ..Plan::new(&[target, MESSAGE], results)
    }
}
