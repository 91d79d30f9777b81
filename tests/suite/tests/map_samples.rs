//! Our tensor maps, compared with a driver's for the same parameters, on a machine without a driver.
//!
//! `map-differential --sample` wrote `tests/data/maps-h200.z` on an H200 (driver 580.159).

use tests::maps::record::{differing, unpack};

#[test]
fn our_maps_are_the_drivers() {
    let (_, records) = unpack(include_bytes!("../../data/maps-h200.z")).unwrap();
    assert_eq!(records.len(), 6000);
    let legal = records
        .iter()
        .filter(|record| record.answer.is_some())
        .count();
    assert!((2000..4000).contains(&legal), "{legal}");
    if let Some(record) = differing(&records).next() {
        panic!("{record:?}\n{:?}", record.case.ours());
    }
}
