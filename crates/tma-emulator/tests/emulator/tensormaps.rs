//! Tensor maps that a kernel makes and changes: `tensormap.replace`, `tensormap.cp_fenceproxy`.

use crate::common::{
    SEEDS,
    copies::{INIT, kernel},
    run_launch,
};
use tensor_map::{DataType, OobFill, Params, Swizzle, TensorMap};
use tma_launch::{Buffer, Launch};

/// Every field of a map of 10 x 6 words with rows of 48 bytes, at `%rd2`, with boxes of 8 x 4.
fn every_field(space: &str, map: &str) -> String {
    let fields = [
        ("global_address", "b64", "%rd2"),
        ("rank", "b32", "1"),
        ("box_dim", "b32", "0, 8"),
        ("box_dim", "b32", "1, %r4"),
        ("global_dim", "b32", "0, 10"),
        ("global_dim", "b32", "1, %r5"),
        ("global_stride", "b64", "0, 48"),
        ("element_stride", "b32", "0, 1"),
        ("element_stride", "b32", "1, 1"),
        ("elemtype", "b32", "2"),
        ("interleave_layout", "b32", "0"),
        ("swizzle_mode", "b32", "0"),
        ("fill_mode", "b32", "0"),
    ];
    let replace = fields.map(|(field, ty, value)| {
        format!("@%p1 tensormap.replace.tile.{field}{space}.b1024.{ty} [{map}], {value};\n")
    });
    format!("mov.u32 %r4, 4; mov.u32 %r5, 6; {}", replace.concat())
}

/// Waits for the load of a box at (4, -1) by the map at `%rd6`, and writes it to `out`.
const LOAD: &str = "
    @!%p1 bra WAIT; mov.u32 %r6, 4; mov.u32 %r7, -1;
    mbarrier.arrive.expect_tx.shared::cta.b64 _, [%bar], 128;
    cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%tile], [%rd6, {%r6, %r7}], [%bar];
    WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%bar], 0; @!%p2 bra WAIT;
    mad.lo.u32 %r1, %t, 4, %tile; ld.shared.u32 %r1, [%r1];
    mul.wide.u32 %rd3, %t, 4; add.u64 %rd3, %rd3, %out; st.global.u32 [%rd3], %r1;";

/// Returns the words that the kernel wrote, and the map after the first 1024 bytes.
fn run(body: &str, threads: u32, seed: u64) -> Result<(Vec<u32>, TensorMap), tma_launch::Failure> {
    let body = format!("{INIT} ld.param.u64 %rd2, [in]; add.u64 %rd6, %out, 1024; {body}");
    let text = kernel(".param .u64 in", "", &body);
    let launch = Launch::new("k", 1, threads).buffer(0).buffer(1);
    let input: Vec<u32> = (0..72).map(|n| n / 12 * 100 + n % 12 + 1).collect();
    let buffers = vec![Buffer::zeroed::<u32>("out", 288), Buffer::new("in", &input)];
    let buffers = run_launch(&text, launch, buffers, seed)?;
    let map = buffers[0].bytes()[1024..].try_into().unwrap();
    Ok((buffers[0].to_vec().unwrap(), TensorMap::from_bytes(map)))
}

fn expected_box() -> Vec<u32> {
    let element = |n: u32| {
        let (x, y) = (4 + n % 8, n / 8);
        let inside = x < 10 && (1..7).contains(&y);
        if inside { (y - 1) * 100 + x + 1 } else { 0 }
    };
    (0..32).map(element).collect()
}

fn tiled() -> tensor_map::Tiled {
    TensorMap::tiled(DataType::U32, &[10, 6])
        .strides_bytes(&[48])
        .box_dims(&[8, 4])
}

#[test]
fn zeros_and_every_field_are_a_map() {
    let in_shared = format!(
        "add.u32 %r8, %tile, 1024; mov.u64 %rd5, 128; @%p1 st.bulk.weak.shared::cta [%r8], %rd5, 0;
        {} bar.warp.sync 0xffffffff;
        tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd6], [%r8], 128;
        fence.proxy.tensormap::generic.acquire.gpu [%rd6], 128; {LOAD}",
        every_field(".shared::cta", "%r8")
    );
    let generic = in_shared.replace(
        &every_field(".shared::cta", "%r8"),
        &format!(
            "cvt.u64.u32 %rd5, %r8; cvta.shared.u64 %rd5, %rd5; {}",
            every_field("", "%rd5")
        ),
    );
    let in_global = format!(
        "{} fence.proxy.tensormap::generic.release.gpu; bar.warp.sync 0xffffffff;
        fence.proxy.tensormap::generic.acquire.gpu [%rd6], 128; {LOAD}",
        every_field(".global", "%rd6")
    );
    assert_ne!(in_shared, generic);
    for body in [in_shared, generic, in_global] {
        for seed in SEEDS {
            let (out, map) = run(&body, 32, seed).unwrap_or_else(|failure| panic!("{failure}"));
            assert_eq!(out[..32], expected_box());
            let decoded = map.decode().unwrap();
            assert_eq!(decoded.params, Params::Tiled(tiled()));
            // The instruction keeps no account of the box's bytes.
            assert_eq!((decoded.box_bytes, decoded.box_align_bytes), (0, 0));
        }
    }
}

