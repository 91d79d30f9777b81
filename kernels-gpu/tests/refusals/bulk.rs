//! Bulk copies as fast as memory goes.

use kernels_gpu::{add_one_bulk::AddOneBulk, copy_bulk::CopyBulk};

use crate::{WARPS, least_bytes, refused};

#[test]
fn copy_bulk() {
    let good = CopyBulk {
        stages: 4,
        chunk_bytes: 512,
        len_bytes: 4096,
        dst: 0,
        dst_offset_bytes: 64,
        src: 1,
        counter: 2,
        blocks: 3,
        shared_bytes: 0,
        threads: 32,
    };
    assert_eq!(
        least_bytes(good.launch()),
        [(1, 4096), (0, 64 + 4096), (2, 4)]
    );
    refused(
        CopyBulk {
            stages: 5,
            chunk_bytes: 100,
            len_bytes: 4090,
            dst_offset_bytes: 8,
            ..good
        }
        .launch(),
        &[
            "stages is 5; must be one of 2, 3, 4, 6, 8 (compiled instances); use 4 or 6",
            "chunk_bytes is 100; must be a multiple of 16 (bulk copies move units of 16 bytes); use 96 or 112",
            "dst_offset_bytes is 8; must be a multiple of 16 (bulk copies move units of 16 bytes); use 16",
            "len_bytes is 4090; must be a multiple of 16 (bulk copies move units of 16 bytes); use 4080 or 4096",
        ],
    );
    refused(
        CopyBulk {
            chunk_bytes: 16,
            len_bytes: 1 << 40,
            ..good
        }
        .launch(),
        &[
            "chunks is 68719476736; must be 0 to 2147483647 (chunks are counted in 31 bits); use 2147483647",
        ],
    );
    refused(
        CopyBulk {
            chunk_bytes: 1 << 20,
            ..good
        }
        .launch(),
        &["chunk_bytes is 1048576; must be 16 to 1048560 (bytes of one bulk copy); use 1048560"],
    );
    refused(
        CopyBulk {
            threads: 64,
            ..good
        }
        .launch(),
        &["block size is 64; must be 32 (one warp moves the chunks); use 32"],
    );
    let once = CopyBulk {
        stages: 1,
        len_bytes: 4112,
        threads: 64,
        ..good
    };
    let launch = once.launch().unwrap();
    assert_eq!(
        (launch.entry.as_str(), launch.shape.grid.x),
        ("copy_bulk_once", 9)
    );
    assert_eq!(launch.shape.shared_bytes, 512);
    assert_eq!(least_bytes(Ok(launch)), [(1, 4112), (0, 64 + 4112)]);
    refused(
        CopyBulk {
            len_bytes: 0,
            threads: 288,
            ..once
        }
        .launch(),
        &[
            "len_bytes is 0; must be at least 16 (the grid must not be empty); use 16 or more",
            "block size is 288; must be 32 to 256 (blocks of one chunk have at most 256 threads); use 256",
        ],
    );
}

#[test]
fn add_one_bulk() {
    let good = AddOneBulk {
        vectors: 1,
        len_bytes: 4096,
        dst: 0,
        dst_offset_bytes: 0,
        src: 1,
        threads: 128,
        shared_bytes: 0,
    };
    let launch = good.launch().unwrap();
    assert_eq!(launch.shape.grid.x, 2);
    assert_eq!(least_bytes(Ok(launch)), [(1, 4096), (0, 4096)]);
    let larger = AddOneBulk {
        vectors: 4,
        threads: 32,
        len_bytes: 4112,
        ..good
    };
    let launch = larger.launch().unwrap();
    assert_eq!(
        (launch.entry.as_str(), launch.shape.grid.x),
        ("add_one_bulk_4", 3)
    );
    assert_eq!(launch.shape.shared_bytes, 2048);
    refused(
        AddOneBulk { vectors: 3, ..good }.launch(),
        &["vectors is 3; must be one of 1, 2, 4 (compiled instances); use 2 or 4"],
    );
    refused(
        AddOneBulk {
            threads: 100,
            len_bytes: 0,
            ..good
        }
        .launch(),
        &[
            WARPS,
            "len_bytes is 0; must be at least 16 (the grid must not be empty); use 16 or more",
        ],
    );
}
