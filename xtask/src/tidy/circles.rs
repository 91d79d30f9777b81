//! Files of some folders must not import each other in a circle.

use std::collections::{BTreeMap, BTreeSet};

use super::{File, Violation};

/// The source folders of crates, and the module of each that is checked with all its files; empty for the whole crate.
const ROOMS: [(&str, &str); 3] = [
    ("benches/src", ""),
    ("checker/emulated-cuda/src", ""),
    ("crates/tma-emulator/src", "check"),
];

/// The names from the crate's root to a module, or to an item in it.
type Path<'a> = Vec<&'a str>;

/// The imports of each file, by module, with their lines.
type Imports<'a> = BTreeMap<Path<'a>, Vec<(usize, Path<'a>)>>;

pub(super) fn check(files: &[File], violations: &mut Vec<Violation>) {
    for (folder, room) in ROOMS {
        let modules: BTreeMap<Path<'_>, &File> = files
            .iter()
            .filter_map(|file| Some((module(file, folder)?, file)))
            .filter(|(path, _)| room.is_empty() || path.first() == Some(&room))
            .collect();
        let texts: Vec<_> = modules
            .iter()
            .map(|(own, file)| (own, code(file)))
            .collect();
        let imports: Imports<'_> = texts
            .iter()
            .map(|(own, text)| ((*own).clone(), imports(own, text, &modules)))
            .collect();
        for (own, file) in &modules {
            for (line, other) in &imports[own] {
                if reaches(&imports, other, own) {
                    let [own, other] = [own, other].map(|path| path.join("::"));
                    let says = format!(
                        "imports `{other}`, which imports `{own}` again; move the shared items to a file below both"
                    );
                    violations.push(Violation::new(file, *line, says));
                }
            }
        }
    }
}

/// Returns the module of a file in a source folder; empty for the crate's root.
fn module<'a>(file: &'a File, folder: &str) -> Option<Path<'a>> {
    let path = file.path.strip_prefix(folder)?.strip_prefix('/')?;
    let path = path.strip_suffix(".rs")?;
    match path {
        "lib" | "main" => Some(Vec::new()),
        // Programs of their own.
        _ if path.starts_with("bin/") => None,
        _ => Some(path.split('/').collect()),
    }
}

/// Returns the text without comments, re-exports and the tests at the end.
fn code(file: &File) -> String {
    let mut is_export = false;
    let lines = file.lines().map(|(_, line)| {
        let line = line.find("//").map_or(line, |start| &line[..start]);
        is_export |= line.starts_with("pub") && line.contains(" use ");
        let kept = if is_export { "" } else { line };
        is_export &= !line.contains(';');
        kept
    });
    let mut text = lines.collect::<Vec<_>>().join("\n");
    if let Some(tests) = text.find("#[cfg(test)]\nmod tests {") {
        text.truncate(tests);
    }
    text
}

/// Returns the modules other than its own that a file's paths lead to.
fn imports<'a>(
    own: &Path<'a>,
    text: &str,
    modules: &BTreeMap<Path<'a>, &File>,
) -> Vec<(usize, Path<'a>)> {
    let mut paths = Vec::new();
    let mut at = 0;
    while let Some(start) = text[at..].find(is_name).map(|start| at + start) {
        at = path(text, start, &[], &mut paths);
    }
    let found = paths.into_iter().filter_map(|(start, path)| {
        let other = resolve(own, &path, modules)?;
        let line = 1 + text[..start].matches('\n').count();
        (other != own).then(|| (line, other.clone()))
    });
    found.collect()
}

