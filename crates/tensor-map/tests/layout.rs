//! The position of every field, in maps that differ in one parameter.

use tensor_map::{
    AllocationClass, DataType, Im2col, Interleave, L2Promotion, NotATensorMap, OobFill, Swizzle,
    Target, TensorMap, Tiled, layout,
};

const ADDRESS: u64 = 0x7f00_0000_0000;

/// f32, so that NaN can fill it.
fn base() -> Tiled {
    TensorMap::tiled(DataType::F32, &[16; 5])
        .strides_bytes(&[64, 1024, 16384, 262_144])
        .box_dims(&[4; 5])
}

fn words(tiled: Tiled) -> [u64; 16] {
    *tiled.build(ADDRESS).unwrap().words()
}

/// Returns the word that differs from the word of [`base`], and its bits; the bytes of the box aside.
fn changed(tiled: Tiled) -> (usize, u64) {
    let (before, after) = (words(base()), words(tiled));
    let mut changes = (0..16).filter(|word| *word != 8 && before[*word] != after[*word]);
    let word = changes.next().unwrap();
    assert_eq!(changes.next(), None);
    (word, before[word] ^ after[word])
}

#[test]
fn a_map_as_the_driver_writes_it() {
    let map = TensorMap::tiled(DataType::I32, &[256, 256])
        .box_dims(&[32, 32])
        .build(ADDRESS)
        .unwrap();
    let expected = [
        0x7f00_0000_0000,
        0x0000_0040_0000_0190,
        0,
        0,
        0x0000_00ff_0000_00ff,
        0,
        0x1f00_0000_0000_0000,
        0x1f,
        0x1000,
        0x10,
        0,
        0,
        0,
        0,
        0,
        0,
    ];
    assert_eq!(*map.words(), expected);
}

#[test]
fn dimensions_strides_boxes_and_element_strides() {
    let with = |dim: usize, value: u64| {
        let mut dims = [16; 5];
        dims[dim] = value;
        TensorMap::tiled(DataType::F32, &dims)
            .strides_bytes(&[64, 1024, 16384, 262_144])
            .box_dims(&[4; 5])
    };
    let fields = [(4, 0), (4, 32), (5, 0), (5, 32), (6, 0)];
    for (dim, (word, shift)) in fields.into_iter().enumerate() {
        assert_eq!(changed(with(dim, 1 << 32)), (word, 0xffff_fff0 << shift));
    }
    let boxes = [(6, 56), (7, 0), (7, 8), (7, 16), (7, 24)];
    let element_strides = [(6, 32), (6, 35), (6, 38), (6, 41), (6, 44)];
    for dim in 0..5 {
        let mut box_dims = [4; 5];
        box_dims[dim] = 8;
        let (word, shift) = boxes[dim];
        assert_eq!(changed(base().box_dims(&box_dims)), (word, 4 << shift));
        let mut strides = [1; 5];
        strides[dim] = 8;
        let (word, shift) = element_strides[dim];
        assert_eq!(
            changed(base().element_strides(&strides)),
            (word, 7 << shift)
        );
    }
    let strides = [(1, 32, 32), (2, 0, 36), (2, 32, 40), (3, 0, 44)];
    for (stride, (word, low, high)) in strides.into_iter().enumerate() {
        let mut bytes = [64, 1024, 16384, 262_144];
        bytes[stride] ^= 0x10;
        assert_eq!(changed(base().strides_bytes(&bytes)), (word, 1 << low));
        bytes[stride] ^= 0x10 | 0xf << 36;
        let after = words(base().strides_bytes(&bytes));
        assert_eq!(
            (after[3] ^ words(base())[3]) & !u64::from(u32::MAX),
            0xf << high
        );
    }
}

