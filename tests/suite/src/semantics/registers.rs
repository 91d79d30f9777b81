//! Special registers, and addresses in the blocks of a cluster.

use super::plan::{Plan, UNTOUCHED};

const THREADS: u32 = 32;

/// Plans by template. `form` is the spelling that is launched.
pub(super) fn plans(form: &str, template: &str) -> Vec<Plan> {
    let each = |words: &[u32], results: Vec<u32>, blocks: u32| Plan {
        blocks,
        ..Plan::new(words, results)
    };
    match template {
        "value" => registers(form),
        // The number that the block before has written.
        "mapped" => {
            let results = (0..4).map(|rank| 700 + (rank + 3) % 4).collect();
            vec![each(&[700], results, 4)]
        }
        "rank_of" => vec![each(&[0], [[1; 32], [0; 32]].concat(), 2)],
        "to_cluster" => vec![each(&[0], vec![1; 64], 2)],
        "is_in" => {
            let other = u32::from(form.contains("::cluster"));
            let mut plan = each(&[0], [[1, other, 0]; 2].concat(), 2);
            plan.memory = vec![0; 16];
            plan.memory_after = vec![0; 16];
            vec![plan]
        }
        _ => {
            let has_leader = u32::from(!form.contains('_'));
            let masks = [u32::MAX, 0x00ff_0ff0, 1 << 31, 1];
            masks
                .map(|mask| Plan::new(&[mask, has_leader], vec![1; 32]))
                .into()
        }
    }
}

/// Runs in several clusters of four blocks, and in blocks without clusters.
fn registers(form: &str) -> Vec<Plan> {
    const CLUSTERS: u32 = 3;
    const BLOCKS: u32 = 4;
    let plan = |is_clustered: bool| {
        let (clusters, blocks) = match is_clustered {
            true => (CLUSTERS, BLOCKS),
            false => (CLUSTERS * BLOCKS, 1),
        };
        let value = |block: u32| match form.rsplit(['%', '.']).find(|word| *word != "x") {
            Some("clusterid") => block / blocks,
            Some("nclusterid") => clusters,
            Some("cluster_ctaid" | "cluster_ctarank") => block % blocks,
            Some("cluster_nctaid" | "cluster_nctarank") => blocks,
            Some("is_explicit_cluster") => u32::from(is_clustered),
            _ => UNTOUCHED,
        };
        let of_block = |block| vec![value(block); THREADS as usize];
        Plan {
            clusters,
            blocks,
            is_clustered,
            ..Plan::new(&[0], (0..clusters * blocks).flat_map(of_block).collect())
        }
    };
    vec![plan(true), plan(false)]
}
