use launch::Launch;

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
    cases
}
