//! `TensorMap::replace` against an H100 (driver 580.159), one instruction a line of
//! `data/replace-h100.txt`: whether all bits of the map were 0 or 1, the field, its dimension or the
//! number of its kind, the value, and the words that changed.

use tensor_map::{TensorMap, replace::Replacement};

const REPLACED: &str = include_str!("data/replace-h100.txt");

fn replacement(field: &str, ordinal: &str, value: &str) -> Replacement {
    let number = || ordinal.parse().unwrap();
    let long = || u64::from_str_radix(value.trim_start_matches("0x"), 16).unwrap();
    let short = || u32::try_from(long()).unwrap();
    match field {
        "global_address" => Replacement::GlobalAddress(long()),
        "rank" => Replacement::Rank(short()),
        "box_dim" => Replacement::BoxDim(number(), short()),
        "global_dim" => Replacement::GlobalDim(number(), short()),
        "global_stride" => Replacement::GlobalStride(number(), long()),
        "element_stride" => Replacement::ElementStride(number(), short()),
        "elemtype" => Replacement::ElemType(number() as u32),
        "interleave_layout" => Replacement::InterleaveLayout(number() as u32),
        "swizzle_mode" => Replacement::SwizzleMode(number() as u32),
        "fill_mode" => Replacement::FillMode(number() as u32),
        other => panic!("{other}"),
    }
}

#[test]
fn replacements_are_those_of_the_hardware() {
    for line in REPLACED.lines() {
        let mut words = line.split(' ');
        let mut word = || words.next().unwrap();
        let fill = if word() == "0" { 0 } else { u64::MAX };
        let replacement = replacement(word(), word(), word());
        let mut expected = [fill; 16];
        for change in words {
            let (index, value) = change.split_once('=').unwrap();
            expected[index.parse::<usize>().unwrap()] = u64::from_str_radix(value, 16).unwrap();
        }
        let mut map = TensorMap::from_words([fill; 16]);
        map.replace(replacement).unwrap();
        assert_eq!(map, TensorMap::from_words(expected), "{line}");
    }
}

/// The masks in the machine code of `ptxas` 13.0 for `sm_100a` and `sm_103a`.
#[test]
fn later_gpus_have_more_numbers() {
    let replaced = |replacement| {
        let mut map = TensorMap::from_words([0; 16]);
        map.replace(replacement).map(|()| map.words()[1])
    };
    assert_eq!(replaced(Replacement::ElemType(13)), Ok(0x580));
    assert_eq!(replaced(Replacement::ElemType(14)), Ok(0x600));
    assert_eq!(replaced(Replacement::ElemType(15)), Ok(0x680));
    assert_eq!(replaced(Replacement::SwizzleAtomicity(3)), Ok(0x18_0000));
    assert_eq!(replaced(Replacement::SwizzleMode(4)), Ok(0x40_0000));
    let error = replaced(Replacement::ElemType(16)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "operand 16 of tensormap.replace.elemtype must be 0 to 15"
    );
    assert!(replaced(Replacement::BoxDim(5, 1)).is_err());
    assert!(replaced(Replacement::GlobalStride(4, 16)).is_err());
}
