//! Properties of all parameters and all bytes.

use proptest::{collection::vec, prelude::*, sample::select, test_runner::RngSeed};
use tensor_map::{
    DataType, Dims, Im2col, Interleave, L2Promotion, OobFill, Params, Swizzle, Tensor, TensorMap,
    Tiled,
    walk::{BoxRow, Direction},
};

fn tensor(ranks: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = Tensor> {
    let types = select(&DataType::ALL[..13]);
    let kinds = (
        select(&Interleave::ALL),
        select(&Swizzle::ALL[..4]),
        select(&L2Promotion::ALL),
        any::<bool>(),
    );
    let numbers = (
        vec(1..=1_u64 << 32, 5),
        vec(0..1_u64 << 35, 4),
        vec(1..=8_u32, 5),
    );
    (types, ranks, kinds, numbers).prop_map(
        |(
            data_type,
            rank,
            (interleave, swizzle, l2_promotion, nan),
            (dims, strides, element_strides),
        )| {
            let strides: Vec<u64> = strides.iter().map(|stride| stride * 32).collect();
            Tensor {
                data_type,
                dims: Dims::<u64>::new(&dims[..rank]),
                strides_bytes: Dims::<u64>::new(&strides[..rank - 1]),
                element_strides: Dims::<u32>::new(&element_strides[..rank]),
                interleave: if rank < 3 {
                    Interleave::None
                } else {
                    interleave
                },
                swizzle,
                l2_promotion,
                oob_fill: if nan && data_type.is_float() {
                    OobFill::NanRequestZeroFma
                } else {
                    OobFill::Zeros
                },
            }
        },
    )
}

/// Elements of a row that is a multiple of 16 bytes and fits the swizzle.
fn row(tensor: &Tensor, pieces: u64) -> u32 {
    let most = tensor
        .swizzle
        .span_bytes()
        .unwrap_or(256)
        .min(256 * tensor.data_type.bytes());
    ((pieces * 16).min(most) / tensor.data_type.bytes()) as u32
}

fn tiled() -> impl Strategy<Value = Params> {
    (tensor(1..=5), 1..=16_u64, vec(1..=8_u32, 4)).prop_map(|(tensor, pieces, outer)| {
        let mut box_dims = vec![row(&tensor, pieces)];
        box_dims.extend(&outer[..tensor.rank() - 1]);
        Tiled {
            tensor,
            box_dims: Dims::<u32>::new(&box_dims),
        }
        .params()
    })
}

fn im2col() -> impl Strategy<Value = Params> {
    let corners = (vec(-16..16_i32, 3), vec(-16..16_i32, 3));
    (tensor(3..=5), 1..=16_u64, corners, 1..=64_u32).prop_map(
        |(tensor, pieces, (lower, upper), pixels)| {
            let spatial = tensor.rank() - 2;
            Im2col {
                lower_corner: Dims::<i32>::new(&lower[..spatial]),
                upper_corner: Dims::<i32>::new(&upper[..spatial]),
                channels_per_pixel: row(&tensor, pieces),
                pixels_per_column: pixels,
                tensor,
            }
            .params()
        },
    )
}

proptest! {
    // The same cases in each run; `fuzz-smoke` tries others.
    #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(1), ..ProptestConfig::default() })]

    #[test]
    fn what_is_encoded_comes_back(params in prop_oneof![tiled(), im2col()], address in 0..1_u64 << 52) {
        let address = address * 32;
        if let Ok(map) = params.build_for(address, Default::default()) {
            let decoded = map.decode().unwrap();
            prop_assert_eq!((decoded.params, decoded.address), (params, address));
            prop_assert_eq!(TensorMap::from_bytes(map.to_bytes()), map);
            prop_assert_eq!(map.differences(&map).count(), 0);
        }
    }

    #[test]
    fn decoding_never_panics(bytes in vec(any::<u8>(), 128)) {
        let map = TensorMap::from_bytes(bytes.try_into().unwrap());
        match map.decode() {
            Ok(decoded) => drop(decoded.params.explain(decoded.address).to_string()),
            Err(error) => drop(error.to_string()),
        }
    }

    /// Few bits set, so that most are maps.
    #[test]
    fn decoding_what_is_nearly_a_map_never_panics(
        params in prop_oneof![tiled(), im2col()],
        flips in vec(0..1024_usize, 0..4),
        coordinates in vec(any::<i32>().prop_map(|coordinate| coordinate & !15), 5),
    ) {
        let mut words = *params.build_for(0, Default::default()).unwrap_or(TensorMap::from_words([0; 16])).words();
        flips.iter().for_each(|bit| words[bit / 64] ^= 1 << (bit % 64));
        let map = TensorMap::from_words(words);
        if let Ok(decoded) = map.decode() {
            let _ = decoded.params.explain(decoded.address).to_string();
            let rank = decoded.params.tensor().rank();
            if let Ok(rows) = decoded.params.walk(&coordinates[..rank], &[], Direction::Load) {
                let _ = rows.take(100).count();
            }
        }
        let _ = map.differences(&TensorMap::from_words([0; 16])).count();
    }

    #[test]
    fn a_walk_is_what_the_naive_reference_says(
        dims in vec(1..12_u64, 3),
        padding in vec(0..3_u64, 2),
        box_dims in vec(1..6_u32, 3),
        element_strides in vec(1..4_u32, 3),
        start in vec(-6..14_i32, 3),
        swizzle in select(&Swizzle::ALL[..4]),
        is_load in any::<bool>(),
    ) {
        // u32, so that 4 elements are 16 bytes.
        let (dims, box_dims) = ([dims[0] * 3, dims[1], dims[2]], [box_dims[0].min(2) * 4, box_dims[1], box_dims[2]]);
        let row_bytes = (dims[0] * 4).next_multiple_of(16) + padding[0] * 16;
        let strides = [row_bytes, row_bytes * dims[1] + padding[1] * 16];
        let tiled = TensorMap::tiled(DataType::U32, &dims)
            .strides_bytes(&strides)
            .box_dims(&box_dims)
            .element_strides(&element_strides)
            .swizzle(swizzle);
        let (start, direction) = if is_load {
            ([start[0] * 4, start[1], start[2]], Direction::Load)
        } else {
            ([start[0].abs() * 4, start[1].abs(), start[2].abs()], Direction::Store)
        };
        // Rows of 32 bytes fit the narrowest swizzle.
        let rows: Vec<BoxRow> = tiled.params().walk(&start, &[], direction).unwrap().collect();
        let pitch = swizzle.span_bytes().unwrap_or(u64::from(box_dims[0]) * 4);
        let mut number = 0;
        for z in (0..box_dims[2]).step_by(element_strides[2] as usize) {
            for y in (0..box_dims[1]).step_by(element_strides[1] as usize) {
                let row = &rows[number as usize];
                prop_assert_eq!(row.shared_offset, number * pitch);
                for x in 0..box_dims[0] {
                    let at = [start[0] + x as i32, start[1] + y as i32, start[2] + z as i32];
                    let end = if is_load { dims[0] } else { dims[0].next_multiple_of(4) };
                    let inside = (0..end as i64).contains(&i64::from(at[0]))
                        && (0..dims[1] as i64).contains(&i64::from(at[1]))
                        && (0..dims[2] as i64).contains(&i64::from(at[2]));
                    let byte = u64::from(x) * 4;
                    prop_assert_eq!(row.inside.contains(&byte), inside);
                    if inside {
                        let expected = i64::from(at[0]) * 4
                            + i64::from(at[1]) * strides[0] as i64
                            + i64::from(at[2]) * strides[1] as i64;
                        prop_assert_eq!(row.global_offset + byte as i64, expected);
                    }
                }
                number += 1;
            }
        }
        prop_assert_eq!(rows.len() as u64, number);
        prop_assert_eq!(rows.iter().map(|row| row.bytes).sum::<u64>(), tiled.box_bytes());
    }
}
