//! Local memory of a kernel and of the functions that it calls.

use std::collections::{HashMap, HashSet};

use ptx::{Block, Function, Module, Space, Statement};

use super::{
    Diagnostic, Lint, calls,
    debug_info::{DebugInfo, defined, location},
    rust_location,
};

/// The local variables that the compiler left in each function.
#[derive(Clone, Debug, Default)]
pub(crate) struct SourceLocals {
    of_function: HashMap<String, Vec<Local>>,
}

/// One of them.
#[derive(Clone, Debug)]
struct Local {
    name: String,
    bytes: u64,
    /// The first use, as `file:line` of the crate itself.
    location: Option<String>,
    /// True if it is read only on the way to a panic, or by `vprintf`.
    is_harmless: bool,
}

impl SourceLocals {
    /// `own` has a name for the files that diagnostics are to name.
    pub(super) fn from_llvm_ir(
        text: &str,
        debug: &DebugInfo<'_>,
        own: &dyn Fn(&str) -> Option<String>,
    ) -> Self {
        let mut of_function = HashMap::new();
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            if let Some(function) = defined(line) {
                let body: Vec<&str> = lines.by_ref().take_while(|line| *line != "}").collect();
                of_function.insert(function.to_owned(), locals(&body, debug, own));
            }
        }
        Self { of_function }
    }
}

fn locals(
    body: &[&str],
    debug: &DebugInfo<'_>,
    own: &dyn Fn(&str) -> Option<String>,
) -> Vec<Local> {
    let blocks: Vec<&[&str]> = body.split(|line| line.is_empty()).collect();
    let allocated = body.iter().filter_map(|line| {
        let (name, rest) = line.trim().split_once(" = alloca ")?;
        Some((name, bytes(rest)))
    });
    allocated
        .map(|(name, bytes)| {
            // Its address and addresses within it.
            let mut names = HashSet::from([name]);
            let (mut source, mut is_harmless) = (None, true);
            for block in &blocks {
                let panics = block.iter().any(|line| line.trim() == "unreachable")
                    || block
                        .iter()
                        .any(|line| line.trim().starts_with("unreachable,"));
                for line in *block {
                    let line = line.trim();
                    if line.contains(" = alloca ") || !mentions(line, &names) {
                        continue;
                    }
                    source = source.or_else(|| debug.own_location(location(line)?, own));
                    match line.split_once(" = getelementptr ") {
                        Some((inner, _)) => drop(names.insert(inner)),
                        None => is_harmless &= panics || only_writes(line, &names),
                    }
                }
            }
            Local {
                name: variable(name),
                bytes,
                location: source,
                is_harmless,
            }
        })
        .collect()
}

/// A store to one of the addresses, a call of `vprintf`, or a mark of a variable's life.
fn only_writes(line: &str, names: &HashSet<&str>) -> bool {
    let stored = line.strip_prefix("store ").and_then(|rest| {
        let (value, _) = rest.split_once(", ptr ")?;
        Some(!mentions(value, names))
    });
    stored.unwrap_or(false) || line.contains("@llvm.lifetime.") || line.contains("@vprintf(")
}

fn mentions(text: &str, names: &HashSet<&str>) -> bool {
    let is_part =
        |character: char| character.is_ascii_alphanumeric() || "%._$-\"".contains(character);
    text.split(|character| !is_part(character))
        .any(|word| names.contains(word))
}

/// Returns the size of a type such as `[4000 x i8], align 4`.
fn bytes(allocated: &str) -> u64 {
    let count = allocated
        .strip_prefix('[')
        .and_then(|rest| rest.split_once(" x i8]"));
    count.and_then(|(count, _)| count.parse().ok()).unwrap_or(0)
}

/// The name of `%table.i` in the source; a variable that the compiler made has none.
fn variable(name: &str) -> String {
    let name = name
        .trim_start_matches('%')
        .split('.')
        .next()
        .unwrap_or_default();
    let is_made = name.starts_with('_') || name.starts_with(|first: char| first.is_ascii_digit());
    if is_made {
        String::new()
    } else {
        name.to_owned()
    }
}

