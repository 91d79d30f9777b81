// Ends a program at the first call of CUDA that fails.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define CHECK(call)                                                                          \
    do {                                                                                     \
        cudaError_t error = (call);                                                          \
        if (error != cudaSuccess) {                                                          \
            printf("%s: %s: %s\n", #call, cudaGetErrorName(error), cudaGetErrorString(error)); \
            exit(3);                                                                         \
        }                                                                                    \
    } while (0)
