//! Programs of CCCL: libcudacxx, CUB and Thrust.
pub(super) const LIBCUDACXX: &[&str] = &[
    "cuda/annotated_ptr/annotated_ptr_shmem.pass.cpp",
    "cuda/annotated_ptr/memcpy_async.pass.cpp",
    "cuda/barrier/arrive_tx_cta.pass.cpp",
    "cuda/barrier/arrive_tx_thread.pass.cpp",
    "cuda/barrier/arrive_tx_warp.pass.cpp",
    "cuda/barrier/cp_async_bulk.pass.cpp",
    "cuda/barrier/cp_async_bulk_tensor.pass.cpp",
    "cuda/barrier/cp_async_bulk_tensor_1d.pass.cpp",
    "cuda/barrier/cp_async_bulk_tensor_2d.pass.cpp",
    "cuda/barrier/cp_async_bulk_tensor_3d.pass.cpp",
    "cuda/barrier/cp_async_bulk_tensor_4d.pass.cpp",
    "cuda/barrier/cp_async_bulk_tensor_5d.pass.cpp",
    "cuda/barrier/expect_tx_cta.pass.cpp",
    "cuda/barrier/expect_tx_thread.pass.cpp",
    "cuda/barrier/expect_tx_warp.pass.cpp",
    "cuda/barrier/init.pass.cpp",
    "cuda/barrier/native_handle.pass.cpp",
    "cuda/memcpy_async/memcpy_async_block.pass.cpp",
    "cuda/memcpy_async/memcpy_async_tx.pass.cpp",
    "cuda/memory/address_space.pass.cpp",
    "cuda/memory/discard_memory.pass.cpp",
    "cuda/pipeline/pipeline_arrive_on.pass.cpp",
    "cuda/pipeline/pipeline_divergent_threads.pass.cpp",
    "cuda/pipeline/pipeline_memcpy_async_producer_consumer.pass.cpp",
    "std/thread/thread.barrier/arrive.pass.cpp",
    "std/thread/thread.barrier/arrive_and_drop.pass.cpp",
    "std/thread/thread.barrier/arrive_and_wait.pass.cpp",
    "std/thread/thread.latch/arrive_and_wait.pass.cpp",
    "std/thread/thread.latch/count_down.pass.cpp",
    "std/thread/thread.semaphore/acquire.pass.cpp",
    "std/thread/thread.semaphore/release.pass.cpp",
    "std/thread/thread.semaphore/try_acquire.pass.cpp",
];

pub(super) const CUB: &[&str] = &["examples/device/example_device_decoupled_look_back.cu"];

pub(super) const THRUST: &[&str] = &[
    "dot_products_with_zip.cu",
    "expand.cu",
    "histogram.cu",
    "norm.cu",
    "run_length_encoding.cu",
    "saxpy.cu",
    "scan_by_key.cu",
];

pub(super) const CUB_TESTS: &[&str] = &[
    "catch2_test_block_load_to_shared.cu",
    "catch2_test_block_scan_api.cu",
    "catch2_test_device_adjacent_difference_api.cu",
    "catch2_test_device_histogram_api.cu",
    "catch2_test_device_merge_api.cu",
    "catch2_test_device_run_length_encode_api.cu",
    "catch2_test_device_scan_api.cu",
];
