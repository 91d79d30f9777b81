//! Source locations of LLVM IR, which is read as text.

use std::{collections::HashMap, iter, path::Path};

/// The metadata of a module: debug locations, scopes and files.
pub(super) struct DebugInfo<'a> {
    nodes: HashMap<&'a str, &'a str>,
}

impl<'a> DebugInfo<'a> {
    pub(super) fn from_llvm_ir(text: &'a str) -> Self {
        let nodes = text
            .lines()
            .filter_map(|line| line.strip_prefix('!')?.split_once(" = "));
        Self {
            nodes: nodes.collect(),
        }
    }

    /// Line and column of a debug location.
    pub(super) fn position(&self, id: &str) -> Option<(u32, u32)> {
        position(self.nodes.get(id)?)
    }

    /// The locations through which a call was inlined, which distinguish it from another call in the
    /// source. The nodes themselves do not, since each inlining makes new ones, that of a copied
    /// call, too.
    pub(super) fn chain(&self, id: &str) -> Vec<&'a str> {
        let nodes = self.inlined(id);
        nodes
            .map(|node| node.split(", inlinedAt: ").next().unwrap_or(node))
            .collect()
    }

    /// Follows `inlinedAt` to the end: the file and line in the kernel, which the entry that
    /// `#[kernel]` makes has inlined in turn.
    pub(super) fn called_from(&self, id: &str) -> Option<String> {
        let is_entry = |node: &&str| {
            let scope = self.scope(node);
            scope.is_some_and(|scope| scope.contains("name: \"entry\""))
        };
        let mut nodes = self.inlined(id);
        let first = nodes.next()?;
        let node = nodes.take_while(|node| !is_entry(node)).last();
        let (file, line) = self.file(node.unwrap_or(first))?;
        Some(format!("{}:{line}", file.1))
    }

    /// The innermost location in a file that `own` has a name for.
    pub(super) fn own_location(
        &self,
        id: &str,
        own: &dyn Fn(&str) -> Option<String>,
    ) -> Option<String> {
        self.inlined(id).find_map(|node| {
            let ((folder, name), line) = self.file(node).filter(|(_, line)| *line > 0)?;
            let path = Path::new(folder).join(name);
            Some(format!("{}:{line}", own(&path.display().to_string())?))
        })
    }

    /// A location, and those into which it was inlined, the innermost first.
    fn inlined<'s>(&'s self, id: &'s str) -> impl Iterator<Item = &'a str> + 's {
        let node = |id| self.nodes.get(id).map(|node| plain(node));
        iter::successors(node(id), move |inner| {
            node(reference(inner, "inlinedAt: !")?)
        })
    }

    fn scope(&self, node: &str) -> Option<&'a str> {
        self.nodes.get(reference(node, "scope: !")?).copied()
    }

    /// The folder, the name and the line of a location.
    fn file(&self, node: &str) -> Option<((&'a str, &'a str), u32)> {
        let file = self
            .nodes
            .get(reference(self.scope(node)?, "file: !")?)
            .copied()?;
        let quoted = |field: &str| file.split_once(field)?.1.split('"').next();
        let folder = quoted("directory: \"").unwrap_or_default();
        let (line, _) = position(node)?;
        Some(((folder, quoted("filename: \"")?), line))
    }
}

/// Returns the function that this line begins to define.
pub(super) fn defined(line: &str) -> Option<&str> {
    let (_, rest) = line.strip_prefix("define ")?.split_once('@')?;
    Some(rest.split('(').next()?.trim_matches('"'))
}

/// The debug location of an instruction.
pub(super) fn location(line: &str) -> Option<&str> {
    line.rsplit_once("!dbg !").map(|(_, rest)| digits(rest))
}

/// Line and column of `!DILocation(line: 3, column: 4, scope: !5, inlinedAt: !6)`.
fn position(node: &str) -> Option<(u32, u32)> {
    let rest = plain(node).strip_prefix("!DILocation(")?;
    let number = |name| reference(rest, name)?.parse().ok();
    Some((number("line: ")?, number("column: ").unwrap_or(0)))
}

fn plain(node: &str) -> &str {
    node.strip_prefix("distinct ").unwrap_or(node)
}

/// Returns the digits after a field's name.
fn reference<'n>(node: &'n str, field: &str) -> Option<&'n str> {
    node.split_once(field).map(|(_, rest)| digits(rest))
}

fn digits(text: &str) -> &str {
    let end = text.find(|character: char| !character.is_ascii_digit());
    &text[..end.unwrap_or(text.len())]
}
