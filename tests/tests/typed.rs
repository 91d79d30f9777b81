//! The types of `tma` cost nothing: a kernel with them has the PTX of one with bare
//! instructions.

use tests::{
    DEVICE_PTX, Module,
    plain::{drop_locations, without_label_numbers},
};

/// What the kernels are about, behind `typed_` and `raw_`.
const PAIRS: &[&str] = &["barrier", "transaction", "groups", "ring", "maps"];

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

/// A kernel without its name, locations in the source, and numbers of labels.
fn plain(module: &Module, entry: &str) -> String {
    let parsed = ptx::parse(module.text).unwrap();
    let one = parsed.extract(entry);
    let mut one = one.unwrap_or_else(|| panic!("{} has no `{entry}`", module.arch));
    drop_locations(&mut one);
    without_label_numbers(&one.to_string().replace(entry, "kernel"))
}
