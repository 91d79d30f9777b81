//! The types of `tma` cost nothing: a kernel with them has the PTX of its twin with bare instructions.

use ptx::{Block, Item, Statement};
use tests::{Module, PROBES_PTX};

/// What the kernels are about, behind `typed_` and `raw_`.
const PAIRS: &[&str] = &["barrier", "transaction", "groups", "ring", "maps"];

#[test]
fn typed_kernels_are_their_raw_twins() {
    let mut different = Vec::new();
    for module in PROBES_PTX {
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

/// A kernel without its name, places in the source, and numbers of labels.
fn plain(module: &Module, entry: &str) -> String {
    let parsed = ptx::parse(module.text).unwrap();
    let one = parsed.extract(entry);
    let mut one = one.unwrap_or_else(|| panic!("{} has no `{entry}`", module.arch));
    one.items.retain(|item| !matches!(item, Item::File(_)));
    for function in one.functions_mut() {
        function.body.iter_mut().for_each(drop_locations);
    }
    let text = one.to_string().replace(entry, "kernel");
    let mut parts = text.split("$L__BB");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        text + "$L__BB" + part.trim_start_matches(|c: char| c.is_ascii_digit())
    })
}

fn drop_locations(block: &mut Block) {
    block.statements.retain_mut(|statement| match statement {
        Statement::Location(_) => false,
        Statement::Block(inner) => {
            drop_locations(inner);
            true
        }
        _ => true,
    });
}
