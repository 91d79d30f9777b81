//! Writes a kernel for each call of the table [`ptx_isa`] whose form belongs to a feature that is on and has
//! a template.

use std::{env, fmt::Write as _, fs, path::Path};

#[allow(unreachable_pub, reason = "it is a module of the tests")]
#[path = "../../suite/src/semantics/template.rs"]
mod template;

/// The operands that calls may name.
const OPERANDS: &[&str] = &[
    "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p", "q", "r", "s",
    "t", "u", "v", "w", "x", "y", "z",
];

fn main() {
    for file in ["build.rs", "../../suite/src/semantics/template.rs"] {
        println!("cargo::rerun-if-changed={file}");
    }
    let mut source = String::new();
    for (index, form) in ptx_isa::calls().filter(|(_, form)| is_on(form)) {
        if let (Some(template), Some(call)) = (template::template(form.text()), form.call()) {
            source += &kernel(&template::entry(index), form.text(), &template, call);
        }
    }
    let out_dir = env::var_os("OUT_DIR").expect("cargo sets it");
    fs::write(Path::new(&out_dir).join("semantics.rs"), source).expect("cargo made the folder");
}

fn is_on(form: &ptx_isa::Form) -> bool {
    let has = |feature: &str| env::var_os(format!("CARGO_FEATURE_{feature}")).is_some();
    has(&form.targets().name().to_uppercase()) && has("LATER") == form.is_later()
}

/// Returns the template around the call, whose operands are the names in it.
fn kernel(name: &str, text: &str, template: &template::Template, call: &str) -> String {
    let is_word = |character: char| character.is_ascii_alphanumeric() || character == '_';
    let words: Vec<&str> = call.split(|character| !is_word(character)).collect();
    let named: Vec<&str> = OPERANDS
        .iter()
        .copied()
        .filter(|name| words.contains(name))
        .collect();
    let (map, argument) = match template.has_map {
        true => ("#[grid_constant] map: &TensorMap, ", "map"),
        false => ("", "core::ptr::null()"),
    };
    let (options, function) = (template.options, template.name);
    let mut kernel = String::new();
    write!(
        kernel,
        "/// `{text}`\n#[kernel({options})]\npub unsafe fn {name}({map}words: *const u32, memory: *mut u8, out: *mut u32) {{\n    \
         let io = Io {{ map: {argument}, words, memory, out }};\n    \
         // SAFETY: the host launches it as the template requires.\n    \
         unsafe {{ {function}(io, |Operands {{ {}.. }}| unsafe {{ {call} }}) }}\n}}\n\n",
        named.iter().map(|name| format!("{name}, ")).collect::<String>()
    )
    .expect("a string takes all");
    kernel
}
