//! Calls of functions: recursion, calls through pointers, undefined functions, calls beside `wgmma`.

use std::collections::HashSet;

use ptx::{Function, Module, Statement};

use super::{Diagnostic, Lint, rust_location};
use crate::calls::calls;

/// The functions that a GPU provides.
const PROVIDED: [&str; 4] = ["vprintf", "malloc", "free", "__assertfail"];

/// The function of this name that has a body.
fn definition<'m>(module: &'m Module, name: &str) -> Option<&'m Function> {
    module
        .functions()
        .find(|function| function.name == *name && function.body.is_some())
}

/// A kernel and the functions that it calls, those left out that end in a panic.
pub(super) fn reached<'m>(module: &'m Module, kernel: &'m Function) -> Vec<&'m Function> {
    let mut reached = vec![kernel];
    let mut next = 0;
    while let Some(function) = reached.get(next) {
        let called = calls(function)
            .into_iter()
            .filter_map(|call| definition(module, call.callee));
        let new: Vec<&Function> = called
            .filter(|function| function.directive(".noreturn").is_none())
            .filter(|function| reached.iter().all(|known| known.name != function.name))
            .collect();
        let mut names = HashSet::new();
        reached.extend(
            new.into_iter()
                .filter(|new| names.insert(new.name.as_str())),
        );
        next += 1;
    }
    reached
}

/// Checks the calls of a kernel and of the functions that it calls.
pub(super) fn of_kernel(module: &Module, kernel: &Function, may_recurse: bool) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    let has_wgmma = has_wgmma(kernel);
    for function in reached(module, kernel) {
        for call in calls(function) {
            let lint = match definition(module, call.callee) {
                Some(callee) if !may_recurse && calls_back(module, callee, function) => {
                    Lint::Recursion {
                        callee: readable(call.callee),
                    }
                }
                Some(_) if has_wgmma && function.name == kernel.name => Lint::CallBesideWgmma {
                    callee: readable(call.callee),
                },
                Some(_) => continue,
                None if PROVIDED.contains(&call.callee) => continue,
                None if module.function(call.callee).is_some() => Lint::UnresolvedFunction {
                    callee: readable(call.callee),
                },
                None => Lint::IndirectCall,
            };
            let diagnostic = Diagnostic {
                lint,
                function: kernel.name.as_str().to_owned(),
                location: rust_location(module, call.location),
                span: call.span,
            };
            if !diagnostics.contains(&diagnostic) {
                diagnostics.push(diagnostic);
            }
        }
    }
    diagnostics
}

fn has_wgmma(kernel: &Function) -> bool {
    let mut statements = kernel.body.iter().flat_map(|body| body.walk());
    statements.any(|statement| match statement {
        Statement::Instruction(instruction) => {
            instruction.opcode.name().starts_with("wgmma.mma_async")
        }
        _ => false,
    })
}

/// Returns whether the callee calls the caller again.
fn calls_back<'m>(module: &'m Module, callee: &'m Function, caller: &Function) -> bool {
    let called = reached(module, callee);
    called.iter().any(|function| function.name == caller.name)
}

/// The path of a mangled name, without the hash.
fn readable(name: &str) -> String {
    format!("{:#}", rustc_demangle::demangle(name))
}
