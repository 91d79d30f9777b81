//! Writes a kernel for each call of the table [`ptx_isa`] whose form belongs to a feature that is on.

use std::{env, fs, path::Path};

/// The names that the calls may use, each with its type.
const PARAMETERS: &[(&str, &str)] = &[
    ("a", "u32"),
    ("b", "u32"),
    ("c", "u32"),
    ("d", "*mut u8"),
    ("e", "f64"),
    ("f", "f32"),
    ("g", "f32"),
    ("h", "u16"),
    ("i", "u16"),
    ("j", "u16"),
    ("k", "u16"),
    ("l", "i64"),
    ("m", "u32"),
    ("n", "u32"),
    ("o", "u16"),
    ("p", "*mut u8"),
    ("q", "u32"),
    ("r", "u64"),
    ("s", "u16"),
    ("t", "i32"),
    ("u", "i32"),
    ("v", "u64"),
    ("w", "u64"),
    ("x", "i32"),
    ("y", "i32"),
    ("z", "i32"),
];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let on = ptx_isa::calls().filter(|(_, form)| is_on(form));
    let kernels = on.filter_map(|(index, form)| Some(kernel(index, form.text(), form.call()?)));
    let source: String = kernels.collect();
    let out_dir = env::var_os("OUT_DIR").expect("cargo sets it");
    fs::write(Path::new(&out_dir).join("kernels.rs"), source).expect("cargo made the folder");
}

fn is_on(form: &ptx_isa::Form) -> bool {
    let has = |feature: &str| env::var_os(format!("CARGO_FEATURE_{feature}")).is_some();
    has(&form.targets().name().to_uppercase()) && has("LATER") == form.is_later()
}

/// A kernel with the parameters that its call names.
fn kernel(index: usize, text: &str, call: &str) -> String {
    let is_word = |character: char| character.is_ascii_alphanumeric() || character == '_';
    let words: Vec<&str> = call.split(|character| !is_word(character)).collect();
    let named = PARAMETERS.iter().filter(|(name, _)| words.contains(name));
    let parameters: Vec<String> = named.map(|(name, ty)| format!("{name}: {ty}")).collect();
    format!(
        "/// `{text}`\n#[unsafe(no_mangle)]\npub unsafe extern \"ptx-kernel\" fn form_{index:04}(out: *mut u64, {}) {{\n    \
         // SAFETY: it is never launched.\n    unsafe {{ keep(out, {call}) }}\n}}\n\n",
        parameters.join(", ")
    )
}
