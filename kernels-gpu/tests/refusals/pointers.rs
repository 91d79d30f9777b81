//! Kernels that take addresses, and one that takes both.

use kernels_gpu::{
    add_one_1d::AddOne1d,
    deform_attn::{DeformAttn, DeformAttnForm},
    histogram::{Histogram, HistogramForm},
    prefetch::Prefetch,
    prefetch_1d::Prefetch1d,
    producer_consumer::{ProducerConsumer, ProducerConsumerForm},
    ring::Ring,
    stencil::{Stencil, StencilForm},
};
use tma_launch::{Buffer, Dim3, Launch, Limits, Signature};

use crate::{NO_THREADS, WARPS, least_bytes, refused};

#[test]
fn add_one_1d() {
    let good = AddOne1d {
        data: 3,
        offset_elems: 8,
        blocks: 2,
        ..AddOne1d::default()
    };
    assert_eq!(least_bytes(good.launch()), [(3, 4 * (8 + 2048))]);
    refused(
        AddOne1d {
            threads: 100,
            offset_elems: 6,
            ..good
        }
        .launch(),
        &[
            WARPS,
            "offset_elems is 6; must be a multiple of 4 (bulk copies start at multiples of 16 bytes); use 4 or 8",
        ],
    );
    refused(AddOne1d { threads: 0, ..good }.launch(), &[NO_THREADS]);
}

#[test]
fn deform_attn() {
    let good = DeformAttn {
        form: DeformAttnForm::Gather,
        shapes: [[10, 12], [8, 8], [4, 5], [3, 3]],
        batches: 3,
        queries: 5,
        value: 0,
        locations: 1,
        weights: 2,
        output: 3,
        blocks: 1,
        warps: 2,
        waves: 1,
    };
    let pixels = 120 + 64 + 20 + 9;
    let all = [
        (0, 3 * pixels * 64),
        (1, 15 * 32 * 4),
        (2, 15 * 32 * 2),
        (3, 15 * 64),
    ];
    assert_eq!(least_bytes(good.launch()), all);
    let resident = DeformAttn {
        form: DeformAttnForm::Resident { stages: 2 },
        ..good
    };
    assert_eq!(least_bytes(resident.launch()), all);
    refused(
        DeformAttn {
            shapes: [[2, 12], [8, 70_000], [4, 5], [3, 3]],
            queries: 0,
            ..good
        }
        .launch(),
        &[
            "height of image 0 is 2; must be 3 to 65535 (a pixel with its border; sides have 16 bits); use 3",
            "width of image 1 is 70000; must be 3 to 65535 (a pixel with its border; sides have 16 bits); \
             use 65535",
            "queries of all batches is 0; must be 1 to 4294967295 (query numbers have 32 bits); use 1",
        ],
    );
    refused(
        DeformAttn {
            shapes: [[65535; 2]; 4],
            queries: u32::MAX,
            warps: 9,
            ..good
        }
        .launch(),
        &[
            "pixels of a batch is 17179344900; must be 0 to 67108863 \
             (bytes of a batch are counted in 32 bits); use 67108863",
            "queries of all batches is 12884901888; must be 1 to 4294967295 (query numbers have 32 bits); use 4294967295",
            "warps per block is 9; must be 1 to 8; use 8",
        ],
    );
    refused(
        DeformAttn {
            form: DeformAttnForm::Pairs,
            waves: 4,
            ..good
        }
        .launch(),
        &["waves is 4; must be 1 to 3 (each wave has at least one batch); use 3"],
    );
    refused(
        DeformAttn {
            form: DeformAttnForm::Resident { stages: 4 },
            warps: 29,
            waves: 0,
            ..good
        }
        .launch(),
        &[
            "stages is 4; must be one of 1, 2 (compiled instances); use 2",
            "warps per block is 29; must be 1 to 28; use 28",
            "waves is 0; must be 1 to 3 (each wave has at least one batch); use 1",
        ],
    );
}

#[test]
fn histogram() {
    let good = Histogram {
        form: HistogramForm::Lanes,
        data: 0,
        len: 1001,
        counts: 1,
        blocks: 2,
        threads: 64,
    };
    assert_eq!(least_bytes(good.launch()), [(0, 1001), (1, 1024)]);
    refused(
        Histogram {
            threads: 100,
            ..good
        }
        .launch(),
        &[WARPS],
    );
}

