//! The semantics of each instruction form: a launch whose results show them.
//!
//! The kernels are in the crate `tests-semantics`, one for each wrapper's form. For a form that is another
//! spelling, the kernel of the emitted form is used, with the spelling changed in the text.

pub(crate) mod arithmetic;
mod blackwell;
mod bulk;
mod conversions;
mod cp_async;
mod hints;
mod maps;
mod mbarrier;
mod memory;
mod order;
mod plan;
mod registers;
pub mod results;
mod singles;
#[allow(unreachable_pub, reason = "a build script has it, too")]
mod template;
pub mod text;

use self::results::Recorded;
use tests_records::{Digest, plain};

use crate::{Scenario, digest, forms};

/// A form and the launches that show its effect.
pub struct FormCase {
    /// The form, and the wrapper that emits it or another spelling of it.
    pub support: forms::Support,
    /// The kernel.
    pub entry: String,
    /// The launches with their expected results.
    pub scenario: Scenario,
}

impl FormCase {
    /// Returns whether a Hopper GPU has it. The emulator has all.
    pub fn is_on_hopper(&self) -> bool {
        self.support.form.targets().has("sm_90a")
    }

    /// The form as the tables have it.
    pub fn form(&self) -> &str {
        self.support.form.text()
    }

    /// Returns the record of a run of this kernel with right results.
    ///
    /// # Errors
    /// As [`text::module`].
    pub fn right(&self) -> Result<Recorded, String> {
        let ran = self.digest(&text::module(self)?)?;
        let outputs = digest::with_right_outputs(ran, &self.scenario);
        Ok(Recorded::new(ran, Ok(outputs.to_string())))
    }

    /// Returns the digest of this text, in which the kernel's name counts forms, and the launches.
    ///
    /// # Errors
    /// The text is not PTX.
    pub fn digest(&self, text: &str) -> Result<Digest, String> {
        let mut module = ptx::parse(text).map_err(|errors| errors.to_string())?;
        plain::sort_shared_variables(&mut module);
        let text = plain::with_plain_names(&module).replace(&self.entry, "form");
        let mut scenario = self.scenario.clone();
        for launch in &mut scenario.launches {
            launch.entry = "form".to_owned();
        }
        Ok(digest::of(&text, &scenario))
    }

    /// Returns whether a kernel has the same results without the instruction, which is a hint, or
    /// orders accesses that are already in order.
    pub fn is_silent(&self) -> bool {
        let mut silent = SILENT.iter();
        silent.any(|beginning| self.form().starts_with(beginning))
    }
}

/// Beginnings of forms whose absence is not visible.
const SILENT: &[&str] = &[
    "applypriority.",
    "cp.async.bulk.prefetch.",
    "createpolicy.",
    "discard.",
    "fence.proxy.alias",
    "griddepcontrol.",
    "membar.proxy.alias",
    "nanosleep.",
    "prefetch",
    "setmaxnreg.",
];

/// Beginnings of forms without a kernel of their own, or words in them after a `*`, with the reason.
pub const EXCEPTIONS: &[(&str, &str)] = &[
    ("mapa.u32 ", NOT_IN_32_BITS),
    ("getctarank.u32 ", NOT_IN_32_BITS),
    ("cp.async.bulk.wait_group.sync_restrict", NO_MANUAL),
    ("fence.alias.", NO_MANUAL),
    ("fma.rn.oob.", UNSETTLED),
    ("*.s2f6x2", UNSETTLED),
    ("*.im2col_no_offs::w.", NOT_SEEN),
    ("*.kind::", NO_DEVICE),
    ("ldmatrix.*.m16n16.", NO_DEVICE),
    ("ldmatrix.*.m8n16.", NO_DEVICE),
    ("stmatrix.*.m16n8.", NO_DEVICE),
    ("mma.sp*.f16.e", NO_DEVICE),
    ("mma.sp*.m16n8k16.*.bf16.", UNSETTLED),
    ("mma.sp*.f32.e4m3.e5m2.", UNSETTLED),
    ("mma.sp*.f32.e5m2.", UNSETTLED),
    ("mma.sp*.s32.s4.", UNSETTLED),
    ("mma.sp*.s32.s8.u8.", UNSETTLED),
    ("mma.sp*.s32.u", UNSETTLED),
    ("bar.", ELSEWHERE),
    ("cvta.shared.", ELSEWHERE),
    ("ld.shared.", ELSEWHERE),
    ("ldmatrix.", IN_THE_EMULATOR),
    ("mma.sync.aligned.m16*.rn.f64.", NOT_COMPARED),
    ("mma.sync.aligned.m16*.rz.f64.", NOT_COMPARED),
    ("mma.sync.aligned.m16*.rm.f64.", NOT_COMPARED),
    ("mma.sync.aligned.m16*.rp.f64.", NOT_COMPARED),
    ("mma.", RECORDED),
    ("mov.u32 r, %ctaid", ELSEWHERE),
    ("mov.u32 r, %laneid", ELSEWHERE),
    ("mov.u32 r, %nctaid", ELSEWHERE),
    ("mov.u32 r, %ntid", ELSEWHERE),
    ("mov.u32 r, %tid", ELSEWHERE),
    ("movmatrix.", IN_THE_EMULATOR),
    ("mov.u64 ", "a clock returns another value each time"),
    ("red.relaxed.cta.shared::cta.", ELSEWHERE),
    ("setmaxnreg.dec.", ELSEWHERE),
    ("shfl.", ELSEWHERE),
    ("st.shared.", ELSEWHERE),
    ("stmatrix.", IN_THE_EMULATOR),
    ("vote.", ELSEWHERE),
    ("wgmma.mma_async.sp*}, d, d, r, ", COMPARED),
    ("wgmma.mma_async.sp*k64.f16.", COMPARED),
    ("wgmma.mma_async.sp*.e5m2", COMPARED),
    ("wgmma.mma_async.sp*.u8", COMPARED),
    ("wgmma.", RECORDED),
];

