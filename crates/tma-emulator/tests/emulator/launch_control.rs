//! Work taken over from clusters that have not begun; hints; registers of 128 bits and vectors.

use std::collections::BTreeSet;

use crate::common::{SEEDS, copies::kernel, failure, run_launch, word};
use tma_launch::{Buffer, Launch};

/// Blocks work on their own coordinates in the grid and then on those of clusters that they cancel, until none
/// is left. Word `n` of the buffer counts how often the work of block `n` was done; the last word counts the
/// blocks that began.
fn taking_over(grid: [u32; 3], cluster: u32, query: &str) -> Vec<u32> {
    let [gx, gy, gz] = grid;
    let multicast = if cluster > 1 {
        ".multicast::cluster::all"
    } else {
        ""
    };
    let body = format!(
        ".reg .b128 %q; .reg .b32 %x, %y, %z, %own, %work, %phase;
        @%p1 mbarrier.init.shared::cta.b64 [%bar], 1; fence.mbarrier_init.release.cluster; barrier.cluster.arrive; barrier.cluster.wait;
        mov.u32 %x, %ctaid.x; mov.u32 %y, %ctaid.y; mov.u32 %z, %ctaid.z; mov.u32 %own, %cluster_ctaid.x; mov.u32 %phase, 0;
        @%p1 red.global.add.u32 [%out+{}], 1;
        NEXT:
        @%p1 mbarrier.arrive.expect_tx.relaxed.cluster.shared::cta.b64 _, [%bar], 16;
        setp.eq.and.u32 %p4, %own, 0, %p1;
        @%p4 clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes{multicast}.b128 [%tile], [%bar];
        mad.lo.u32 %work, %z, {gy}, %y; mad.lo.u32 %work, %work, {gx}, %x;
        mul.wide.u32 %rd1, %work, 4; add.u64 %rd1, %rd1, %out; @%p1 red.global.add.u32 [%rd1], 1;
        WAIT: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p2, [%bar], %phase; @!%p2 bra WAIT;
        xor.b32 %phase, %phase, 1;
        ld.shared.b128 %q, [%tile];
        clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p3, %q;
        @!%p3 bra END;
        {query}
        add.u32 %x, %x, %own;
        fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;
        barrier.cluster.arrive.relaxed; barrier.cluster.wait;
        fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;
        bra NEXT; END:",
        4 * gx * gy * gz
    );
    let directive = format!(".reqnctapercluster {cluster}, 1, 1");
    let text = kernel(".param .u64 in", &directive, &body);
    let results = SEEDS.map(|seed| {
        let launch = Launch::new("k", grid, 32).buffer(0).buffer(1);
        let buffers = vec![
            Buffer::zeroed::<u32>("out", (gx * gy * gz + 1) as usize),
            Buffer::zeroed::<u32>("in", 1),
        ];
        let buffers = run_launch(&text, launch, buffers, seed);
        buffers.unwrap_or_else(|failure| panic!("seed {seed}: {failure}"))[0]
            .to_vec::<u32>()
            .unwrap()
    });
    for result in &results {
        assert_eq!(
            result[..result.len() - 1],
            results[0][..results[0].len() - 1]
        );
    }
    results
        .iter()
        .flat_map(|result| result.last().copied())
        .chain(results[0][..results[0].len() - 1].iter().copied())
        .collect()
}

#[test]
fn the_work_of_cancelled_clusters_is_done_once() {
    let vector =
        "clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%x, %y, %z, _}, %q;";
    let single = "clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %x, %q;
        clusterlaunchcontrol.query_cancel.get_first_ctaid::y.b32.b128 %y, %q;
        clusterlaunchcontrol.query_cancel.get_first_ctaid::z.b32.b128 %z, %q;";
    for (grid, cluster, query) in [
        ([37, 1, 1], 1, vector),
        ([4, 5, 3], 1, single),
        ([6, 3, 2], 2, vector),
        ([2, 1, 1], 1, vector),
    ] {
        let result = taking_over(grid, cluster, query);
        let (begun, done) = result.split_at(SEEDS.len());
        let blocks = grid.iter().product::<u32>();
        assert_eq!(done, vec![1; blocks as usize], "{grid:?}");
        // Some clusters begin before others request them.
        let begun: BTreeSet<u32> = begun.iter().copied().collect();
        assert!(
            begun
                .iter()
                .all(|begun| *begun <= blocks && begun % cluster == 0)
        );
        if blocks > 8 {
            assert!(
                begun.iter().all(|begun| *begun < blocks),
                "{begun:?} of {blocks} began"
            );
        }
    }
}

#[test]
fn responses_belong_into_the_own_block() {
    let message = failure(
        ".shared .align 16 .b8 response[32]; .shared .align 8 .b64 bar; mov.u32 %r1, response; mov.u32 %r2, bar;
        mbarrier.init.shared::cta.b64 [%r2], 1;
        clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%r1+8], [%r2];",
        1,
    );
    assert!(
        message.contains("the address of the response") && message.contains("not a multiple of 16"),
        "{message}"
    );
}

