//! A kernel for a form: a block computes a tile.

use std::fmt::Write as _;

use super::{
    form::{Element, Group, ProductForm},
    layout::Parts,
};

pub(super) fn list(name: char, count: usize) -> String {
    let names: Vec<String> = (0..count).map(|index| format!("%{name}{index}")).collect();
    format!("{{{}}}", names.join(", "))
}

/// The module with the kernel `k`.
pub(super) fn module(form: &ProductForm) -> String {
    let parts = Parts::of(form);
    let body = match form.group {
        Group::Warp => warp(form, &parts),
        Group::Warpgroup => warpgroup(form, &parts),
        Group::Fragments => fragments(form, &parts),
    };
    let wide = if form.elements[0] == Element::F64 {
        "b64"
    } else {
        "b32"
    };
    let version = if form.group == Group::Fragments {
        "8.6"
    } else {
        "9.0"
    };
    format!(
        ".version {version}\n.target sm_90a\n.address_size 64\n\
         .visible .entry k(.param .u64 out, .param .u64 in) .maxntid {}, 1, 1 {{\n\
         .reg .pred %p, %some; .reg .b32 %thread, %block, %word, %at, %e; .reg .{wide} %a<8>, %b<8>, %c<128>, %d<128>;\n\
         .reg .b64 %in, %out, %step, %left, %right, %zero;\n\
         ld.param.u64 %in, [in]; ld.param.u64 %out, [out];\n\
         mov.u32 %thread, %tid.x; mov.u32 %block, %ctaid.x;\n\
         mul.wide.u32 %step, %block, {}; add.u64 %in, %in, %step;\n\
         mul.wide.u32 %step, %block, {}; add.u64 %out, %out, %step;\n{body}ret;\n}}\n",
        form.threads(),
        4 * parts.words(),
        4 * form.words_out(),
    )
}

/// Loads or stores registers, which are contiguous for all threads.
fn moved(
    form: &ProductForm,
    text: &mut String,
    name: char,
    from: usize,
    words: usize,
    stores: bool,
) -> usize {
    let (ty, width) = match form.elements[0] {
        Element::F64 => ("b64", 2),
        _ => ("b32", 1),
    };
    let count = words / (form.threads() * width);
    for index in 0..count {
        let at = 4 * (from + index * form.threads() * width);
        let line = match stores {
            true => format!("st.global.{ty} [%out+{at}], %{name}{index};\n"),
            false => format!("ld.global.{ty} %{name}{index}, [%in+{at}];\n"),
        };
        text.push_str(&line);
    }
    count
}

/// Addresses of this thread's words.
fn own(form: &ProductForm) -> String {
    let bytes = if form.elements[0] == Element::F64 {
        8
    } else {
        4
    };
    format!(
        "mul.wide.u32 %step, %thread, {bytes}; add.u64 %in, %in, %step; add.u64 %out, %out, %step;\n"
    )
}

fn warp(form: &ProductForm, parts: &Parts) -> String {
    let mut text = String::new();
    if form.selector.is_some() {
        let at = 4 * (parts.words() - parts.metadata);
        writeln!(text, "mul.wide.u32 %step, %thread, 4; add.u64 %step, %step, %in; ld.global.b32 %e, [%step+{at}];")
            .expect("a string takes all");
    }
    text += &own(form);
    let c = moved(form, &mut text, 'c', 0, parts.c, false);
    let a = moved(form, &mut text, 'a', parts.c, parts.a, false);
    let b = moved(form, &mut text, 'b', parts.c + parts.a, parts.b, false);
    let d = form.words_out() * c / parts.c;
    let metadata = form
        .selector
        .map_or(String::new(), |selector| format!(", %e, {selector}"));
    writeln!(
        text,
        "{} {}, {}, {}, {}{metadata};",
        form.opcode,
        list('d', d),
        list('a', a),
        list('b', b),
        list('c', c)
    )
    .expect("a string takes all");
    moved(form, &mut text, 'd', 0, form.words_out(), true);
    text
}

