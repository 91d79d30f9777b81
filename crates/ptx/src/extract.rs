//! One kernel out of many.

use std::collections::HashSet;

use crate::ast::{Identifier, Item, Module};

impl Module {
    /// A module with this entry or function alone and everything it needs: the functions that it
    /// calls or takes the address of, the variables that it names, what those need in turn, and the
    /// texts that its `.loc` lines name. Order, `.file` lines and pragmas stay. Debug sections go,
    /// because they describe the whole module, and with them the target option `debug`, because
    /// ptxas refuses it without them.
    ///
    /// `None` when there is no function of that name. A local name that hides one of the module
    /// keeps the hidden one, too.
    pub fn extract(&self, entry: &str) -> Option<Module> {
        self.function(entry)?;
        let needed = self.needed_by([entry]);
        let kept = |item: &&Item| match item {
            Item::File(_) | Item::Pragma(_) => true,
            Item::Label(_) => false,
            item => defines_any(item, &needed),
        };
        let mut target = self.target.clone();
        target.names.retain(|name| *name != "debug");
        Some(Module {
            version: self.version,
            target,
            address_size: self.address_size,
            items: self.items.iter().filter(kept).cloned().collect(),
        })
    }

    /// The names of these functions and variables and of all that they name, what those name in turn,
    /// and so on.
    pub fn needed_by<'a>(&'a self, names: impl IntoIterator<Item = &'a str>) -> HashSet<&'a str> {
        let mut needed: HashSet<&str> = names.into_iter().collect();
        loop {
            let before = needed.len();
            for item in &self.items {
                if defines_any(item, &needed) {
                    uses(item, |name| {
                        needed.insert(&name.name);
                    });
                }
            }
            if needed.len() == before {
                return needed;
            }
        }
    }
}

fn defines_any(item: &Item, names: &HashSet<&str>) -> bool {
    match item {
        Item::Function(function) => names.contains(function.name.as_str()),
        Item::Variable(variable) => variable
            .declarators
            .iter()
            .any(|declarator| names.contains(declarator.name.as_str())),
        Item::Alias(alias) => names.contains(alias.name.as_str()),
        Item::Section(section) => section.labels().any(|label| names.contains(label)),
        Item::Pragma(_) | Item::File(_) | Item::Label(_) => false,
    }
}

fn uses<'a>(item: &'a Item, mut see: impl FnMut(&'a Identifier)) {
    match item {
        Item::Function(function) => function.for_each_name(see),
        Item::Variable(variable) => variable.for_each_name(see),
        Item::Alias(alias) => see(&alias.aliased),
        Item::Section(_) | Item::Pragma(_) | Item::File(_) | Item::Label(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use crate::parse;

    const MODULE: &str = r#"
        .version 9.0 .target sm_90a, debug .address_size 64
        .pragma "tma kernel=a";
        .global .u64 cell = generic(pointee);
        .global .u32 pointee, other;
        .const .u32 unused;
        .func helper(.param .b32 x);
        .func inner() { ret; }
        .alias nick, inner;
        .func helper(.param .b32 x) { call nick; ret; }
        .func recursive() { call recursive; ret; }
        .visible .entry b() { call recursive; ret; }
        .visible .entry a() {
            .loc 1 2 3, function_name $L__s1, inlined_at 1 5 6
            { ld.global.u64 %rd1, [cell+8]; }
            mov.u64 %rd2, helper;
            ret;
        }
        .file 1 "a.rs"
        .section .debug_str { $L__s1:
            .b8 97 }
        $L__end:
        .section .debug_info { .b64 $L__end }
    "#;

    fn extracted(entry: &str) -> Vec<String> {
        let module = parse(MODULE).unwrap().extract(entry).unwrap();
        parse(&module.to_string()).unwrap();
        let first_word_pair = |item: &crate::Item| {
            let text = item.to_string();
            text.lines()
                .next()
                .unwrap_or_default()
                .trim_end_matches('(')
                .to_owned()
        };
        module.items.iter().map(first_word_pair).collect()
    }

    #[test]
    fn an_entry_comes_with_all_that_it_reaches_in_the_old_order() {
        assert_eq!(
            extracted("a"),
            [
                ".pragma \"tma kernel=a\";",
                ".global .u64 cell = generic(pointee);",
                ".global .u32 pointee, other;",
                ".func helper",
                ".func inner()",
                ".alias nick, inner;",
                ".func helper",
                ".visible .entry a()",
                ".file 1 \"a.rs\"",
                ".section .debug_str",
            ]
        );
    }

    #[test]
    fn the_target_loses_debug() {
        let module = parse(MODULE).unwrap().extract("a").unwrap();
        assert_eq!(module.target.to_string(), ".target sm_90a");
    }

    #[test]
    fn recursion_ends() {
        assert_eq!(
            extracted("b"),
            [
                ".pragma \"tma kernel=a\";",
                ".func recursive()",
                ".visible .entry b()",
                ".file 1 \"a.rs\""
            ]
        );
    }

    #[test]
    fn a_name_that_is_no_function_gives_nothing() {
        let module = parse(MODULE).unwrap();
        assert_eq!(module.extract("cell"), None);
        assert_eq!(module.extract("missing"), None);
    }
}
