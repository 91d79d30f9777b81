//! Writes a kernel for each row of `probes.txt` whose form belongs to a feature that is on.

use std::{env, fs, path::Path};

#[allow(
    dead_code,
    unreachable_pub,
    unused_imports,
    reason = "it is a module of the tests"
)]
#[path = "../src/forms/mod.rs"]
mod forms;

/// What the calls may name, and its type.
const PARAMETERS: &[(&str, &str)] = &[
    ("a", "u32"),
    ("b", "u32"),
    ("c", "u32"),
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
    ("p", "*mut u8"),
    ("t", "i32"),
    ("u", "i32"),
    ("v", "u64"),
    ("w", "u64"),
    ("x", "i32"),
    ("y", "i32"),
    ("z", "i32"),
];

fn main() {
    for file in ["probes.txt", "checklist.tsv", "../src/forms"] {
        println!("cargo::rerun-if-changed={file}");
    }
    let calls = match forms::calls(is_on) {
        Ok(calls) => calls,
        Err(error) => return println!("cargo::error=probes.txt, {error}"),
    };
    let kernels = calls.iter();
    let kernels = kernels.map(|it| kernel(&forms::probe_name(it.index), &it.text, &it.call));
    let source: String = kernels.collect();
    let out_dir = env::var_os("OUT_DIR").expect("cargo sets it");
    fs::write(Path::new(&out_dir).join("probes.rs"), source).expect("cargo made the folder");
}

fn is_on(architecture: &str) -> bool {
    env::var_os(format!("CARGO_FEATURE_{}", architecture.to_uppercase())).is_some()
}

/// A kernel with the parameters that its call names.
fn kernel(name: &str, text: &str, call: &str) -> String {
    let is_word = |character: char| character.is_ascii_alphanumeric() || character == '_';
    let words: Vec<&str> = call.split(|character| !is_word(character)).collect();
    let named = PARAMETERS.iter().filter(|(name, _)| words.contains(name));
    let parameters: Vec<String> = named.map(|(name, ty)| format!("{name}: {ty}")).collect();
    format!(
        "/// `{text}`\n#[unsafe(no_mangle)]\npub unsafe extern \"ptx-kernel\" fn {name}(out: *mut u64, {}) {{\n    \
         // SAFETY: nobody launches it.\n    unsafe {{ keep(out, {call}) }}\n}}\n\n",
        parameters.join(", ")
    )
}