#[test]
fn kinds() {
    for (number, interleave) in Interleave::ALL.into_iter().enumerate().skip(1) {
        let tiled = base().interleave(interleave).swizzle(Swizzle::None);
        assert_eq!(changed(tiled), (1, (number as u64) << 11));
    }
    for (number, swizzle) in Swizzle::ALL.into_iter().enumerate().take(4).skip(1) {
        let after = words(base().swizzle(swizzle));
        assert_eq!(after[1] ^ words(base())[1], (number as u64) << 13);
        assert_eq!(after[9], 128 << number);
    }
    assert_eq!(
        changed(base().oob_fill(OobFill::NanRequestZeroFma)),
        (1, 1 << 15)
    );
    for (number, promotion) in L2Promotion::ALL.into_iter().enumerate().skip(1) {
        assert_eq!(
            changed(base().l2_promotion(promotion)),
            (1, (number as u64) << 17)
        );
    }
    let ranks = TensorMap::tiled(DataType::F32, &[16])
        .box_dims(&[4])
        .build(ADDRESS)
        .unwrap();
    assert_eq!(ranks.words()[1] >> 4 & 7, 0);
    assert_eq!(words(base())[1] >> 4 & 7, 4);
}

#[test]
fn types() {
    let codes = [0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 8, 7 | 1 << 9, 8 | 1 << 9];
    for (data_type, code) in DataType::ALL.into_iter().zip(codes) {
        let map = TensorMap::tiled(data_type, &[64])
            .box_dims(&[16])
            .build(ADDRESS)
            .unwrap();
        assert_eq!(map.words()[1], code << 7, "{data_type:?}");
    }
}

#[test]
fn columns() {
    let base = |rank: usize| {
        let dims = &[64, 16, 16, 16, 4];
        Im2col::new(DataType::F16, &dims[..rank])
            .channels_per_pixel(32)
            .pixels_per_column(64)
    };
    let build = |im2col: Im2col| im2col.build(ADDRESS).unwrap().words()[7];
    assert_eq!(base(3).build(ADDRESS).unwrap().words()[1] & 1, 1);
    assert_eq!(build(base(3)), 63 << 32);
    assert_eq!(build(base(3).pixel_box(&[-5], &[7])), 63 << 32 | 0x7_fffb);
    assert_eq!(
        build(base(4).pixel_box(&[-1, -2], &[-3, -4])),
        63 << 32 | 0xfcfd_feff
    );
    assert_eq!(
        build(base(5).pixel_box(&[-1, -2, -3], &[-4, -5, -6])),
        63 << 32 | 0x6b7c_77df
    );
    let most = base(4).pixels_per_column(1024).build(ADDRESS).unwrap();
    assert_eq!(layout::PIXELS.get(most.words()), 1023);
    assert_eq!(most.words()[8], 64 * 1024);
    assert_eq!(most.words()[6] >> 56, 31);
}

/// Compute capability 10.0, from what `ptxas` makes of `tensormap.replace`; not seen on a GPU.
#[test]
fn later_gpus() {
    let of = |tiled: Tiled| tiled.build_for(ADDRESS, Target::SM_100).unwrap().words()[1];
    let tiled = TensorMap::tiled(DataType::U8, &[128, 64]).box_dims(&[128, 8]);
    let plain = of(tiled);
    assert_eq!(
        of(tiled.swizzle(Swizzle::B128Atom32)) ^ plain,
        0x6000 | 1 << 19
    );
    assert_eq!(
        of(tiled.swizzle(Swizzle::B128Atom64)) ^ plain,
        0x6000 | 3 << 19
    );
    let packed = TensorMap::tiled(DataType::U6x16Align16, &[128]).box_dims(&[128]);
    assert_eq!(of(packed), 13 << 7);
    let large = TensorMap::tiled(DataType::U8, &[128 * 1024]).box_dims(&[128]);
    assert_eq!(of(large), 1 << 21);
    let small = TensorMap::tiled(DataType::U8, &[128 * 1024 - 1]).box_dims(&[128]);
    assert_eq!(of(small), 0);
}

