//! Every instruction form that a wrapper emits is decoded, in each spelling.

use std::collections::BTreeMap;

use tma_emulator::EmulatorBackend;
use tma_launch::{Backend, Job, Launch, Ptx, Stage};

/// Why the instruction is not decoded, if it is not.
fn refusal(instruction: &str) -> Option<String> {
    let text = format!(
        ".version 9.0\n.target sm_100a\n.address_size 64\n.visible .entry k() {{
            .reg .pred %p<4>; .reg .b16 %h<8>, %b<4>; .reg .b32 %r<16>; .reg .b64 %rd<8>;
            .reg .f32 %f<8>; .reg .f64 %fd<8>; .reg .b128 %q<4>;
            {instruction}
            ret; }}"
    );
    let mut job = Job::new(Ptx {
        name: "form.ptx",
        text: &text,
    });
    // A launch without blocks: it is refused, but only once all is decoded.
    job.launch(Launch::new("k", 0, 0));
    let failure = EmulatorBackend::new(0)
        .run(&mut job)
        .expect_err("no block can be launched");
    (failure.stage != Stage::Check).then_some(failure.what)
}

#[test]
fn every_form_is_decoded() {
    let mut families = BTreeMap::<&str, usize>::new();
    let mut refused = Vec::new();
    let emitted = ptx_isa::forms().filter(|form| *form.emitted() != ptx_isa::Emitted::Nothing);
    for form in emitted {
        let instruction = form.example();
        *families.entry(form.family().stem).or_default() += 1;
        refused.extend(refusal(&instruction).map(|why| format!("{instruction}\n    {why}")));
    }
    for (family, count) in &families {
        println!("{count:4} {family}");
    }
    assert!(
        refused.is_empty(),
        "{} are refused:\n{}",
        refused.len(),
        refused.join("\n")
    );
}

#[test]
fn what_is_no_form_is_refused_by_name() {
    for instruction in [
        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b64 [%r10], {%rd1,%rd2,%rd3,%rd4}, [%r11];",
        "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.f32 [%r10], %f1, [%r11];",
        "cp.async.cg.shared.global [%r10], [%rd1], 8;",
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s64 [%rd1], [%r10], %r1;",
        "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.f32 [%r10], [%r12], %r1, [%r11];",
        "tensormap.replace.tile.rank.global.b1024.b64 [%rd1], %rd2;",
        "tensormap.replace.tile.box_dim.global.b1024.b32 [%rd1], 5, %r1;",
        "tensormap.replace.tile.elemtype.global.b1024.b32 [%rd1], 16;",
        "st.bulk.weak.shared::cta [%r10], %rd1, 1;",
        "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p1, %rd1;",
    ] {
        let why = refusal(instruction).expect(instruction);
        let opcode = instruction.split(' ').next().unwrap();
        assert!(why.contains(opcode), "{why}");
    }
}
