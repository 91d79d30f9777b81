//! PTX without the parts that change when a line is added somewhere else.

use ptx::{Block, Item, Module, Space, Statement};

use crate::Digest;

/// Drops the locations in the source, and the files that they name.
pub fn drop_locations(module: &mut Module) {
    module.items.retain(|item| !matches!(item, Item::File(_)));
    for function in module.functions_mut() {
        function.body.iter_mut().for_each(drop_loc_lines);
    }
}

/// Drops the `.loc` lines, which are refused without the files that they name.
pub fn drop_loc_lines(block: &mut Block) {
    block.statements.retain_mut(|statement| match statement {
        Statement::Location(_) => false,
        Statement::Block(inner) => {
            drop_loc_lines(inner);
            true
        }
        _ => true,
    });
}

/// The text without the number of the function in its labels, which changes with every kernel before
/// it: `$L__BB_2` for `$L__BB7_2`.
pub fn without_label_numbers(text: &str) -> String {
    const LABEL: &str = "$L__BB";
    let mut parts = text.split(LABEL);
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        text + LABEL + part.trim_start_matches(|c: char| c.is_ascii_digit())
    })
}

/// Returns the text with shared variables named as in the source: `shared!` adds a hash of the line, which
/// changes with every edit above it. Labels lose the number of the function in its module, which
/// changes with every kernel that is added, and mangled names those of the crates.
pub fn with_plain_names(module: &Module) -> String {
    let mut text = module.to_string();
    let shared = module
        .variables()
        .filter(|variable| variable.space == Space::Shared);
    for name in shared
        .flat_map(|variable| &variable.declarators)
        .map(|declarator| declarator.name.as_str())
    {
        if let Some((plain, hash)) = name.rsplit_once('_')
            && hash.len() == 8
            && hash.bytes().all(|byte| byte.is_ascii_hexdigit())
        {
            text = text.replace(name, plain);
        }
    }
    let functions = module.functions().map(|function| &function.name);
    let variables = module
        .variables()
        .flat_map(|variable| &variable.declarators);
    let all = functions.chain(variables.map(|declarator| &declarator.name));
    let mangled = all.map(|name| name.as_str());
    for name in mangled.filter(|name| name.starts_with("_R")) {
        text = text.replace(name, &without_crates(name));
    }
    without_label_numbers(&text)
}

/// A mangled name without the numbers of its crates: `C4core` for `Cs5BSODPsnYV7_4core`.
fn without_crates(name: &str) -> String {
    let mut parts = name.split("Cs");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |plain, part| {
        plain + "C" + part.split_once('_').map_or(part, |(_, rest)| rest)
    })
}

/// Returns the text of a kernel alone, which changes only with the kernel.
pub fn entry_text(module: &Module, entry: &str) -> Option<String> {
    let mut one = module.extract(entry)?;
    drop_locations(&mut one);
    Some(with_plain_names(&one))
}

/// The digest of that text.
pub fn entry_digest(module: &Module, entry: &str) -> Option<Digest> {
    entry_text(module, entry).map(|text| Digest::EMPTY.and(text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_of_crates_are_dropped() {
        let name = "_RNvNtNtCs5BSODPsnYV7_4core9panicking11panic_const";
        let plain = "_RNvNtNtC4core9panicking11panic_const";
        assert_eq!(without_crates(name), plain);
    }
}
