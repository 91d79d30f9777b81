//! Tags in place of the functions that format the arguments of panics.
//!
//! A message refers to a function of `core::fmt` for each argument. No device code calls it,
//! where formatting takes hundreds of registers and a stack; the panic handler of the crate `tma` only
//! identifies it. So a number takes the place of its address, and `core::fmt` goes.

use std::collections::{HashMap, HashSet};

use ptx::{
    Block, Expression, ExpressionKind, Function, Identifier, Initializer, InitializerKind, Item,
    Linkage, Module, Operand, OperandKind, Statement,
};

use crate::calls::calls;

/// The name of the panic handler's variable in the crate `tma`: the host writes into it where a
/// record may be written.
const RECORD: &str = "3tma6kernel5panic6RECORD";

/// The upper half of a tag.
const IS_TAG: u32 = u32::from_le_bytes(*b"tma1");

/// Returns whether the module has the panic handler of the crate `tma`.
pub(crate) fn has_panic_record(module: &Module) -> bool {
    module.items.iter().any(|item| match item {
        Item::Variable(variable) => variable.declarators[0].name.as_str().ends_with(RECORD),
        _ => false,
    })
}

/// Puts the tags in place, and lets the host see the variable of the panic handler. A module that
/// calls functions through pointers may call formatters, too, and keeps them.
pub(crate) fn replace_formatters(module: &mut Module) {
    for item in &mut module.items {
        if let Item::Variable(variable) = item
            && variable.declarators[0].name.as_str().ends_with(RECORD)
        {
            variable.linkage = Some(Linkage::Visible);
        }
    }
    let tags: HashMap<String, i64> = module
        .functions()
        .filter_map(|function| {
            let name = function.name.as_str();
            Some((name.to_owned(), tag(name)?))
        })
        .collect();
    if tags.is_empty() || calls_through_pointers(module) {
        return;
    }
    for item in &mut module.items {
        match item {
            Item::Function(function) => {
                if let Some(body) = &mut function.body {
                    in_block(body, &tags);
                }
            }
            Item::Variable(variable) => {
                let starts = variable.declarators.iter_mut();
                starts
                    .filter_map(|declarator| declarator.initializer.as_mut())
                    .for_each(|initializer| in_initializer(initializer, &tags));
            }
            _ => {}
        }
    }
    drop_unused(module);
}

/// Returns whether a kernel can reach a call through a pointer by calls that name a function.
fn calls_through_pointers(module: &Module) -> bool {
    let mut reached: Vec<&Function> = module.entries().collect();
    let mut next = 0;
    while let Some(function) = reached.get(next) {
        for call in calls(function) {
            if module.function(call.callee).is_none() {
                return true;
            }
            let callee = module
                .functions()
                .find(|function| function.name == *call.callee && function.body.is_some());
            let is_new = |callee: &&Function| reached.iter().all(|known| known.name != callee.name);
            reached.extend(callee.filter(is_new));
        }
        next += 1;
    }
    false
}

/// The number that replaces a formatter: how many bytes an argument has, its type, how many
/// references lead to it, and the trait; zeros for a type that is not the language's.
fn tag(name: &str) -> Option<i64> {
    let path = format!("{:#}", rustc_demangle::demangle(name));
    let (of, rest) = path.strip_prefix('<')?.rsplit_once(" as core::fmt::")?;
    let written = match rest
        .strip_suffix(">::fmt")
        .or_else(|| rest.strip_suffix(">::fmt.llvm"))?
    {
        "Display" => b'd',
        "Debug" => b'?',
        "LowerHex" => b'x',
        "UpperHex" => b'X',
        "Octal" => b'o',
        "Binary" => b'b',
        "LowerExp" => b'e',
        "UpperExp" => b'E',
        "Pointer" => b'p',
        _ => return None,
    };
    let (mut of, mut references) = (of, 0);
    while let Some(inner) = of.strip_prefix("&mut ").or_else(|| of.strip_prefix('&')) {
        (of, references) = (inner, references + 1);
    }
    let is_pointer = of.starts_with("*const ") || of.starts_with("*mut ") || written == b'p';
    // The address of a text is itself a reference with a length, and so is that of a trait object.
    let (bytes, kind, references) = match of {
        _ if is_pointer => (8, b'p', 0),
        "str" if references > 0 => (0, b's', references - 1),
        "dyn core::fmt::Debug" | "dyn core::fmt::Display" if references > 0 => {
            (0, b'd', references - 1)
        }
        "bool" => (1, b'b', references),
        "char" => (4, b'c', references),
        "f32" => (4, b'f', references),
        "f64" => (8, b'f', references),
        "usize" => (8, b'u', references),
        "isize" => (8, b'i', references),
        "()" | "!" | "str" => (0, 0, 0),
        _ => {
            let bits = of.get(1..).and_then(|bits| bits.parse::<u8>().ok());
            match (of.as_bytes()[0], bits) {
                (kind @ (b'u' | b'i'), Some(bits)) => (bits / 8, kind, references),
                _ => (0, 0, 0),
            }
        }
    };
    let tag = u32::from_le_bytes([bytes, kind, references, written]);
    Some((u64::from(IS_TAG) << 32 | u64::from(tag)) as i64)
}

