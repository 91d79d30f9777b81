//! The kernels, as PTX. Each makes one copy, in the form that a parameter chooses.
//!
//! A kernel fills shared memory from global memory, makes the copy, and writes all of shared memory
//! back. A wait for a barrier ends after a while, so that a wrong byte count is a result instead of
//! a hang. Two words report whether the phase ended, and whether the barrier's pending bytes
//! were zero after all had arrived.

use std::{fmt::Write as _, sync::OnceLock};

use super::{Action, Operator, linear_forms};

/// Threads of a block.
pub(super) const THREADS: u32 = 64;

/// Bytes of shared memory before the region: the barrier's, and room up to the start of the swizzle's
/// pattern.
pub(super) const BARRIER_BYTES: u32 = 1024;

/// Number of polls before the kernel continues without the barrier.
const PATIENCE: u32 = 1 << 18;

/// The module.
pub fn text() -> &'static str {
    static TEXT: OnceLock<String> = OnceLock::new();
    TEXT.get_or_init(|| {
        let mut text = String::from(
            ".version 8.6\n.target sm_90\n.address_size 64\n\n.extern .shared .align 1024 .b8 memory[];\n",
        );
        let actions = [Action::Load, Action::Store].into_iter();
        for action in actions.chain(Operator::ALL.map(Action::Reduce)) {
            let name = tensor_entry(action);
            kernel(&mut text, &name, true, action.has_barrier(), &tensor_copies(action));
        }
        for has_barrier in [true, false] {
            let name = linear_entry(has_barrier);
            kernel(&mut text, name, false, has_barrier, &linear_copies(has_barrier));
        }
        text
    })
}

/// Returns the kernel of such tensor copies.
pub(super) fn tensor_entry(action: Action) -> String {
    format!("tensor_{}", action.name())
}

/// The kernel of linear copies that a barrier counts, or a bulk group waits for.
pub(super) fn linear_entry(has_barrier: bool) -> &'static str {
    match has_barrier {
        true => "linear_counted",
        false => "linear_grouped",
    }
}

/// Returns the tensor copies in the order of [`tensor_form`](super::tensor_form).
fn tensor_copies(action: Action) -> Vec<(u32, String)> {
    let tiled = (1..=5).map(|rank| (rank, false));
    let forms = tiled.chain((3..=5).map(|rank| (rank, true)));
    let copy = |(rank, is_im2col): (usize, bool)| {
        let coordinates = list("%c", rank);
        let offsets = list("%o", rank.saturating_sub(2));
        match action {
            Action::Load => {
                let (mode, offsets) = match is_im2col {
                    true => ("im2col", format!(", {{{offsets}}}")),
                    false => ("tile", String::new()),
                };
                format!(
                    "cp.async.bulk.tensor.{rank}d.shared::cluster.global.{mode}.mbarrier::complete_tx::bytes \
                     [%here], [%map, {{{coordinates}}}], [%memory]{offsets};"
                )
            }
            action => {
                let mode = if is_im2col { "im2col_no_offs" } else { "tile" };
                let (opcode, operator) = match action {
                    Action::Reduce(operator) => ("cp.reduce", format!(".{}", operator.name())),
                    _ => ("cp", String::new()),
                };
                format!(
                    "{opcode}.async.bulk.tensor.{rank}d.global.shared::cta{operator}.{mode}.bulk_group \
                     [%map, {{{coordinates}}}], [%here];"
                )
            }
        }
    };
    (0..).zip(forms.map(copy)).collect()
}

/// Numbered as in [`linear_forms`].
fn linear_copies(has_barrier: bool) -> Vec<(u32, String)> {
    let forms = (0..).zip(linear_forms());
    let forms = forms.filter(|(_, form)| form.action.has_barrier() == has_barrier);
    let copy = forms.map(|(number, form)| {
        let operands = match form.action {
            Action::Load => "[%here], [%global], %bytes, [%memory]",
            Action::Move | Action::ReduceShared(_) => "[%there], [%here], %bytes, [%memory]",
            Action::Store | Action::Reduce(_) => "[%global], [%here], %bytes",
        };
        (number, format!("{} {operands};", form.instruction))
    });
    copy.collect()
}

/// `%c0, %c1, ...`
fn list(name: &str, count: usize) -> String {
    let names: Vec<String> = (0..count).map(|index| format!("{name}{index}")).collect();
    names.join(", ")
}

