// The CUDA version of kernels-gpu/src/encode_map.rs: same algorithm, launch and parameters.
#include "ring.cuh"
#include "tensormap.cuh"
// Its cases use the maps that are made.
#include "consume_map.cu"

struct MapFields {
    uint64_t offset_bytes;
    uint64_t global_stride_bytes[4];
    uint32_t rank;
    uint32_t global_dim[5];
    uint32_t box_dim[5];
    uint32_t element_stride[5];
};

template <int dimension>
__device__ inline void replace_dimension(CUtensorMap* map, const MapFields& fields) {
    if (dimension < fields.rank) {
        replace_box_dim<dimension>(map, fields.box_dim[dimension]);
        replace_global_dim<dimension>(map, fields.global_dim[dimension]);
        replace_element_stride<dimension>(map, fields.element_stride[dimension]);
    }
}

template <int dimension>
__device__ inline void replace_stride(CUtensorMap* map, const MapFields& fields) {
    if (dimension + 1 < fields.rank) {
        replace_global_stride<dimension>(map, fields.global_stride_bytes[dimension]);
    }
}

__device__ inline void replace_and_release(
    CUtensorMap* map, const MapFields* all_fields, unsigned char* tensors, CUtensorMap* maps) {
    __syncwarp();
    if (threadIdx.x == 0) {
        const MapFields& fields = all_fields[blockIdx.x];
        replace_global_address(map, reinterpret_cast<uint64_t>(tensors + fields.offset_bytes));
        // The field counts from zero.
        replace_rank(map, fields.rank - 1);
        replace_dimension<0>(map, fields);
        replace_dimension<1>(map, fields);
        replace_dimension<2>(map, fields);
        replace_dimension<3>(map, fields);
        replace_dimension<4>(map, fields);
        replace_stride<0>(map, fields);
        replace_stride<1>(map, fields);
        replace_stride<2>(map, fields);
        replace_stride<3>(map, fields);
        // Bytes, no interleave, no swizzle, zeros outside.
        replace_elemtype<0>(map);
        replace_interleave_layout<0>(map);
        replace_swizzle_mode<0>(map);
        replace_fill_mode<0>(map);
    }
    __syncwarp();
    ptx::tensormap_cp_fenceproxy(ptx::sem_release, ptx::scope_gpu, maps + blockIdx.x, map, ptx::n32_t<128>());
}

extern "C" __global__ void __launch_bounds__(32) encode_map(
    const __grid_constant__ CUtensorMap source, const MapFields* fields, unsigned char* tensors, CUtensorMap* maps) {
    __shared__ alignas(128) CUtensorMap map;
    if (threadIdx.x < 16) {
        reinterpret_cast<uint64_t*>(&map)[threadIdx.x] = reinterpret_cast<const uint64_t*>(&source)[threadIdx.x];
    }
    replace_and_release(&map, fields, tensors, maps);
}

extern "C" __global__ void __launch_bounds__(32)
    encode_map_zeroed(const MapFields* fields, unsigned char* tensors, CUtensorMap* maps) {
    __shared__ alignas(128) CUtensorMap map;
    if (threadIdx.x < 16) {
        reinterpret_cast<uint64_t*>(&map)[threadIdx.x] = 0;
    }
    replace_and_release(&map, fields, tensors, maps);
}
