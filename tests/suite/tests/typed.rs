//! The types of `tma` cost nothing: a kernel that uses them has the PTX of one with bare
//! instructions.

use std::collections::BTreeMap;

use tests::{DEVICE_PTX, Module};
use tests_records::plain::{drop_locations, without_label_numbers};

/// The subjects of the kernels, after `typed_` and `raw_`.
const PAIRS: &[&str] = &["barrier", "transaction", "groups", "ring", "maps"];

/// The pairs in which branches are laid out in another order.
const WITH_ROLES: &[&str] = &["tile", "pipeline"];

#[test]
fn typed_kernels_have_the_ptx_of_raw_ones() {
    let mut different = Vec::new();
    for module in DEVICE_PTX {
        for pair in PAIRS {
            let [typed, raw] =
                ["typed", "raw"].map(|kind| plain(module, &format!("{kind}_{pair}")));
            assert!(typed.matches('\n').count() > 20, "{typed}");
            let line = typed.lines().zip(raw.lines()).position(|(a, b)| a != b);
            if typed != raw {
                let (arch, line) = (module.arch, line.map(|line| line + 1));
                different.push(format!(
                    "{arch}, {pair}, from line {line:?} on:\n{typed}\n{raw}"
                ));
            }
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
}

#[test]
fn typed_kernels_with_roles_have_the_instructions_of_raw_ones() {
    for module in DEVICE_PTX {
        for pair in WITH_ROLES {
            let [typed, raw] =
                ["typed", "raw"].map(|kind| opcodes(&plain(module, &format!("{kind}_{pair}"))));
            assert!(typed.values().sum::<usize>() > 30, "{typed:?}");
            assert_eq!(typed, raw, "{}, {pair}", module.arch);
        }
    }
}

#[test]
fn halves_of_the_crate_are_computed_with_by_the_hardware() {
    let wanted = [
        ("cvt.f32.f16", 1),
        ("cvt.rn.bf16.f32", 1),
        ("mul.rn.f16", 2),
        ("add.rn.bf16", 1),
        ("max.bf16", 1),
        ("min.bf16", 1),
    ];
    for module in DEVICE_PTX {
        let found = opcodes(&plain(module, "mixed_halves"));
        for (opcode, times) in wanted {
            let found = found.get(opcode).copied().unwrap_or_default();
            assert_eq!(found, times, "{}: {opcode}", module.arch);
        }
    }
}

/// Counts each instruction, without copies of registers and the parts of branches.
fn opcodes(text: &str) -> BTreeMap<String, usize> {
    let mut opcodes = BTreeMap::new();
    for line in text.lines() {
        let mut words = line
            .split_whitespace()
            .filter(|word| !word.starts_with('@'));
        let opcode = words.next().unwrap_or_default();
        let is_instruction = line.ends_with(';') && !opcode.starts_with('.');
        if is_instruction && !["bra", "bra.uni", "not.pred", "mov.b32"].contains(&opcode) {
            *opcodes.entry(opcode.to_owned()).or_default() += 1;
        }
    }
    opcodes
}

/// A kernel without its name, locations in the source, and numbers of labels.
fn plain(module: &Module, entry: &str) -> String {
    let parsed = module.parsed().unwrap();
    let one = parsed.extract(entry);
    let mut one = one.unwrap_or_else(|| panic!("{} has no `{entry}`", module.arch));
    drop_locations(&mut one);
    without_label_numbers(&one.to_string().replace(entry, "kernel"))
}
