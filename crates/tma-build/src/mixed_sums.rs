//! Sums of a half and a number of 32 bits, for GPUs that lack them.
//!
//! For `compute_100` libNVVM makes one `add.f32.f16` of a conversion and an addition (PTX ISA 8.6, `sm_100`). In a module that
//! is retargeted to Hopper they are two again: the conversion is exact, so that the result is the same.

use ptx::{Block, Function, Instruction, Opcode, OperandKind, Statement};

/// Splits each such instruction of a function.
pub(crate) fn widen_halves(function: &mut Function) {
    if let Some(body) = &mut function.body {
        in_block(body);
    }
}

fn in_block(block: &mut Block) {
    for statement in &mut block.statements {
        match statement {
            Statement::Block(inner) => in_block(inner),
            Statement::Instruction(sum) => {
                if let Some(split) = split(sum) {
                    *statement = Statement::Block(split);
                }
            }
            _ => {}
        }
    }
}

/// The conversions and the instruction on their results, if it takes halves beside `f32`.
fn split(sum: &Instruction) -> Option<Block> {
    let halves = match sum.opcode.stem() {
        "add" | "sub" => 1..2,
        "fma" => 1..3,
        _ => return None,
    };
    let (wide, half) = sum.opcode.name().rsplit_once('.')?;
    if !wide.ends_with(".f32") || !matches!(half, "f16" | "bf16") {
        return None;
    }
    let mut widened = sum.clone();
    widened.opcode = Opcode::new(wide);
    let mut conversions = String::new();
    for operand in widened.operands.get_mut(halves)? {
        let OperandKind::Symbol(symbol) = &mut operand.kind else {
            return None;
        };
        let name = symbol.name.as_str();
        let copy = format!("%wide_{}", name.trim_start_matches('%'));
        if !conversions.contains(&format!(" {copy};")) {
            conversions += &format!(".reg .b32 {copy};\ncvt.f32.{half} {copy}, {name};\n");
        }
        symbol.name.name = copy.into();
    }
    let mut statements = ptx::parse_statements(&conversions).ok()?;
    statements.push(Statement::Instruction(widened));
    Some(Block {
        statements,
        ..Block::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn widened(body: &str) -> String {
        let head = ".version 8.6\n.target sm_100\n.address_size 64\n";
        let text = format!("{head}.visible .entry k() {{\n{body}\n}}");
        let mut module = ptx::parse(&text).unwrap();
        module.functions_mut().for_each(widen_halves);
        let lines = module.to_string();
        let lines = lines.lines().map(str::trim).filter(|line| !line.is_empty());
        lines.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn a_half_is_converted_before_it_is_added() {
        let text = widened("@%p1 add.rn.f32.f16 %r2, %rs1, %r2;");
        let split = "{\n.reg .b32 %wide_rs1;\ncvt.f32.f16 %wide_rs1, %rs1;\n@%p1 add.rn.f32 %r2, %wide_rs1, %r2;\n}";
        assert!(text.contains(split), "{text}");
    }

    #[test]
    fn both_factors_are_converted_once_each() {
        let text = widened("fma.rn.f32.bf16 %r3, %rs1, %rs2, %r3;");
        assert!(
            text.contains("fma.rn.f32 %r3, %wide_rs1, %wide_rs2, %r3;"),
            "{text}"
        );
        let text = widened("fma.rn.f32.bf16 %r3, %rs1, %rs1, %r3;");
        assert_eq!(text.matches("cvt.f32.bf16").count(), 1, "{text}");
    }

    #[test]
    fn other_sums_stay() {
        for line in [
            "add.rn.f32 %r2, %r1, %r2;",
            "add.rn.f16 %rs2, %rs1, %rs2;",
            "fma.rn.f32 %r2, %r1, %r1, %r2;",
        ] {
            let text = widened(line);
            assert!(text.contains(line) && !text.contains("cvt"), "{text}");
        }
    }
}
