// Two-dimensional tensor copies: every block negates one tile of a matrix. Elements
// outside the matrix are loaded as zeros, and not stored.
#include <cuda.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int WIDTH = 32;
constexpr int HEIGHT = 8;

extern "C" __global__ void negate_tile(const __grid_constant__ CUtensorMap map) {
  __shared__ alignas(128) float tile[HEIGHT][WIDTH];
  __shared__ alignas(8) std::uint64_t loaded;
  const std::int32_t at[2] = {static_cast<std::int32_t>(blockIdx.x) * WIDTH,
                              static_cast<std::int32_t>(blockIdx.y) * HEIGHT};

  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&loaded, 1);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &map, at, &loaded);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &loaded,
                                   sizeof(tile));
  }
  __syncthreads();
  while (!ptx::mbarrier_try_wait_parity(&loaded, 0)) {
  }

  for (int i = threadIdx.x; i < WIDTH * HEIGHT; i += blockDim.x) {
    tile[i / WIDTH][i % WIDTH] *= -1.0f;
  }

  ptx::fence_proxy_async(ptx::space_shared);
  __syncthreads();
  if (threadIdx.x == 0) {
    ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &map, at, tile);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
  }
}
