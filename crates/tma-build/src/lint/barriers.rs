//! Barriers and other aligned instructions that the compiler copied.
//!
//! LLVM may copy a call into both arms of a branch. For an aligned instruction that is fatal: threads
//! that take different arms then wait at different locations. Copies one after another, as of an
//! unrolled loop and of the passes that are left over, are harmless.

use std::collections::{BTreeMap, HashMap, HashSet};

use ptx::{Block, Module, Opcode};

use super::{
    Diagnostic, Lint,
    debug_info::{DebugInfo, defined, location},
    rust_location,
};
use crate::control_flow::{ControlFlow, InBlock};

/// The barriers that the source has at each line of each function, separately for each inlined call.
///
/// PTX line tables lack the place where a line was inlined; LLVM IR has it.
#[derive(Clone, Debug, Default)]
pub(crate) struct SourceBarriers {
    calls: HashMap<(String, u32, u32), Calls>,
}

/// The barriers of one line.
#[derive(Clone, Debug, Default)]
struct Calls {
    count: usize,
    /// The call site of the first one, as `file:line`, with all inlining undone.
    called_from: Option<String>,
    is_asm: bool,
}

impl SourceBarriers {
    /// Reads a module's LLVM IR as text, after optimisation: each call of a barrier has a debug
    /// location, which copies share.
    pub(super) fn from_llvm_ir(text: &str, debug: &DebugInfo<'_>) -> Self {
        let mut function = "";
        let mut seen: HashSet<(&str, Vec<&str>)> = HashSet::new();
        let mut calls: HashMap<_, Calls> = HashMap::new();
        for line in text.lines() {
            function = defined(line).unwrap_or(function);
            if !is_barrier_call(line) {
                continue;
            }
            let Some(id) = location(line) else {
                continue;
            };
            if let Some((line_number, column)) = debug.position(id)
                && seen.insert((function, debug.chain(id)))
            {
                let key = (function.to_owned(), line_number, column);
                let calls = calls.entry(key).or_default();
                calls.count += 1;
                calls.is_asm |= line.contains(" asm ");
                if calls.called_from.is_none() {
                    calls.called_from = debug.called_from(id);
                }
            }
        }
        Self { calls }
    }

    fn at(&self, function: &str, location: &ptx::Location) -> Option<&Calls> {
        self.calls
            .get(&(function.to_owned(), location.line, location.column))
    }
}

/// A call of an intrinsic or of inline assembly that is an aligned instruction.
fn is_barrier_call(line: &str) -> bool {
    if !line.contains("call ") {
        return false;
    }
    let stems = [
        "barrier",
        "setmaxnreg",
        "ldmatrix",
        "stmatrix",
        "mma.",
        "wgmma.",
    ];
    let called = line.split("@llvm.nvvm.").nth(1);
    let intrinsic = called.is_some_and(|name| stems.iter().any(|stem| name.starts_with(stem)));
    let words = ["bar.", "barrier.", ".aligned"];
    let asm = line.contains(" asm ") && words.iter().any(|word| line.contains(word));
    intrinsic || asm
}

/// Barriers of a block under their older name, which are aligned.
fn is_bar(opcode: &Opcode) -> bool {
    opcode.starts_with("bar.sync")
        || opcode.starts_with("bar.arrive")
        || opcode.starts_with("bar.red")
}

/// Instructions that every thread of a warp must reach together, and that name no thread.
fn is_aligned(opcode: &Opcode) -> bool {
    is_bar(opcode) || opcode.has("aligned")
}

/// Returns whether LLVM has an intrinsic for it, which it does not copy.
fn has_intrinsic(opcode: &Opcode) -> bool {
    let stems = ["barrier", "setmaxnreg", "ldmatrix", "stmatrix", "mma"];
    is_bar(opcode) || stems.contains(&opcode.stem())
}