/// Parses a path, or all paths of a path with braces, from an offset on; returns its end.
fn path<'t>(
    text: &'t str,
    start: usize,
    before: &[&'t str],
    paths: &mut Vec<(usize, Path<'t>)>,
) -> usize {
    let name_end = |at: usize| {
        let end = text[at..].find(|c| !is_name(c));
        end.map_or(text.len(), |end| at + end)
    };
    let mut names = before.to_vec();
    let mut at = start;
    loop {
        let end = name_end(at);
        names.push(&text[at..end]);
        at = end;
        match text[at..].strip_prefix("::") {
            Some(rest) if rest.starts_with('{') => return braces(text, at + 3, &names, paths),
            Some(rest) if rest.starts_with(is_name) => at += 2,
            _ => break,
        }
    }
    if names.len() > 1 {
        paths.push((start, names));
    }
    at
}

/// Parses the paths in braces; returns the offset after them.
fn braces<'t>(
    text: &'t str,
    mut at: usize,
    before: &[&'t str],
    paths: &mut Vec<(usize, Path<'t>)>,
) -> usize {
    while let Some(next) = text[at..].find(|c| is_name(c) || c == '}') {
        at += next;
        if text[at..].starts_with('}') {
            return at + 1;
        }
        at = path(text, at, before, paths);
        // A new name of the import (`as`) is not a path.
        let end = text[at..].find([',', '}']);
        at += end.unwrap_or(text.len() - at);
    }
    text.len()
}

/// Returns the file that a path leads to, if it is one of the checked modules.
fn resolve<'m, 'a>(
    own: &[&'a str],
    path: &[&str],
    modules: &'m BTreeMap<Path<'a>, &File>,
) -> Option<&'m Path<'a>> {
    let supers = path.iter().take_while(|name| **name == "super").count();
    let (base, rest) = match path[0] {
        "crate" => (&own[..0], &path[1..]),
        "self" => (own, &path[1..]),
        "super" => (&own[..own.len().checked_sub(supers)?], &path[supers..]),
        first => {
            let is_child = |module: &Path<'_>| module.split_last() == Some((&first, own));
            modules.keys().find(|module| is_child(module))?;
            (own, path)
        }
    };
    let full = [base, rest].concat();
    let above = modules.keys().filter(|module| full.starts_with(module));
    above.max_by_key(|module| module.len())
}

/// Returns whether imports lead from one module to another.
fn reaches(imports: &Imports<'_>, from: &Path<'_>, to: &Path<'_>) -> bool {
    let mut seen = BTreeSet::new();
    let mut left = vec![from];
    while let Some(module) = left.pop() {
        if module == to {
            return true;
        }
        if seen.insert(module) {
            left.extend(imports[module].iter().map(|(_, other)| other));
        }
    }
    false
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::super::testing::{checked, file};
    use super::*;

    fn violations(texts: &[(&str, &str)]) -> Vec<String> {
        let path = |name: &str| format!("crates/tma-emulator/src/{name}");
        let files: Vec<File> = texts
            .iter()
            .map(|(name, text)| file(&path(name), text))
            .collect();
        let found = checked(check, &files);
        let short = found.iter().map(|line| {
            let line = line.strip_prefix("crates/tma-emulator/src/check");
            let line = line.and_then(|line| line.split(';').next());
            line.unwrap_or_default().to_owned()
        });
        short.collect()
    }

    const TOP: (&str, &str) = (
        "check.rs",
        "mod high;\nmod low;\npub use high::{\n    A,\n    low::B,\n};\nuse high::f;\n",
    );

    #[test]
    fn imports_may_lead_one_way() {
        let high = "use crate::{check::low::{self, B as C}, machine::D};\n// use super::A;\n\
            fn f() { super::low::part::g(); other::high::g() }\n\
            #[cfg(test)]\nmod tests { use crate::check::A; }\n";
        let low = "mod part;\nfn g() { part::g() }\n";
        let texts = [TOP, ("check/high.rs", high), ("check/low.rs", low)];
        assert_eq!(violations(&texts), [""; 0]);
    }

    #[test]
    fn a_circle_is_a_violation() {
        let high = (
            "check/high.rs",
            "\nuse super::{\n    low::{B, part::C},\n};\n",
        );
        let low = ("check/low.rs", "fn g() { crate::check::middle::f() }\n");
        let middle = ("check/middle.rs", "use super::high::A as B;\n");
        assert_eq!(
            violations(&[TOP, high, low, middle]),
            [
                "/high.rs:3: imports `check::low`, which imports `check::high` again",
                "/high.rs:3: imports `check::low`, which imports `check::high` again",
                "/low.rs:1: imports `check::middle`, which imports `check::low` again",
                "/middle.rs:1: imports `check::high`, which imports `check::middle` again",
            ]
        );
        let middle = ("check/middle.rs", "");
        assert_eq!(violations(&[TOP, high, low, middle]), [""; 0]);
    }

    #[test]
    fn a_file_and_its_parent_may_be_a_circle() {
        let high = ("check/high.rs", "use super::Checker;\n");
        assert_eq!(
            violations(&[TOP, high]),
            [
                ".rs:7: imports `check::high`, which imports `check` again",
                "/high.rs:1: imports `check`, which imports `check::high` again",
            ]
        );
    }
}
