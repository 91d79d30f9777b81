//! Every rule broken alone, with the message that people read.

mod together;

use std::cell::RefCell;

use tensor_map::{
    DataType, Dims, Im2col, Im2colWide, Interleave, OobFill, Params, Rule, Swizzle, Target,
    TensorMap, Tiled, Violation, WideMode, rules::Value,
};

const ADDRESS: u64 = 0x7f00_0000_0000;

thread_local! {
    /// The rules that were produced alone.
    static SEEN: RefCell<Vec<Rule>> = const { RefCell::new(Vec::new()) };
}

/// The only one of these, as printed.
#[track_caller]
fn alone(found: &[Violation]) -> String {
    let texts: Vec<String> = found.iter().map(Violation::to_string).collect();
    let [violation] = found else {
        panic!("not one violation: {texts:#?}");
    };
    SEEN.with_borrow_mut(|seen| seen.push(violation.rule));
    violation.to_string()
}

fn tiled() -> Tiled {
    TensorMap::tiled(DataType::F32, &[64, 64, 64]).box_dims(&[8, 8, 8])
}

fn im2col() -> Im2col {
    TensorMap::im2col(DataType::F16, &[64, 56, 56, 8])
        .pixel_box(&[-1, -1], &[-1, -1])
        .channels_per_pixel(64)
        .pixels_per_column(128)
}

fn wide() -> Im2colWide {
    let swizzle = Swizzle::B128;
    TensorMap::im2col_wide(DataType::F16, &[64, 56, 8])
        .channels_per_pixel(64)
        .swizzle(swizzle)
}

fn packed(data_type: DataType) -> Tiled {
    TensorMap::tiled(data_type, &[128, 8])
        .strides_bytes(&[96])
        .box_dims(&[128, 8])
}

fn broken(params: impl Into<Params>, address: u64, target: Target) -> Vec<Violation> {
    match params.into().build_for(address, target) {
        Ok(_) => Vec::new(),
        Err(refused) => refused.violations().collect(),
    }
}

/// Exactly this rule is broken, and the message is this, the rule's name left out.
#[track_caller]
fn breaks(params: impl Into<Params>, rule: Rule, message: &str) {
    breaks_on(Target::SM_90, params, rule, message);
}

#[track_caller]
fn breaks_on(target: Target, params: impl Into<Params>, rule: Rule, message: &str) {
    let found = broken(params, ADDRESS, target);
    // The same rule is a warning for Hopper.
    assert!(!rule.is_warning() || rule == Rule::InterleaveSwizzle);
    assert_eq!(alone(&found), format!("{message} [{}]", rule.id()));
}

#[track_caller]
fn warns(params: impl Into<Params>, rule: Rule, message: &str) {
    warns_on(Target::SM_90, params, rule, message);
}

#[track_caller]
fn warns_on(target: Target, params: impl Into<Params>, rule: Rule, message: &str) {
    let params = params.into();
    assert!(rule.is_warning() && broken(params, ADDRESS, target).is_empty());
    let found: Vec<Violation> = params.warnings(ADDRESS, target).collect();
    assert_eq!(alone(&found), format!("{message} [{}]", rule.id()));
}

#[test]
fn what_keeps_all_rules_is_built() {
    let none: [Violation; 0] = [];
    assert_eq!(broken(tiled(), ADDRESS, Target::SM_90), none);
    assert_eq!(broken(im2col(), ADDRESS, Target::SM_90), none);
    assert_eq!(broken(wide(), ADDRESS, Target::SM_90), none);
    assert_eq!(
        broken(packed(DataType::U6x16Align16), ADDRESS, Target::SM_100),
        none
    );
    assert_eq!(tiled().params().warnings(ADDRESS, Target::SM_90).count(), 0);
}