pub(super) fn duplicated(
    module: &Module,
    function: &str,
    body: &Block,
    source: &SourceBarriers,
) -> Vec<Diagnostic> {
    let flow = ControlFlow::new(body);
    let mut at_location: BTreeMap<(u32, u32, u32, String), Vec<&InBlock<'_>>> = BTreeMap::new();
    for item in &flow.instructions {
        if let Some(at) = item.location
            && is_aligned(&item.instruction.opcode)
        {
            let key = (at.file, at.line, at.column, item.instruction.to_string());
            at_location.entry(key).or_default().push(item);
        }
    }
    let mut diagnostics: Vec<Diagnostic> = Vec::new();
    for ((.., instruction), copies) in at_location {
        let calls = copies[0].location.and_then(|at| source.at(function, at));
        let in_source = calls.map_or(1, |calls| calls.count);
        let exclusive = copies.iter().enumerate().any(|(index, left)| {
            copies[index + 1..]
                .iter()
                .any(|right| flow.exclusive(left, right))
        });
        if copies.len() > in_source && exclusive {
            diagnostics.push(Diagnostic {
                lint: Lint::DuplicatedBarrier {
                    instruction,
                    in_source,
                    in_ptx: copies.len(),
                    is_asm: calls.is_some_and(|calls| calls.is_asm)
                        && has_intrinsic(&copies[0].instruction.opcode),
                },
                function: function.to_owned(),
                span: copies[0].instruction.span,
                location: calls
                    .and_then(|calls| calls.called_from.clone())
                    .or_else(|| rust_location(module, copies[0].location)),
            });
        }
    }
    diagnostics.sort_by(|left, right| left.location.cmp(&right.location));
    diagnostics
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assembly_without_a_barrier_is_no_barrier() {
        let call = |text: &str| format!("  call void asm sideeffect \"{text}\", \"\"()");
        assert!(is_barrier_call(&call("bar.sync 0;")));
        assert!(!is_barrier_call(&call("nanosleep.u32 8;")));
    }

    const IR: &str = "\
define ptx_kernel void @k(ptr %0) {
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0), !dbg !10
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0), !dbg !11
}
define ptx_kernel void @inlined_in_two_arms(ptr %0) {
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0), !dbg !10
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0), !dbg !15
}
define ptx_kernel void @copied(ptr %0) {
  call void asm sideeffect \"bar.sync 0;\", \"~{memory}\"() #3, !dbg !12, !srcloc !13
  call void asm sideeffect \"bar.sync 0;\", \"~{memory}\"() #3, !dbg !12, !srcloc !13
}
define ptx_kernel void @fenced(ptr %0) {
  call void asm sideeffect \"tensormap.cp_fenceproxy.x.sync.aligned [$0], [$1], 128;\", \"l,r,~{memory}\"(ptr %0, i32 0) #3, !dbg !14
}
!14 = !DILocation(line: 8, column: 5, scope: !1)
!10 = !DILocation(line: 14, column: 18, scope: !1, inlinedAt: !20)
!11 = !DILocation(line: 14, column: 18, scope: !1, inlinedAt: !21)
!12 = !DILocation(line: 7, column: 5, scope: !1)
!15 = !DILocation(line: 14, column: 18, scope: !1, inlinedAt: !22)
!20 = distinct !DILocation(line: 3, column: 5, scope: !2)
!21 = distinct !DILocation(line: 4, column: 5, scope: !2)
!22 = distinct !DILocation(line: 3, column: 5, scope: !2)
";

    fn module(name: &str, line: u32, column: u32) -> Module {
        module_of("bar.sync 0;", name, line, column)
    }

    fn module_of(instruction: &str, name: &str, line: u32, column: u32) -> Module {
        let text = format!(
            ".version 8.3\n.target sm_90\n.address_size 64\n.file 1 \"src/k.rs\"\n.visible .entry {name}()\n{{\n\
             .reg .pred %p;\n.loc 1 {line} {column}\n@%p bra A;\n{instruction}\nbra.uni B;\nA:\n{instruction}\nB:\nret;\n}}"
        );
        ptx::parse(&text).unwrap()
    }

    fn diagnostics(module: &Module) -> Vec<String> {
        let source = super::super::Source::from_llvm_ir(IR, &|_| None);
        super::super::duplicated_barriers(module, &source)
            .iter()
            .map(ToString::to_string)
            .collect()
    }

    #[test]
    fn one_barrier_in_two_arms_is_found() {
        let found = diagnostics(&module("copied", 7, 5));
        assert_eq!(found.len(), 1);
        assert!(
            found[0].starts_with(
                "duplicated-barrier: in `copied` (src/k.rs:7): `bar.sync 0;` is once in the source and 2 times"
            ),
            "{found:?}"
        );
    }

    #[test]
    fn instructions_of_one_line_come_in_the_same_order_in_each_run() {
        let text = [3, 1, 0, 2].map(|number| format!("bar.sync {number};\n"));
        let found = diagnostics(&module_of(&text.concat(), "copied", 7, 5));
        assert_eq!(found.len(), 4);
        for (number, found) in found.iter().enumerate() {
            assert!(found.contains(&format!("`bar.sync {number};`")), "{found}");
        }
    }

    #[test]
    fn an_aligned_instruction_without_an_intrinsic_is_found_too() {
        let text = "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned \
                    [%rd1], [%r1], 128;";
        let found = diagnostics(&module_of(text, "fenced", 8, 5));
        assert_eq!(found.len(), 1);
        assert!(
            found[0].contains("128;` is once in the source and 2 times")
                && found[0].ends_with("move it out of the branches around it"),
            "{found:?}"
        );
    }

    #[test]
    fn a_copy_that_was_inlined_by_itself_is_found() {
        let found = diagnostics(&module("inlined_in_two_arms", 14, 18));
        assert_eq!(found.len(), 1, "{found:?}");
    }

    #[test]
    fn two_barriers_that_the_source_has_are_not() {
        let found = diagnostics(&module("k", 14, 18));
        assert!(found.is_empty(), "{found:?}");
    }
}