const NO_MANUAL: &str = "not executed: the manual of PTX ISA 9.5 was not at hand";
const NOT_SEEN: &str = "not executed: no GPU has shown which pixels a store along W writes";
const NO_DEVICE: &str = "not executed: no GPU that has it was at hand";
const NOT_COMPARED: &str = "no results of a GPU were compared";
const COMPARED: &str = "results equal to those of an H200 (`mma-differential`)";
const UNSETTLED: &str = "not executed: how the hardware computes it is not settled";
const NOT_IN_32_BITS: &str = "a generic address of shared memory does not fit into 32 bits";
const ELSEWHERE: &str = "in other kernels";
const IN_THE_EMULATOR: &str = "in the emulator's tests";
const RECORDED: &str = "results of an H200 are compared in the emulator's tests";

/// Returns the reason for having no kernel of its own.
pub fn exception(form: &str) -> Option<&'static str> {
    let mut exceptions = EXCEPTIONS.iter();
    let of = exceptions.find(|(of, _)| fits(of, form));
    of.map(|(_, why)| *why)
}

/// Returns whether a form has this beginning; a `*` stands for any text.
fn fits(of: &str, form: &str) -> bool {
    let mut parts = of.split('*');
    let first = parts.next().and_then(|start| form.strip_prefix(start));
    let all = parts.try_fold(first.unwrap_or_default(), |rest, part| {
        rest.split_once(part).map(|(_, rest)| rest)
    });
    first.is_some() && all.is_some()
}

/// Every form that has a case.
pub fn form_cases() -> Vec<FormCase> {
    forms::support().into_iter().filter_map(form_case).collect()
}

fn form_case(support: forms::Support) -> Option<FormCase> {
    let form = support.form.text();
    let emitted = support.spelled.clone().unwrap_or_else(|| form.to_owned());
    let template = template::template(&emitted)?;
    let entry = template::entry(support.index);
    let blackwell = blackwell::plans(&emitted, template.name);
    let plans = match template.name {
        _ if blackwell.is_some() => blackwell?,
        "init" | "inval" | "checked" | "pending_count" | "arrivals" | "arrivals_of_many"
        | "waits" => mbarrier::plans(&emitted),
        "small_copies" | "small_groups" | "small_arrivals" => {
            cp_async::plans(&emitted, template.name)
        }
        "value" | "mapped" | "rank_of" | "is_in" | "to_cluster" | "elected" => {
            registers::plans(form, template.name)
        }
        "ordered" | "cluster_halves" | "made_known" | "proxied" | "handed_over"
        | "handed_over_here" => order::plans(&emitted, template.name),
        "released" | "edited" | "constant_map" | "prefetched_map" => {
            maps::plans(&emitted, template.name)
        }
        "computed" => arithmetic::plans(form, support.form.call().unwrap_or_default()),
        "changed" | "accessed" => {
            memory::plans(form, support.form.call().unwrap_or_default(), template.name)
        }
        "discarded" | "registers" => hints::plans(template.name),
        "stored" | "policies" | "completes_tx" | "partial" | "reported" | "moved" | "grouped"
        | "prefetched" | "bulk_groups" => bulk::plans(&emitted, template.name),
        _ => return None,
    };
    let scenario = plan::scenario(form, &entry, plans);
    Some(FormCase {
        support,
        entry,
        scenario,
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_form_has_launches_or_a_reason() {
        let cases = form_cases();
        let shown: BTreeSet<&str> = cases.iter().map(FormCase::form).collect();
        for support in forms::support() {
            let form = support.form.text();
            assert!(shown.contains(form) != exception(form).is_some(), "{form}");
        }
        for case in &cases {
            let plans = &case.scenario.launches;
            assert!(!plans.is_empty(), "{}", case.form());
        }
    }

    #[test]
    fn every_exception_is_one() {
        for (of, _) in EXCEPTIONS {
            let mut forms = ptx_isa::forms();
            assert!(forms.any(|form| fits(of, form.text())), "{of}");
        }
    }
}
