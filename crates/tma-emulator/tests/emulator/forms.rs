//! Every instruction form of the table is either decoded or listed as one without semantics; no other form is
//! decoded.

use std::collections::{BTreeMap, BTreeSet};

use tma_emulator::EmulatorBackend;
use tma_launch::{Job, Launch, Ptx, Stage};

/// Returns the reason why the instruction is not decoded, if any.
fn refusal(instruction: &str) -> Option<String> {
    let text = format!(
        ".version 9.0\n.target sm_100a\n.address_size 64\n.visible .entry k() {{
            .reg .pred %p<4>; .reg .b16 %h<8>, %b<4>; .reg .b32 %r<300>; .reg .b64 %rd<32>;
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

/// All forms without semantics; `*` stands for any text.
const NOT_EXECUTED: &[&str] = &[
    "cp.async.bulk.tensor.*.im2col_no_offs::w.*",
    "cp.async.bulk.wait_group.sync_restrict::*",
    "cp.reduce.async.bulk.tensor.*.im2col_no_offs::w.*",
    "cvt.*s2f6x2*",
    "fence.alias.*",
    "fma.rn.oob.*",
    "ldmatrix.*.m16n16.*",
    "ldmatrix.*.m8n16.*",
    "mma.*.kind::*",
    "mma.sp*.f16.e4m3.*",
    "mma.sp*.f16.e5m2.*",
    "mma.sp*.m16n8k16.*.bf16.*",
    "mma.sp*.f32.e4m3.e5m2.*",
    "mma.sp*.f32.e5m2.*",
    "mma.sp*.s32.s4.*",
    "mma.sp*.s32.s8.u8.*",
    "mma.sp*.s32.u4.*",
    "mma.sp*.s32.u8.*",
    "stmatrix.*.m16n8.*",
];

fn fits(text: &str, pattern: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else {
        return text == pattern;
    };
    let Some(text) = text.strip_prefix(start) else {
        return false;
    };
    let mut ends = (0..=text.len()).filter(|at| text.is_char_boundary(*at));
    ends.any(|at| fits(&text[at..], rest))
}

/// The emulator executes all forms of the table but those that are listed.
#[test]
fn every_form_is_executed_or_listed() {
    let mut executed = BTreeMap::<&str, usize>::new();
    let mut wrong = Vec::new();
    let mut unused = BTreeSet::from_iter(NOT_EXECUTED);
    for form in ptx_isa::forms() {
        let instruction = form.example();
        let fitting = NOT_EXECUTED.iter().filter(|it| fits(form.text(), it));
        let fitting: Vec<_> = fitting.collect();
        for pattern in &fitting {
            unused.remove(pattern);
        }
        match (refusal(&instruction), fitting.as_slice()) {
            (None, []) => *executed.entry(form.family().stem).or_default() += 1,
            (Some(why), [_, ..]) if why.contains("that the emulator cannot execute") => {}
            (why, listed) => wrong.push(format!(
                "{instruction}\n    {}\n    listed as {listed:?}",
                why.as_deref().unwrap_or("is decoded")
            )),
        }
    }
    for (family, count) in &executed {
        println!("{count:4} {family}");
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(unused.is_empty(), "no forms: {unused:?}");
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
