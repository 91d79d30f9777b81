// Changes to tensor maps in shared memory. cuda::ptx has them in CUDA 13.0, but not for every architecture.
#pragma once
#include <cstdint>
#include <cuda.h>

#define REPLACE_FIELD(field, type)                                                                          \
    __device__ inline void replace_##field(CUtensorMap* map, type value) {                                  \
        asm volatile("tensormap.replace.tile." #field ".shared::cta.b1024." REPLACE_AS_##type " [%0], %1;"  \
                     :                                                                                      \
                     : "r"(uint32_t(__cvta_generic_to_shared(map))), REPLACE_WITH_##type(value)             \
                     : "memory");                                                                           \
    }

#define REPLACE_FIELD_OF_DIMENSION(field, type)                                                             \
    template <int dimension>                                                                                \
    __device__ inline void replace_##field(CUtensorMap* map, type value) {                                  \
        asm volatile("tensormap.replace.tile." #field ".shared::cta.b1024." REPLACE_AS_##type " [%0], %2, %1;" \
                     :                                                                                      \
                     : "r"(uint32_t(__cvta_generic_to_shared(map))), REPLACE_WITH_##type(value), "n"(dimension) \
                     : "memory");                                                                           \
    }

// A field whose value is part of the instruction.
#define REPLACE_CHOICE(field)                                                                               \
    template <int value>                                                                                    \
    __device__ inline void replace_##field(CUtensorMap* map) {                                              \
        asm volatile("tensormap.replace.tile." #field ".shared::cta.b1024.b32 [%0], %1;"                    \
                     :                                                                                      \
                     : "r"(uint32_t(__cvta_generic_to_shared(map))), "n"(value)                             \
                     : "memory");                                                                           \
    }

#define REPLACE_AS_uint32_t "b32"
#define REPLACE_AS_uint64_t "b64"
#define REPLACE_WITH_uint32_t "r"
#define REPLACE_WITH_uint64_t "l"

REPLACE_FIELD(global_address, uint64_t)
REPLACE_FIELD(rank, uint32_t)
REPLACE_FIELD_OF_DIMENSION(box_dim, uint32_t)
REPLACE_FIELD_OF_DIMENSION(global_dim, uint32_t)
REPLACE_FIELD_OF_DIMENSION(global_stride, uint64_t)
REPLACE_FIELD_OF_DIMENSION(element_stride, uint32_t)
REPLACE_CHOICE(elemtype)
REPLACE_CHOICE(interleave_layout)
REPLACE_CHOICE(swizzle_mode)
REPLACE_CHOICE(fill_mode)
