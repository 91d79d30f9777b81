// A cluster of two blocks: one multicast copy writes the same row to both, each adds its own
// row to it, and the first block collects the results of the second through distributed shared
// memory.
#include <cooperative_groups.h>
#include <cuda.h>
#include <cuda/ptx>

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

constexpr int WIDTH = 256;

extern "C" __global__ void __cluster_dims__(2, 1, 1)
    cluster_sum(const __grid_constant__ CUtensorMap bias, const float *rows, float *sums) {
  __shared__ alignas(128) float shared_row[WIDTH];
  __shared__ alignas(16) float total[WIDTH];
  __shared__ alignas(8) std::uint64_t loaded;
  auto cluster = cg::this_cluster();
  const unsigned rank = cluster.block_rank();

  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&loaded, 1);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &loaded,
                                   sizeof(shared_row));
  }
  cluster.sync();
  if (rank == 0 && threadIdx.x == 0) {
    const std::int32_t at[2] = {0, static_cast<std::int32_t>(blockIdx.x / 2)};
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, shared_row, &bias, at, &loaded,
                              static_cast<std::uint16_t>(0b11));
  }
  while (!ptx::mbarrier_try_wait_parity(&loaded, 0)) {
  }

  for (int i = threadIdx.x; i < WIDTH; i += blockDim.x) {
    total[i] = shared_row[i] + rows[blockIdx.x * WIDTH + i];
  }
  cluster.sync();
  if (rank == 0) {
    const float *other = cluster.map_shared_rank(total, 1);
    for (int i = threadIdx.x; i < WIDTH; i += blockDim.x) {
      sums[blockIdx.x / 2 * WIDTH + i] = total[i] + other[i];
    }
  }
  // No block leaves while the other still reads its shared memory.
  cluster.sync();
}
