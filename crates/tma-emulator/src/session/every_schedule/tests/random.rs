//! Random kernels of visible operations.

/// Returns a number below another one, at random.
pub(crate) type Below<'a> = &'a mut dyn FnMut(usize) -> usize;

/// A kernel `k(out, in)` with a tile of 1024 bytes, barriers from `%bar` on, and the thread `%t`.
pub(crate) fn kernel(body: &str) -> String {
    format!(
        ".version 8.6\n.target sm_90a\n.address_size 64\n.shared .align 128 .b8 tile[1024];\n\
        .shared .align 8 .b64 bars[8];\n.visible .entry k(.param .u64 out, .param .u64 in) {{\n\
        .reg .pred %p<8>; .reg .b32 %r<16>; .reg .b64 %rd<8>; .reg .b64 %out, %in; .reg .b32 %t, %tile, %bar;\n\
        ld.param.u64 %out, [out]; ld.param.u64 %in, [in]; mov.u32 %t, %tid.x; mov.u32 %tile, tile; mov.u32 %bar, bars;\n\
        {body}\nret; }}\n"
    )
}

/// Atomics and ordered accesses of the first lane of a warp.
const ATOMICS: &[&str] = &[
    "@%p7 atom.global.add.u32 %r2, [%out], 1; add.u32 %r9, %r9, %r2;",
    "@%p7 atom.global.exch.b32 %r2, [%out+4], %t; mad.lo.u32 %r9, %r9, 3, %r2;",
    "@%p7 atom.global.cas.b32 %r2, [%out+8], 0, %r3; mad.lo.u32 %r9, %r9, 3, %r2;",
    "@%p7 red.global.add.u32 [%out], 3;",
    "@%p7 red.global.max.u32 [%out+4], %t;",
    "@%p7 ld.relaxed.gpu.global.u32 %r2, [%out]; mad.lo.u32 %r9, %r9, 5, %r2;",
    "@%p7 st.relaxed.gpu.global.u32 [%out+4], %r9;",
    "@%p7 ld.volatile.global.u32 %r2, [%out+4]; mad.lo.u32 %r9, %r9, 5, %r2;",
];

/// Other visible operations: of the first lane of a warp with the guard `%p7`, of half of it with `%p6`.
const OPERATIONS: &[&str] = &[
    "@%p7 mbarrier.arrive.shared::cta.b64 _, [%bar];",
    "mbarrier.test_wait.parity.shared::cta.b64 %p3, [%bar], 0; selp.u32 %r2, 1, 0, %p3; mad.lo.u32 %r9, %r9, 7, %r2;",
    "mbarrier.test_wait.parity.shared::cta.b64 %p3, [%bar], 1; selp.u32 %r2, 1, 0, %p3; mad.lo.u32 %r9, %r9, 7, %r2;",
    "LABEL: mbarrier.try_wait.parity.shared::cta.b64 %p3, [%bar], 0; @!%p3 bra LABEL;",
    "@%p7 mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%bar], 16;
     @%p7 mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%bar], 16;",
    "@%p7 mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%bar], 16;
     @%p7 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%bar], 16;",
    "@%p7 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%bar], 16;
     @%p7 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%tile], [%in], 16, [%bar];",
    "@%p7 cp.async.ca.shared.global [%tile+64], [%in], 4; @%p7 cp.async.mbarrier.arrive.noinc.shared.b64 [%bar];",
    "@!%p7 bra LABEL; POLL: ld.relaxed.gpu.global.u32 %r2, [%out]; setp.eq.u32 %p3, %r2, 0; @%p3 bra POLL; LABEL:",
    "@%p6 barrier.sync 3, 32;",
    "@%p6 bra LAST;",
    "@%p7 fence.sc.gpu;",
];

/// Operations by which two warps may meet.
const MEETINGS: &[[&str; 2]] = &[
    ["bar.sync 1, 64;"; 2],
    ["barrier.sync 2, 64;", "barrier.arrive 2, 64;"],
    ["@%p6 barrier.sync 2, 64;", "@%p6 barrier.arrive 2, 64;"],
    ["@%p6 barrier.sync 2, 64;", "barrier.sync 2, 64;"],
];

/// A kernel of warps that each execute some of the operations; two of them may meet at a barrier.
pub(crate) fn random_kernel(below: Below<'_>, warps: usize, operations: usize) -> String {
    let count = 1 + below(warps);
    let sync = if warps > 1 { "bar.sync 0;" } else { "" };
    let mut body = format!(
        "setp.eq.u32 %p1, %t, 0; @%p1 mbarrier.init.shared::cta.b64 [%bar], {count}; {sync} mov.u32 %r9, 0;\n\
         mov.u32 %r2, 0; and.b32 %r1, %t, 31; setp.eq.u32 %p7, %r1, 0; setp.lt.u32 %p6, %r1, 16; shr.u32 %r3, %t, 5;\n"
    );
    for warp in 0..warps {
        body += &format!("setp.eq.u32 %p2, %r3, {warp}; @%p2 bra WARP{warp};\n");
    }
    let meets = below(2) == 0;
    let meeting = MEETINGS[below(MEETINGS.len())];
    for warp in 0..warps {
        let mut all: Vec<String> = (0..operations)
            .map(|number| {
                let all = [ATOMICS, OPERATIONS][below(2)];
                let operation = all[below(all.len())];
                let operation = operation.replace("LABEL", &format!("LABEL{warp}{number}"));
                operation.replace("POLL", &format!("POLL{warp}{number}"))
            })
            .collect();
        if let (true, Some(operation)) = (meets && warps > 1, meeting.get(warp)) {
            all[below(operations)] = (*operation).to_owned();
        }
        body += &format!("WARP{warp}:\n{}\nbra LAST;\n", all.join("\n"));
    }
    body + "LAST: mul.wide.u32 %rd1, %r3, 4; add.u64 %rd1, %rd1, %out; @%p7 st.global.u32 [%rd1+64], %r9;"
}
