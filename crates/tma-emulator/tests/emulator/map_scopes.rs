//! Scopes of releases and acquires of tensor maps, as the checker sees them.

use crate::common::copies::{INIT, kernel};
use tma_emulator::{EmulatorBackend, check::DiagnosticKind};
use tma_launch::{Buffer, Job, Launch, Ptx};

/// Builds a map of 32 words at `%rd2`, in shared memory after the tile's first 1024 bytes; `%r8` is its
/// address.
const MAKE: &str = "
    add.u32 %r8, %tile, 1024; mov.u64 %rd5, 128; @%p1 st.bulk.weak.shared::cta [%r8], %rd5, 0;
    @%p1 tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%r8], %rd2;
    @%p1 tensormap.replace.tile.rank.shared::cta.b1024.b32 [%r8], 0;
    @%p1 tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%r8], 0, 32;
    @%p1 tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%r8], 0, 32;
    @%p1 tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%r8], 0, 1;
    @%p1 tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%r8], 2;
    bar.warp.sync 0xffffffff;";

/// Loads by the map at `%rd6`.
const LOAD: &str = "
    @!%p1 bra WAIT; mov.u32 %r6, 0;
    mbarrier.arrive.expect_tx.shared::cta.b64 _, [%bar], 128;
    cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%tile], [%rd6, {%r6}], [%bar];
    WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%bar], 0; @!%p2 bra WAIT;
    mad.lo.u32 %r1, %t, 4, %tile; ld.shared.u32 %r1, [%r1];
    mul.wide.u32 %rd3, %t, 4; add.u64 %rd3, %rd3, %out; st.global.u32 [%rd3], %r1;";

/// The map into global memory at `%rd6`.
fn release(scope: &str) -> String {
    format!(
        "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.{scope}.sync.aligned [%rd6], [%r8], 128;"
    )
}

fn acquire(scope: &str) -> String {
    format!("fence.proxy.tensormap::generic.acquire.{scope} [%rd6], 128;")
}

/// Returns the kinds of diagnostics, the same under every seed; empty if the loads returned the expected words.
fn found(body: &str, launches: &[Launch]) -> Vec<DiagnosticKind> {
    let body = format!(
        "{INIT} ld.param.u64 %rd2, [in]; add.u64 %rd6, %out, 1024; ld.param.u32 %r2, [step];
        mov.u32 %r3, %ctaid.x; {body} END:"
    );
    let text = kernel(".param .u64 in, .param .u32 step", "", &body);
    let numbers: Vec<u32> = (1..=32).collect();
    let check = |seed: &u64| {
        let mut job = Job::new(Ptx {
            name: "test.ptx",
            text: &text,
        });
        job.buffer(Buffer::zeroed::<u32>("out", 512));
        job.buffer(Buffer::new("in", &numbers));
        job.launches = launches.to_vec();
        let checked = EmulatorBackend::new(*seed).check(&mut job);
        let checked = checked.unwrap_or_else(|failure| panic!("{failure}"));
        let mut kinds: Vec<DiagnosticKind> = checked.diagnostics.iter().map(|f| f.kind).collect();
        kinds.dedup();
        if kinds.is_empty() {
            assert_eq!(job.buffers[0].to_vec::<u32>().unwrap()[..32], numbers);
        }
        kinds
    };
    let mut results = crate::common::SEEDS.iter().map(check);
    let first = results.next().expect("there are seeds");
    assert!(results.all(|other| other == first), "the seeds differ");
    first
}

fn launch(blocks: u32, step: u32) -> Launch {
    Launch::new("k", blocks, 32)
        .buffer(0)
        .buffer(1)
        .scalar(step)
}

#[test]
fn what_was_written_before_the_kernel_is_acquired_from_afar() {
    let body = |scope: &str| {
        let (release, acquire) = (release("gpu"), acquire(scope));
        format!(
            "setp.eq.u32 %p3, %r2, 1; @%p3 bra USE; {MAKE} {release} bra END;
            USE: {acquire} {LOAD}"
        )
    };
    let launches = [launch(1, 0), launch(1, 1)];
    for scope in ["gpu", "sys"] {
        assert_eq!(found(&body(scope), &launches), [], "{scope}");
    }
    for scope in ["cta", "cluster"] {
        assert_eq!(
            found(&body(scope), &launches),
            [DiagnosticKind::ScopeTooNarrow],
            "{scope}"
        );
    }
}

#[test]
fn what_a_block_writes_it_may_acquire_with_its_own_scope() {
    let body = format!("{MAKE} {} {} {LOAD}", release("cta"), acquire("cta"));
    assert_eq!(found(&body, &[launch(1, 0)]), []);
}

#[test]
fn what_another_block_writes_needs_scopes_with_both() {
    let body = |released: &str, acquired: &str| {
        let (release, acquire) = (release(released), acquire(acquired));
        format!(
            "setp.eq.u32 %p3, %r3, 1; @%p3 bra USE; {MAKE} {release} mov.u32 %r5, 1;
            @%p1 st.release.gpu.global.u32 [%out+512], %r5; bra END;
            USE: ld.acquire.gpu.global.u32 %r5, [%out+512]; setp.eq.u32 %p3, %r5, 0; @%p3 bra USE;
            {acquire} {LOAD}"
        )
    };
    let narrow = [DiagnosticKind::ScopeTooNarrow];
    let far = [launch(2, 0)];
    assert_eq!(found(&body("gpu", "gpu"), &far), []);
    assert_eq!(found(&body("cta", "gpu"), &far), narrow);
    assert_eq!(found(&body("gpu", "cta"), &far), narrow);
    assert_eq!(found(&body("cluster", "cluster"), &far), narrow);
    let near = [launch(2, 0).cluster(2)];
    assert_eq!(found(&body("cluster", "cluster"), &near), []);
    assert_eq!(found(&body("cluster", "cta"), &near), narrow);
}