#[test]
fn bits_of_no_field_are_no_map() {
    let decode = |base: &TensorMap, word: usize, bit: u32| {
        let mut words = *base.words();
        words[word] ^= 1 << bit;
        TensorMap::from_words(words).decode()
    };
    let dims = &[64, 16, 16, 16, 4];
    let columns = [3, 4, 5].map(|rank| {
        let im2col = Im2col::new(DataType::F16, &dims[..rank]).channels_per_pixel(32);
        (true, rank, im2col.build(ADDRESS).unwrap())
    });
    let maps = [(false, 5, base().build(ADDRESS).unwrap())]
        .into_iter()
        .chain(columns);
    for (is_im2col, rank, map) in maps {
        for (word, bit) in (0..16).flat_map(|word| (0..64).map(move |bit| (word, bit))) {
            let is_field = layout::fields(is_im2col, rank)
                .any(|field| field.word == word && field.mask() >> bit & 1 == 1);
            let reserved = decode(&map, word, bit) == Err(NotATensorMap::Reserved(word, 1 << bit));
            // Flips of rank and mode make other fields.
            let is_kind = word == 1 && [0, 4, 5, 6].contains(&bit);
            assert!(is_kind || reserved != is_field, "{word} {bit}");
        }
    }
    let plain = base().build(ADDRESS).unwrap();
    assert_eq!(decode(&plain, 1, 22), Err(NotATensorMap::Swizzle96));
    for bit in [15, 31] {
        let im2col = Im2col::new(DataType::F16, dims).channels_per_pixel(32);
        let map = im2col.build(ADDRESS).unwrap();
        assert_eq!(
            decode(&map, 7, bit),
            Err(NotATensorMap::Reserved(7, 1 << bit))
        );
    }
}

/// Notes are for maps that contradict themselves only.
#[test]
fn differences_have_notes_where_a_map_contradicts_itself() {
    let notes = |left: &TensorMap, right: &TensorMap| -> Vec<&'static str> {
        left.differences(right)
            .filter_map(|difference| difference.note())
            .collect()
    };
    let small = TensorMap::tiled(DataType::F32, &[64, 64]).box_dims(&[32, 32]);
    let large = TensorMap::tiled(DataType::F32, &[64, 1024]).box_dims(&[16, 16]);
    let build = |tiled: Tiled| tiled.build_for(ADDRESS, Target::SM_100).unwrap();
    let honest = build(small);
    let other = build(large.swizzle(Swizzle::B64));
    assert_eq!(notes(&honest, &other), [""; 0]);
    let with = |field: layout::Field, value| {
        let mut words = *honest.words();
        field.set(&mut words, value);
        TensorMap::from_words(words)
    };
    let defect = notes(&honest, &with(layout::LARGE_TENSOR, 1));
    assert!(matches!(defect[..], [note] if note.contains("5736804")));
    let stale = ["tensormap.replace does not update this field"];
    assert_eq!(notes(&with(layout::BOX_BYTES, 16), &honest), stale);
    assert_eq!(notes(&honest, &with(layout::BOX_ALIGN, 1024)), stale);
}

#[test]
fn corners_that_are_not_there_are_the_nearest() {
    assert_eq!(layout::corner(true, 1, 40), layout::corner(true, 1, 0));
    assert_eq!(layout::corner(false, 9, 9), layout::corner(false, 3, 2));
    assert_eq!(layout::corner(false, 0, 0), layout::corner(false, 1, 0));
}

#[test]
fn a_class_changes_one_bit_on_blackwell_and_nothing_on_hopper() {
    use AllocationClass::{Auto, Large, Small};
    let small = TensorMap::tiled(DataType::F32, &[64, 60]).box_dims(&[32, 32]);
    let large = TensorMap::tiled(DataType::U8, &[1000, 132])
        .strides_bytes(&[1024])
        .box_dims(&[128, 3]);
    for (tiled, auto) in [(small, Small), (large, Large)] {
        for (asked, answer) in [(Small, Small), (Large, Large), (Auto, auto)] {
            let built = tiled.build_for(ADDRESS, Target::SM_120).unwrap();
            let mut map = built;
            assert_eq!(map.set_allocation_class(asked, Target::SM_120), Ok(answer));
            assert_eq!(map.allocation_class(), answer);
            let bits = built.words()[1] ^ map.words()[1];
            assert_eq!(bits, if auto == answer { 0 } else { 1 << 21 });
            map.set_allocation_class(Auto, Target::SM_120).unwrap();
            assert!(map == built);
            let hopper = tiled.build_for(ADDRESS, Target::SM_90).unwrap();
            let mut map = hopper;
            assert_eq!(map.set_allocation_class(asked, Target::SM_90), Ok(Small));
            assert!(map == hopper);
        }
    }
    let mut nothing = TensorMap::from_words([u64::MAX; TensorMap::WORDS]);
    assert!(nothing.set_allocation_class(Small, Target::SM_120).is_err());
    assert_eq!(nothing.words(), &[u64::MAX; TensorMap::WORDS]);
}