#[test]
fn ranks_and_lengths() {
    let empty = Tiled::new(DataType::F32, &[]);
    breaks(empty, Rule::RankRange, "rank = 0: must be 1 to 5; use 1");
    breaks(
        Tiled::new(DataType::F32, &[8; 6]),
        Rule::RankRange,
        "rank = 6: must be 1 to 5; use 5",
    );
    breaks(
        Im2col::new(DataType::F32, &[8; 2]),
        Rule::RankRange,
        "rank = 2: must be 3 to 5; use 3",
    );
    let flat = TensorMap::tiled(DataType::F32, &[64, 64]).box_dims(&[8, 8]);
    breaks(
        flat.interleave(Interleave::B16),
        Rule::InterleaveRank,
        "rank = 2: must be at least 3 in an interleaved tensor; use 3",
    );
    breaks(
        tiled().strides_bytes(&[256]),
        Rule::StridesLength,
        "strides_bytes has 1 value: must be 2, one for each dimension but the innermost",
    );
    breaks(
        tiled().strides_bytes(&[256, 16384, 7]),
        Rule::StridesLength,
        "strides_bytes has 3 values: must be 2, one for each dimension but the innermost",
    );
    breaks(
        tiled().box_dims(&[8, 8, 8, 8]),
        Rule::BoxLength,
        "box_dims has 4 values: must be 3, one for each dimension",
    );
    breaks(
        tiled().element_strides(&[]),
        Rule::ElementStridesLength,
        "element_strides has 0 values: must be 3, one for each dimension",
    );
    breaks(
        Im2col {
            upper_corner: Dims::<i32>::new(&[0, 0, 0]),
            ..im2col()
        },
        Rule::CornersLength,
        "upper_corner has 3 values: must be 2, one for each spatial dimension",
    );
    breaks(
        Im2col {
            lower_corner: Dims::<i32>::new(&[-1]),
            ..im2col().pixel_box(&[-1, -1], &[-1, -57])
        },
        Rule::CornersLength,
        "lower_corner has 1 value: must be 2, one for each spatial dimension",
    );
    breaks(
        Im2col {
            upper_corner: Dims::<i32>::new(&[-1]),
            ..im2col().pixel_box(&[-1, 56], &[-1, -1])
        },
        Rule::CornersLength,
        "upper_corner has 1 value: must be 2, one for each spatial dimension",
    );
}

#[test]
fn kinds() {
    breaks(
        packed(DataType::U6x16Align16),
        Rule::TypeNeedsBlackwell,
        "data type = u6x16-align16: must not be used below compute capability 10.0, and the target is 9.0",
    );
    breaks(
        tiled().swizzle(Swizzle::B128Atom32),
        Rule::SwizzleNeedsBlackwell,
        "swizzle = 128b-atom-32b: must not be used below compute capability 10.0, and the target is 9.0; use 128b",
    );
    let integers = TensorMap::tiled(DataType::U32, &[64]).box_dims(&[8]);
    breaks(
        integers.oob_fill(OobFill::NanRequestZeroFma),
        Rule::NanFillNeedsFloat,
        "oob_fill = nan: element type must be f16, bf16, f32, tf32 or f64; use zeros",
    );
    breaks_on(
        Target::SM_100,
        packed(DataType::U4x16Align16).swizzle(Swizzle::B128Atom64),
        Rule::PackedTypeSwizzle,
        "swizzle = 128b-atom-64b: must be none, 128b or 128b-atom-32b for this element type; use 128b",
    );
    breaks_on(
        Target::SM_100,
        packed(DataType::U6x16Align16).swizzle(Swizzle::B32),
        Rule::PackedTypeSwizzle,
        "swizzle = 32b: must be none, 128b, 128b-atom-32b or, in stores, 128b-atom-64b for this element type; use 128b",
    );
    for swizzle in Swizzle::ALL {
        let sliced = tiled().interleave(Interleave::B32).swizzle(swizzle);
        let found = broken(sliced, ADDRESS, Target::SM_100);
        let expected = (swizzle != Swizzle::B32).then_some(Rule::InterleaveSwizzle);
        assert_eq!(found.first().map(|violation| violation.rule), expected);
        assert!(found.len() <= 1);
    }
    let cube = TensorMap::tiled(DataType::U6x16Align16, &[128, 8, 8]).box_dims(&[128, 8, 1]);
    breaks_on(
        Target::SM_100,
        cube.interleave(Interleave::B16),
        Rule::PackedTypeInterleave,
        "interleave = 16b: must be none for elements of 6 bits; use none",
    );
}

#[test]
fn addresses() {
    let at = |params: Params, address| {
        let found = broken(params, address, Target::SM_90);
        alone(&found)
    };
    assert_eq!(
        at(tiled().params(), 0x1008),
        "address = 0x1008: must be a multiple of 16; use 0x1000 [address-multiple]"
    );
    let sliced = tiled().interleave(Interleave::B32).swizzle(Swizzle::B32);
    assert_eq!(
        at(sliced.params(), 0x1010),
        "address = 0x1010: must be a multiple of 32; use 0x1000 [address-multiple]"
    );
    assert_eq!(
        at(tiled().params(), 1 << 57),
        "address = 0x200000000000000: must be below 2^57; use 0x1fffffffffffff0 [address-range]"
    );
    assert_eq!(
        at(tiled().params(), 0x1009),
        "address = 0x1009: must be a multiple of 16; use 0x1010 [address-multiple]"
    );
    assert_eq!(
        at(tiled().params(), (1 << 57) - 1),
        "address = 0x1ffffffffffffff: must be a multiple of 16; use 0x1fffffffffffff0 [address-multiple]"
    );
    let mut map = tiled().build(ADDRESS).unwrap();
    let null = map.replace_address(0).unwrap_err();
    assert_eq!(
        alone(&[null]),
        "address = 0x0: must not be null [address-null]"
    );
    assert_eq!(map, tiled().build(ADDRESS).unwrap());
}

