//! The kernel template of each form. The device crate reads this file, too.

/// A kernel around the call of a wrapper: a function of the crate `tests-semantics`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Template {
    /// The function.
    pub name: &'static str,
    /// True if the kernel takes a tensor map.
    pub has_map: bool,
    /// Options of the kernel.
    pub options: &'static str,
}

/// Beginnings of forms, or words in them after a `*`, and their templates. The first match counts.
const TEMPLATES: &[(&str, &str)] = &[
    ("mbarrier.init", "init"),
    ("mbarrier.check_layout", "checked"),
    ("*.wait_group.sync_restrict", ""),
    ("fence.alias", ""),
    ("*.im2col_no_offs::w.", ""),
    ("mbarrier.inval", "inval"),
    ("mbarrier.pending_count", "pending_count"),
    ("*.multicast::cluster::32b.b64 ", "arrivals_of_many"),
    ("mbarrier.expect_tx", "arrivals"),
    ("mbarrier.complete_tx", "arrivals"),
    ("mbarrier.arrive", "arrivals"),
    ("mbarrier.test_wait", "waits"),
    ("mbarrier.try_wait", "waits"),
    ("cp.async.bulk.commit_group", "bulk_groups"),
    ("cp.async.bulk.wait_group", "bulk_groups"),
    (
        "*.L2.global.tile.override::global_address.override",
        "resized_prefetch",
    ),
    ("cp.async.bulk.prefetch", "prefetched"),
    ("*.shared::cluster.shared::cta.", "moved"),
    ("*::bytes.override::global_address.override", "resized_load"),
    ("*.override::global_address.override", "resized_store"),
    ("tensormap.cp_fenceproxy", "released"),
    ("*.global.shared::cta.", "grouped"),
    ("*.ignore_oob ", "partial"),
    ("*.s2f6x2", ""),
    ("*.mbarrier::report::validity", "reported"),
    ("cp.async.bulk.", "completes_tx"),
    ("cp.async.mbarrier.arrive", "small_arrivals"),
    ("cp.async.commit_group", "small_groups"),
    ("cp.async.wait_", "small_groups"),
    ("cp.async.c", "small_copies"),
    ("st.async.release", "published"),
    ("st.async.mmio", "published"),
    ("red.async.release", "published"),
    ("red.async.mmio", "published"),
    ("st.bulk", "zeroed"),
    ("clusterlaunchcontrol.try_cancel", "cancelled"),
    (
        "clusterlaunchcontrol.query_cancel.is_canceled",
        "is_cancelled",
    ),
    (
        "clusterlaunchcontrol.query_cancel.get_first",
        "first_cancelled",
    ),
    ("st.async.weak", "stored"),
    ("red.async.relaxed", "stored"),
    ("mov.u32 r, %cluster", "value"),
    ("mov.u32 r, %ncluster", "value"),
    ("mov.pred p, %is_explicit_cluster", "value"),
    ("mapa.u32", ""),
    ("getctarank.u32", ""),
    ("mapa.", "mapped"),
    ("getctarank.", "rank_of"),
    ("isspacep.", "is_in"),
    ("cvta.to.", "to_cluster"),
    ("elect.sync", "elected"),
    ("barrier.cluster.", "cluster_halves"),
    ("fence.mbarrier_init", "made_known"),
    (
        "*.sync_restrict::shared::cluster::read.cta",
        "handed_over_here",
    ),
    ("fence.proxy.async::generic", "handed_over"),
    ("fence.proxy.tensormap", "released"),
    ("fence.proxy.", "proxied"),
    ("fence.", "ordered"),
    ("tensormap.replace", "edited"),
    ("prefetch.const", "constant_map"),
    ("prefetch.param", "prefetched_map"),
    ("prefetch.tensormap", "prefetched_map"),
    ("prefetch", "prefetched"),
    ("applypriority", "prefetched"),
    ("griddepcontrol", "prefetched"),
    ("discard", "discarded"),
    ("createpolicy", "policies"),
    ("setmaxnreg.inc", "registers"),
    ("atom.", "changed"),
    ("ld.global.", "accessed"),
    ("ld.relaxed.", "accessed"),
    ("ld.acquire.", "accessed"),
    ("st.global.", "accessed"),
    ("st.relaxed.", "accessed"),
    ("st.release.", "accessed"),
    ("abs.", "computed"),
    ("add.", "computed"),
    ("bfe.", "computed"),
    ("bfi.", "computed"),
    ("cos.", "computed"),
    ("cvt.", "computed"),
    ("dp2a.", "computed"),
    ("dp4a.", "computed"),
    ("ex2.", "computed"),
    ("fma.rn.oob.", ""),
    ("fma.", "computed"),
    ("lg2.", "computed"),
    ("max.", "computed"),
    ("min.", "computed"),
    ("mul.", "computed"),
    ("nanosleep.", "computed"),
    ("neg.", "computed"),
    ("prmt.", "computed"),
    ("rcp.", "computed"),
    ("rsqrt.", "computed"),
    ("sin.", "computed"),
    ("sqrt.", "computed"),
    ("sub.", "computed"),
    ("tanh.", "computed"),
];

/// Templates that take a map for every form.
const MAP_TEMPLATES: &[&str] = &["released", "edited", "prefetched_map"];

/// Returns the template of a form; none if there is no case yet.
pub fn template(text: &str) -> Option<Template> {
    let (_, name) = TEMPLATES
        .iter()
        .find(|(beginning, _)| match beginning.strip_prefix('*') {
            Some(word) => text.contains(word),
            None => text.starts_with(beginning),
        })?;
    (!name.is_empty()).then_some(Template {
        name,
        has_map: text.contains(".tensor.") || MAP_TEMPLATES.contains(name),
        options: match *name {
            "registers" => "max_threads = 512, min_blocks = 1",
            _ => "max_threads = 128",
        },
    })
}

/// The name of a form's kernel.
pub fn entry(index: usize) -> String {
    format!("form_{index:04}")
}
