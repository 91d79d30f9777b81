//! The head of a module, and its names.

use std::collections::HashMap;

use ptx::{
    ExpressionKind, Function, Identifier, Initializer, InitializerKind, Item, Linkage, Module,
    Span, Type, Variable,
};

use super::{Mistakes, function, names::Scope, opcodes};

/// The last minor version of each major one.
const LAST_MINOR: [u32; 10] = [0, 5, 3, 2, 3, 1, 5, 8, 8, ptx_isa::NEWEST.minor];

/// Targets, with the first PTX ISA version of each. Targets before sm_50 are older than every feature checked
/// here.
const TARGETS: &[(&str, (u32, u32))] = &[
    ("50", (4, 0)),
    ("52", (4, 1)),
    ("53", (4, 2)),
    ("60", (5, 0)),
    ("61", (5, 0)),
    ("62", (5, 0)),
    ("70", (6, 0)),
    ("72", (6, 1)),
    ("75", (6, 3)),
    ("80", (7, 0)),
    ("86", (7, 1)),
    ("87", (7, 4)),
    ("88", (9, 0)),
    ("89", (7, 8)),
    ("90", (7, 8)),
    ("90a", (8, 0)),
    ("100", (8, 6)),
    ("100a", (8, 6)),
    ("100f", (8, 8)),
    ("101", (8, 6)),
    ("101a", (8, 6)),
    ("101f", (8, 8)),
    ("103", (8, 8)),
    ("103a", (8, 8)),
    ("103f", (8, 8)),
    ("107", (9, 4)),
    ("107a", (9, 4)),
    ("107f", (9, 4)),
    ("110", (9, 0)),
    ("110a", (9, 0)),
    ("110f", (9, 0)),
    ("120", (8, 7)),
    ("120a", (8, 7)),
    ("120f", (8, 8)),
    ("121", (8, 8)),
    ("121a", (8, 8)),
    ("121f", (8, 8)),
];
const OLD_TARGETS: &[&str] = &["10", "11", "12", "13", "20", "21", "30", "32", "35", "37"];

pub(super) fn check(module: &Module, text: &str, mistakes: &mut Mistakes) {
    head(module, text, mistakes);
    let globals = globals(module, mistakes);
    let knows = opcodes::are_known(module);
    for item in &module.items {
        match item {
            Item::Variable(variable) => {
                self::variable(variable, mistakes);
                for declarator in &variable.declarators {
                    if let Some(initializer) = &declarator.initializer {
                        let ty = variable.ty;
                        values(initializer, ty, &declarator.name, &globals, mistakes);
                    }
                }
            }
            Item::Function(function) => function::check(function, &globals, knows, mistakes),
            _ => {}
        }
    }
}

fn head(module: &Module, text: &str, mistakes: &mut Mistakes) {
    let (major, minor) = (module.version.major, module.version.minor);
    let at = |word: &str| {
        let start = text.find(word).unwrap_or(0);
        Span::new(start, start)
    };
    let last = LAST_MINOR.get(major as usize);
    if major == 0 || last.is_none_or(|last| minor > *last) {
        let what = format!("there is no PTX ISA {major}.{minor}");
        return mistakes.add(at(".version"), "11.1.1", what);
    }
    for name in &module.target.names {
        let Some(number) = name.as_str().strip_prefix("sm_") else {
            continue;
        };
        let since = TARGETS.iter().find(|(target, _)| *target == number);
        match since.map(|(_, since)| *since) {
            Some(since) if (major, minor) < since => {
                let what = format!(
                    "the target `{}` needs PTX ISA {}.{}, and the module has {major}.{minor}",
                    name.as_str(),
                    since.0,
                    since.1
                );
                mistakes.add(*name.span, "11.1.2", what);
            }
            None if !OLD_TARGETS.contains(&number) => {
                let what = format!("there is no target `{}`", name.as_str());
                mistakes.add(*name.span, "11.1.2", what);
            }
            _ => {}
        }
    }
    if let Some(bits) = module.address_size.filter(|bits| *bits != 64) {
        let what = format!("an address size of {bits} bits is not supported; use 64");
        mistakes.add(at(".address_size"), "11.1.3", what);
    }
}

