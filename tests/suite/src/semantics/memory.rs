//! Loads, stores and atomic operations on global and shared memory.

use half::{bf16, f16};

use super::{
    arithmetic::{operands, random_words},
    plan::Plan,
};

/// Plans by template.
pub(super) fn plans(form: &str, call: &str, template: &str) -> Vec<Plan> {
    let opcode = form.split(' ').next().unwrap_or_default();
    let arguments = call.split_once('(').map_or("", |(_, arguments)| arguments);
    match template {
        "accessed" => vec![accessed(opcode, arguments)],
        _ => (0..8)
            .map(|seed| changed(opcode, arguments, seed))
            .collect(),
    }
}

/// The bytes of an access, by its type and vector.
fn bytes_of(opcode: &str) -> usize {
    let of = |part: &str| match part {
        "v2" => 2,
        "v4" => 4,
        _ => part
            .strip_prefix('b')
            .and_then(|bits| bits.parse().ok())
            .map_or(1, |bits: usize| bits / 8),
    };
    opcode.split('.').map(of).product()
}

fn accessed(opcode: &str, arguments: &str) -> Plan {
    let words = random_words(7);
    let bytes = bytes_of(opcode);
    let memory: Vec<u8> = (0..32_u8)
        .map(|byte| byte.wrapping_mul(37) ^ 0xa5)
        .collect();
    let mut after = memory.clone();
    let mut results = [0; 4];
    if opcode.starts_with("ld") {
        let mut loaded = [0; 16];
        loaded[..bytes].copy_from_slice(&memory[..bytes]);
        for (result, word) in results.iter_mut().zip(loaded.chunks_exact(4)) {
            *result = word
                .iter()
                .rev()
                .fold(0, |bits, byte| bits << 8 | u32::from(*byte));
        }
    } else {
        // The address comes first.
        let values = arguments.split_once(',').map_or("", |(_, values)| values);
        let values = operands(values, &words);
        let each = bytes / values.len();
        let stored = values
            .iter()
            .flat_map(|value| value.to_le_bytes()[..each].to_vec());
        after.splice(..bytes, stored.collect::<Vec<u8>>());
    }
    Plan {
        memory,
        memory_after: after,
        ..Plan::new(&words, results.to_vec())
    }
}

/// One thread of each block changes 8 bytes: in its own block, in the other one of two, or in global memory.
fn changed(opcode: &str, arguments: &str, seed: u64) -> Plan {
    let parts: Vec<&str> = opcode.split('.').collect();
    let ty = parts[parts.len() - 1];
    let mut words = random_words(seed + 11);
    let mut old = u64::from(random_words(seed)[0]) << 32 | u64::from(random_words(seed + 50)[1]);
    let float = |bits: u32| bits & 0x807f_ffff | 0x3f80_0000;
    match ty {
        "f32" => {
            words[0] = float(words[0]);
            old = old & !0xffff_ffff | u64::from(float(old as u32));
        }
        "f64" => {
            words[5] = float(words[5]);
            old = old & 0xffff_ffff | u64::from(float((old >> 32) as u32)) << 32;
        }
        "f16x2" | "bf16x2" => {
            words[0] = words[0] & 0x83ff_83ff | 0x3c00_3c00;
            old = old & !0xffff_ffff | u64::from(old as u32 & 0x83ff_83ff | 0x3c00_3c00);
        }
        _ => {}
    }
    if parts.contains(&"cas") && seed.is_multiple_of(2) {
        // The number compared with is in memory.
        words[0] = old as u32;
        [words[4], words[5]] = [old as u32, (old >> 32) as u32];
    }
    if matches!(parts[parts.len() - 2], "inc" | "dec") {
        match seed % 4 {
            0 => old &= !0xffff_ffff,
            1 => words[0] = old as u32,
            _ => {}
        }
    }
    // The address comes first.
    let values = arguments.split_once(',').map_or("", |(_, values)| values);
    let values = operands(values, &words);
    let width = if ty.ends_with("64") {
        u64::MAX
    } else {
        0xffff_ffff
    };
    let new = change(&parts, old & width, &values) & width;
    let new = old & !width | new;
    let halves = |value: u64| [value as u32, (value >> 32) as u32];
    let [first, second] = halves(old & width);
    let is_global = parts.contains(&"global");
    let [third, fourth] = halves(if is_global { old } else { new });
    let before = halves(old);
    let all: Vec<u32> = before.into_iter().chain(words).collect();
    let memory = old.to_le_bytes().to_vec();
    let plan = Plan {
        memory_after: if is_global {
            new.to_le_bytes().to_vec()
        } else {
            memory.clone()
        },
        memory,
        ..Plan::new(&all, vec![first, second, third, fourth])
    };
    match parts.contains(&"shared::cluster") {
        true => plan.cluster(2),
        false => plan,
    }
}

