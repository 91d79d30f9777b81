use tma_launch::Launch;

use super::writes;
use crate::Scenario;

pub(super) fn cases() -> Vec<Scenario> {
    let ranks = |blocks: u32, cluster: u32| -> Vec<u32> {
        (0..blocks)
            .flat_map(|block| [block % cluster, cluster])
            .collect()
    };
    let mut cases = vec![writes(
        "of_two",
        Launch::new("cluster_of_two", 10, 64).buffer(0),
        &ranks(10, 2),
    )];
    for cluster in [1, 2, 4, 8] {
        let launch = Launch::new("cluster_at_launch", 24, 64)
            .cluster(cluster)
            .buffer(0);
        cases.push(writes(
            &format!("of_{cluster}_at_launch"),
            launch,
            &ranks(24, cluster),
        ));
    }
    cases.push(indices([4, 3, 6]));
    cases
}

/// Clusters of 2 x 1 x 2 blocks in a grid.
fn indices(blocks: [u32; 3]) -> Scenario {
    let cluster = [2, 1, 2];
    let mut expected = Vec::new();
    for z in 0..blocks[2] {
        for y in 0..blocks[1] {
            for x in 0..blocks[0] {
                let block = [x, y, z];
                let axes = || [0, 1, 2];
                expected.extend(axes().map(|axis| block[axis] % cluster[axis]));
                expected.extend(axes().map(|axis| block[axis] / cluster[axis]));
                expected.extend(cluster);
                expected.extend(axes().map(|axis| blocks[axis] / cluster[axis]));
            }
        }
    }
    let launch = Launch::new("cluster_indices", blocks, 32).buffer(0);
    writes("indices", launch, &expected)
}
