//! Which kernel shows what a form does. The device crate reads this file, too.

/// A kernel around the call of a wrapper: a function of the crate `tests-effects`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Template {
    /// The function.
    pub name: &'static str,
    /// Whether the kernel takes a tensor map.
    pub has_map: bool,
    /// Options of the kernel.
    pub options: &'static str,
}

/// Beginnings of forms, or words in them behind a `*`, and their templates. The first that fits counts.
const TEMPLATES: &[(&str, &str)] = &[
    ("mbarrier.init", "init"),
    ("mbarrier.inval", "inval"),
    ("mbarrier.pending_count", "pending_count"),
    ("mbarrier.expect_tx", "arrivals"),
    ("mbarrier.complete_tx", "arrivals"),
    ("mbarrier.arrive", "arrivals"),
    ("mbarrier.test_wait", "waits"),
    ("mbarrier.try_wait", "waits"),
    ("cp.async.bulk.commit_group", "bulk_groups"),
    ("cp.async.bulk.wait_group", "bulk_groups"),
    ("cp.async.bulk.prefetch", "prefetched"),
    ("*.shared::cluster.shared::cta.", "moved"),
    ("cp.async.bulk.global", "grouped"),
    ("*d.global.shared::cta.", "grouped"),
    ("cp.reduce.async.bulk.global", "grouped"),
    ("cp.async.bulk.", "counted"),
    ("cp.async.mbarrier.arrive", "small_arrivals"),
    ("cp.async.commit_group", "small_groups"),
    ("cp.async.wait_", "small_groups"),
    ("cp.async.c", "small_copies"),
];

/// The template of a form; none where there is no case yet.
pub fn template(text: &str) -> Option<Template> {
    let (_, name) = TEMPLATES
        .iter()
        .find(|(beginning, _)| match beginning.strip_prefix('*') {
            Some(word) => text.contains(word),
            None => text.starts_with(beginning),
        })?;
    Some(Template {
        name,
        has_map: text.contains(".tensor."),
        options: "max_threads = 128",
    })
}

/// What the kernel of a probe is called.
pub fn entry(index: usize) -> String {
    format!("effect_{index:04}")
}
