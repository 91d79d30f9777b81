//! Kernels that copy.

use tensor_map::Params;
use tma_launch::{Buffer, Launch};

use super::{SEEDS, module, run_launch};

/// Runs a kernel `k(out, in)` in blocks of 32 threads with every seed; the buffers are words.
pub(crate) fn with_input(text: &str, launch: Launch, input: &[u32], words: usize) -> Vec<u32> {
    let mut results = SEEDS.iter().map(|seed| {
        let buffers = vec![
            Buffer::new("out", &vec![0_u32; words]),
            Buffer::new("in", input),
        ];
        let buffers = run_launch(text, launch.clone(), buffers, *seed);
        buffers.unwrap_or_else(|failure| panic!("seed {seed}: {failure}"))[0]
            .to_vec::<u32>()
            .unwrap()
    });
    let first = results.next().unwrap();
    assert!(results.all(|other| other == first), "the seeds differ");
    first
}

/// Returns the failure of a kernel `k(out, in, map)`, with a map of `in`, which has `words` words.
pub(crate) fn refused_map(text: &str, params: Params, words: usize) -> String {
    let launch = Launch::new("k", 1, 32)
        .buffer(0)
        .buffer(1)
        .tensor_map(params, 1);
    let buffers = vec![
        Buffer::zeroed::<u32>("out", 1),
        Buffer::zeroed::<u32>("in", words),
    ];
    let ran = run_launch(text, launch, buffers, 0);
    ran.map(drop).unwrap_err().to_string()
}

/// A kernel with a tile of 8192 bytes (`%tile`), a barrier (`%bar`), and `%p1` in thread 0.
pub(crate) fn kernel(parameters: &str, directives: &str, body: &str) -> String {
    module(&format!(
        ".shared .align 1024 .b8 tile[8192]; .shared .align 8 .b64 bar;
        .visible .entry k(.param .u64 out, {parameters}) {directives} {{
            .reg .pred %p<8>; .reg .b16 %h<4>; .reg .b32 %r<16>; .reg .b64 %rd<16>; .reg .b64 %out; .reg .b32 %t, %tile, %bar;
            ld.param.u64 %out, [out]; mov.u32 %t, %tid.x; mov.u32 %tile, tile; mov.u32 %bar, bar;
            setp.eq.u32 %p1, %t, 0;
            {body}
            ret; }}"
    ))
}

/// Waits for phase 0 of `%bar`, then writes the first `words` of the tile to `out`.
pub(crate) fn wait_and_write(words: u32) -> String {
    format!(
        "WAIT: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p2, [%bar], 0; @!%p2 bra WAIT;
        mov.u32 %r1, %t;
        NEXT: setp.ge.u32 %p3, %r1, {words}; @%p3 bra DONE;
        mad.lo.u32 %r2, %r1, 4, %tile; ld.shared.u32 %r3, [%r2];
        mul.wide.u32 %rd1, %r1, 4; add.u64 %rd1, %rd1, %out; st.global.u32 [%rd1], %r3;
        add.u32 %r1, %r1, 32; bra NEXT; DONE:"
    )
}

/// Initialises `%bar` for phases of one arrival.
pub(crate) const INIT: &str = "@%p1 mbarrier.init.shared::cta.b64 [%bar], 1; bar.sync 0;";
