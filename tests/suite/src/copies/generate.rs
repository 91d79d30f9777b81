//! Random legal copies, dense at the bounds of the tensor.

mod coordinates;
mod im2col;
mod linear;
mod tensor;
mod tiled;

use tensor_map::{DataType, OobFill, Params};

use super::{Action, Contents, CopyCase, Excluded, Operator, TensorCopy, Transfer, tensor_number};
use crate::maps::generate::Random;

/// A case, and the reasons for excluding the ones drawn before.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawn {
    /// The case.
    pub case: CopyCase,
    /// A reason for each that was drawn in vain.
    pub excluded: Vec<Excluded>,
}

/// Returns case `number` of a seed. Cases that are excluded for the reasons in `with` are drawn anyway.
pub fn draw(seed: u64, number: u64, with: &[Excluded]) -> Drawn {
    let mut random =
        Random::new(Random::new(seed).bits() ^ number.wrapping_mul(0xd1b5_4a32_d192_ed03));
    let mut excluded = Vec::new();
    loop {
        let case = any(&mut random);
        match Excluded::of(&case) {
            Some(reason) if !with.contains(&reason) => excluded.push(reason),
            _ => return Drawn { case, excluded },
        }
    }
}

/// Returns a small tensor copy of a form whose result has a written definition; across a bound of the
/// tensor, or anywhere.
pub(crate) fn of_form(
    random: &mut Random,
    action: Action,
    is_im2col: bool,
    rank: usize,
    across: bool,
) -> CopyCase {
    loop {
        let case = match is_im2col {
            true => im2col::case(random, action),
            false => tiled::case(random, action),
        };
        let Transfer::Tensor(copy) = &case.transfer else {
            continue;
        };
        let is_small = case.shared_bytes <= 6 << 10 && case.global_bytes <= 24 << 10;
        let region = case.region(copy);
        let is_there = match across {
            true => region == "across a bound",
            false => region != "all out of bounds",
        };
        let is_wanted = copy.params.tensor().rank() == rank
            && is_small
            && is_there
            && Excluded::of(&case).is_none();
        if is_wanted && super::reference::expected(&case).is_some() {
            return case;
        }
    }
}

fn any(random: &mut Random) -> CopyCase {
    match random.below(100) {
        0..40 => tiled::case(random, Action::Load),
        40..56 => im2col::case(random, Action::Load),
        56..66 => tiled::case(random, Action::Store),
        66..69 => im2col::case(random, Action::Store),
        69..82 => {
            let action = Action::Reduce(random.pick(&Operator::ALL));
            tiled::case(random, action)
        }
        82..85 => {
            let action = Action::Reduce(random.pick(&Operator::ALL));
            im2col::case(random, action)
        }
        _ => linear::case(random),
    }
}

/// Returns the types that an H100 has; for reductions mostly the types that have the operator.
fn data_type(random: &mut Random, action: Action) -> DataType {
    let types = &DataType::ALL[..13];
    let Action::Reduce(operator) = action else {
        return random.pick(types);
    };
    if random.once_in(64) {
        return random.pick(types);
    }
    loop {
        let data_type = random.pick(types);
        let is_tf32 = matches!(data_type, DataType::Tf32 | DataType::Tf32Ftz);
        if !is_tf32 && tensor_number(data_type).is_listed(operator) {
            return data_type;
        }
    }
}

fn oob_fill(random: &mut Random, data_type: DataType) -> OobFill {
    match data_type.is_float() && random.once_in(2) {
        true => OobFill::NanRequestZeroFma,
        false => OobFill::Zeros,
    }
}

/// Puts the tensor and its box somewhere, with other bytes around both.
fn region(
    random: &mut Random,
    action: Action,
    params: Params,
    coordinates: Vec<i32>,
    offsets: Vec<u16>,
) -> CopyCase {
    let tensor = params.tensor();
    let align = super::tensor_align_bytes(tensor);
    let global_at = align * (4 + random.below(13));
    // A store's last row may reach to the next 16 bytes.
    let end = global_at + tensor.span_bytes().next_multiple_of(16) + 64;
    // The swizzle may move pieces of slices beyond the box, within 128 bytes.
    let box_bytes = params.shared_footprint_bytes().next_multiple_of(128) * slices(&params);
    let shared_at = match random.once_in(2) {
        true => 0,
        false => 128 * random.below(9),
    };
    let contents = contents(random);
    CopyCase {
        transfer: Transfer::Tensor(Box::new(TensorCopy {
            action,
            params,
            coordinates,
            offsets,
        })),
        shared_bytes: (shared_at + box_bytes + 128) as u32,
        shared_at: shared_at as u32,
        global_bytes: end.next_multiple_of(16) as u32,
        global_at: global_at as u32,
        contents,
        seed: random.bits(),
    }
}

/// Returns the number of slices that the channels of an interleaved box would fill, or else 1.
fn slices(params: &Params) -> u64 {
    let tensor = params.tensor();
    let channels = super::box_channels(params) * tensor.data_type.bytes();
    let slice = tensor.interleave.slice_bytes();
    slice.map_or(1, |slice| channels.div_ceil(slice))
}

fn contents(random: &mut Random) -> Contents {
    random.pick(&[
        Contents::Bits,
        Contents::Bits,
        Contents::Finite,
        Contents::Special,
    ])
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use tensor_map::Target;

    #[test]
    fn all_cases_are_legal_and_small() {
        for number in 0..20_000 {
            let Drawn { case, .. } = draw(1, number, &Excluded::ALL);
            let text = || format!("case {number}\n{case}");
            assert!(case.shared_bytes <= 40 << 10, "{}", text());
            assert!(case.global_bytes <= 80 << 10, "{}", text());
            assert!(case.shared_bytes.is_multiple_of(16) && case.global_bytes.is_multiple_of(16));
            if let Transfer::Tensor(copy) = &case.transfer {
                let map = copy
                    .params
                    .build_for(u64::from(case.global_at), Target::SM_90);
                assert!(map.is_ok(), "{}\n{}", text(), map.unwrap_err());
                let walk = copy
                    .params
                    .walk(&copy.coordinates, &copy.offsets, copy.direction());
                assert!(walk.is_ok(), "{}\n{}", text(), walk.unwrap_err());
            }
        }
    }

    #[test]
    fn nothing_is_rare() {
        let mut counts = BTreeMap::<_, u64>::new();
        let mut excluded = BTreeMap::<_, u64>::new();
        for number in 0..20_000 {
            let drawn = draw(2, number, &[]);
            for category in drawn.case.categories() {
                *counts.entry(category).or_default() += 1;
            }
            for reason in drawn.excluded {
                *excluded.entry(reason).or_default() += 1;
            }
        }
        assert_eq!(excluded.len(), Excluded::ALL.len());
        let of = |group: &str| counts.keys().filter(|(g, _)| *g == group).count();
        assert_eq!(of("copy"), 6 + 5);
        assert_eq!(of("rank"), 5 + 3);
        assert_eq!(of("interleave"), 3 * 3);
        assert_eq!(of("swizzle"), 3 * 4);
        assert_eq!(of("type"), 2 * 13 + 9);
        assert_eq!(of("reduction"), 8 + 6 + 6 + 1 + 1 + 12 - 3);
        for (category, count) in counts {
            assert!(count >= 20, "{category:?}: {count}");
        }
    }
}