#[test]
fn dimensions_and_strides() {
    let dims = |dims: [u64; 2]| {
        TensorMap::tiled(DataType::F32, &dims)
            .strides_bytes(&[256])
            .box_dims(&[8, 8])
    };
    breaks(
        dims([64, 0]),
        Rule::DimRange,
        "dims[1] = 0: must be 1 to 2^32 elements; use 1",
    );
    breaks(
        dims([(1 << 32) + 1, 8]),
        Rule::DimRange,
        "dims[0] = 4294967297: must be 1 to 2^32 elements; use 4294967296",
    );
    let narrow = TensorMap::tiled(DataType::U4x16Align8, &[63, 8])
        .strides_bytes(&[32])
        .box_dims(&[32, 8]);
    breaks_on(
        Target::SM_100,
        narrow,
        Rule::DimPackedMultiple,
        "dims[0] = 63: must be a multiple of 2 elements; use 64",
    );
    breaks(
        tiled().strides_bytes(&[256, 16392]),
        Rule::StrideMultiple,
        "strides_bytes[1] = 16392: must be a multiple of 16 bytes; use 16400",
    );
    breaks(
        tiled().strides_bytes(&[256, (1 << 40) - 8]),
        Rule::StrideMultiple,
        "strides_bytes[1] = 1099511627768: must be a multiple of 16 bytes; use 1099511627760",
    );
    breaks(
        TensorMap::tiled(DataType::F32, &[65, 64]).box_dims(&[8, 8]),
        Rule::StrideMultiple,
        "strides_bytes[0] = 260: must be a multiple of 16 bytes; use 272",
    );
    breaks(
        tiled().strides_bytes(&[256, 1 << 40]),
        Rule::StrideRange,
        "strides_bytes[1] = 1099511627776: must be below 2^40 bytes; use 1099511627760",
    );
    breaks(
        tiled().element_strides(&[1, 9, 1]),
        Rule::ElementStrideRange,
        "element_strides[1] = 9: must be 1 to 8; use 8",
    );
}

#[test]
fn boxes() {
    breaks(
        tiled().box_dims(&[8, 0, 8]),
        Rule::BoxRange,
        "box_dims[1] = 0: must be 1 to 256 elements; use 1",
    );
    breaks(
        tiled().box_dims(&[8, 257, 8]),
        Rule::BoxRange,
        "box_dims[1] = 257: must be 1 to 256 elements; use 256",
    );
    breaks_on(
        Target::SM_100,
        packed(DataType::U6x16Align16).box_dims(&[64, 8]),
        Rule::BoxPackedWidth,
        "box_dims[0] = 64: must be 128 elements for this element type; use 128",
    );
    breaks(
        tiled().box_dims(&[3, 8, 8]),
        Rule::BoxRowMultiple,
        "box_dims[0] = 3: row of 12 bytes must be a multiple of 16; use 4",
    );
    breaks(
        tiled().box_dims(&[64, 8, 8]).swizzle(Swizzle::B128),
        Rule::BoxRowSpan,
        "box_dims[0] = 64: row of 256 bytes must fit the swizzle span of 128; use 32",
    );
    breaks(
        tiled().box_dims(&[64, 64, 16]),
        Rule::BoxFitsShared,
        "box_dims = [64, 64, 16]: box of 262144 bytes must fit 233472 bytes of shared memory",
    );
}

