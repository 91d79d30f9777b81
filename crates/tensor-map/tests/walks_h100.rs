//! The walk against copies that an H100 made (driver 580.159), one a line of `data/walks-h100.txt`:
//!
//! `load MAP COORDINATES OFFSETS RUNS`, where MAP is words 1 to 9 in hex, and each run is
//! `SHARED=GLOBAL*BYTES` or, for bytes that were filled, `SHARED<*BYTES`. The elements in global
//! memory were their own numbers. The runs of a store are the changes in global memory.

use std::collections::BTreeMap;

use tensor_map::{
    DataType, Params, Swizzle, TensorMap,
    walk::{BoxRow, Direction, NoWalk},
};

const WALKS: &str = include_str!("data/walks-h100.txt");

/// The source or target of each two bytes of shared memory; none for filled bytes.
type Moves = BTreeMap<u64, Option<i64>>;

fn map(hex: &str) -> TensorMap {
    let mut bytes = [0; TensorMap::BYTES];
    for (byte, digits) in bytes[8..].iter_mut().zip(hex.as_bytes().chunks(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(digits).unwrap(), 16).unwrap();
    }
    TensorMap::from_bytes(bytes)
}

fn numbers<T: std::str::FromStr>(list: &str) -> Vec<T> {
    list.split(',')
        .filter_map(|number| number.parse().ok())
        .collect()
}

fn seen(runs: &str) -> Moves {
    let mut moves = Moves::new();
    for run in runs.split_whitespace() {
        let (addresses, bytes) = run.split_once('*').unwrap();
        let (shared, global) = addresses.split_once(['=', '<']).unwrap();
        let (shared, global): (u64, Option<i64>) = (shared.parse().unwrap(), global.parse().ok());
        for offset in (0..bytes.parse().unwrap()).step_by(2) {
            moves.insert(shared + offset, global.map(|global| global + offset as i64));
        }
    }
    moves
}

fn walked(params: &Params, coordinates: &[i32], offsets: &[u16], direction: Direction) -> Moves {
    let mut moves = Moves::new();
    for row in params.walk(coordinates, offsets, direction).unwrap() {
        for piece in row.pieces(params.tensor().swizzle, 0) {
            for byte in (0..piece.bytes).step_by(2) {
                let in_row = piece.row_offset + byte;
                let global = row
                    .inside
                    .contains(&in_row)
                    .then(|| row.global_offset + in_row as i64);
                if direction == Direction::Load || global.is_some() {
                    moves.insert(u64::from(piece.shared_address) + byte, global);
                }
            }
        }
    }
    moves
}

#[test]
fn walks_are_those_of_the_hardware() {
    assert_eq!(WALKS.lines().count(), 151);
    for line in WALKS.lines() {
        let mut words = line.splitn(5, ' ');
        let mut word = || words.next().unwrap();
        let (kind, map) = (word(), map(word()));
        let (coordinates, offsets) = (numbers::<i32>(word()), numbers::<u16>(word()));
        let direction = if kind == "load" {
            Direction::Load
        } else {
            Direction::Store
        };
        let params = map.decode().unwrap().params;
        let walked = walked(&params, &coordinates, &offsets, direction);
        assert_eq!(walked, seen(word()), "{line}\n{}", params.explain(0));
        if direction == Direction::Load {
            assert_eq!(2 * walked.len() as u64, params.box_bytes(), "{line}");
        }
    }
}

#[test]
fn offsets_have_few_bits_and_stores_have_none() {
    let dims = [64, 16, 16, 16, 4];
    for (rank, max) in [(3, u16::MAX), (4, 255), (5, 31)] {
        let params = TensorMap::im2col(DataType::F16, &dims[..rank])
            .channels_per_pixel(8)
            .params();
        let (start, mut offsets) = (vec![0; rank], vec![0; rank - 2]);
        let walk = |offsets: &[u16], direction| params.walk(&start, offsets, direction).map(drop);
        assert_eq!(walk(&[], Direction::Store), Ok(()));
        assert_eq!(walk(&offsets, Direction::Store), Ok(()));
        assert!(walk(&[], Direction::Load).is_err());
        offsets[rank - 3] = max;
        assert_eq!(walk(&offsets, Direction::Load), Ok(()));
        assert_eq!(walk(&offsets, Direction::Store), Err(NoWalk::StoreOffsets));
        if max < u16::MAX {
            let (spatial, offset) = (rank - 3, max + 1);
            offsets[spatial] = offset;
            let refused = NoWalk::OffsetRange {
                spatial,
                offset,
                max,
            };
            assert_eq!(walk(&offsets, Direction::Load), Err(refused));
        }
    }
}

#[test]
fn pieces_far_out_wrap() {
    let row = BoxRow {
        shared_offset: u64::MAX - 8,
        global_offset: 0,
        bytes: 64,
        inside: 0..64,
    };
    let pieces = row.pieces(Swizzle::B128, u32::MAX);
    assert_eq!(pieces.map(|piece| piece.bytes).sum::<u64>(), 64);
}
