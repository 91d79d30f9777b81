//! Spellings that ptxas accepts beside the manual's.

use ptx::{Instruction, Opcode};

/// Returns a collective with its modifiers in the order of the PTX ISA: ptxas accepts others too. CUB has
/// `vote.ballot.sync.b32`, DeepGEMM `stmatrix.sync.aligned.x2.m8n8.shared.b16`, and CUTLASS
/// `ldmatrix.sync.aligned.x4.m8n8.shared.b16`.
pub(super) fn respelled(instruction: &Instruction) -> Option<Instruction> {
    let opcode = &instruction.opcode;
    let rank = |part: &str| match (opcode.stem(), part) {
        (_, "sync") => 0,
        ("ldmatrix" | "stmatrix", "aligned") => 1,
        ("ldmatrix" | "stmatrix", "m8n8" | "m8n16" | "m16n8" | "m16n16") => 2,
        ("ldmatrix" | "stmatrix", "x1" | "x2" | "x4") => 3,
        ("ldmatrix" | "stmatrix", "trans") => 4,
        _ => 5,
    };
    if !matches!(
        opcode.stem(),
        "vote" | "shfl" | "redux" | "ldmatrix" | "stmatrix"
    ) {
        return None;
    }
    let mut parts: Vec<&str> = opcode.parts().skip(1).collect();
    if parts.is_sorted_by_key(|part| rank(part)) {
        return None;
    }
    parts.sort_by_key(|part| rank(part));
    let mut instruction = instruction.clone();
    parts.insert(0, opcode.stem());
    instruction.opcode = Opcode::new(parts.join("."));
    Some(instruction)
}
