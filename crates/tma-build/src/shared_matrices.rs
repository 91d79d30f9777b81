//! `ldmatrix` and `stmatrix` at addresses of the shared window.
//!
//! From Rust, LLVM's intrinsics take generic addresses alone. ptxas computes with all 64 bits of those and
//! then turns them back, which are three more instructions for each matrix.

use std::{collections::HashSet, mem};

use ptx::{Block, Function, Instruction, Opcode, OperandKind, Statement};

/// Names the window where a function turns shared addresses into generic ones for matrices only.
pub(crate) fn name_window(function: &mut Function) {
    let Some(body) = &mut function.body else {
        return;
    };
    let generic = body.instructions().filter_map(generic).map(str::to_owned);
    let mut registers: HashSet<String> = generic.collect();
    for instruction in body.instructions() {
        if registers.is_empty() {
            return;
        }
        let expected = generic_or_row(instruction);
        let mut seen = false;
        instruction.for_each_name(|name| {
            // Once, since a register may also be the stored operand.
            if expected != Some(name.as_str()) || mem::replace(&mut seen, true) {
                registers.remove(name.as_str());
            }
        });
    }
    in_block(body, &registers);
}

/// The register that gets the generic address of a shared one.
fn generic(instruction: &Instruction) -> Option<&str> {
    let is_generic = instruction.opcode.name() == "cvta.shared.u64";
    instruction
        .operands
        .first()?
        .as_name()
        .filter(|_| is_generic)
}

/// The register through which an instruction reads or writes matrices.
fn row(instruction: &Instruction) -> Option<&str> {
    let opcode = &instruction.opcode;
    if !matches!(opcode.stem(), "ldmatrix" | "stmatrix") || opcode.has("shared") {
        return None;
    }
    let mut operands = instruction.operands.iter();
    let address = operands.find(|operand| matches!(operand.kind, OperandKind::Memory { .. }))?;
    Some(address.base_and_offset()?.0.name.as_str())
}

fn generic_or_row(instruction: &Instruction) -> Option<&str> {
    generic(instruction).or_else(|| row(instruction))
}

fn in_block(block: &mut Block, registers: &HashSet<String>) {
    for statement in &mut block.statements {
        match statement {
            Statement::Block(inner) => in_block(inner, registers),
            Statement::Instruction(instruction)
                if generic_or_row(instruction).is_some_and(|name| registers.contains(name)) =>
            {
                instruction.opcode = match generic(instruction) {
                    Some(_) => Opcode::new("mov.b64"),
                    None => in_window(&instruction.opcode),
                };
            }
            _ => {}
        }
    }
}

/// The state space follows the number of matrices and `.trans`.
fn in_window(opcode: &Opcode) -> Opcode {
    let mut parts: Vec<&str> = opcode.parts().collect();
    let before = |part: &&str| matches!(*part, "x1" | "x2" | "x4" | "trans");
    let at = parts
        .iter()
        .rposition(before)
        .map_or(parts.len(), |at| at + 1);
    parts.insert(at, "shared");
    Opcode::new(parts.join("."))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(body: &str) -> String {
        let head = ".version 8.0\n.target sm_90a\n.address_size 64\n";
        let text = format!("{head}.visible .entry k() {{\n{body}\n}}");
        let mut module = ptx::parse(&text).unwrap();
        module.functions_mut().for_each(name_window);
        module.to_string()
    }

    #[test]
    fn matrices_are_read_and_written_in_the_window() {
        let text = named(
            "cvta.shared.u64 %rd2, %rd1;\nldmatrix.sync.aligned.m8n8.x4.trans.b16 {%r1, %r2, %r3, %r4}, [%rd2+64];\n\
             stmatrix.sync.aligned.m8n8.x1.b16 [%rd2], {%r1};",
        );
        assert!(text.contains("mov.b64 %rd2, %rd1;"), "{text}");
        assert!(
            text.contains("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16"),
            "{text}"
        );
        assert!(
            text.contains("stmatrix.sync.aligned.m8n8.x1.shared.b16"),
            "{text}"
        );
    }

    #[test]
    fn an_address_that_something_else_uses_or_sets_stays_generic() {
        let matrix = "ldmatrix.sync.aligned.m8n8.x1.b16 {%r1}, [%rd2];";
        for other in [
            "ld.b32 %r2, [%rd2];",
            "add.s64 %rd3, %rd2, 8;",
            "mov.b64 %rd2, %rd4;",
            "@%p1 stmatrix.sync.aligned.m8n8.x1.b16 [%rd2], {%rd2};",
        ] {
            let text = named(&format!("cvta.shared.u64 %rd2, %rd1;\n{other}\n{matrix}"));
            assert!(text.contains("cvta.shared.u64"), "{text}");
            assert!(text.contains(matrix), "{text}");
        }
    }
}
