//! The kernel: two blocks read a matrix by one descriptor.

use std::fmt::Write as _;

use super::{BLOCKS, COLUMNS, Layout, MEMORY_BYTES, SUMS};
use crate::products::{form::Element, kernel::list};

/// Threads of a block.
const THREADS: usize = 128;

/// The module with the kernel `k`.
pub(super) fn module(layout: &Layout) -> String {
    let form = &layout.form;
    let other_bytes = 4 * layout.other().len();
    let metadata_at = BLOCKS * MEMORY_BYTES;
    let other_at = metadata_at + 4 * THREADS;
    let mut text = format!(
        ".version 9.0\n.target sm_90a\n.address_size 64\n.extern .shared .align 1024 .b8 memory[];\n\
         .visible .entry k(.param .u64 out, .param .u64 in) .maxntid {THREADS}, 1, 1 {{\n\
         .reg .pred %p; .reg .b32 %thread, %block, %at, %e, %w<4>, %a<4>, %d<{COLUMNS}>;\n\
         .reg .b64 %in, %out, %numbers, %step, %memory, %matrix, %other;\n\
         ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; mov.u32 %thread, %tid.x; mov.u32 %block, %ctaid.x;\n\
         mul.wide.u32 %step, %block, {}; add.u64 %out, %out, %step;\n\
         shr.u32 %at, %block, 1; mul.wide.u32 %step, %at, 8; add.u64 %step, %step, %in;\n\
         ld.global.b64 %matrix, [%step+{}];\n\
         and.b32 %at, %block, 1; mul.wide.u32 %step, %at, {MEMORY_BYTES}; add.u64 %numbers, %in, %step;\n\
         mov.u32 %at, memory; shr.u32 %at, %at, 4; cvt.u64.u32 %memory, %at; add.u64 %matrix, %matrix, %memory;\n\
         mov.u32 %at, memory; mad.lo.u32 %at, %thread, 16, %at;\n\
         mul.wide.u32 %step, %thread, 16; add.u64 %in, %in, %step; add.u64 %numbers, %numbers, %step;\n",
        4 * SUMS,
        other_at + other_bytes,
    );
    let copies = |text: &mut String, name: &str, from: usize, to: usize, bytes: usize| {
        for start in (0..bytes).step_by(16 * THREADS) {
            let words = list('w', 4);
            writeln!(
                text,
                "ld.global.v4.b32 {words}, [%{name}+{}]; st.shared.v4.b32 [%at+{}], {words};",
                from + start,
                to + start
            )
            .expect("a string takes all");
        }
    };
    copies(&mut text, "numbers", 0, 0, MEMORY_BYTES);
    let is_shared = layout.is_a || form.is_shared;
    if is_shared {
        copies(&mut text, "in", other_at, MEMORY_BYTES, other_bytes);
    }
    // From here on the words of this thread, not its 16 bytes.
    text += "mul.wide.u32 %step, %thread, 12; sub.u64 %in, %in, %step;\n";
    text += "mul.wide.u32 %step, %thread, 4; add.u64 %out, %out, %step;\n";
    let mut line = |line: String| writeln!(text, "{line}").expect("a string takes all");
    line(format!("ld.global.b32 %e, [%in+{metadata_at}];"));
    for r in 0..if is_shared { 0 } else { 4 } {
        line(format!(
            "ld.global.b32 %a{r}, [%in+{}];",
            other_at + 4 * THREADS * r
        ));
    }
    // Core matrices of the other one are adjacent along K, and the next 8 rows or columns follow these.
    let stride = match layout.is_a {
        true => form.column_bytes() as u64 / 2,
        false => 16,
    };
    let bits = (MEMORY_BYTES as u64 / 16) | 8 << 16 | stride << 32;
    line(format!("add.u64 %other, %memory, {bits:#x};"));
    let sums = SUMS / THREADS;
    for r in 0..sums {
        line(format!("mov.b32 %d{r}, 0;"));
    }
    let (a, b) = match (layout.is_a, is_shared) {
        (true, _) => ("%matrix".to_owned(), "%other"),
        (false, true) => ("%other".to_owned(), "%matrix"),
        (false, false) => (list('a', 4), "%matrix"),
    };
    let selector = form
        .selector
        .map_or(String::new(), |selector| format!("%e, {selector}, "));
    let major = |is_a: bool| u8::from(layout.is_mn_major && layout.is_a == is_a);
    let immediates = match (form.elements[0], form.is_shared) {
        (Element::F16, true) => format!(", 1, 1, {}, {}", major(true), major(false)),
        (Element::F16, false) => format!(", 1, 1, {}", major(false)),
        _ => form.immediates.clone(),
    };
    line(format!(
        "setp.ne.u32 %p, %thread, %thread; fence.proxy.async.shared::cta; bar.sync 0; wgmma.fence.sync.aligned;\n\
         {} {}, {a}, {b}, {selector}%p{immediates};\n\
         wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;",
        form.opcode,
        list('d', sums)
    ));
    for r in 0..sums {
        line(format!("st.global.b32 [%out+{}], %d{r};", 4 * THREADS * r));
    }
    text + "ret;\n}\n"
}
