//! Tensor maps that a kernel writes and changes.

use tensor_map::{DataType, Params, Target, TensorMap, replace::Replacement};

use super::{bulk::boxed, plan::Plan};
use crate::copies::{Action, generate::of_form};
use crate::maps::generate::Random;

/// Plans by template.
pub(super) fn plans(text: &str, template: &str) -> Vec<Plan> {
    if template == "edited" {
        return vec![edited(text)];
    }
    let random = &mut Random::new(text.len() as u64);
    let case = of_form(random, Action::Load, false, 2, true);
    let mut plan = boxed(&case, "", "completes_tx", (1, false), 0);
    match template {
        "released" => {
            let role = match () {
                () if text.starts_with("tensormap.") => 3,
                () if text.contains(".acquire") => 2,
                () => 1,
            };
            let offset = plan.memory.len().next_multiple_of(128);
            plan.words[12] = role;
            plan.words[14] = offset as u32;
            for memory in [&mut plan.memory, &mut plan.memory_after] {
                memory.resize(offset + TensorMap::BYTES, 0);
            }
        }
        "constant_map" => plan.is_map_constant = true,
        _ => {}
    }
    vec![plan]
}

/// The map whose fields are replaced, each by a valid value.
fn params() -> Params {
    TensorMap::tiled(DataType::U8, &[256, 48, 20])
        .box_dims(&[32, 8, 4])
        .params()
}

/// Returns the bits that differ between the map and the expected one.
fn edited(text: &str) -> Plan {
    const DIM: u32 = 24;
    const STRIDE_BYTES: u64 = 0x12_3450;
    const ADDRESS: u64 = 0x7f_1234_5680;
    let field = text.split('.').nth(3).unwrap_or_default();
    let operands = text.split_once(' ').map_or("", |(_, operands)| operands);
    let choice = operands
        .rsplit(", ")
        .next()
        .and_then(|last| last.parse().ok())
        .unwrap_or(0);
    let (replacement, n, w) = match field {
        "global_address" => (Replacement::GlobalAddress(ADDRESS), 0, 0x50),
        "rank" => (Replacement::Rank(4), 4, 0),
        "box_dim" => (Replacement::BoxDim(1, DIM), DIM, 0),
        "global_dim" => (Replacement::GlobalDim(1, 5 * DIM), 5 * DIM, 0),
        "element_stride" => (Replacement::ElementStride(1, 3), 3, 0),
        "global_stride" => (Replacement::GlobalStride(1, STRIDE_BYTES), 0, STRIDE_BYTES),
        "elemtype" => (Replacement::ElemType(choice), 0, 0),
        "interleave_layout" => (Replacement::InterleaveLayout(choice), 0, 0),
        "swizzle_mode" => (Replacement::SwizzleMode(choice), 0, 0),
        "swizzle_atomicity" => (Replacement::SwizzleAtomicity(choice), 0, 0),
        _ => (Replacement::FillMode(choice), 0, 0),
    };
    let map = params()
        .build_for(ADDRESS, Target::SM_90)
        .expect("it is legal");
    let mut changed = map;
    changed.replace(replacement).expect("the value is in range");
    let words = map.words().iter().zip(changed.words());
    let results = words.flat_map(|(was, is)| [(was ^ is) as u32, ((was ^ is) >> 32) as u32]);
    let is_shared = u32::from(text.contains(".shared::cta"));
    let words = [
        1 - is_shared,
        n,
        w as u32,
        (w >> 32) as u32,
        u32::from(field == "global_address"),
    ];
    let memory = vec![0; 256 * 48 * 20];
    Plan {
        map: Some((params(), 0)),
        memory: memory.clone(),
        memory_after: memory,
        ..Plan::new(&words, results.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bits that `tensormap.replace` changes are those that the encoder writes.
    #[test]
    fn replacements_are_what_the_encoder_writes() {
        let tiled = || TensorMap::tiled(DataType::U8, &[256, 48, 20]).box_dims(&[32, 8, 4]);
        let cases: [(&str, Params, &[usize]); 4] = [
            (
                "tensormap.replace.tile.box_dim.global.b1024.b32 [d], 1, r",
                tiled().box_dims(&[32, 24, 4]).params(),
                &[16],
            ),
            (
                "tensormap.replace.tile.global_stride.global.b1024.b64 [d], 1, d",
                tiled().strides_bytes(&[256, 0x12_3450]).params(),
                &[],
            ),
            (
                "tensormap.replace.tile.element_stride.global.b1024.b32 [d], 1, r",
                tiled().element_strides(&[1, 3, 1]).params(),
                &[16],
            ),
            (
                "tensormap.replace.tile.swizzle_mode.global.b1024.b32 [d], 1",
                tiled().swizzle(tensor_map::Swizzle::B32).params(),
                &[18],
            ),
        ];
        let build = |params: Params| params.build_for(1 << 20, Target::SM_90).unwrap();
        for (text, params, derived) in cases {
            let plan = edited(text);
            let (from, to) = (build(super::params()), build(params));
            let words = from.words().iter().zip(to.words());
            let should = words.flat_map(|(a, b)| [(a ^ b) as u32, ((a ^ b) >> 32) as u32]);
            // The encoder also writes values that follow from the fields, as the bytes of the box, in these words.
            let differ = plan.expected.iter().zip(should).enumerate();
            let differ = differ.filter(|(_, (is, should))| **is != *should);
            let differ: Vec<usize> = differ.map(|(word, _)| word).collect();
            assert_eq!(differ, derived, "{text}");
            assert!(plan.expected.iter().any(|is| *is != 0), "{text}");
        }
    }
}