#[test]
fn hints_change_nothing() {
    let body = ".reg .b64 %policy; mov.u32 %r1, 7; st.global.u32 [%out], %r1;
        createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %policy, 0.25;
        createpolicy.range.global.L2::evict_last.L2::evict_first.b64 %policy, [%out], 64, 128;
        createpolicy.cvt.L2.b64 %policy, %policy;
        prefetch.global.L1 [%out]; prefetchu.L1 [%out]; prefetch.global.L2::evict_last [%out]; prefetch.tensormap [%out];
        applypriority.global.L2::evict_normal [%out], 128;
        cp.async.bulk.prefetch.L2.global.L2::cache_hint [%out], 128, %policy;
        griddepcontrol.launch_dependents; griddepcontrol.wait;
        ld.global.u32 %r1, [%out];";
    assert_eq!(word(body), 7);
    for (instruction, why) in [
        (
            "setmaxnreg.inc.sync.aligned.u32 20;",
            "its number of registers is 20 but must be 24 to 256",
        ),
        ("setmaxnreg.inc.sync.aligned.u32 100;", "a multiple of 8"),
        (
            "applypriority.L2::evict_normal [%out], 64;",
            "an operand is 64 but must be 128",
        ),
        ("discard.L2 [%out], 64;", "an operand is 64 but must be 128"),
        (
            "prefetch.shared.L1 [%out];",
            "`prefetch.shared.L1 [n]` is not a form of PTX ISA 9.5",
        ),
    ] {
        let message = failure(instruction, 1);
        assert!(message.contains(why), "{message}");
    }
}

#[test]
fn discarded_bytes_are_not_what_they_were_and_others_are() {
    let text = crate::common::kernel("discard.global.L2 [%out+128], 128;");
    let mut seen = BTreeSet::new();
    for seed in SEEDS {
        let buffers = vec![Buffer::new("out", &[7_u32; 96])];
        let launch = Launch::new("k", 1, 1).buffer(0);
        let out = run_launch(&text, launch, buffers, seed).unwrap()[0]
            .to_vec::<u32>()
            .unwrap();
        assert_eq!((&out[..32], &out[64..]), (&[7; 32][..], &[7; 32][..]));
        seen.insert(out[32..64].to_vec());
    }
    assert_eq!(seen.len(), SEEDS.len());
    assert!(failure("discard.global.L2 [%out+64], 128;", 1).contains("MISALIGNED_ADDRESS"));
}

#[test]
fn a_generic_address_of_32_bits_is_none_of_shared_memory() {
    for instruction in ["mapa.u32 %r1, %r2, 0;", "getctarank.u32 %r1, %r2;"] {
        let message = failure(&format!("mov.u32 %r2, 1024; {instruction}"), 1);
        assert!(
            message.contains("0x400 is not an address in shared memory"),
            "{message}"
        );
    }
    let own = ".shared .align 8 .b64 b; mov.u64 %rd2, b; cvta.shared.u64 %rd2, %rd2; getctarank.u64 %r1, %rd2; add.u32 %r1, %r1, 5;";
    assert_eq!(word(own), 5);
}

#[test]
fn registers_of_128_bits() {
    let body = ".reg .b128 %q<3>; .shared .align 16 .b8 s[32]; mov.u32 %r2, s;
        mov.u64 %rd1, 0x1111111122222222; mov.u64 %rd2, 0x3333333344444444;
        mov.b128 %q0, {%rd1, %rd2}; mov.b128 %q1, %q0; st.shared.b128 [%r2+16], %q1;
        ld.shared.v4.u32 {%r3, %r4, %r5, %r6}, [%r2+16];
        ld.shared.b128 %q2, [%r2+16]; mov.b128 {%rd3, %rd4}, %q2;
        cvt.u32.u64 %r7, %rd4; shr.u64 %rd3, %rd3, 32; cvt.u32.u64 %r8, %rd3;
        st.global.v4.u32 [%out], {%r3, %r4, %r5, %r6}; st.global.v2.u32 [%out+16], {%r7, %r8};";
    let out = crate::common::run(body, 1, 6).unwrap();
    assert_eq!(
        out,
        [
            0x2222_2222,
            0x1111_1111,
            0x4444_4444,
            0x3333_3333,
            0x4444_4444,
            0x1111_1111
        ]
    );
    let message = failure(".reg .b128 %q; mov.b64 %rd1, %q;", 1);
    assert!(
        message.contains("`%q` is `.b128`, but the instruction takes `.b64`"),
        "{message}"
    );
}

#[test]
fn registers_that_are_vectors() {
    let body = ".reg .v4 .u32 v; .reg .v2 .f32 w<2>; mov.u32 %r2, 10; st.global.v2.u32 [%out+8], {%r2, %r2};
        mov.u32 v.x, 1; mov.u32 v.y, 2; mov.u32 v.b, 3; add.u32 v.w, v.x, v.z;
        st.global.v4.u32 [%out+16], v; ld.global.v2.f32 w1, [%out+16]; st.global.v2.f32 [%out], w1;";
    assert_eq!(
        crate::common::run(body, 1, 8).unwrap(),
        [1, 2, 10, 10, 1, 2, 3, 4]
    );
    let message = failure(".reg .v2 .u32 v; mov.u32 %r1, v.z;", 1);
    assert!(
        message.contains("a vector of 2 has no element `.z`"),
        "{message}"
    );
}
