//! Copies of PTX ISA 9.2 to 9.4: bytes out of bounds, reports to barriers, tensors at another address.

use crate::common::{
    copies::{INIT, kernel, refused_map, wait_and_write},
    run_launch,
};
use tensor_map::{DataType, TensorMap};
use tma_launch::{Buffer, Launch};

/// Runs a kernel that copies from 25 words, numbered from 1, with `copy` as the copy instruction.
fn copied(init: &str, copy: &str, words: u32) -> Result<Vec<u32>, String> {
    let body = format!(
        "ld.param.u64 %rd2, [in]; {init} @!%p1 bra WAIT;
        mbarrier.arrive.expect_tx.shared::cta.b64 _, [%bar], 112; {copy} {}",
        wait_and_write(words)
    );
    let text = kernel(".param .u64 in", "", &body);
    let buffers = vec![
        Buffer::zeroed::<u32>("out", words as usize),
        Buffer::new("in", &(1..=25).collect::<Vec<u32>>()),
    ];
    let launch = Launch::new("k", 1, 32).buffer(0).buffer(1);
    let buffers = run_launch(&text, launch, buffers, 3).map_err(|failure| failure.to_string())?;
    Ok(buffers[0].to_vec().unwrap())
}

fn ignoring(left: u32, right: u32) -> Result<Vec<u32>, String> {
    let copy = format!(
        "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.ignore_oob \
         [%tile], [%rd2], 112, {left}, {right}, [%bar];"
    );
    copied(INIT, &copy, 25)
}

/// The buffer has 100 bytes of the 112.
#[test]
fn bytes_that_are_ignored_may_be_out_of_bounds() {
    assert_eq!(ignoring(0, 12).unwrap(), (1..=25).collect::<Vec<u32>>());
    assert_eq!(
        ignoring(4, 12).unwrap()[1..],
        (2..=25).collect::<Vec<u32>>()
    );
    for (right, why) in [(8, "the copy's "), (16, "must each be 0 to 15")] {
        let wrong = ignoring(0, right).unwrap_err();
        assert!(wrong.contains(why), "{wrong}");
    }
}

#[test]
fn a_load_of_no_bytes_takes_any_addresses() {
    let load = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes";
    let copy = |bytes: u32| {
        format!(
            "{load} [%tile+4], [%rd2+8], {bytes}, [%bar]; {load} [%tile], [%rd2], 80, [%bar];
            {load} [%tile+80], [%rd2+64], 32, [%bar];"
        )
    };
    let loaded = (1..=20).chain(17..=20).collect::<Vec<u32>>();
    assert_eq!(copied(INIT, &copy(0), 24).unwrap(), loaded);
    let wrong = copied(INIT, &copy(16), 24).unwrap_err();
    assert!(wrong.contains("is not a multiple of 16"), "{wrong}");
}

#[test]
fn a_barrier_that_hears_of_nothing_gets_no_reports() {
    let copy = "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes\
                .mbarrier::report::validity::per_element::ff [%tile], [%rd2], 96, [%bar];";
    let wrong = copied(INIT, copy, 24).unwrap_err();
    assert!(wrong.contains("does not have the layout v1"), "{wrong}");
}

#[test]
fn a_barrier_of_the_layout_v1_expects_few_arrivals() {
    let init = |count: u32| {
        let init = format!("mbarrier.init.layout::v1.shared::cta.b64 [%bar], {count};");
        copied(&format!("@%p1 {init} bra DONE;"), "", 1)
    };
    assert_eq!(init(511), Ok(vec![0]));
    let wrong = init(512).unwrap_err();
    assert!(
        wrong.contains("the arrival count 512 must be 1 to 511"),
        "{wrong}"
    );
}

#[test]
fn a_copy_of_too_few_bytes_explains_the_deadlock() {
    let load = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%tile], [%rd2], 96, [%bar];";
    let wrong = copied(INIT, load, 24).unwrap_err();
    assert!(wrong.contains("this ends the kernel: "), "{wrong}");
}

/// A load of 8 words of a tensor at a multiple of 8 bytes, and one with a coordinate beside other dimensions.
#[test]
fn what_stands_in_for_the_map_has_rules() {
    let load = |overrides: &str, coordinate: i32| {
        let body = format!(
            "{INIT} @!%p1 bra END; mov.u64 %rd2, map; cvta.param.u64 %rd2, %rd2; ld.param.u64 %rd3, [in];
            mov.u32 %r4, {coordinate}; mov.u16 %h1, 8; {overrides} END:"
        );
        let text = kernel(".param .u64 in, .param .align 64 .b8 map[128]", "", &body);
        let params = TensorMap::tiled(DataType::U32, &[16])
            .box_dims(&[8])
            .params();
        refused_map(&text, params, 64)
    };
    let opcode = "cp.async.bulk.tensor.1d.shared::cta.global.tile.mbarrier::complete_tx::bytes.override::global_address";
    let moved = format!("add.u64 %rd3, %rd3, 8; {opcode} [%tile], [%rd2, %rd3, {{%r4}}], [%bar];");
    let wrong = load(&moved, 0);
    assert!(wrong.contains("is not a multiple of 16"), "{wrong}");
    let resized =
        format!("{opcode}.override::global_dim [%tile], [%rd2, %rd3, {{%h1}}, {{%r4}}], [%bar];");
    let wrong = load(&resized, 4);
    assert!(wrong.contains("coordinates must be 0"), "{wrong}");
}

/// A box of two rows of 8 words, of a tensor whose rows the instruction shortens to 4 words.
#[test]
fn sizes_and_strides_stand_in_for_those_of_the_map() {
    let load = |upper: u32| {
        let body = format!(
            "{INIT} mov.u64 %rd2, map; cvta.param.u64 %rd2, %rd2; ld.param.u64 %rd3, [in];
            mov.u32 %r4, 0; mov.u16 %h1, 4; mov.u16 %h2, 2; mov.u32 %r5, 3; mov.u16 %h3, {upper};
            @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%bar], 64;
            @%p1 cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes\
            .override::global_address.override::global_dim_stride
            [%tile], [%rd2, %rd3, {{%h1, %h2}}, {{%r5}}, %h3, {{%r4, %r4}}], [%bar]; {}",
            wait_and_write(16)
        );
        let text = kernel(".param .u64 in, .param .align 64 .b8 map[128]", "", &body);
        let map = TensorMap::tiled(DataType::U32, &[16, 2]).box_dims(&[8, 2]);
        let launch = Launch::new("k", 1, 32)
            .buffer(0)
            .buffer(1)
            .tensor_map(map.params(), 1);
        let buffers = vec![
            Buffer::zeroed::<u32>("out", 16),
            Buffer::new("in", &(1..=32).collect::<Vec<u32>>()),
        ];
        run_launch(&text, launch, buffers, 0)
    };
    // The stride is 3 times 16 bytes, and with bits of the upper part 2^36 bytes more.
    let rows = [1, 2, 3, 4, 0, 0, 0, 0, 13, 14, 15, 16, 0, 0, 0, 0];
    assert_eq!(load(0).unwrap()[0].to_vec::<u32>().unwrap(), rows);
    let wrong = load(1).unwrap_err().to_string();
    assert!(wrong.contains("CUDA_ERROR"), "{wrong}");
}
