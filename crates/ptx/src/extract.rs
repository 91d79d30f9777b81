//! Extraction of single kernels from a module.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::ast::{Identifier, Item, Module};

/// The items that define each name of a module, to find a kernel's dependencies without searching the whole module.
#[derive(Debug)]
pub struct Definitions<'m> {
    items: &'m [Item],
    /// Indices of the functions, variables and aliases by name.
    of: HashMap<&'m str, Vec<usize>>,
}

impl<'m> Definitions<'m> {
    /// Returns the functions, variables and aliases that a function or variable needs, including itself, in the
    /// order of the text.
    pub fn reached(&self, name: &'m str) -> impl Iterator<Item = &'m Item> {
        let mut reached = BTreeSet::new();
        self.walk([name], |item| _ = reached.insert(item), |_| {});
        reached.into_iter().map(|item| &self.items[item])
    }

    /// Visits the items of these names and of all names that they use, each once, and the names in them.
    fn walk(
        &self,
        names: impl IntoIterator<Item = &'m str>,
        mut see_item: impl FnMut(usize),
        mut see_name: impl FnMut(&'m str),
    ) {
        let mut waiting: Vec<&'m str> = names.into_iter().collect();
        let mut known: HashSet<&str> = waiting.iter().copied().collect();
        while let Some(name) = waiting.pop() {
            for item in self.of.get(name).into_iter().flatten() {
                see_item(*item);
                uses(&self.items[*item], |name| {
                    let name = name.as_str();
                    see_name(name);
                    // Most names are registers, which are not in `of`.
                    if self.of.contains_key(name) && known.insert(name) {
                        waiting.push(name);
                    }
                });
            }
        }
    }
}

impl Module {
    /// Returns an index of the module's functions, variables and aliases.
    pub fn definitions(&self) -> Definitions<'_> {
        let mut of: HashMap<&str, Vec<usize>> = HashMap::new();
        for (index, item) in self.items.iter().enumerate() {
            let mut add = |name| of.entry(name).or_default().push(index);
            match item {
                Item::Function(function) => add(function.name.as_str()),
                Item::Variable(variable) => {
                    let declarators = variable.declarators.iter();
                    declarators.for_each(|declarator| add(declarator.name.as_str()));
                }
                Item::Alias(alias) => add(alias.name.as_str()),
                _ => {}
            }
        }
        Definitions {
            items: &self.items,
            of,
        }
    }

    /// Returns a module with only this entry or function and everything that it needs: the functions that it calls
    /// or takes the address of, the variables that it uses, their dependencies in turn, and the texts referenced by
    /// its `.loc` lines. Order, `.file` lines and pragmas are kept. Debug sections are removed, since they describe
    /// the whole module, and so is the target option `debug`, which ptxas rejects without them.
    ///
    /// Returns `None` if there is no function of that name. If a local name hides a name of the module, the hidden
    /// item is kept too.
    pub fn extract(&self, entry: &str) -> Option<Module> {
        self.function(entry)?;
        Some(self.extract_all([entry]))
    }

    /// Returns a module with these entries and everything that they need; unknown names are skipped.
    pub fn extract_all<'a>(&'a self, entries: impl IntoIterator<Item = &'a str>) -> Module {
        let needed = self.needed_by(entries);
        let kept = |item: &&Item| match item {
            Item::File(_) | Item::Pragma(_) => true,
            Item::Label(_) => false,
            item => defines_any(item, &needed),
        };
        let mut target = self.target.clone();
        target.names.retain(|name| *name != "debug");
        Module {
            version: self.version,
            target,
            address_size: self.address_size,
            items: self.items.iter().filter(kept).cloned().collect(),
        }
    }

    /// Returns the names of these functions and variables and of everything that they use, directly or indirectly.
    pub fn needed_by<'a>(&'a self, names: impl IntoIterator<Item = &'a str>) -> HashSet<&'a str> {
        let names: Vec<&str> = names.into_iter().collect();
        let mut needed: HashSet<&str> = names.iter().copied().collect();
        self.definitions()
            .walk(names, |_| {}, |name| _ = needed.insert(name));
        needed
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
    fn what_a_kernel_needs_is_found_without_a_look_at_the_others() {
        let kernel = |n: usize| {
            format!(
                ".shared .b32 own{n}; .func helper{n}() {{ st.shared.u32 [own{n}], 1; ret; }}
                .visible .entry k{n}() {{ call helper{n}; call helper{n}; ret; }}"
            )
        };
        let kernels: String = (0..1000).map(kernel).collect();
        let text = format!(".version 9.0 .target sm_90a .address_size 64 {kernels}");
        let module = parse(&text).unwrap();
        let definitions = module.definitions();
        let (mut items, mut names) = (Vec::new(), 0);
        definitions.walk(["k7"], |item| items.push(item), |_| names += 1);
        assert_eq!((items, names), (vec![23, 22, 21], 3));
        let reached: Vec<_> = definitions.reached("k7").collect();
        assert_eq!(
            reached,
            [&module.items[21], &module.items[22], &module.items[23]]
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
