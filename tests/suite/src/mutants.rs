//! Mutants: kernels with one fence, wait, arrival, byte count, scope or guard deleted or altered.
//!
//! [`Subject`] is an entry with the cases that launch it. [`mutants`] makes its mutants on the
//! finished PTX, by the syntax tree: each differs from the entry in one instruction. [`Subject::try_out`]
//! runs one and reports which check noticed. [`Allowed`] has the mutants that are not bugs, each with the
//! reason.

mod allowed;
mod change;
mod check;
mod flow;
mod guards;
mod operator;
mod page;
mod profile;
mod report;
mod run;
mod subject;

pub use allowed::{Allowed, Explanation};
pub use check::{check, check_counts, check_page, check_survivors};
pub use operator::Operator;
pub use page::page;
pub use report::{json, line, shown, summary, table};
pub use run::{Caught, Outcome, Plan, SEEDS, Summary, Tried, run, subjects};
pub use subject::{Subject, SubjectCase, module};

use ptx::{Function, LineIndex, Module, Span, Statement};

/// One instruction of one entry, changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutant {
    /// `entry/operator/opcode/n`, for the `n`th instruction of this opcode in its function. For another
    /// function than the entry, its name comes before the operator.
    pub id: String,
    /// The operator that changed it.
    pub operator: Operator,
    /// The line in the PTX of the entry, from 1.
    pub line: usize,
    /// The instruction.
    pub before: String,
    /// The text that replaces it.
    pub after: String,
    span: Span,
}

impl Mutant {
    /// The text of the module with this change.
    pub fn apply(&self, text: &str) -> String {
        let (before, after) = (&text[..self.span.start()], &text[self.span.end()..]);
        format!("{before}{}{after}", self.after)
    }
}

/// Returns the module with empty bodies of the functions that never return.
fn without_panics(module: &Module) -> Module {
    let mut module = module.clone();
    for function in module.functions_mut() {
        if function.directive(".noreturn").is_some() {
            function.body = None;
        }
    }
    module
}

/// Returns all mutants of an entry and the functions that it calls, in the order of the text, without the code that
/// only a panic executes. `module` was parsed from `text`.
pub fn mutants(module: &Module, text: &str, entry: &str) -> Vec<Mutant> {
    let lines = LineIndex::new(text);
    let needed = without_panics(module).extract(entry);
    let is_needed = |function: &&Function| {
        let needed = needed
            .as_ref()
            .and_then(|m| m.function(function.name.as_str()));
        needed.is_some() && function.directive(".noreturn").is_none()
    };
    let functions = module.functions().filter(is_needed);
    let endless = module
        .functions()
        .filter(|f| f.directive(".noreturn").is_some());
    let endless = endless.map(|function| function.name.as_str()).collect();
    let mut all: Vec<Mutant> = Vec::new();
    for function in functions {
        let Some(body) = &function.body else { continue };
        let of = match function.name.as_str() {
            name if name == entry => entry.to_owned(),
            name => format!("{entry}/{name}"),
        };
        let guards = guards::opened(body, &endless);
        let mut seen = std::collections::HashMap::new();
        for statement in body.walk() {
            let Statement::Instruction(instruction) = statement else {
                continue;
            };
            let opcode = instruction.opcode.name();
            let nth = seen.entry(opcode).or_insert(0);
            *nth += 1;
            let span = *instruction.span;
            let opened = guards.iter().filter(|(at, _)| *at == span);
            let opened = opened.map(|(_, change)| change.clone());
            for change in change::changes(instruction).into_iter().chain(opened) {
                let operator = change.operator;
                let mut id = format!("{of}/{operator}/{opcode}/{nth}");
                // A branch with relevant code on either side.
                if all.last().is_some_and(|last| last.id == id) {
                    id += "/taken";
                }
                all.push(Mutant {
                    id,
                    operator,
                    line: lines.line_column(span.start()).line,
                    before: span.slice(text).to_owned(),
                    after: change.after,
                    span,
                });
            }
        }
    }
    all
}
