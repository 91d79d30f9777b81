//! The part of shared memory that is reserved for the system, and the sizes with it and without. PTX ISA 10.29 to 10.32.

use crate::common::{SEEDS, failure, kernel, module, run, run_launch};
use tma_launch::{Buffer, Launch};

/// Cooperative groups take memory at `%reserved_smem_offset_1` for a tile of two warps: here each thread takes the number
/// that its partner in the other warp has put there.
fn exchange(order: &str) -> String {
    format!(
        "mov.u32 %r1, %reserved_smem_offset_1; cvt.u64.u32 %rd1, %r1; cvta.shared.u64 %rd1, %rd1;
        mul.wide.u32 %rd2, %t, 4; add.u64 %rd3, %rd1, %rd2; add.u32 %r2, %t, 700; st.u32 [%rd3 + 32], %r2;
        {order}
        xor.b32 %r3, %t, 32; shl.b32 %r3, %r3, 2; add.u32 %r3, %r3, %r1; ld.shared.u32 %r4, [%r3 + 32];
        add.u64 %rd4, %out, %rd2; st.global.u32 [%rd4], %r4;"
    )
}

#[test]
fn sizes_and_offsets_of_the_reserved_part() {
    let registers = [
        "reserved_smem_offset_begin",
        "reserved_smem_offset_end",
        "reserved_smem_offset_cap",
        "reserved_smem_offset_0",
        "reserved_smem_offset_1",
        "total_smem_size",
        "aggr_smem_size",
        "dynamic_smem_size",
    ];
    let stores: String = (0..)
        .zip(registers)
        .map(|(at, name)| {
            format!(
                "mov.u32 %r1, %{name}; st.global.u32 [%rd1 + {}], %r1;",
                4 * at
            )
        })
        .collect();
    let text = module(&format!(
        ".extern .shared .align 16 .b8 dynamic[];
        .visible .entry k(.param .u64 out) {{
            .shared .align 4 .b8 fixed[100]; .reg .b32 %r<3>; .reg .b64 %rd<2>;
            ld.param.u64 %rd1, [out]; {stores} mov.u32 %r2, fixed; mov.u32 %r2, dynamic; ret; }}"
    ));
    // 112 bytes up to the aligned dynamic part, and 200 after them, in units of 128.
    for (dynamic, total) in [(200, 384), (0, 128)] {
        let launch = Launch::new("k", 1, 1).shared_bytes(dynamic).buffer(0);
        let out = vec![Buffer::zeroed::<u32>("out", registers.len())];
        let found = run_launch(&text, launch, out, 0).unwrap();
        let expected = [0, 288, 1024, 0, 0, total, total + 1024, dynamic];
        assert_eq!(found[0].to_vec::<u32>().unwrap(), expected);
    }
}

#[test]
fn warps_exchange_numbers_in_the_reserved_part() {
    let found = run(&exchange("bar.sync 0;"), 64, 64).unwrap();
    let expected: Vec<u32> = (732..764).chain(700..732).collect();
    assert_eq!(found, expected);
}

#[test]
fn the_checker_watches_the_reserved_part() {
    for seed in SEEDS {
        let launch = Launch::new("k", 1, 64).buffer(0);
        let out = vec![Buffer::zeroed::<u32>("out", 64)];
        let message = run_launch(&kernel(&exchange("")), launch, out, seed).unwrap_err();
        assert!(
            message.to_string().contains("error[data-race]"),
            "{message}"
        );
    }
}

/// Cooperative groups clear a bit of a barrier there without having written it.
#[test]
fn the_reserved_part_holds_what_the_system_has_left() {
    let body = "mov.u32 %r1, %reserved_smem_offset_1; red.shared.and.b32 [%r1 + 4], 0xf0; ld.shared.u32 %r2, [%r1 + 4];
        and.b32 %r2, %r2, 15; st.global.u32 [%out], %r2;";
    assert_eq!(run(body, 1, 1), Ok(vec![0]));
    let own = body.replace(
        "mov.u32 %r1, %reserved_smem_offset_1;",
        ".shared .u32 own[2]; mov.u32 %r1, own;",
    );
    let message = failure(&own, 1);
    assert!(message.contains("error[uninitialised-use]"), "{message}");
}

#[test]
fn no_more_of_the_reserved_part_than_the_kernel_has_asked_for() {
    let first = "mov.u32 %r1, %reserved_smem_offset_1; st.shared.u32 [%r1], %r1; ld.shared.u32 %r2, [%r1 + 284];";
    assert_eq!(run(first, 1, 1), Ok(vec![0xdead_beef]));
    let cases = [
        "mov.u32 %r1, %reserved_smem_offset_end; st.shared.u32 [%r1], %r1;",
        "mov.u32 %r1, 1020; st.shared.u32 [%r1], %r1;",
    ];
    for case in cases {
        let message = failure(case, 1);
        assert!(
            message.contains("of shared memory are outside"),
            "{message}"
        );
    }
}
