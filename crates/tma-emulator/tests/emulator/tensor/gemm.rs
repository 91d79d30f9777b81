//! A product of large matrices by TMA and `wgmma`, under the checker: all that a kernel of this kind
//! does, and how long it takes.

use half::bf16;
use tensor_map::{DataType, Swizzle, TensorMap};
use tma_launch::{Buffer, Launch};

use super::mma::list;
use crate::common::{module, run_launch};

/// Rows and columns of a block's tile, and the columns of A that a stage has.
const TILE: [usize; 3] = [64, 256, 64];
const STAGES: usize = 2;

/// `out = a * transpose(b)`: four warps multiply, and a thread of a fifth one loads several stages. `release`
/// is the code that releases a stage, at the barrier at `%r15` in thread 0.
fn kernel(release: &str) -> String {
    let [m, n, k] = TILE;
    let (a_bytes, b_bytes) = (2 * m * k, 2 * n * k);
    let sums = list("d", n / 2);
    // A step of 16 columns is 32 bytes further on.
    let products: String = (0..k / 16)
        .map(|step| {
            format!(
                "add.u64 %rd6, %rd4, {0}; add.u64 %rd7, %rd5, {0};
                wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {sums}, %rd6, %rd7, %p2, 1, 1, 0, 0;
                setp.eq.u32 %p2, 0, 0;\n",
                2 * step
            )
        })
        .collect();
    let stores: String = (0..n / 8)
        .flat_map(|group| (0..2).map(move |half| (group, half)))
        .map(|(group, half)| {
            let at = if half == 0 { "%rd8" } else { "%rd9" };
            let first = 4 * group + 2 * half;
            format!(
                "st.global.v2.f32 [{at}+{}], {{%d{first}, %d{}}};\n",
                32 * group,
                first + 1
            )
        })
        .collect();
    // Rows of 128 bytes in groups of 8, with the swizzle of 128 bytes.
    let descriptor = 1_u64 << 16 | 64 << 32 | 1 << 62;
    module(&format!(
        ".shared .align 1024 .b8 a_tiles[{a_all}]; .shared .align 1024 .b8 b_tiles[{b_all}];
        .shared .align 8 .b64 full[{STAGES}]; .shared .align 8 .b64 empty[{STAGES}];
        .visible .entry gemm(.param .u64 out, .param .align 64 .b8 a_map[128], .param .align 64 .b8 b_map[128],
            .param .u32 steps, .param .u32 columns) {{
        .reg .pred %p<8>; .reg .b32 %r<32>; .reg .b64 %rd<16>; .reg .f32 %d<128>;
        mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ctaid.y; ld.param.u32 %r4, [steps];
        mov.u32 %r10, a_tiles; mov.u32 %r11, b_tiles; mov.u32 %r12, full; mov.u32 %r13, empty;
        setp.ne.u32 %p1, %r1, 0; @%p1 bra READY;
        mbarrier.init.shared::cta.b64 [%r12], 1; mbarrier.init.shared::cta.b64 [%r12+8], 1;
        mbarrier.init.shared::cta.b64 [%r13], 1; mbarrier.init.shared::cta.b64 [%r13+8], 1;
        fence.mbarrier_init.release.cluster;
        READY: bar.sync 0;
        mov.u32 %r5, 0; mov.u32 %r6, 0; mov.u32 %r7, 0;
        setp.lt.u32 %p1, %r1, 128; @%p1 bra MULTIPLY;
        setp.ne.u32 %p1, %r1, 128; @%p1 bra DONE;
        mul.lo.u32 %r20, %r2, {m}; mul.lo.u32 %r21, %r3, {n};
        mov.b64 %rd1, a_map; cvta.param.u64 %rd1, %rd1; mov.b64 %rd2, b_map; cvta.param.u64 %rd2, %rd2;
        LOAD: setp.ge.u32 %p1, %r5, %r4; @%p1 bra DONE;
        mad.lo.u32 %r14, %r6, 8, %r12; mad.lo.u32 %r15, %r6, 8, %r13; xor.b32 %r16, %r7, 1;
        EMPTY: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r15], %r16; @!%p2 bra EMPTY;
        mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r14], {stage};
        mad.lo.u32 %r17, %r6, {a_bytes}, %r10; mad.lo.u32 %r18, %r6, {b_bytes}, %r11; mul.lo.u32 %r19, %r5, {k};
        cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r17], [%rd1, {{%r19, %r20}}], [%r14];
        cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r18], [%rd2, {{%r19, %r21}}], [%r14];
        add.u32 %r5, %r5, 1; xor.b32 %r6, %r6, 1; setp.eq.u32 %p1, %r6, 0; @%p1 xor.b32 %r7, %r7, 1;
        bra LOAD;
        MULTIPLY: setp.ne.u32 %p2, 0, 0;
        NEXT: setp.ge.u32 %p1, %r5, %r4; @%p1 bra STORE;
        mad.lo.u32 %r14, %r6, 8, %r12; mad.lo.u32 %r15, %r6, 8, %r13;
        FULL: mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r14], %r7; @!%p3 bra FULL;
        mad.lo.u32 %r17, %r6, {a_bytes}, %r10; mad.lo.u32 %r18, %r6, {b_bytes}, %r11;
        shr.u32 %r17, %r17, 4; shr.u32 %r18, %r18, 4;
        cvt.u64.u32 %rd4, %r17; or.b64 %rd4, %rd4, {descriptor}; cvt.u64.u32 %rd5, %r18; or.b64 %rd5, %rd5, {descriptor};
        wgmma.fence.sync.aligned;
        {products}
        setp.eq.u32 %p3, %r1, 0; wgmma.commit_group.sync.aligned;
        {release}
        wgmma.wait_group.sync.aligned 0;
        add.u32 %r5, %r5, 1; xor.b32 %r6, %r6, 1; setp.eq.u32 %p1, %r6, 0; @%p1 xor.b32 %r7, %r7, 1;
        bra NEXT;
        STORE: ld.param.u64 %rd8, [out]; ld.param.u32 %r20, [columns];
        shr.u32 %r21, %r1, 5; and.b32 %r22, %r1, 31; shr.u32 %r23, %r22, 2; and.b32 %r24, %r22, 3;
        mad.lo.u32 %r25, %r21, 16, %r23; mad.lo.u32 %r25, %r2, {m}, %r25; mul.lo.u32 %r26, %r3, {n};
        mad.lo.u32 %r26, %r24, 2, %r26; mad.lo.u32 %r27, %r25, %r20, %r26; mul.wide.u32 %rd10, %r27, 4;
        add.u64 %rd8, %rd8, %rd10; mul.wide.u32 %rd10, %r20, 32; add.u64 %rd9, %rd8, %rd10;
        {stores}
        DONE: ret; }}",
        a_all = a_bytes * STAGES,
        b_all = b_bytes * STAGES,
        stage = a_bytes + b_bytes,
    ))
}