#[test]
fn prefetch() {
    let good = Prefetch {
        stages: 3,
        output: 0,
        input: 1,
        batches: 7,
        blocks: 2,
        threads: 33,
    };
    assert_eq!(
        least_bytes(good.launch()),
        [(0, 7 * 2 * 33 * 4), (1, 7 * 2 * 33 * 4)]
    );
    refused(
        Prefetch {
            stages: 5,
            threads: 1025,
            batches: u32::MAX,
            ..good
        }
        .launch(),
        &[
            "stages is 5; must be one of 1, 2, 3, 4, 8 (compiled instances); use 4 or 8",
            "block size is 1025; must be 1 to 1024; use 1024",
            "batches is 4294967295; must be 0 to 4294967290 (batches are counted in 32 bits); use \
             4294967290",
        ],
    );
    let good = Prefetch1d {
        stages: 3,
        output: 0,
        input: 1,
        batches: 7,
        blocks: 2,
        threads: 32,
    };
    assert_eq!(
        least_bytes(good.launch()),
        [(0, 7 * 2 * 32 * 4), (1, 7 * 2 * 32 * 4)]
    );
    refused(
        Prefetch1d {
            stages: 9,
            threads: 100,
            batches: u32::MAX - 2,
            ..good
        }
        .launch(),
        &[
            "stages is 9; must be one of 1, 2, 3, 4, 5, 6, 7, 8 (compiled instances); use 8",
            WARPS,
            "batches is 4294967293; must be 0 to 4294967287 (batches are counted in 32 bits); use \
             4294967287",
        ],
    );
}

#[test]
fn producer_consumer() {
    let form = ProducerConsumerForm::Ring;
    let good = ProducerConsumer {
        form,
        input: 0,
        output: 1,
        batches: 3,
        buffer_len: 31,
        blocks: 2,
        threads: 64,
    };
    assert_eq!(
        least_bytes(good.launch()),
        [(0, 2 * 3 * 31 * 4), (1, 2 * 3 * 31 * 4)]
    );
    refused(
        ProducerConsumer {
            threads: 32,
            buffer_len: 0,
            ..good
        }
        .launch(),
        &[
            "block size is 32; must be 64 to 1024 (one copying warp and at least one computing warp); \
             use 64",
            "buffer_len is 0; must be at least 1 (a batch must not be empty); use 1 or more",
        ],
    );
    refused(
        ProducerConsumer {
            threads: 100,
            ..good
        }
        .launch(),
        &["block size is 100; must be a multiple of 32 (each warp has one role); use 96 or 128"],
    );
}

#[test]
fn ring() {
    let good = Ring {
        output: 0,
        rounds: 3,
        clusters: 2,
        threads: 64,
    };
    assert_eq!(least_bytes(good.launch()), [(0, 2 * 8 * 64 * 4)]);
    refused(
        Ring {
            clusters: 0,
            threads: 100,
            ..good
        }
        .launch(),
        &[
            WARPS,
            "threads of the grid is 0; must be 1 to 4294967295 (thread numbers have 32 bits); use 1",
        ],
    );
    refused(
        Ring {
            clusters: 1 << 28,
            ..good
        }
        .launch(),
        &[
            "threads of the grid is 137438953472; must be 1 to 4294967295 (thread numbers have 32 bits); use \
             4294967295",
        ],
    );
}

#[test]
fn stencil() {
    let form = StencilForm::Block;
    let good = Stencil {
        form,
        left: 0,
        center: 1,
        right: 2,
        output: 3,
        blocks: 5,
        threads: 33,
    };
    assert_eq!(
        least_bytes(good.launch()),
        [(0, 160), (1, 640), (2, 160), (3, 640)]
    );
    let bulk = Stencil {
        form: StencilForm::Bulk,
        blocks: 9,
        threads: 64,
        ..good
    };
    assert_eq!(
        least_bytes(bulk.launch()),
        [(0, 288), (1, 1152), (2, 288), (3, 1152)]
    );
    // Eight threads have a centre.
    assert_eq!(bulk.launch().unwrap().shape.grid.count(), 2);
    refused(
        Stencil {
            threads: 100,
            ..bulk
        }
        .launch(),
        &[WARPS],
    );
    refused(
        Stencil {
            threads: 31,
            blocks: 1 << 27,
            ..good
        }
        .launch(),
        &[
            "block size is 31; must be 32 to 1024 (one thread for each number in the middle); use 32",
            "blocks is 134217728; must be 1 to 134217727 (output numbers have 32 bits); use \
             134217727",
        ],
    );
}

/// The backend checks the properties that the wrappers do not know: here a device with clusters of at most four blocks,
/// and a buffer that is too short.
#[test]
fn the_device_and_the_buffers_are_checked_with_the_launch() {
    let launch = Ring {
        output: 0,
        rounds: 3,
        clusters: 2,
        threads: 64,
    }
    .launch()
    .unwrap();
    let signature = Signature {
        parameters: Vec::new(),
        reqnctapercluster: Some(Dim3::new(8, 1, 1)),
        ..Signature::default()
    };
    let limits = Limits {
        cluster_blocks: 4,
        non_portable_cluster_blocks: 4,
        ..Limits::SM_90
    };
    let buffers = [Buffer::new("output", &[0_u32; 1000])];
    let launch = Launch {
        arguments: Vec::new(),
        ..launch
    };
    refused(
        tma_launch::check(&launch, &buffers, &limits, &signature),
        &[
            "cluster-blocks: cluster is 8 x 1 x 1, 8 blocks; the limit is 4, or 4 for non-portable \
             sizes; use 4 x 1 x 1",
            "buffer-length: buffer `output` is 4000 bytes; the kernel uses 4096; make it 96 bytes \
             longer",
        ],
    );
}