fn in_block(block: &mut Block, tags: &HashMap<String, i64>) {
    for statement in &mut block.statements {
        match statement {
            Statement::Block(inner) => in_block(inner, tags),
            Statement::Instruction(instruction) if instruction.opcode.stem() != "call" => {
                for operand in &mut instruction.operands {
                    if let Some(tag) = operand.as_name().and_then(|name| tags.get(name)) {
                        *operand = Operand::new(OperandKind::Constant(Expression::integer(*tag)));
                    }
                }
            }
            _ => {}
        }
    }
}

fn in_initializer(initializer: &mut Initializer, tags: &HashMap<String, i64>) {
    let tag = |name: &Identifier| tags.get(name.as_str()).copied();
    match &mut initializer.kind {
        InitializerKind::List(elements) => {
            elements
                .iter_mut()
                .for_each(|element| in_initializer(element, tags));
        }
        InitializerKind::Value(value) => {
            let tag = match &value.kind {
                ExpressionKind::Symbol(name) | ExpressionKind::Generic(name) => tag(name),
                _ => None,
            };
            if let Some(tag) = tag {
                *value = Expression::integer(tag);
            }
        }
        InitializerKind::String(_) | InitializerKind::Property(..) => {}
    }
}

/// Drops items that no kernel needs and the host cannot see.
fn drop_unused(module: &mut Module) {
    let entries = module.entries().map(|entry| entry.name.as_str());
    let visible = module.items.iter().filter_map(|item| match item {
        Item::Variable(variable) if variable.linkage.is_some() => {
            Some(variable.declarators[0].name.as_str())
        }
        _ => None,
    });
    let needed = module.needed_by(entries.chain(visible));
    let needed: Vec<String> = needed.into_iter().map(str::to_owned).collect();
    let is_needed = |name: &Identifier| needed.iter().any(|needed| name == needed.as_str());
    module.items.retain(|item| match item {
        Item::Function(function) => is_needed(&function.name),
        Item::Variable(variable) => is_needed(&variable.declarators[0].name),
        _ => true,
    });
    let bodies = module
        .functions()
        .filter_map(|function| function.body.as_ref());
    let named: HashSet<u32> = bodies
        .flat_map(Block::walk)
        .filter_map(|statement| match statement {
            Statement::Location(location) => Some(location.file),
            _ => None,
        })
        .collect();
    module.items.retain(|item| match item {
        Item::File(file) => named.contains(&file.index),
        _ => true,
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns bytes, type, references and trait of the tag of a formatter.
    fn parts(name: &str) -> Option<[u8; 4]> {
        Some((tag(name)? as u32).to_le_bytes())
    }

    #[test]
    fn a_tag_has_the_type_and_the_trait() {
        assert_eq!(
            parts("<bool as core::fmt::Display>::fmt"),
            Some([1, b'b', 0, b'd'])
        );
        assert_eq!(
            parts("<&&u32 as core::fmt::Debug>::fmt"),
            Some([4, b'u', 2, b'?'])
        );
        // A reference to a text is the text itself.
        assert_eq!(
            parts("<&str as core::fmt::Display>::fmt"),
            Some([0, b's', 0, b'd'])
        );
        assert_eq!(parts("<bool as core::fmt::Write>::fmt"), None);
    }

    #[test]
    fn the_record_of_panics_is_found_by_its_name() {
        let has_record = |name: &str| {
            let text =
                format!(".version 8.0\n.target sm_90\n.address_size 64\n.global .u64 {name};\n");
            has_panic_record(&ptx::parse(&text).unwrap())
        };
        assert!(has_record("_RNvNtNtCs1_3tma6kernel5panic6RECORD"));
        assert!(!has_record("_RNvNtNtCs1_3tma6kernel5panic5OTHER"));
    }
}
