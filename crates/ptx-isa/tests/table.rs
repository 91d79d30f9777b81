//! Properties of the whole table, and searches in it.

use std::collections::BTreeSet;

use ptx_isa::{Emitted, Flag, Op, Targets, Version, find, forms};

#[test]
fn every_form_stands_once() {
    let texts: BTreeSet<String> = forms().map(|form| form.text().to_owned()).collect();
    assert_eq!(texts.len(), forms().count());
    assert_eq!(texts.len(), 3813);
    assert_eq!(forms().map(|form| form.isa()).max(), Some(ptx_isa::NEWEST));
    let is_emitted = |form: &ptx_isa::Form| *form.emitted() != Emitted::Nothing;
    assert_eq!(forms().filter(is_emitted).count(), 3150);
}

#[test]
fn another_spelling_is_that_of_a_form_with_a_wrapper() {
    for form in forms() {
        if let Emitted::As(text) = form.emitted() {
            let other = find(text).filter(|other| other.text() == text);
            let call = other.as_ref().and_then(|other| other.call());
            assert!(call.is_some(), "{} == {text}", form.text());
            assert_eq!(other.map(|other| other.op()), Some(form.op()), "{text}");
        }
    }
}

#[test]
fn a_form_is_found_by_its_text_and_by_its_example() {
    for form in forms() {
        assert_eq!(find(form.text()).as_ref(), Some(&form));
        // Its registers may be of any width.
        let found = find(&form.example()).map(|found| found.opcode().to_owned());
        assert_eq!(found.as_deref(), Some(form.opcode()), "{}", form.example());
    }
}

#[test]
fn numbers_and_registers_of_unknown_width_fit() {
    let text = |instruction| find(instruction).map(|form| form.text().to_owned());
    let is = |instruction, form: &str| assert_eq!(text(instruction).as_deref(), Some(form));
    is(
        "mbarrier.init.shared::cta.b64 [?], 1",
        "mbarrier.init.shared::cta.b64 [r], r",
    );
    is("cp.async.wait_group 0", "cp.async.wait_group 1");
    is(
        "setmaxnreg.inc.sync.aligned.u32 240",
        "setmaxnreg.inc.sync.aligned.u32 160",
    );
    is(
        "mov.u32 %r1, %cluster_ctaid.y;",
        "mov.u32 r, %cluster_ctaid.x",
    );
    is(
        "cp.async.ca.shared.global [n], [n], 8, p",
        "cp.async.ca.shared.global [r], [d], 8, p",
    );
    is("vote.sync.all.pred p, 1, n", "vote.sync.all.pred p, p, r");
    assert_eq!(text("vote.sync.all.pred n, p, n"), None);
    assert_eq!(text("mov.u32 %r1, %r2;"), None);
    assert_eq!(text("mbarrier.init.shared::cta.b64 [?]"), None);
    assert_eq!(text("mbarrier.init.shared::cta.b64 [?], {?}"), None);
    assert_eq!(text("mbarrier.initial.b64 [?], 1"), None);
    assert_eq!(
        text(
            "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b64 [?], {?,?,?,?}, [?]"
        ),
        None
    );
}

/// The expected values are copied from the manual by hand.
#[test]
fn versions_and_targets_are_the_manuals() {
    for (instruction, major, minor, targets) in [
        ("mbarrier.arrive.b64 ?, [d]", 7, 0, Targets::Sm80),
        (
            "mbarrier.try_wait.parity.shared::cta.b64 ?, [?], 0",
            7,
            8,
            Targets::Sm90,
        ),
        (
            "mbarrier.arrive.relaxed.cta.b64 ?, [?]",
            8,
            6,
            Targets::Sm90,
        ),
        (
            "fence.proxy.tensormap::generic.acquire.gpu [?], 128",
            8,
            3,
            Targets::Sm90,
        ),
        (
            "tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [?], 4",
            8,
            8,
            Targets::Sm103a,
        ),
        ("st.bulk.weak.shared::cta [?], ?, 0", 8, 6, Targets::Sm100),
        ("setmaxnreg.dec.sync.aligned.u32 24", 8, 0, Targets::Sm90a),
        (
            "mbarrier.check_layout.layout::v1.b64 ?, [?]",
            9,
            3,
            Targets::Sm90,
        ),
    ] {
        let form = find(instruction).expect(instruction);
        let (isa, has) = (form.isa(), form.targets());
        assert_eq!(
            (isa, has),
            (Version::new(major, minor), targets),
            "{instruction}"
        );
    }
}