/// Returns the local memory of a kernel and of the functions that it calls, except those that end in a panic.
pub(super) fn of_kernel(
    module: &Module,
    kernel: &Function,
    source: Option<&SourceLocals>,
) -> Vec<Diagnostic> {
    let functions = calls::reached(module, kernel);
    functions
        .into_iter()
        .flat_map(|function| of_function(module, kernel, function, source))
        .collect()
}

fn of_function(
    module: &Module,
    kernel: &Function,
    function: &Function,
    source: Option<&SourceLocals>,
) -> Vec<Diagnostic> {
    let Some((body, depot)) = function.body.as_ref().map(|body| (body, depot(body))) else {
        return Vec::new();
    };
    if depot == 0 {
        return Vec::new();
    }
    let diagnostic = |name: &str, bytes, location| Diagnostic {
        lint: Lint::LocalMemory {
            variable: name.to_owned(),
            bytes,
        },
        function: kernel.name.as_str().to_owned(),
        location,
        span: function.span,
    };
    let known = source.and_then(|source| source.of_function.get(function.name.as_str()));
    let known = known.map(Vec::as_slice).unwrap_or_default();
    let diagnostics: Vec<Diagnostic> = known
        .iter()
        .filter(|local| !local.is_harmless)
        .map(|local| diagnostic(&local.name, local.bytes, local.location.clone()))
        .collect();
    // LLVM IR does not have the copies of parameters that the code generator adds.
    if known.is_empty() {
        return vec![diagnostic("", depot, first_use(module, body))];
    }
    diagnostics
}

/// The bytes of the local variables of a function, which LLVM calls its depot.
fn depot(body: &Block) -> u64 {
    let local = body
        .variables()
        .filter(|variable| variable.space == Space::Local);
    local
        .flat_map(|variable| {
            let bytes = |name| variable.size_bytes(name).unwrap_or(0);
            variable.declarators.iter().map(bytes)
        })
        .sum()
}

/// The line of the first instruction that takes an address in the depot.
fn first_use(module: &Module, body: &Block) -> Option<String> {
    let mut location = None;
    for statement in body.walk() {
        match statement {
            Statement::Location(at) => location = Some(at),
            Statement::Instruction(instruction)
                if matches!(instruction.opcode.stem(), "ld" | "st" | "add") =>
            {
                let mut uses = false;
                instruction.for_each_name(|name| uses |= matches!(name.as_str(), "%SP" | "%SPL"));
                if uses {
                    return rust_location(module, location);
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns bytes and location of the local memory of a kernel with this body.
    fn found(body: &str) -> Vec<(u64, Option<String>)> {
        let head = ".version 8.0\n.target sm_90\n.address_size 64\n.file 1 \"src/lib.rs\"";
        let text = format!("{head}\n.visible .entry k()\n{{\n{body}\nret;\n}}\n");
        let module = ptx::parse(&text).unwrap();
        let kernel = module.function("k").unwrap();
        let of_one = |found: Diagnostic| match found.lint {
            Lint::LocalMemory { bytes, .. } => (bytes, found.location),
            other => panic!("{other:?}"),
        };
        let found = of_kernel(&module, kernel, None);
        found.into_iter().map(of_one).collect()
    }

    #[test]
    fn the_depot_is_found_where_it_is_first_accessed() {
        let body = ".local .align 8 .b8 depot[24];\n.shared .align 8 .b8 tile[64];\n\
             .reg .b64 %SP;\n.reg .b64 %SPL;\n.reg .b32 %r1;\n\
             .loc 1 3 5\nmov.u64 %SPL, depot;\ncvta.local.u64 %SP, %SPL;\n\
             .loc 1 7 5\nst.local.u32 [%SPL], %r1;";
        assert_eq!(found(body), [(24, Some("src/lib.rs:7".to_owned()))]);
        assert_eq!(found(".shared .align 8 .b8 tile[64];"), []);
    }

    #[test]
    fn only_arrays_of_bytes_have_a_size() {
        assert_eq!(bytes("[4000 x i8], align 4"), 4000);
        assert_eq!(bytes("i32, align 4"), 0);
    }
}
