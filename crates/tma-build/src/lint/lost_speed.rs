//! Messages of ptxas about `wgmma` and `setmaxnreg` instructions that it changes or ignores.

use std::cell::LazyCell;

use ptx::{Function, Module, Statement};

use super::{Diagnostic, Lint, rust_location};
use crate::{calls::calls, finish::Marker, ptxas};

/// Instructions that a message is about.
const PRODUCTS: &str = "wgmma.mma_async";
const REGISTERS: &str = "setmaxnreg";

const INLINE: &str = "inline every call, and exclude panics by `core::hint::assert_unchecked`";
const WAIT: &str = "wait for the products on every path to a use of their registers, by \
                    `InFlight::wait`, or `wgmma.wait_group`";
const FENCE: &str = "begin products after the last access to their registers on every path, by \
                     `Accumulator::begin`, or `wgmma.fence`";
const FEWER: &str =
    "keep fewer sums per thread, or allow more registers by `max_threads` and `setmaxnreg`";
const TOGETHER: &str =
    "let all threads of the warpgroup take the same path from the fence to the wait";

/// The messages of ptxas 13.0, by their numbers, the instructions that each is about, and the usual fix.
const MESSAGES: [(&str, &str, &str); 15] = [
    ("C7506", REGISTERS, INLINE),
    (
        "C7507",
        REGISTERS,
        "leave each thread the registers that its role needs",
    ),
    (
        "C7508",
        REGISTERS,
        "declare the initial registers of a thread: `#[kernel(max_threads = 384, min_blocks = 1)]`",
    ),
    ("C7509", PRODUCTS, INLINE),
    ("C7510", PRODUCTS, INLINE),
    ("C7511", PRODUCTS, FEWER),
    ("C7512", PRODUCTS, FEWER),
    ("C7513", PRODUCTS, WAIT),
    ("C7514", PRODUCTS, WAIT),
    ("C7515", PRODUCTS, WAIT),
    ("C7516", PRODUCTS, TOGETHER),
    ("C7517", PRODUCTS, WAIT),
    ("C7518", PRODUCTS, TOGETHER),
    ("C7519", PRODUCTS, FENCE),
    ("C7520", PRODUCTS, TOGETHER),
];

/// The usual fix.
pub(super) fn advice(code: &str) -> &'static str {
    let mut messages = MESSAGES.iter();
    messages
        .find(|(number, ..)| *number == code)
        .map_or("", |(.., advice)| advice)
}

/// Returns the ptxas messages about `wgmma` and `setmaxnreg` that the kernels of a module do not allow.
pub fn lost_speed(messages: &str, module: &Module, markers: &[Marker]) -> Vec<Diagnostic> {
    let text = LazyCell::new(|| module.to_string());
    let mut diagnostics = Vec::new();
    for line in messages.lines() {
        let numbered = line
            .split_once(" (")
            .and_then(|(_, rest)| rest.split_once(") "));
        let Some((code, message)) = numbered else {
            continue;
        };
        let Some((code, about, _)) = MESSAGES.iter().find(|(number, ..)| *number == code) else {
            continue;
        };
        let line = message.split_once("around line ").map(|(_, rest)| rest);
        let line = line.and_then(|rest| rest.split(' ').next()?.parse().ok());
        for kernel in kernels(module, message, about) {
            let name = kernel.name.as_str();
            let is_allowed = markers.iter().any(|marker| {
                marker.kernel == name && marker.allowed.iter().any(|allowed| allowed == code)
            });
            let diagnostic = Diagnostic {
                lint: Lint::LostSpeed {
                    code,
                    message: message.to_owned(),
                },
                function: name.to_owned(),
                span: kernel.span,
                location: match line {
                    Some(line) => ptxas::rust_location(&text, line),
                    None => first(module, kernel, about),
                },
            };
            if !is_allowed && !diagnostics.contains(&diagnostic) {
                diagnostics.push(diagnostic);
            }
        }
    }
    diagnostics
}

/// Returns the kernel that a message names. If it names a called function or none, returns all kernels that it may be about.
fn kernels<'m>(module: &'m Module, message: &str, about: &str) -> Vec<&'m Function> {
    let quoted =
        |kernel: &&Function| message.contains(&format!("function '{}'", kernel.name.as_str()));
    if let Some(named) = module.entries().find(quoted) {
        return vec![named];
    }
    let has = |kernel: &&Function| first_instruction(kernel, about).is_some();
    let names_function = message.contains(" function '");
    let calls = |kernel: &&Function| !names_function || !calls(kernel).is_empty();
    module.entries().filter(has).filter(calls).collect()
}

/// The location of the first such instruction.
fn first(module: &Module, kernel: &Function, about: &str) -> Option<String> {
    rust_location(module, first_instruction(kernel, about)?)
}

fn first_instruction<'m>(kernel: &'m Function, about: &str) -> Option<Option<&'m ptx::Location>> {
    let mut location = None;
    for statement in kernel.body.iter().flat_map(|body| body.walk()) {
        match statement {
            Statement::Location(at) => location = Some(at),
            Statement::Instruction(instruction) if instruction.opcode.name().starts_with(about) => {
                return Some(location);
            }
            _ => {}
        }
    }
    None
}
