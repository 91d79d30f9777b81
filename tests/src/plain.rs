//! PTX without what changes when a line is added somewhere else.

use ptx::{Block, Item, Module, Statement};

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
