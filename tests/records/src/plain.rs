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
    changed_after(text, "$L__BB", |rest| {
        rest.trim_start_matches(|c: char| c.is_ascii_digit())
    })
}

/// The text with `change` of each part that follows the mark.
fn changed_after(text: &str, mark: &str, change: impl Fn(&str) -> &str) -> String {
    let mut parts = text.split(mark);
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + mark + change(part))
}

/// Sorts shared variables by their names in the source: rustc orders them by the hash that `shared!` adds to each name.
pub fn sort_shared_variables(module: &mut Module) {
    let name = |item: &Item| match item {
        Item::Variable(variable) if variable.space == Space::Shared => {
            let name = variable.declarators.first()?.name.as_str();
            Some(source_name(name).unwrap_or(name).to_owned())
        }
        _ => None,
    };
    let places = (0..module.items.len()).filter(|&place| name(&module.items[place]).is_some());
    let places: Vec<usize> = places.collect();
    let mut sorted: Vec<Item> = places
        .iter()
        .map(|&place| module.items[place].clone())
        .collect();
    sorted.sort_by_key(name);
    for (place, item) in places.into_iter().zip(sorted) {
        module.items[place] = item;
    }
}

/// Returns the name in the source of a variable of `shared!`: the symbol without the hash of its place.
fn source_name(symbol: &str) -> Option<&str> {
    let (name, hash) = symbol.rsplit_once('_')?;
    let is_hash = hash.len() == 8 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hash.then_some(name)
}

/// Returns the text with shared variables named as in the source: `shared!` adds a hash of the line, which
/// changes with every edit above it. Labels lose the number of the function in its module, which
/// changes with every kernel that is added, mangled names those of the crates, and names of constants their hashes.
pub fn with_plain_names(module: &Module) -> String {
    let mut text = module.to_string();
    let shared = module
        .variables()
        .filter(|variable| variable.space == Space::Shared);
    for name in shared
        .flat_map(|variable| &variable.declarators)
        .map(|declarator| declarator.name.as_str())
    {
        if let Some(plain) = source_name(name) {
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
    without_label_numbers(&without_constant_hashes(&text))
}

/// The text without the hashes in names of unnamed constants, which change with every crate that a kernel depends on:
/// `anon_$_$_0` for `anon_$_4892534bd0bb04bf39936653a6d5667d_$_0`.
fn without_constant_hashes(text: &str) -> String {
    changed_after(text, "anon_$_", |rest| {
        let rest = rest.trim_start_matches(|c: char| c.is_ascii_hexdigit());
        rest.trim_start_matches('_')
    })
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
    fn the_order_of_shared_variables_does_not_depend_on_their_hashes() {
        let text = |first: &str, second: &str| {
            let text = format!(
                ".version 8.0\n.target sm_90\n.address_size 64\n.shared .align 8 .b8 {first}[8];\n\
                 .shared .align 16 .b8 {second}[16];\n"
            );
            let mut module = ptx::parse(&text).unwrap();
            sort_shared_variables(&mut module);
            with_plain_names(&module)
        };
        let sorted = text("a_00000000", "b_ffffffff");
        assert!(
            sorted.contains("a[8]") && sorted.contains("b[16]"),
            "{sorted}"
        );
        let swapped = text("b_00000000", "a_ffffffff");
        assert!(swapped.find("a[16]") < swapped.find("b[8]"), "{swapped}");
    }

    #[test]
    fn the_hashes_of_constants_are_dropped() {
        let text = "mov.u64 %rd1, anon_$_4892534bd0bb04bf39936653a6d5667d_$_51+8;";
        assert_eq!(
            without_constant_hashes(text),
            "mov.u64 %rd1, anon_$_$_51+8;"
        );
    }

    #[test]
    fn the_numbers_of_crates_are_dropped() {
        let name = "_RNvNtNtCs5BSODPsnYV7_4core9panicking11panic_const";
        let plain = "_RNvNtNtC4core9panicking11panic_const";
        assert_eq!(without_crates(name), plain);
    }
}
