use tensor_map::{Params, Target, TensorMap, walk::Direction};

use super::Depth;

/// Rows of a walk that are looked at.
const ROWS: usize = 2000;

/// 128 bytes of a map, then coordinates of 4 bytes each, then offsets of 2.
pub(super) fn run(data: &[u8]) -> Depth {
    let Some((bytes, rest)) = data.split_first_chunk() else {
        return Depth::Refused;
    };
    let map = TensorMap::from_bytes(*bytes);
    let decoded = match map.decode() {
        Ok(decoded) => decoded,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return Depth::Refused;
        }
    };
    let (params, address) = (decoded.params, decoded.address);
    drop(params.explain(address).to_string());
    let sizes = [
        params.box_bytes(),
        params.shared_footprint_bytes(),
        params.tensor().span_bytes(),
    ];
    assert!(sizes[0] <= sizes[1] || sizes[1] == 0, "{sizes:?}");
    let _ = params.tensor().first_outside(1 << 20);
    for target in [Target::SM_90, Target::new(10, 0), Target::new(12, 0)] {
        let warnings = params.warnings(address, target);
        warnings.for_each(|warning| assert!(!warning.to_string().is_empty()));
    }
    let depth = match params.build_for(address, Target::SM_90) {
        Ok(again) => {
            let twice = again.decode().expect("a built map has parameters");
            assert_eq!((twice.params, twice.address), (params, address));
            let _ = map.differences(&again).count();
            Depth::Ended
        }
        Err(refused) => {
            assert!(refused.violations().count() > 0);
            Depth::Begun
        }
    };
    walk(&params, rest);
    depth
}

fn walk(params: &Params, rest: &[u8]) {
    let rank = params.tensor().rank();
    let mut chunks = rest.chunks_exact(4);
    let mut coordinate = || {
        chunks
            .next()
            .map_or(0, |b| i32::from_le_bytes([b[0], b[1], b[2], b[3]]))
    };
    let at: Vec<i32> = (0..rank).map(|_| coordinate()).collect();
    let spatial = match params {
        Params::Tiled(_) => 0,
        _ => rank.saturating_sub(2),
    };
    let offsets: Vec<u16> = (0..spatial).map(|_| coordinate() as u16).collect();
    for direction in [Direction::Load, Direction::Store] {
        let Ok(rows) = params.walk(&at, &offsets, direction) else {
            continue;
        };
        for row in rows.take(ROWS) {
            assert!(
                row.inside.start <= row.inside.end && row.inside.end <= row.bytes,
                "{row:?}"
            );
            let pieces = row.pieces(params.tensor().swizzle, 0x400);
            let bytes: u64 = pieces.take(4096).map(|piece| piece.bytes).sum();
            assert!(bytes <= row.bytes, "{row:?}");
        }
    }
}