/// The new value.
fn change(parts: &[&str], old: u64, values: &[u64]) -> u64 {
    let ty = parts[parts.len() - 1];
    let value = values[0];
    let signed = |bits: u64| match ty {
        "s32" => i128::from(bits as u32 as i32),
        "s64" => i128::from(bits as i64),
        "u32" => i128::from(bits as u32),
        _ => i128::from(bits),
    };
    let operation = parts[1..].iter().find(|part| {
        [
            "add", "min", "max", "inc", "dec", "cas", "exch", "and", "or", "xor",
        ]
        .contains(part)
    });
    match (*operation.unwrap_or(&""), ty) {
        ("add", "f32") => {
            u64::from((f32::from_bits(old as u32) + f32::from_bits(value as u32)).to_bits())
        }
        ("add", "f64") => (f64::from_bits(old) + f64::from_bits(value)).to_bits(),
        ("add", "f16x2") => halves(old, value, |a, b| {
            f16::from_f32(f16::from_bits(a).to_f32() + f16::from_bits(b).to_f32()).to_bits()
        }),
        ("add", "bf16x2") => halves(old, value, |a, b| {
            bf16::from_f32(bf16::from_bits(a).to_f32() + bf16::from_bits(b).to_f32()).to_bits()
        }),
        ("add", _) => old.wrapping_add(value),
        ("min", _) => signed(old).min(signed(value)) as u64,
        ("max", _) => signed(old).max(signed(value)) as u64,
        ("inc", _) if old >= value => 0,
        ("inc", _) => old + 1,
        ("dec", _) if old == 0 || old > value => value,
        ("dec", _) => old - 1,
        ("cas", _) if old == value => values[1],
        ("cas", _) => old,
        ("exch", _) => value,
        ("and", _) => old & value,
        ("or", _) => old | value,
        _ => old ^ value,
    }
}

fn halves(a: u64, b: u64, add: impl Fn(u16, u16) -> u16) -> u64 {
    let of = |shift: u32| u64::from(add((a >> shift) as u16, (b >> shift) as u16)) << shift;
    of(0) | of(16)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::{
        Content,
        semantics::{form_cases, results::Results},
    };

    /// The word that an H200 wrote is the sum of the words (`docs/verification.md`).
    #[test]
    fn an_h200_adds_halves_in_the_memory_of_another_block_as_one_integer() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/semantics");
        let results = Results::of_folder(&folder).unwrap();
        let cases = form_cases();
        let is_one = |form: &str| form.contains(".shared::cluster.add.noftz.");
        let cases: Vec<_> = cases.iter().filter(|case| is_one(case.form())).collect();
        assert_eq!(cases.len(), 4);
        for case in cases {
            // The first launch: two words of memory, then the operands.
            let words = case.scenario.buffers[0].to_vec::<u32>().unwrap();
            let sum = words[0].wrapping_add(words[2]) as i32;
            let Content::Exact(expected) = &case.scenario.expected[0].content else {
                panic!("{} has bounds", case.form());
            };
            let found = format!(
                "element 2 at [2]: expected {}, got {sum}; 16 of 512",
                expected[2]
            );
            for results in &results {
                let outputs = &results.forms[case.form()].outputs;
                let wrong = outputs.as_ref().unwrap_err();
                assert!(
                    wrong.contains(&found),
                    "{}: {wrong}, not {found}",
                    case.form()
                );
            }
        }
    }
}
