//! The table of PTX instruction forms, shared by all code that depends on forms.
//!
//! Each family has a file with the name of its wrappers below `tma::ptx`. A row describes forms that differ in some
//! modifiers, with the PTX ISA version that introduced them, their targets, and the wrapper that emits them:
//!
//! ```text
//! Init: "mbarrier.init{.shared::cta.b64 [r]|.shared.b64 [r]|.b64 [d]}, r"
//!     isa "{7.8|7.0|7.0}" on "sm_80" = "mbarrier::init({shared(a)|=|generic(p)}, n)";
//! ProxyAsync: "membar.proxy.async"
//!     isa "8.0" on "sm_90" == "fence.proxy.async";
//! ```
//!
//! The call of the wrapper follows `=`. An alternative `=` of the call marks another spelling of the alternative before
//! it. A form of another row with the same meaning follows `==`. Without either, no wrapper emits the form. Operands are written by their width: `h` 16 bits, `r` 32, `d` 64, `q` 128, `b` 8, `p` a
//! predicate. A group `{x|y}` expands to several forms; the first group of one string corresponds to the first
//! group of the others, and so on, and groups with the same letter (`{R:x|y}`) correspond to each other. An
//! alternative `{r*4}` is `{r,r,r,r}`. If a row has several operations, they correspond to the first group of its
//! text.
//!
//! Versions and targets are those that ptxas accepts, from PTX ISA 7.0 and sm_80 on.
//!
//! ```
//! use ptx_isa::{Op, Scope, Sem, Space, Version, mbarrier};
//!
//! let text = "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r1], 3;";
//! let form = ptx_isa::find(text).unwrap();
//! assert_eq!(form.op(), Op::Mbarrier(mbarrier::Op::Arrive));
//! assert_eq!((form.sem(), form.scope()), (Some(Sem::Release), Some(Scope::Cluster)));
//! assert_eq!((form.space(), form.multicast()), (Some(Space::SharedCluster), None));
//! assert_eq!(form.isa(), Version::new(8, 0));
//! assert!(form.targets().has("sm_90") && !form.targets().has("sm_80"));
//! ```
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

use core::fmt;

mod families;
mod find;
mod form;
mod modifier;
mod notation;
mod targets;
mod version;

pub use families::*;
pub use find::find;
pub use form::{Emitted, Form};
pub use modifier::*;
pub use targets::Targets;
pub use version::Version;

/// An instruction family: the forms of a section of PTX ISA.
pub struct Family {
    /// The name of its files in every layer: the manual's mnemonic with dots as underscores.
    pub stem: &'static str,
    /// The sections of the family in the manual of PTX ISA 9.1.
    pub section: &'static str,
    rows: &'static [FormRow],
}

impl Family {
    /// Returns the forms of the family.
    pub fn forms(&'static self) -> impl Iterator<Item = Form> {
        let rows = self.rows.iter();
        rows.flat_map(move |row| (0..row.count()).map(move |index| Form::new(self, row, index)))
    }
}

impl PartialEq for Family {
    fn eq(&self, other: &Self) -> bool {
        self.stem == other.stem
    }
}

impl Eq for Family {}

impl fmt::Debug for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Family").field(&self.stem).finish()
    }
}

/// The PTX ISA version up to which the table goes.
pub const NEWEST: Version = Version::new(9, 5);

/// Returns the forms of all families.
pub fn forms() -> impl Iterator<Item = Form> {
    FAMILIES.iter().flat_map(Family::forms)
}

/// The forms that a wrapper emits with a call of its own, numbered.
pub fn calls() -> impl Iterator<Item = (usize, Form)> {
    forms().filter(|form| form.call().is_some()).enumerate()
}

/// Forms that differ by the groups of its texts.
struct FormRow {
    /// One for all of them, or one for each choice of the first group.
    ops: &'static [Op],
    text: &'static str,
    isa: &'static str,
    targets: &'static str,
    emitted: RowEmitted,
}