#[test]
fn targets_are_sets() {
    let has = |set: Targets, targets: &[&str]| {
        targets
            .iter()
            .map(|target| set.has(target))
            .collect::<Vec<_>>()
    };
    let some = [
        "sm_75", "sm_86", "sm_90", "sm_90a", "sm_100", "sm_103f", "sm_107a", "sm_121a",
    ];
    let is = |set: Targets, expected: [u8; 8]| {
        assert_eq!(has(set, &some), expected.map(|is| is == 1), "{set:?}")
    };
    is(Targets::Sm80, [0, 1, 1, 1, 1, 1, 1, 1]);
    is(Targets::Sm90, [0, 0, 1, 1, 1, 1, 1, 1]);
    is(Targets::Sm100, [0, 0, 0, 0, 1, 1, 1, 1]);
    is(Targets::Sm90a, [0, 0, 0, 1, 0, 1, 1, 1]);
    is(Targets::Sm90aAlone, [0, 0, 0, 1, 0, 0, 0, 0]);
    is(Targets::Sm90aOrSm100a, [0, 0, 0, 1, 0, 1, 1, 0]);
    is(Targets::Sm100a, [0, 0, 0, 0, 0, 1, 1, 0]);
    is(Targets::Sm100aOrSm120a, [0, 0, 0, 0, 0, 1, 1, 1]);
    is(Targets::Sm100aOrSm120aAlone, [0, 0, 0, 0, 0, 0, 1, 1]);
    is(Targets::Sm103a, [0, 0, 0, 0, 0, 0, 1, 0]);
    is(Targets::Sm107a, [0, 0, 0, 0, 0, 0, 1, 0]);
    is(Targets::Sm107aOrSm120a, [0, 0, 0, 0, 0, 0, 1, 1]);
    assert!(!Targets::Sm80.has("compute_90") && !Targets::Sm80.has("sm_"));
}

#[test]
fn modifiers_come_taken_apart() {
    let form = find(
        "cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes.multicast::cluster\
         .cta_group::2.L2::cache_hint [?], [?, {?,?,?}], [?], {?}, ?, ?",
    );
    let form = form.unwrap();
    assert_eq!(
        form.op(),
        Op::CpAsyncBulkTensor(ptx_isa::cp_async_bulk_tensor::Op::Copy)
    );
    assert_eq!(form.rank(), Some(ptx_isa::Rank::Three));
    assert_eq!(
        (form.space(), form.source_space()),
        (
            Some(ptx_isa::Space::SharedCluster),
            Some(ptx_isa::Space::Global)
        )
    );
    assert_eq!(form.mode(), Some(ptx_isa::Mode::Im2col));
    assert_eq!(form.completion(), Some(ptx_isa::Completion::Mbarrier));
    assert_eq!(form.multicast(), Some(ptx_isa::Multicast::Cluster));
    assert_eq!(form.cta_group(), Some(ptx_isa::CtaGroup::Two));
    assert!(form.has(Flag::CacheHint) && !form.has(Flag::CpMask));
    let form = find(
        "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [?], 1, [?]",
    );
    let form = form.unwrap();
    assert_eq!(
        (form.reduction(), form.ty()),
        (Some(ptx_isa::Reduction::Add), Some(ptx_isa::Type::U32))
    );
}