#[test]
fn columns() {
    breaks(
        im2col().channels_per_pixel(0),
        Rule::ChannelsRange,
        "channels_per_pixel = 0: must be 1 to 256 elements; use 8",
    );
    breaks(
        im2col().channels_per_pixel(264),
        Rule::ChannelsRange,
        "channels_per_pixel = 264: must be 1 to 256 elements; use 256",
    );
    breaks(
        im2col().pixels_per_column(1025),
        Rule::PixelsRange,
        "pixels_per_column = 1025: must be 1 to 1024 pixels; use 1024",
    );
    breaks(
        im2col().pixel_box(&[-129, -1], &[-1, -1]),
        Rule::CornerRange,
        "lower_corner[0] = -129: must be -128 to 127 in a tensor of this rank; use -128",
    );
    breaks(
        im2col().pixel_box(&[-1, 10], &[-1, -46]),
        Rule::PixelBoxEmpty,
        "upper_corner[1] = -46: end of the box of pixels, 10, must be above its first pixel, 10; use -45",
    );
    let long = TensorMap::im2col(DataType::F16, &[64, 1 << 31, 8]).channels_per_pixel(64);
    breaks(
        long,
        Rule::PixelBoxEmpty,
        "upper_corner[0] = 0: end of the box of pixels, 2147483648, must be below 2^31",
    );
    let blackwell = broken(wide(), ADDRESS, Target::SM_100);
    assert_eq!(
        alone(&blackwell),
        "mode = w: must be encoded by the driver: the bits of wide maps for compute capability 10.0 are unknown [wide-bits-unknown]"
    );
    breaks_on(
        Target::SM_100,
        wide().swizzle(Swizzle::None),
        Rule::WideSwizzle,
        "swizzle = none: must be 64b, 128b or 128b-atom-32b; use 128b",
    );
}

#[test]
fn warnings() {
    warns(
        tiled()
            .interleave(Interleave::B32)
            .strides_bytes(&[2048, 131_072])
            .box_dims(&[8, 1, 8]),
        Rule::InterleaveSwizzle,
        "swizzle = none: should be 32b for 32-byte slices; use 32b",
    );
    warns(
        tiled()
            .interleave(Interleave::B16)
            .strides_bytes(&[1024, 65536]),
        Rule::BoxSlices,
        "box_dims[1] = 8: a copy takes one slice of channels, whatever the length of the box; use 1",
    );
    warns(
        TensorMap::tiled(DataType::F32, &[63, 64])
            .strides_bytes(&[256])
            .box_dims(&[8, 8]),
        Rule::RowRemainder,
        "dims[0] = 63: rows of 252 bytes, but stores write units of 16 bytes, up to byte 256",
    );
    warns(
        im2col().channels_per_pixel(72),
        Rule::BoxBeyondTensor,
        "channels_per_pixel = 72: longer than the 64 elements of the tensor, so every box is partly out of bounds",
    );
    warns(
        im2col().element_strides(&[2, 1, 1, 1]),
        Rule::ElementStrideIgnored,
        "element_strides[0] = 2: ignored in dimension 0; all elements are copied; use 1",
    );
    warns_on(
        Target::SM_100,
        packed(DataType::U4x16Align16),
        Rule::LoadOnly,
        "data type = u4x16-align16: can be loaded only, not stored",
    );
    let store = packed(DataType::U6x16Align16).swizzle(Swizzle::B128Atom64);
    assert!(broken(store, ADDRESS, Target::SM_100).is_empty());
    let store: Vec<Violation> = store
        .params()
        .warnings(ADDRESS, Target::SM_100)
        .filter(|violation| violation.rule != Rule::SharedAlign)
        .collect();
    assert_eq!(
        alone(&store),
        "swizzle = 128b-atom-64b: can be used by stores only with this element type [store-only]"
    );
    let wide = wide().swizzle(Swizzle::None);
    warns(
        wide,
        Rule::WideNeedsBlackwell,
        "mode = w: wide copies need compute capability 10.0; on this target the map is an ordinary im2col map",
    );
    warns(
        tiled().box_dims(&[8, 65, 8]),
        Rule::BoxBeyondTensor,
        "box_dims[1] = 65: longer than the 64 elements of the tensor, so every box is partly out of bounds",
    );
    warns(
        tiled().strides_bytes(&[128, 16384]),
        Rule::StrideOverlap,
        "strides_bytes[0] = 128: shorter than the 256 bytes that it steps over, so elements share memory",
    );
    warns(
        tiled().strides_bytes(&[16384, 256]),
        Rule::StridesDecrease,
        "strides_bytes[1] = 256: smaller than the 16384 before it; check that strides are innermost first",
    );
    let short = tiled().box_dims(&[4, 8, 8]).swizzle(Swizzle::B32).params();
    let found: Vec<Violation> = short
        .warnings(ADDRESS, Target::SM_90)
        .filter(|violation| violation.rule != Rule::SharedAlign)
        .collect();
    assert_eq!(
        alone(&found),
        "box_dims[0] = 4: a row of 16 bytes occupies a full swizzle span of 32 bytes in shared memory \
         [span-not-filled]"
    );
    warns(
        tiled().box_dims(&[32, 8, 8]).swizzle(Swizzle::B128),
        Rule::SharedAlign,
        "swizzle = 128b: shared-memory buffer must be aligned to 1024 bytes, not 128",
    );
    warns(
        TensorMap::tiled(DataType::U8, &[4096, 228, 4]).box_dims(&[256, 228, 4]),
        Rule::BoxBeyondBlock,
        "box_dims = [256, 228, 4]: box of 233472 bytes is larger than the 232448 bytes that one block can have",
    );
    warns(
        tiled().element_strides(&[2, 1, 1]),
        Rule::ElementStrideIgnored,
        "element_strides[0] = 2: ignored in dimension 0; all elements are copied; use 1",
    );
    warns(
        tiled().element_strides(&[1, 3, 1]),
        Rule::ElementStrideRemainder,
        "element_strides[1] = 3: does not divide the box of 8: the copy takes 3 elements, the driver counts one fewer",
    );
    let null: Vec<Violation> = tiled().params().warnings(0, Target::SM_90).collect();
    assert_eq!(
        alone(&null),
        "address = 0x0: must be replaced before the map is used [null-address]"
    );
    let footprint = tiled().box_dims(&[4, 32, 64]).swizzle(Swizzle::B128);
    let beyond: Vec<String> = footprint
        .params()
        .warnings(ADDRESS, Target::SM_90)
        .filter(|violation| violation.rule == Rule::BoxBeyondBlock)
        .map(|violation| violation.to_string())
        .collect();
    assert_eq!(
        beyond,
        [
            "box_dims = [4, 32, 64]: box of 262144 bytes is larger than the 232448 bytes that one block can have [box-beyond-block]"
        ]
    );
    let huge = TensorMap::tiled(DataType::F32, &[1 << 32, 1 << 32, 2, 2])
        .strides_bytes(&[1 << 34, 16, 16])
        .params();
    let overlap = huge.warnings(ADDRESS, Target::SM_90).next().unwrap();
    assert_eq!(
        overlap.to_string(),
        "strides_bytes[1] = 16: smaller than the 17179869184 before it; check that strides are innermost first \
         [strides-decrease]"
    );
    let steps = TensorMap::tiled(DataType::F32, &[1 << 32, 1 << 32, 2])
        .strides_bytes(&[1 << 34, 1 << 34])
        .params();
    let overlap = steps.warnings(ADDRESS, Target::SM_90).next().unwrap();
    assert_eq!(
        overlap.to_string(),
        "strides_bytes[1] = 17179869184: shorter than the 73786976294838206464 bytes that it steps over, so elements share memory [stride-overlap]"
    );
}