/// Returns the names of a module.
fn globals<'m>(module: &'m Module, mistakes: &mut Mistakes) -> Scope<'m> {
    let mut globals = Scope::default();
    globals.enter();
    let mut defined: HashMap<&str, bool> = HashMap::new();
    let mut define =
        |name: &'m ptx::Identifier, is_declaration: bool, mistakes: &mut Mistakes| match defined
            .insert(name.as_str(), is_declaration)
        {
            Some(was_declaration) if !is_declaration && !was_declaration => {
                let what = format!("`{}` is defined twice", name.as_str());
                mistakes.add(*name.span, "5.4", what);
            }
            Some(false) => {
                defined.insert(name.as_str(), false);
            }
            _ => {}
        };
    for item in &module.items {
        match item {
            Item::Function(function) => {
                define(&function.name, function.body.is_none(), mistakes);
                globals.name(function.name.as_str());
            }
            Item::Variable(variable) => {
                let is_declaration = variable.linkage == Some(Linkage::Extern);
                for declarator in &variable.declarators {
                    define(&declarator.name, is_declaration, mistakes);
                    globals.name(declarator.name.as_str());
                }
            }
            Item::Alias(alias) => globals.name(alias.name.as_str()),
            Item::Label(label) => globals.name(label.as_str()),
            _ => {}
        }
    }
    for function in module.entries().filter(|entry| entry.body.is_none()) {
        let defined = |other: &&Function| other.name == function.name && other.body.is_some();
        if !module.functions().any(|other| defined(&other)) {
            let what = format!("the kernel `{}` has no body", function.name.as_str());
            mistakes.add(*function.name.span, "11.2.1", what);
        }
    }
    globals
}

pub(super) fn align(align: Option<u32>, span: Span, mistakes: &mut Mistakes) {
    if let Some(align) = align.filter(|align| !align.is_power_of_two()) {
        let what = format!("an alignment of {align} is not a power of two");
        mistakes.add(span, "5.4.5", what);
    }
}

/// Checks the alignment and the sizes of a variable.
pub(super) fn variable(variable: &Variable, mistakes: &mut Mistakes) {
    align(variable.align, *variable.span, mistakes);
    for declarator in &variable.declarators {
        let (name, span) = (declarator.name.as_str(), *declarator.name.span);
        let mut sizes = declarator.dimensions.iter().flatten();
        let wrong = sizes.find_map(|size| {
            let value = size.value().filter(|value| *value < 1)?;
            // A literal that does not fit in 63 bits is large, and not below zero.
            let is_large = size.as_literal().is_some() && value < 0;
            Some(match value {
                _ if is_large => format!("the size of `{name}` overflows"),
                0 => format!("`{name}` has no elements"),
                _ => format!("`{name}` has {value} elements"),
            })
        });
        let is_known = declarator.dimensions.iter().all(Option::is_some);
        let overflows = is_known
            && variable.ty.size_bytes().is_some()
            && variable.size_bytes(declarator).is_none();
        let wrong = wrong.or_else(|| overflows.then(|| format!("the size of `{name}` overflows")));
        if let Some(wrong) = wrong {
            mistakes.add(span, "5.4.3", wrong);
        }
        if let Some(initializer) = &declarator.initializer {
            initial(variable, declarator, initializer, mistakes);
        }
    }
}

fn initial(
    variable: &Variable,
    declarator: &ptx::Declarator,
    initializer: &Initializer,
    mistakes: &mut Mistakes,
) {
    let name = declarator.name.as_str();
    if !matches!(variable.space, ptx::Space::Global | ptx::Space::Const) {
        let what = format!(
            "`{name}` has an initial value, which variables in `{}` must not have",
            variable.space.as_str()
        );
        mistakes.add(*declarator.name.span, "5.4.4", what);
    }
    if let (InitializerKind::List(values), Some(Some(size))) =
        (&initializer.kind, declarator.dimensions.first())
        && let Some(elements) = size.value()
        && values.len() as i64 > elements.max(1)
    {
        let count = values.len();
        let what = format!("`{name}` has {elements} elements but {count} initial values");
        mistakes.add(*declarator.name.span, "5.4.4", what);
    }
}

/// Checks the names in the initial value of a variable: addresses, or bytes of them.
fn values(
    initializer: &Initializer,
    ty: Type,
    variable: &Identifier,
    globals: &Scope<'_>,
    mistakes: &mut Mistakes,
) {
    match &initializer.kind {
        InitializerKind::List(all) => {
            for one in all {
                values(one, ty, variable, globals, mistakes);
            }
        }
        InitializerKind::Value(value) => {
            let mut names = Vec::new();
            value.for_each_name(|name| names.push(name));
            let is_byte = matches!(value.kind, ExpressionKind::Mask(..)) && ty == Type::U8;
            let is_right = is_byte || matches!(ty, Type::U32 | Type::U64);
            let mut found = names.iter().map(|name| globals.find(name.as_str()));
            if !is_right && found.any(|found| found.is_some()) {
                let (name, ty) = (variable.as_str(), ty.as_str());
                let what = format!(
                    "`{name}` is `{ty}` and starts with an address, which is `.u32` or `.u64`, or \
                     `.u8` for one of its bytes"
                );
                mistakes.add(*variable.span, "5.4.4", what);
            }
            names.retain(|name| globals.find(name.as_str()).is_none());
            for name in names {
                let what = format!("`{}` is not declared", name.as_str());
                mistakes.add(*name.span, "5.4.4", what);
            }
        }
        InitializerKind::String(_) | InitializerKind::Property(..) => {}
    }
}
