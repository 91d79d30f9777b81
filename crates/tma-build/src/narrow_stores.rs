//! Stores of the low bytes of a register that holds a floating-point result.
//!
//! LLVM writes `st.b32` with a 64-bit register for the low half of an `f64`. PTX takes the low bytes
//! (PTX ISA, section 9.4.1), but ptxas 13.0 converts the number to an integer where the register was
//! written by a floating-point instruction: 5.25 is stored as 5. A copy in between keeps the bits.

use std::collections::HashMap;

use ptx::{Block, Function, Instruction, Operand, OperandKind, Statement};

/// Puts a copy before each such store of a function.
pub(crate) fn keep_bits(function: &mut Function) {
    let Some(body) = &mut function.body else {
        return;
    };
    let results = body.instructions().filter_map(float_result);
    let widths: HashMap<String, u32> = results.collect();
    if !widths.is_empty() {
        in_block(body, &widths);
    }
}

/// The register that a floating-point instruction writes, and its bits.
fn float_result(instruction: &Instruction) -> Option<(String, u32)> {
    let parts: Vec<&str> = instruction.opcode.parts().collect();
    let ty = match parts[..] {
        ["st" | "red" | "setp", ..] => return None,
        ["cvt", .., to, _] => to,
        [.., ty] => ty,
        [] => return None,
    };
    let bits = match ty {
        "f64" => 64,
        "f32" | "f16x2" | "bf16x2" => 32,
        _ => return None,
    };
    let register = instruction.operands.first()?.as_name()?;
    Some((register.to_owned(), bits))
}

fn in_block(block: &mut Block, widths: &HashMap<String, u32>) {
    for statement in &mut block.statements {
        match statement {
            Statement::Block(inner) => in_block(inner, widths),
            Statement::Instruction(store) if store.opcode.stem() == "st" => {
                if let Some(copied) = with_copies(store, widths) {
                    *statement = Statement::Block(copied);
                }
            }
            _ => {}
        }
    }
}

/// Returns the store after copies of the registers that it would convert, or none if it converts none.
fn with_copies(store: &Instruction, widths: &HashMap<String, u32>) -> Option<Block> {
    let stored_bits: u32 = store.opcode.parts().next_back()?.get(1..)?.parse().ok()?;
    let mut copied = store.clone();
    let mut copies = String::new();
    for_each_name(copied.operands.get_mut(1)?, &mut |name| {
        if let Some(bits) = widths.get(&**name).filter(|bits| **bits > stored_bits) {
            let copy = format!("%bits_of_{}", name.trim_start_matches('%'));
            if !copies.contains(&format!(" {copy};")) {
                copies += &format!(".reg .b{bits} {copy};\nmov.b{bits} {copy}, {name};\n");
            }
            *name = copy.into();
        }
    });
    let mut statements = ptx::parse_statements(&copies).ok()?;
    if statements.is_empty() {
        return None;
    }
    statements.push(Statement::Instruction(copied));
    Some(Block {
        statements,
        ..Block::default()
    })
}

/// Calls `see` with each register that a source operand names.
fn for_each_name(operand: &mut Operand, see: &mut dyn FnMut(&mut Box<str>)) {
    match &mut operand.kind {
        OperandKind::Symbol(symbol) => see(&mut symbol.name.name),
        OperandKind::Vector(operands) => {
            for operand in operands {
                for_each_name(operand, see);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(body: &str) -> String {
        let head = ".version 8.0\n.target sm_90a\n.address_size 64\n";
        let text = format!("{head}.visible .entry k() {{\n{body}\n}}");
        let mut module = ptx::parse(&text).unwrap();
        module.functions_mut().for_each(keep_bits);
        let lines = module.to_string();
        let lines = lines.lines().map(str::trim).filter(|line| !line.is_empty());
        lines.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn the_low_half_of_a_product_is_copied_before_it_is_stored() {
        let text = kept("mul.rn.f64 %rd3, %rd2, %rd2;\n@%p1 st.global.b32 [%rd1+4], %rd3;");
        let copied = "{\n.reg .b64 %bits_of_rd3;\nmov.b64 %bits_of_rd3, %rd3;\n\
                      @%p1 st.global.b32 [%rd1+4], %bits_of_rd3;\n}";
        assert!(text.contains(copied), "{text}");
    }

    #[test]
    fn a_register_that_is_stored_twice_is_copied_once() {
        let text = kept("cvt.rn.f32.s32 %r3, %r2;\nst.v2.b16 [%rd1], {%r3, %r3};");
        assert_eq!(text.matches("mov.b32").count(), 1, "{text}");
        assert!(text.contains("{%bits_of_r3, %bits_of_r3}"), "{text}");
    }

    #[test]
    fn whole_registers_and_integers_are_stored_as_they_are() {
        let body = "mul.rn.f64 %rd3, %rd2, %rd2;\nst.global.b64 [%rd1], %rd3;\n\
                    mul.lo.s64 %rd4, %rd2, %rd2;\nst.global.b32 [%rd1], %rd4;\n\
                    cvt.rzi.s64.f64 %rd5, %rd3;\nst.global.b32 [%rd3], %rd5;";
        assert!(!kept(body).contains("mov"), "{}", kept(body));
    }
}