/// The rules of wide maps for later GPUs, as the reference has them.
#[test]
fn wide_maps_for_later_gpus() {
    let wide = Im2colWide::new(DataType::F16, &[64, 56, 56, 8, 8])
        .channels_per_pixel(64)
        .pixels_per_column(4)
        .swizzle(Swizzle::B128);
    let rules = |wide: Im2colWide| -> Vec<Rule> {
        broken(wide, ADDRESS, Target::SM_100)
            .iter()
            .map(|violation| violation.rule)
            .collect()
    };
    assert_eq!(
        rules(wide.pixel_box(-32768, 32767)),
        [Rule::WideBitsUnknown]
    );
    breaks_on(
        Target::SM_100,
        wide.pixel_box(-32769, 0),
        Rule::CornerRange,
        "lower_corner[0] = -32769: must be -32768 to 32767; use -32768",
    );
    breaks(
        wide.pixel_box(-17, 0),
        Rule::CornerRange,
        "lower_corner[0] = -17: must be -16 to 15 in a tensor of this rank; use -16",
    );
    let ignored = wide.mode(WideMode::W128).pixels_per_column(5000);
    assert_eq!(rules(ignored), [Rule::WideBitsUnknown]);
    assert_eq!(ignored.box_bytes(), 128 * 128);
    assert_eq!(rules(wide.pixels_per_column(5000)), [Rule::PixelsRange]);
    let text = ignored.params().explain(ADDRESS).to_string();
    assert!(
        text.contains("128 along W, 16384 bytes, whatever pixels per column are"),
        "{text}"
    );
    assert!(
        text.contains("the box is one pixel along H and D"),
        "{text}"
    );
}

/// All tests above, and the rules that they broke or were warned by alone.
#[test]
fn every_rule_has_a_test_here() {
    SEEN.with_borrow_mut(Vec::clear);
    ranks_and_lengths();
    kinds();
    addresses();
    dimensions_and_strides();
    boxes();
    columns();
    warnings();
    let seen = SEEN.take();
    let missing: Vec<Rule> = Rule::ALL
        .into_iter()
        .filter(|rule| !seen.contains(rule))
        .collect();
    assert_eq!(missing, []);
}