/// Small whole numbers with exact sums.
fn numbers(count: usize, factor: usize) -> Vec<bf16> {
    let number = |index: usize| (index * factor % 7) as f32 - 3.0;
    (0..count)
        .map(|index| bf16::from_f32(number(index)))
        .collect()
}

fn multiply(text: &str, [m, n, k]: [usize; 3], seed: u64) -> Result<(), String> {
    let (a, b) = (numbers(m * k, 11), numbers(n * k, 5));
    let map = |rows: usize, of_box: usize| {
        TensorMap::tiled(DataType::Bf16, &[k as u64, rows as u64])
            .box_dims(&[TILE[2] as u32, of_box as u32])
            .swizzle(Swizzle::B128)
    };
    let (a_map, b_map) = (map(m, TILE[0]), map(n, TILE[1]));
    let grid = [(m / TILE[0]) as u32, (n / TILE[1]) as u32, 1];
    let launch = Launch::new("gemm", grid, 160)
        .buffer(0)
        .tensor_map(a_map, 1)
        .tensor_map(b_map, 2)
        .scalar((k / TILE[2]) as u32)
        .scalar(n as u32);
    let bits = |numbers: &[bf16]| -> Vec<u16> { numbers.iter().map(|n| n.to_bits()).collect() };
    let buffers = vec![
        Buffer::new("out", &vec![0_f32; m * n]),
        Buffer::new("a", &bits(&a)),
        Buffer::new("b", &bits(&b)),
    ];
    let got = run_launch(text, launch, buffers, seed).map_err(|failure| failure.to_string())?;
    let got = got[0].to_vec::<f32>().unwrap();
    for row in 0..m {
        for column in 0..n {
            let (a, b) = (&a[row * k..][..k], &b[column * k..][..k]);
            let sum: f32 = a.iter().zip(b).map(|(a, b)| a.to_f32() * b.to_f32()).sum();
            assert_eq!(got[row * n + column], sum, "row {row}, column {column}");
        }
    }
    Ok(())
}

/// After the wait, with all that the thread did before.
const RELEASE: &str =
    "wgmma.wait_group.sync.aligned 0; @%p3 mbarrier.arrive.release.cta.shared::cta.b64 _, [%r15];";

#[test]
fn a_stage_is_released_after_the_wait() {
    let relaxed = "wgmma.wait_group.sync.aligned 0; @%p3 mbarrier.arrive.relaxed.cluster.shared::cta.b64 _, [%r15];";
    let read = relaxed.replacen(';', "; @%p3 ld.shared.u32 %r28, [%r10];", 1);
    let early = "@%p3 mbarrier.arrive.release.cta.shared::cta.b64 _, [%r15];";
    let found = |release: &str| {
        let result = multiply(&kernel(release), [64, 256, 384], 1);
        result.err().unwrap_or_else(|| "nothing".to_owned())
    };
    // A product that a wait has ended needs no release.
    assert_eq!(found(relaxed), "nothing");
    // A read by the thread itself does.
    assert!(
        found(&read).contains("stage-still-read"),
        "{}",
        found(&read)
    );
    assert!(
        found(early).contains("product-source-overwritten"),
        "{}",
        found(early)
    );
}

#[test]
fn a_product_of_large_matrices_is_right_and_clean() {
    let start = std::time::Instant::now();
    multiply(&kernel(RELEASE), [512, 512, 512], 3).unwrap_or_else(|why| panic!("{why}"));
    let took = start.elapsed();
    println!("512 x 512 x 512: {took:?}");
    // An optimised build takes less than a tenth of it.
    assert!(took.as_secs() < 60, "{took:?}");
}