#[test]
fn each_field_is_changed_alone() {
    let made = every_field(".global", "%rd6");
    let change = |instruction: &str| {
        let (_, map) = run(
            &format!("{made} @%p1 tensormap.replace.tile.{instruction};"),
            32,
            0,
        )
        .unwrap_or_else(|failure| panic!("{failure}"));
        map
    };
    let params = |instruction: &str| match change(instruction).decode().unwrap().params {
        Params::Tiled(tiled) => tiled,
        other => panic!("{other:?}"),
    };
    let map = change("global_address.global.b1024.b64 [%rd6], %rd6");
    assert_eq!(map.decode().unwrap().address, 0x7f00_0000_0400);
    let swizzled = params("swizzle_mode.global.b1024.b32 [%rd6], 3");
    assert_eq!(swizzled, tiled().swizzle(Swizzle::B128));
    let typed = params("elemtype.global.b1024.b32 [%rd6], 7");
    assert_eq!(typed.tensor.data_type, DataType::F32);
    let filled = params("fill_mode.global.b1024.b32 [%rd6], 1");
    assert_eq!(filled.tensor.oob_fill, OobFill::NanRequestZeroFma);
    assert_eq!(
        params("box_dim.global.b1024.b32 [%rd6], 1, 256"),
        tiled().box_dims(&[8, 256])
    );
    assert_eq!(
        params("global_dim.global.b1024.b32 [%rd6], 1, 7")
            .tensor
            .dims
            .at(1),
        7
    );
    let stride = params("global_stride.global.b1024.b64 [%rd6], 0, 0xffffffff0");
    assert_eq!(stride.tensor.strides_bytes.at(0), 0xf_ffff_fff0);
    let stride = params("element_stride.global.b1024.b32 [%rd6], 1, 8");
    assert_eq!(stride.tensor.element_strides.at(1), 8);
    let deeper = params("rank.global.b1024.b32 [%rd6], 4");
    assert_eq!(deeper.tensor.rank(), 5);
}

#[test]
fn a_map_from_the_host_is_changed_and_used() {
    let body = format!(
        "{INIT} mov.u64 %rd7, map; mul.wide.u32 %rd3, %t, 4; add.u64 %rd7, %rd7, %rd3; ld.param.u32 %r1, [%rd7];
        mad.lo.u32 %r8, %t, 4, %tile; st.shared.u32 [%r8+1024], %r1; bar.warp.sync 0xffffffff; add.u32 %r8, %tile, 1024;
        ld.param.u64 %rd2, [in]; @%p1 tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%r8], %rd2;
        bar.warp.sync 0xffffffff; add.u64 %rd6, %out, 1024;
        tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.cta.sync.aligned [%rd6], [%r8], 128;
        fence.proxy.tensormap::generic.acquire.cta [%rd6], 128; {LOAD}"
    );
    let text = kernel(".param .u64 in, .param .align 64 .b8 map[128]", "", &body);
    // The map is for `out`, where there are zeros.
    let launch = Launch::new("k", 1, 32)
        .buffer(0)
        .buffer(1)
        .tensor_map(tiled().params(), 0);
    let input: Vec<u32> = (0..72).map(|n| n / 12 * 100 + n % 12 + 1).collect();
    let buffers = vec![Buffer::zeroed::<u32>("out", 288), Buffer::new("in", &input)];
    let out = run_launch(&text, launch, buffers, 5).unwrap();
    assert_eq!(out[0].to_vec::<u32>().unwrap()[..32], expected_box());
}

#[test]
fn a_warp_without_all_its_lanes_copies_less_of_a_map() {
    let body = "mad.lo.u32 %r8, %t, 8, %tile; mov.u32 %r9, 0x01010101; st.shared.v2.u32 [%r8], {%r9, %r9}; bar.sync 0;
        tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.sys.sync.aligned [%rd6], [%tile], 128;";
    let (_, map) = run(body, 16, 0).unwrap();
    let bytes = map.to_bytes();
    assert_eq!(bytes[..64], [1; 64]);
    assert_eq!(bytes[64..], [0; 64]);
}

#[test]
fn maps_in_other_memory_are_not_changed() {
    let message = |body: &str| run(body, 32, 0).unwrap_err().to_string();
    let wrong = message(
        ".local .align 64 .b8 map[128]; mov.u64 %rd5, map; cvta.local.u64 %rd5, %rd5;
        tensormap.replace.tile.rank.b1024.b32 [%rd5], 1;",
    );
    assert!(
        wrong.contains("neither in global nor in shared memory"),
        "{wrong}"
    );
    let wrong = message("tensormap.replace.tile.rank.global.b1024.b32 [%rd6+4], 1;");
    assert!(wrong.contains("MISALIGNED_ADDRESS"), "{wrong}");
    let wrong = message("tensormap.replace.tile.rank.global.b1024.b32 [%rd6+64], 1;");
    assert!(
        wrong.contains("the last of them 64 bytes past its end"),
        "{wrong}"
    );
    let wrong = message("tensormap.replace.tile.swizzle_mode.global.b1024.b32 [%rd6], 5;");
    assert!(
        wrong.contains("operand 5 of tensormap.replace.swizzle_mode must be 0 to 4"),
        "{wrong}"
    );
}