fn kernel(
    text: &mut String,
    name: &str,
    has_map: bool,
    has_barrier: bool,
    copies: &[(u32, String)],
) {
    let (parameters, loads) = parameters(has_map);
    let (before, after, last) = match has_barrier {
        true => counted(),
        false => grouped(),
    };
    let mut forms = String::new();
    for (number, copy) in copies {
        write!(
            forms,
            "    setp.eq.u32 %p, %form, {number};\n    @%p {copy}\n"
        )
        .expect("a string takes all");
    }
    let there = match has_map {
        true => "",
        false => "    add.u32 %there, %there, %region;\n",
    };
    let filled = each_piece(
        "FILL",
        "ld.global.v4.b32 {%w0, %w1, %w2, %w3}, [%from];\n    st.shared.v4.b32 [%to], {%w0, %w1, %w2, %w3};",
    );
    let written = each_piece(
        "WRITE",
        "ld.shared.v4.b32 {%w0, %w1, %w2, %w3}, [%to];\n    st.global.v4.b32 [%from], {%w0, %w1, %w2, %w3};",
    );
    write!(
        text,
        "
.visible .entry {name}(
{parameters})
.maxntid {THREADS}
{{
    .reg .pred %p, %isfirst;
    .reg .b16 %o<3>;
    .reg .b32 %thread, %memory, %region, %here, %there, %pieces, %i, %to, %form, %bytes, %expected, %n, %done, %zero;
    .reg .b32 %c<5>, %w<4>;
    .reg .b64 %map, %global, %shared, %status, %from, %state;
{loads}
    mov.u32 %thread, %tid.x;
    setp.eq.u32 %isfirst, %thread, 0;
    mov.u32 %memory, memory;
    add.u32 %region, %memory, {BARRIER_BYTES};
    add.u32 %here, %here, %region;
{there}    mov.u32 %done, 0;
    mov.u32 %zero, 0;
{filled}
    @%isfirst mbarrier.init.shared::cta.b64 [%memory], 1;
    fence.proxy.async;
    bar.sync 0;
    @!%isfirst bra COPIED;
{before}
{forms}{after}
COPIED:
    bar.sync 0;
{written}
    @!%isfirst bra END;
{last}
    st.global.v2.b32 [%status], {{%done, %zero}};
END:
    ret;
}}
"
    )
    .expect("a string takes all");
}

/// The kernel's parameters, and the instructions that load them.
fn parameters(has_map: bool) -> (String, String) {
    let mut all: Vec<(&str, &str)> = match has_map {
        true => Vec::new(),
        false => vec![("u64", "global"), ("u32", "there"), ("u32", "bytes")],
    };
    all.extend([("u64", "shared"), ("u64", "status")]);
    all.extend(["pieces", "here", "form", "expected"].map(|name| ("u32", name)));
    if has_map {
        all.extend(["c0", "c1", "c2", "c3", "c4"].map(|name| ("u32", name)));
        all.extend(["o0", "o1", "o2"].map(|name| ("u16", name)));
    }
    let mut declared: Vec<String> = Vec::new();
    let mut loads = String::new();
    if has_map {
        declared.push("    .param .align 64 .b8 map[128]".into());
        loads += "    mov.b64 %map, map;\n    cvta.param.u64 %map, %map;\n";
    }
    for (ty, name) in all {
        declared.push(format!("    .param .{ty} {name}"));
        let line = format!("    ld.param.{ty} %{name}, [{name}];\n");
        loads += &line;
        if ty == "u64" {
            loads += &format!("    cvta.to.global.u64 %{name}, %{name};\n");
        }
    }
    (declared.join(",\n"), loads)
}

/// A loop over pieces of 16 bytes, `%to` in shared and `%from` in global memory.
fn each_piece(label: &str, body: &str) -> String {
    format!(
        "    mov.u32 %i, %thread;
{label}:
    setp.ge.u32 %p, %i, %pieces;
    @%p bra {label}_DONE;
    mad.lo.u32 %to, %i, 16, %region;
    mul.wide.u32 %from, %i, 16;
    add.u64 %from, %from, %shared;
    {body}
    add.u32 %i, %i, {THREADS};
    bra {label};
{label}_DONE:"
    )
}

/// Wraps a copy that a barrier counts; at the end all bytes must have arrived:
/// a phase without bytes ends with its arrival, unless bytes were left over.
fn counted() -> (String, String, String) {
    let before =
        "    mbarrier.arrive.expect_tx.shared::cta.b64 %state, [%memory], %expected;".into();
    // A barrier whose phase did not end accepts no more arrivals.
    let last = format!(
        "    setp.eq.u32 %p, %done, 0;
    @%p bra ZERO_DONE;
    mbarrier.arrive.shared::cta.b64 %state, [%memory];
{}",
        wait("ZERO", 1, "%zero")
    );
    (before, wait("PHASE", 0, "%done"), last)
}

fn wait(label: &str, parity: u32, result: &str) -> String {
    format!(
        "    mov.u32 %n, {PATIENCE};
{label}:
    mbarrier.test_wait.parity.shared::cta.b64 %p, [%memory], {parity};
    selp.u32 {result}, 1, 0, %p;
    @%p bra {label}_DONE;
    sub.u32 %n, %n, 1;
    setp.ne.u32 %p, %n, 0;
    @%p bra {label};
{label}_DONE:"
    )
}

/// Wraps a copy in a bulk group.
fn grouped() -> (String, String, String) {
    let after = "    cp.async.bulk.commit_group;
    cp.async.bulk.wait_group 0;
    mov.u32 %done, 1;
    mov.u32 %zero, 1;";
    (String::new(), after.into(), String::new())
}
