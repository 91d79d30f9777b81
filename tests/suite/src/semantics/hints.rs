//! Hints about memory and registers, around unchanged data.

use super::plan::Plan;

const NUMBER: u32 = 0x00c0_ffee;

/// Plans by template.
pub(super) fn plans(template: &str) -> Vec<Plan> {
    let numbers = |count| -> Vec<u32> { (0..count).map(|index| NUMBER ^ index).collect() };
    let plan = match template {
        "discarded" => Plan {
            memory: vec![0x5a; 128],
            memory_after: bytemuck::cast_slice(&numbers(32)).to_vec(),
            ..Plan::new(&[NUMBER], numbers(32))
        },
        _ => Plan {
            threads: 512,
            ..Plan::new(&[NUMBER], numbers(512))
        },
    };
    vec![plan]
}
