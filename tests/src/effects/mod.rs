//! What each instruction form does: a launch whose results show it, for every form that a Hopper GPU
//! has.
//!
//! The kernels are in the crate `tests-effects`, one for each wrapper's form. A form that is another
//! spelling has that of the form which the wrapper emits, with the spelling changed in the text.

mod bulk;
mod cp_async;
mod hints;
mod maps;
mod mbarrier;
mod order;
mod places;
mod plan;
pub mod results;
#[allow(unreachable_pub, reason = "a build script has it, too")]
mod template;
pub mod text;

use crate::{Scenario, forms};

/// A form and the launches that show what it does.
pub struct Effect {
    /// The form, and the wrapper that emits it or another spelling of it.
    pub support: forms::Support,
    /// The kernel.
    pub entry: String,
    /// The launches, and what must come out.
    pub scenario: Scenario,
}

impl Effect {
    /// The form as the tables have it.
    pub fn form(&self) -> String {
        self.support.form.text()
    }

    /// Whether a kernel gives the same results without the instruction, which is a hint, or orders
    /// what happens to be in order.
    pub fn is_silent(&self) -> bool {
        let opcode = &self.support.form.ptx;
        SILENT.iter().any(|beginning| opcode.starts_with(beginning))
    }
}

/// Beginnings of forms whose absence does not show.
const SILENT: &[&str] = &[
    "applypriority.",
    "cp.async.bulk.prefetch.",
    "createpolicy.",
    "discard.",
    "fence.proxy.alias",
    "griddepcontrol.",
    "membar.proxy.alias",
    "prefetch",
    "setmaxnreg.",
];

/// Forms that no kernel can execute, and why.
pub const EXCEPTIONS: &[(&str, &str)] = &[
    ("mapa.u32 r, r, r", NOT_IN_32_BITS),
    ("getctarank.u32 r, r", NOT_IN_32_BITS),
];

const NOT_IN_32_BITS: &str = "a generic address of shared memory does not fit into 32 bits";

/// Every form that has a case, in the order of the checklist.
///
/// # Errors
/// What the table of probes lacks or has too much.
pub fn effects() -> Result<Vec<Effect>, Vec<String>> {
    let supported = forms::support()?;
    let on_hopper = |support: &forms::Support| {
        let mut targets = support.form.targets.iter();
        targets.any(|target| target == "sm_90a")
    };
    let effects = supported.into_iter().filter(on_hopper);
    Ok(effects.filter_map(effect).collect())
}

fn effect(support: forms::Support) -> Option<Effect> {
    let emitted = support.spelled.clone();
    let emitted = emitted.unwrap_or_else(|| support.form.text());
    let template = template::template(&emitted)?;
    let index = support.probe.rsplit('_').next()?.parse().ok()?;
    let entry = template::entry(index);
    let plans = match template.name {
        "init" | "inval" | "pending_count" | "arrivals" | "waits" => mbarrier::plans(&emitted),
        "small_copies" | "small_groups" | "small_arrivals" => {
            cp_async::plans(&emitted, template.name)
        }
        "value" | "mapped" | "rank_of" | "is_in" | "to_cluster" | "elected" => {
            places::plans(&support.form.text(), template.name)
        }
        "ordered" | "cluster_halves" | "made_known" | "proxied" | "handed_over" => {
            order::plans(&emitted, template.name)
        }
        "released" | "edited" | "constant_map" | "prefetched_map" => {
            maps::plans(&emitted, template.name)
        }
        "discarded" | "registers" => hints::plans(template.name),
        "stored" | "policies" | "counted" | "moved" | "grouped" | "prefetched" | "bulk_groups" => {
            bulk::plans(&emitted, template.name)
        }
        _ => return None,
    };
    let scenario = plan::scenario(&support.form.key, &entry, plans);
    Some(Effect {
        support,
        entry,
        scenario,
    })
}
