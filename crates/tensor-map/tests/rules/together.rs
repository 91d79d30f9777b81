//! Several rules at once: the reported order, and suggestions that agree.

use super::*;

#[test]
fn all_violations_are_reported_together() {
    let refused = TensorMap::tiled(DataType::F32, &[0, 65, 64])
        .box_dims(&[3, 257, 8])
        .element_strides(&[1, 1, 0])
        .build(0x1001)
        .unwrap_err();
    assert_eq!(
        refused.to_string(),
        "parameters of the tiled tensor map break 5 rules:
  address = 0x1001: must be a multiple of 16; use 0x1000 [address-multiple]
  dims[0] = 0: must be 1 to 2^32 elements; use 1 [dim-range]
  element_strides[2] = 0: must be 1 to 8; use 1 [element-stride-range]
  box_dims[1] = 257: must be 1 to 256 elements; use 256 [box-range]
  box_dims[0] = 3: row of 12 bytes must be a multiple of 16; use 4 [box-row-multiple]"
    );
    assert_eq!(format!("{refused:?}"), refused.to_string());
}

#[test]
fn sums_that_overflow_are_no_panic() {
    let most = TensorMap::tiled(DataType::F64, &[u64::MAX; 5])
        .box_dims(&[u32::MAX; 5])
        .element_strides(&[u32::MAX; 5]);
    assert!(broken(most, u64::MAX, Target::SM_90).len() > 10);
    let corners = TensorMap::im2col(DataType::F64, &[u64::MAX; 5])
        .pixel_box(&[i32::MIN; 3], &[i32::MAX; 3])
        .channels_per_pixel(u32::MAX)
        .pixels_per_column(u32::MAX);
    assert!(broken(corners, u64::MAX, Target::SM_90).len() > 10);
    let many = TensorMap::tiled(DataType::F64, &[1; 100])
        .strides_bytes(&[16; 200])
        .box_dims(&[]);
    assert_eq!(broken(many, 0, Target::SM_90).len(), 1);
    let _ = most.params().explain(0).to_string();
    let _ = many.params().explain(0).to_string();
    let _ = most.params().warnings(0, Target::SM_90).count();
}

#[test]
fn one_value_has_one_suggestion() {
    let tries = |params: Params, target| -> Vec<(Rule, Option<String>)> {
        broken(params, ADDRESS, target)
            .iter()
            .map(|violation| {
                (
                    violation.rule,
                    violation.nearest.map(|value| value.to_string()),
                )
            })
            .collect()
    };
    let some = |text: &str| Some(text.to_owned());
    let wide_row = tiled().box_dims(&[33, 8, 8]).swizzle(Swizzle::B128);
    assert_eq!(
        tries(wide_row.params(), Target::SM_90),
        [
            (Rule::BoxRowMultiple, some("32")),
            (Rule::BoxRowSpan, some("32"))
        ]
    );
    let long_row = tiled().box_dims(&[300, 8, 8]).swizzle(Swizzle::B64);
    assert_eq!(
        tries(long_row.params(), Target::SM_90),
        [(Rule::BoxRange, some("16")), (Rule::BoxRowSpan, some("16"))]
    );
    let gaps = packed(DataType::U4x16Align16).box_dims(&[100, 8]);
    assert_eq!(
        tries(gaps.params(), Target::SM_100),
        [(Rule::BoxPackedWidth, some("128"))]
    );
    let swizzle = packed(DataType::U6x16Align16).swizzle(Swizzle::B64);
    assert_eq!(
        tries(swizzle.params(), Target::SM_100),
        [(Rule::PackedTypeSwizzle, some("128b"))]
    );
    let atoms = tiled()
        .box_dims(&[64, 8, 8])
        .swizzle(Swizzle::B128Atom64)
        .params();
    assert_eq!(
        tries(atoms, Target::SM_90),
        [(Rule::SwizzleNeedsBlackwell, some("128b"))]
    );
}

/// A row that is suggested keeps the rules of rows, whatever the row was.
#[test]
fn suggested_rows_are_legal() {
    for data_type in DataType::ALL {
        for swizzle in Swizzle::ALL {
            for elements in (0..=300).chain([u32::MAX]) {
                let with = |elements| {
                    packed(data_type)
                        .box_dims(&[elements, 1])
                        .swizzle(swizzle)
                        .params()
                };
                for violation in broken(with(elements), ADDRESS, Target::SM_100) {
                    let Some(Value::Number(nearest)) = violation.nearest else {
                        continue;
                    };
                    let rest = broken(with(nearest as u32), ADDRESS, Target::SM_100);
                    assert!(
                        rest.iter()
                            .all(|left| left.parameter != violation.parameter),
                        "{violation}"
                    );
                }
            }
        }
    }
}
