// One-dimensional bulk copies: every block adds one to its part of an array.
#include <cuda/barrier>
#include <cuda/ptx>

// The barrier is initialised below, by one thread.
#pragma nv_diag_suppress static_var_with_dynamic_init

using Barrier = cuda::barrier<cuda::thread_scope_block>;
namespace ptx = cuda::ptx;

constexpr int TILE = 1024;

extern "C" __global__ void add_one(int *numbers) {
  __shared__ alignas(16) int tile[TILE];
  __shared__ Barrier loaded;
  int *mine = numbers + blockIdx.x * TILE;

  if (threadIdx.x == 0) {
    init(&loaded, blockDim.x);
  }
  __syncthreads();

  // The copy counts its own bytes on the barrier.
  if (threadIdx.x == 0) {
    cuda::memcpy_async(tile, mine, cuda::aligned_size_t<16>(sizeof(tile)), loaded);
  }
  Barrier::arrival_token token = loaded.arrive();
  loaded.wait(std::move(token));

  for (int i = threadIdx.x; i < TILE; i += blockDim.x) {
    tile[i] += 1;
  }

  ptx::fence_proxy_async(ptx::space_shared);
  __syncthreads();
  if (threadIdx.x == 0) {
    ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, mine, tile, sizeof(tile));
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
  }
}