fn warpgroup(form: &ProductForm, parts: &Parts) -> String {
    let mut text = own(form);
    let bytes = 4 * (parts.a + parts.b);
    let mut line = |line: String| {
        text.push_str(&line);
        text.push('\n');
    };
    line(format!(".shared .align 1024 .b8 tiles[{bytes}];"));
    line("mov.u32 %at, tiles; mad.lo.u32 %at, %thread, 4, %at;".into());
    let mut copied = |from: usize, words: usize, to: usize| {
        for start in (0..words).step_by(128) {
            let left = words - start;
            let guard = if left < 128 { "@%some " } else { "" };
            if left < 128 {
                line(format!("setp.lt.u32 %some, %thread, {left};"));
            }
            line(format!(
                "{guard}ld.global.b32 %word, [%in+{}];",
                4 * (from + start)
            ));
            line(format!(
                "{guard}st.shared.b32 [%at+{}], %word;",
                to + 4 * start
            ));
        }
    };
    let b_at = if form.is_shared { 4 * parts.a } else { 0 };
    if form.is_shared {
        copied(parts.c, parts.a, 0);
    }
    copied(parts.c + parts.a, parts.b, b_at);
    let metadata_at = parts.c + parts.a + parts.b;
    if form.selector.is_some() {
        line(format!("ld.global.b32 %e, [%in+{}];", 4 * metadata_at));
    }
    // The address without the thread's own part.
    line("mul.wide.u32 %step, %thread, 4; sub.u64 %step, %in, %step;".into());
    line(format!(
        "ld.global.b32 %word, [%step+{}]; setp.ne.u32 %p, %word, 0;",
        4 * (metadata_at + parts.metadata)
    ));
    line("mov.u32 %at, tiles; shr.u32 %at, %at, 4; cvt.u64.u32 %step, %at;".into());
    // 8 lines of 16 bytes are 128 bytes; along K the next ones follow.
    line(format!(
        "or.b64 %left, %step, {:#x};",
        8_u64 << 16 | 16_u64 << 32
    ));
    let stride = form.column_bytes() as u64 / 2;
    line(format!(
        "add.u64 %right, %step, {}; or.b64 %right, %right, {:#x};",
        b_at / 16,
        8_u64 << 16 | stride << 32
    ));
    let c = moved(form, &mut text, 'd', 0, parts.c, false);
    let a = match form.is_shared {
        true => "%left".to_owned(),
        false => {
            let count = moved(form, &mut text, 'a', parts.c, parts.a, false);
            list('a', count)
        }
    };
    let metadata = form
        .selector
        .map_or(String::new(), |selector| format!("%e, {selector}, "));
    let sign = |negates: bool| if negates { "-1" } else { "1" };
    let signs = format!(", {}, {}", sign(form.negates[0]), sign(form.negates[1]));
    let immediates = form.immediates.replacen(", 1, 1", &signs, 1);
    write!(
        text,
        "fence.proxy.async.shared::cta; bar.sync 0; wgmma.fence.sync.aligned;\n\
         {} {}, {a}, %right, {metadata}%p{immediates};\n\
         wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n",
        form.opcode,
        list('d', c)
    )
    .expect("a string takes all");
    moved(form, &mut text, 'd', 0, form.words_out(), true);
    text
}

fn fragments(form: &ProductForm, parts: &Parts) -> String {
    let word = form
        .opcode
        .split('.')
        .find(|part| part.starts_with('m') && part.contains('n') && part.contains('k'));
    let shape = word.unwrap_or_default();
    let element = match form.elements[0] {
        Element::F16 => "f16",
        Element::Bf16 => "bf16",
        Element::Tf32 => "tf32",
        Element::S8 => "s8",
        Element::U8 => "u8",
        _ => "f64",
    };
    let ty = |sum: super::form::Sum| match sum {
        super::form::Sum::F16 => "f16",
        super::form::Sum::F32 => "f32",
        super::form::Sum::S32 => "s32",
        super::form::Sum::F64 => "f64",
    };
    // Halves occur twice in their fragments; all others have as many registers as they need.
    let registers = |words: usize| match form.elements[0] {
        Element::F16 => 8,
        Element::F64 => words / 64,
        _ => words / 32,
    };
    let of_sum = |sum: super::form::Sum| match sum {
        super::form::Sum::F16 => 4,
        super::form::Sum::F64 => 2,
        _ => 8,
    };
    let (a, b) = (registers(parts.a), registers(parts.b));
    format!(
        "wmma.load.c.sync.aligned.row.{shape}.global.{} {}, [%in], {n};\n\
         add.u64 %left, %in, {}; add.u64 %right, %in, {};\n\
         wmma.load.a.sync.aligned.row.{shape}.global.{element} {}, [%left], {k};\n\
         wmma.load.b.sync.aligned.col.{shape}.global.{element} {}, [%right], {k};\n\
         {} {}, {}, {}, {};\n\
         wmma.store.d.sync.aligned.row.{shape}.global.{} [%out], {}, {n};\n",
        ty(form.c),
        list('c', of_sum(form.c)),
        4 * parts.c,
        4 * (parts.c + parts.a),
        list('a', a),
        list('b', b),
        form.opcode,
        list('d', of_sum(form.d)),
        list('a', a),
        list('b', b),
        list('c', of_sum(form.c)),
        ty(form.d),
        list('d', of_sum(form.d)),
        n = form.shape.n,
        k = form.depth(),
    )
}
