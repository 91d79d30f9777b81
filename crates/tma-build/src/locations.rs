//! Lines of the crate that is built, in place of those of the libraries that it calls.

use std::{collections::HashMap, path::PathBuf};

use ptx::{At, Block, File, Item, Location, Module, Statement};

/// The files of the crate itself.
#[derive(Clone, Debug)]
pub(crate) struct OwnFiles {
    /// The crate's folder.
    pub(crate) crate_dir: PathBuf,
    /// The start of relative paths, which the line table leaves away.
    pub(crate) workspace: PathBuf,
}

impl OwnFiles {
    /// The name of a file in the line table, if it is one of them.
    pub(crate) fn name(&self, path: &str) -> Option<String> {
        let full = self.workspace.join(path);
        full.strip_prefix(&self.crate_dir).ok()?;
        let name = full.strip_prefix(&self.workspace).unwrap_or(&full);
        Some(name.display().to_string())
    }
}

/// Assigns to code inlined from other crates the line of the call in the crate itself: a
/// reader of `.loc` looks for the kernel, not for a wrapper of one instruction.
///
/// `text` is the text of the module, with the comments of `-Zverbose-asm`, which name the
/// callers: `// a.rs:1:2 @[ b.rs:3:4 @[ c.rs:5:6 ] ]`. libNVVM writes `inlined_at` instead, and each such
/// caller has a `.loc` before.
pub(crate) fn name_own_lines(module: &mut Module, text: &str, own: &OwnFiles) {
    let files = module.items.iter();
    let mut files: Vec<(u32, String)> = files
        .filter_map(|item| match item {
            Item::File(file) => Some((file.index, file.path.clone())),
            _ => None,
        })
        .collect();
    let known = files.len();
    let paths: HashMap<u32, String> = files.iter().cloned().collect();
    let mut name = |location: &mut Location, called: &mut Calls| {
        let comment = text.get(location.span.end()..).unwrap_or_default();
        let comment = comment.lines().next().unwrap_or_default();
        let own_name = |(path, line, column)| Some((own.name(path)?, line, column));
        let mut inlined = called.chain(location).filter_map(|(file, line, column)| {
            own_name((paths.get(&file)?.as_str(), line, column))
        });
        let found = callers(comment)
            .find_map(own_name)
            .or_else(|| inlined.next());
        let Some((path, line, column)) = found else {
            return;
        };
        let number = files.iter().find(|(_, known)| *known == path);
        let number = number.map(|(index, _)| *index).unwrap_or_else(|| {
            let next = files.iter().map(|(index, _)| index + 1).max().unwrap_or(1);
            files.push((next, path));
            next
        });
        location.inlined = None;
        location.file = number;
        (location.line, location.column) = (line, column);
    };
    for function in module.functions_mut() {
        if let Some(body) = &mut function.body {
            each_location(body, &mut None, &mut Calls::default(), &mut name);
        }
    }
    let new = files.drain(known..);
    module.items.extend(new.map(|(index, path)| {
        Item::File(Box::new(File {
            index,
            path,
            stamp: None,
            span: At::default(),
        }))
    }));
}

/// File, line and column.
type Position = (u32, u32, u32);

/// The call site of each position in a function, from the last `.loc` with it.
#[derive(Default)]
struct Calls(HashMap<Position, Position>);

impl Calls {
    /// The position of a location and of its callers, the innermost first.
    fn chain<'a>(&'a mut self, location: &Location) -> impl Iterator<Item = Position> + use<'a> {
        let at = (location.file, location.line, location.column);
        match &location.inlined {
            Some(call) => self.0.insert(at, (call.file, call.line, call.column)),
            None => self.0.remove(&at),
        };
        // A function does not call itself more often than this.
        std::iter::successors(Some(at), |at| self.0.get(at).copied()).take(64)
    }
}

/// Changes all locations, and drops those that repeat the previous one.
fn each_location(
    block: &mut Block,
    last: &mut Option<Position>,
    called: &mut Calls,
    change: &mut impl FnMut(&mut Location, &mut Calls),
) {
    block.statements.retain_mut(|statement| match statement {
        Statement::Location(location) => {
            change(location, called);
            let now = Some((location.file, location.line, location.column));
            std::mem::replace(last, now) != now
        }
        Statement::Block(inner) => {
            each_location(inner, last, called, change);
            true
        }
        _ => true,
    });
}

/// Path, line and column of the frames in a comment, the innermost first.
fn callers(comment: &str) -> impl Iterator<Item = (&str, u32, u32)> {
    let frames = comment.trim_start().strip_prefix("//").unwrap_or_default();
    frames.split("@[").filter_map(|frame| {
        let frame = frame.trim().trim_end_matches([' ', ']']);
        let (rest, column) = frame.rsplit_once(':')?;
        let (path, line) = rest.rsplit_once(':')?;
        Some((path, line.parse().ok()?, column.parse().ok()?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
.version 8.0
.target sm_90a
.address_size 64
.visible .entry tile()
{
	.loc 1 7 5                          // gpu/src/tile.rs:7:5
	.loc 2 14 18                        // lib/src/bar.rs:14:18 @[ gpu/src/new.rs:9:3 @[ gpu/src/tile.rs:8:1 ] ]
	bar.sync 0;
	.loc 2 15 18                        // lib/src/bar.rs:15:18 @[ gpu/src/new.rs:9:3 @[ gpu/src/tile.rs:8:1 ] ]
	bar.sync 0;
	.loc 2 16 18                        // lib/src/bar.rs:16:18
	ret;
}
.file 1 \"gpu/src/tile.rs\"
.file 2 \"lib/src/bar.rs\"
";

    #[test]
    fn the_innermost_line_of_the_crate_is_named() {
        let own = OwnFiles {
            crate_dir: "/w/gpu".into(),
            workspace: "/w".into(),
        };
        let mut module = ptx::parse(TEXT).unwrap();
        name_own_lines(&mut module, TEXT, &own);
        let body = module.function("tile").unwrap().body.as_ref().unwrap();
        let locations: Vec<_> = body
            .walk()
            .filter_map(|statement| match statement {
                Statement::Location(at) => Some((at.file, at.line, at.column)),
                _ => None,
            })
            .collect();
        assert_eq!(locations, [(1, 7, 5), (3, 9, 3), (2, 16, 18)]);
        assert_eq!(module.file(3), Some("gpu/src/new.rs"));
    }

    #[test]
    fn a_chain_of_calls_is_followed() {
        let text = "\
.version 9.0
.target sm_90a
.address_size 64
.visible .entry tile()
{
	.loc 1 8 1
	.loc 2 9 3, function_name $name, inlined_at 1 8 1
	.loc 2 14 18, function_name $name, inlined_at 2 9 3
	bar.sync 0;
	.loc 1 20 1
	.loc 2 9 3, function_name $name, inlined_at 1 20 1
	bar.sync 0;
	ret;
}
.file 1 \"/w/gpu/src/tile.rs\"
.file 2 \"/w/lib/src/bar.rs\"
";
        let own = OwnFiles {
            crate_dir: "/w/gpu".into(),
            workspace: "/w".into(),
        };
        let mut module = ptx::parse(text).unwrap();
        name_own_lines(&mut module, text, &own);
        let text = module.to_string();
        let lines = text.lines().filter(|line| line.contains(".loc"));
        let lines: Vec<&str> = lines.map(str::trim).collect();
        assert_eq!(lines, [".loc 3 8 1", ".loc 3 20 1"]);
        assert_eq!(module.file(3), Some("gpu/src/tile.rs"));
    }
}