enum RowEmitted {
    By(&'static str),
    As(&'static str),
    Nothing,
}

impl RowEmitted {
    fn text(&self) -> &'static str {
        match self {
            Self::By(text) | Self::As(text) => text,
            Self::Nothing => "",
        }
    }
}

impl FormRow {
    fn texts(&self) -> [&'static str; 4] {
        [self.text, self.isa, self.targets, self.emitted.text()]
    }

    /// The number of forms that the pattern matches.
    fn count(&self) -> usize {
        let axes = notation::axes(self.texts());
        axes.iter().map(|axis| axis.count).product()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_well_formed() {
        for family in FAMILIES {
            for row in family.rows {
                let axes = notation::axes(row.texts());
                assert!(notation::agree(row.texts()), "{}", row.text);
                let choices = |index| notation::first(row.text, &axes, index);
                let most = (0..row.count()).map(choices).max();
                assert!(
                    row.ops.len() == 1 || most == Some(row.ops.len() - 1),
                    "{}",
                    row.text
                );
                for index in 0..row.count() {
                    let render = |text| notation::render(text, &axes, index).unwrap();
                    assert!(Version::parse(&render(row.isa)).is_some(), "{}", row.text);
                    assert!(
                        Targets::named(&render(row.targets)).is_some(),
                        "{}",
                        row.text
                    );
                }
            }
        }
    }

    #[test]
    fn every_word_of_an_opcode_is_taken_apart() {
        for form in forms() {
            for part in form.parts() {
                let is_flag = Flag::ALL.iter().any(|flag| flag.word() == part);
                let is_known = is_flag
                    || modifier::is_modifier(part)
                    || Shape::of(part).is_some()
                    || MNEMONICS.contains(&part);
                assert!(is_known, "`{part}` of {}", form.text());
            }
        }
    }

    /// Words that the operation replaces.
    #[rustfmt::skip]
    const MNEMONICS: &[&str] = &[
        "NaN", "abs", "alias", "all", "any", "applypriority", "approx", "arrive", "arrive_drop",
        "async", "async::generic", "atom", "ballot", "barrier", "bfe", "bfi", "bfly", "block_scale",
        "box_dim", "bulk", "cas", "check_layout", "clusterlaunchcontrol", "commit_group",
        "complete_tx", "cos", "cp", "cp_fenceproxy", "createpolicy", "cvt", "cvta", "discard", "down",
        "dp2a", "dp4a", "elect", "element_stride", "elemtype", "ex2", "exch", "expect_tx", "fence",
        "fill_mode", "fma", "fractional", "ftz", "get_first_ctaid", "get_first_ctaid::x",
        "get_first_ctaid::y", "get_first_ctaid::z", "getctarank", "gl", "global_address", "global_dim",
        "global_stride", "griddepcontrol", "hi", "idx", "init", "interleave_layout", "inval",
        "is_canceled", "isspacep", "launch_dependents", "ld", "ldmatrix", "lg2", "lo", "mapa",
        "mbarrier", "mbarrier_init", "membar", "mma", "mma_async", "mov", "movmatrix", "mul",
        "nanosleep", "nc", "neg", "noComplete", "noinc", "oob", "parity", "pending_count", "popc",
        "prefetch", "prefetchu", "prmt", "proxy", "query_cancel", "range", "rank", "rcp", "red",
        "reduce", "relu", "replace", "rn", "rna", "rsqrt", "sat", "scaled::n2::ue8m0", "setmaxnreg", "shfl", "sin", "sp",
        "sp::ordered_metadata", "sqrt", "st", "stmatrix", "sub", "swizzle_atomicity", "swizzle_mode",
        "sync", "tanh", "tensor", "tensormap", "tensormap::generic", "test_wait", "to", "try_cancel",
        "try_wait", "uni", "up", "vote", "wait", "wait_all", "wait_group", "warp", "wgmma", "xorsign",
    ];
}
