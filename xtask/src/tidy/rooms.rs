//! The rooms of a crate are its top modules, and import downwards only. Their order is declared in `lib.rs`.

use super::{File, Violation};

const CRATES: [&str; 2] = ["crates/tma/src", "crates/tma-emulator/src"];

pub(super) fn check(files: &[File], violations: &mut Vec<Violation>) {
    for sources in CRATES {
        check_crate(sources, files, violations);
    }
}

fn check_crate(sources: &str, files: &[File], violations: &mut Vec<Violation>) {
    let library = format!("{sources}/lib.rs");
    let Some(library) = files.iter().find(|file| file.path == library) else {
        return;
    };
    let Some(order) = library.lines().find_map(|(_, line)| order(line)) else {
        let says = "must state the order of its rooms, as in `// a < b, c < d`";
        return violations.push(Violation::new(library, 1, says));
    };
    let rank = |room: &str| order.iter().position(|rooms| rooms.contains(&room));
    let modules = files
        .iter()
        .filter_map(|file| Some((file, module(sources, file)?)));
    for (file, module) in modules {
        let Some(own) = rank(module[0]) else {
            let says = format!("must be in one of the rooms of {}", library.path);
            violations.push(Violation::new(file, 1, says));
            continue;
        };
        for (line, name) in from_root(file, module.len()) {
            let says = match rank(&name) {
                None => format!("imports `crate::{name}`, which is not a room"),
                Some(other) if other < own || name == module[0] => continue,
                Some(_) => format!(
                    "imports `crate::{name}`, which is not below `{}`",
                    module[0]
                ),
            };
            violations.push(Violation::new(file, line, says));
        }
    }
}

/// Parses a comment such as `// a < b, c < d`, lowest room first. Rooms of one rank must not import each other.
fn order(line: &str) -> Option<Vec<Vec<&str>>> {
    let ranks: Vec<_> = line.strip_prefix("// ")?.split(" < ").collect();
    let rooms = ranks.iter().map(|rank| rank.split(", ").collect());
    (ranks.len() > 1).then(|| rooms.collect())
}

/// Returns the module path of a file other than `lib.rs`.
fn module<'a>(sources: &str, file: &'a File) -> Option<Vec<&'a str>> {
    let path = file.path.strip_prefix(sources)?.strip_prefix('/')?;
    let path = path.strip_suffix(".rs")?;
    let path = path.strip_suffix("/mod").unwrap_or(path);
    (path != "lib").then(|| path.split('/').collect())
}

/// Returns the crate's top-level names in the paths of a file, each with its line. `depth` is the file's module
/// depth.
fn from_root(file: &File, depth: usize) -> Vec<(usize, String)> {
    let without_comments = file.lines().map(|(_, line)| match line.find("//") {
        Some(start) => &line[..start],
        None => line,
    });
    let text = without_comments.collect::<Vec<_>>().join("\n");
    // The test module at the end of a file is one level deeper.
    let tests = text.find("#[cfg(test)]").unwrap_or(text.len());
    let mut names = Vec::new();
    let mut start = 0;
    while let Some(found) = text[start..].find("::") {
        let at = start + found;
        start = at + 2;
        let depth = depth + usize::from(at > tests);
        if !is_root(&text[..at], depth) {
            continue;
        }
        for (offset, name) in heads(&text[start..]) {
            let line = 1 + text[..start + offset].matches('\n').count();
            names.push((line, name.to_owned()));
        }
    }
    names
}

/// Returns whether a text ends with `crate`, or with the `super`s that lead to the root from a module of this
/// depth.
fn is_root(text: &str, depth: usize) -> bool {
    let start = text
        .rfind(|c: char| !is_name(c) && c != ':')
        .map_or(0, |at| at + 1);
    let path: Vec<&str> = text[start..].split("::").collect();
    path == ["crate"] || path == vec!["super"; depth]
}

/// Returns the first names of a path, or of all paths in braces, with their offsets from the start.
fn heads(text: &str) -> Vec<(usize, &str)> {
    let mut names = Vec::new();
    let (mut braces, mut is_first) = (0, true);
    for (at, c) in text.char_indices() {
        match c {
            '{' => (braces, is_first) = (braces + 1, braces == 0),
            '}' => braces -= 1,
            ',' => is_first = braces == 1,
            c if c.is_whitespace() && braces > 0 => continue,
            _ if is_first => {
                let rest = &text[at..];
                let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
                names.push((at, &rest[..end.max(1)]));
                is_first = false;
            }
            _ => {}
        }
        if braces <= 0 {
            break;
        }
    }
    names
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::super::testing::{checked, file};
    use super::*;

    const ORDER: &str = "//! Docs.\n\n// low < left, right < high\nmod high;\n";

    fn says_in(sources: &str, path: &str, text: &str) -> Vec<String> {
        let lib = file(&format!("{sources}/lib.rs"), ORDER);
        let path = format!("{sources}/{path}");
        checked(check, &[lib, file(&path, text)])
    }

    fn says(path: &str, text: &str) -> Vec<String> {
        says_in("crates/tma-emulator/src", path, text)
    }

    fn violation(path: &str, name: &str, why: &str) -> [String; 1] {
        [format!(
            "crates/tma-emulator/src/{path}: imports `crate::{name}`, which is {why}"
        )]
    }

    #[test]
    fn each_crate_with_rooms_is_checked() {
        for sources in CRATES {
            let found = says_in(sources, "low/part.rs", "use crate::left::A;");
            let says = "low/part.rs:1: imports `crate::left`, which is not below `low`";
            assert_eq!(found, [format!("{sources}/{says}")]);
        }
    }

    #[test]
    fn imports_lead_downwards() {
        let text = "use crate::{\n    left::{self, a::B},\n    low::C,\n};\nuse super::right;\n\
            fn f() { crate::low::g::<super::super::low::T>() }\n// crate::above\n\
            #[cfg(test)]\nmod tests { use super::*; use crate::high::x; }\n";
        assert_eq!(says("high/part.rs", text), [""; 0]);
        assert_eq!(says("high.rs", "mod part;\nuse part::X;\n"), [""; 0]);
    }

    #[test]
    fn an_import_from_above_is_a_violation() {
        let above = |path, name| violation(path, name, "not below `left`");
        let text = "use crate::{\n    low::A,\n    high::{B, low::C},\n};\n";
        assert_eq!(says("left/part.rs", text), above("left/part.rs:3", "high"));
        // Rooms of one rank must not import each other.
        assert_eq!(
            says("left.rs", "use crate::right::A;"),
            above("left.rs:1", "right")
        );
        assert_eq!(
            says("left/mod.rs", "\nfn f() { super::high::g() }"),
            above("left/mod.rs:2", "high")
        );
        assert_eq!(
            says("left/part.rs", "use super::super::high::A;"),
            above("left/part.rs:1", "high")
        );
        let tests = "#[cfg(test)]\nmod tests {\n    use super::super::high::A;\n}\n";
        assert_eq!(says("left.rs", tests), above("left.rs:3", "high"));
    }

    #[test]
    fn what_is_in_no_room_is_a_violation() {
        // The root re-exports items of rooms, which would hide the room of an import.
        assert_eq!(
            says("high.rs", "use crate::Program;"),
            violation("high.rs:1", "Program", "not a room")
        );
        assert_eq!(
            says("other.rs", ""),
            [
                "crates/tma-emulator/src/other.rs:1: must be in one of the rooms of crates/tma-emulator/src/lib.rs"
            ]
        );
        let lib = file("crates/tma-emulator/src/lib.rs", "mod high;");
        assert_eq!(checked(check, &[lib]).len(), 1);
    }
}
