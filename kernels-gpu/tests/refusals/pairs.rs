//! Kernels that reduce a part of two buffers.

use kernels_gpu::{
    all_reduce::AllReduce,
    copy_bulk::CopyBulk,
    low_latency_exchange::{LowLatencyExchange, Part, Steps},
    reduce_scatter::ReduceScatter,
    rows::Numbers,
    settings::Setting,
};
use tma_launch::DeviceDescription;

use crate::{WARPS, least_bytes, refused};

#[test]
fn all_reduce() {
    let good = AllReduce {
        offset_bytes: 48,
        len_bytes: 4112,
        threads: 64,
        ..AllReduce::default()
    };
    let launch = good.launch().unwrap();
    assert_eq!(
        (
            launch.entry.as_str(),
            launch.shape.grid.x,
            launch.shape.shared_bytes
        ),
        ("all_reduce_f32_2", 5, 2048)
    );
    assert_eq!(least_bytes(Ok(launch)), [(0, 48 + 4112), (1, 48 + 4112)]);
    let bf16 = AllReduce {
        numbers: Numbers::Bf16,
        is_for_both: false,
        ..good
    };
    assert_eq!(bf16.launch().unwrap().entry, "all_reduce_bf16_1");
    refused(
        AllReduce {
            offset_bytes: 40,
            len_bytes: 8,
            threads: 100,
            ..good
        }
        .launch(),
        &[
            WARPS,
            "offset_bytes is 40; must be a multiple of 16 (bulk copies move units of 16 bytes); use 32 or 48",
            "len_bytes is 8; must be a multiple of 16 (bulk copies move units of 16 bytes); use 16",
            "len_bytes is 8; must be at least 16 (the grid must not be empty); use 16 or more",
        ],
    );
    refused(
        AllReduce {
            threads: 544,
            ..good
        }
        .launch(),
        &["block size is 544; must be 32 to 512 (each thread has one vector); use 512"],
    );
}

#[test]
fn reduce_scatter() {
    let good = ReduceScatter {
        offset_bytes: 48,
        len_bytes: 4112,
        chunk_bytes: 512,
        ..ReduceScatter::default()
    };
    let launch = good.launch().unwrap();
    assert_eq!(
        (
            launch.entry.as_str(),
            launch.shape.grid.x,
            launch.shape.shared_bytes
        ),
        ("reduce_scatter_f32", 9, 512)
    );
    assert_eq!(least_bytes(Ok(launch)), [(0, 48 + 4112), (1, 48 + 4112)]);
    refused(
        ReduceScatter {
            offset_bytes: 8,
            len_bytes: 0,
            chunk_bytes: 24,
            threads: 512,
            ..good
        }
        .launch(),
        &[
            "chunk_bytes is 24; must be a multiple of 16 (bulk copies move units of 16 bytes); use 16 or 32",
            "offset_bytes is 8; must be a multiple of 16 (bulk copies move units of 16 bytes); use 16",
            "len_bytes is 0; must be at least 16 (the grid must not be empty); use 16 or more",
            "block size is 512; must be 32 to 256 (blocks of one chunk have at most 256 threads); use 256",
        ],
    );
}

#[test]
fn low_latency_exchange() {
    let part = |offset_bytes, len_bytes| Part {
        offset_bytes,
        len_bytes,
    };
    let good = LowLatencyExchange {
        send: part(48, 4112),
        receive: part(8192, 4096),
        ..LowLatencyExchange::default()
    };
    let launch = good.launch().unwrap();
    assert_eq!(
        (launch.entry.as_str(), launch.shape.grid.x),
        ("low_latency_exchange_f32", 2)
    );
    // Inboxes of two halves of 8 KiB for each of 256 threads' 16 bytes.
    let inbox = 2 * 2 * 8192;
    assert_eq!(
        least_bytes(Ok(launch)),
        [
            (0, 48 + 4112),
            (1, inbox),
            (0, 8192 + 4096),
            (2, inbox),
            (3, 8)
        ]
    );
    let sends = LowLatencyExchange {
        steps: Steps::Send,
        ..good
    };
    assert_eq!(
        least_bytes(sends.launch()),
        [(0, 48 + 4112), (1, inbox), (3, 8)]
    );
    let in_place = LowLatencyExchange {
        receive: good.send,
        ..good
    };
    assert!(in_place.launch().is_ok());
    refused(
        LowLatencyExchange {
            send: part(8, 0),
            receive: part(0, 24),
            ..good
        }
        .launch(),
        &[
            "offset_bytes is 8; must be a multiple of 16 (bulk copies move units of 16 bytes); use 16",
            "len_bytes is 24; must be a multiple of 16 (bulk copies move units of 16 bytes); use 16 or 32",
        ],
    );
    refused(
        LowLatencyExchange {
            send: part(0, 0),
            receive: part(0, 0),
            ..good
        }
        .launch(),
        &[
            "bytes of the longer part is 0; must be at least 16 (the grid must not be empty); use 16 or more",
        ],
    );
}

#[test]
fn settings_of_a_device_make_launches() {
    let mut unknown = DeviceDescription::h100();
    unknown.name = "another one".to_owned();
    for device in [
        DeviceDescription::h100(),
        DeviceDescription::h200(),
        unknown,
    ] {
        let len_bytes = 1 << 20;
        let sum = AllReduce {
            len_bytes,
            ..AllReduce::default()
        };
        assert!(sum.set(Setting::OVER_LINK, &device).launch().is_ok());
        let add = ReduceScatter {
            len_bytes,
            ..ReduceScatter::default()
        };
        assert!(add.set(Setting::OVER_LINK, &device).launch().is_ok());
        let copy = CopyBulk {
            len_bytes,
            ..CopyBulk::default()
        };
        assert_eq!(
            copy.set(Setting::OVER_LINK, &device)
                .launch()
                .unwrap()
                .entry,
            "copy_bulk_once"
        );
    }
}
