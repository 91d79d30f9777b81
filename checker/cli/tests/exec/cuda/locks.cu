// Launches whose errors only some schedules have.
#include "check.h"

// The first warp to draw gets 0; the second one fails if that was warp 1.
__global__ void draw(unsigned* next) {
    if (threadIdx.x % 32 != 0) return;
    const unsigned number = atomicAdd(next, 1);
    if (threadIdx.x == 32 && number == 0) __trap();
}

int locks() {
    unsigned* next;
    CHECK(cudaMalloc(&next, sizeof *next));
    CHECK(cudaMemset(next, 0, sizeof *next));
    // One warp has one schedule.
    draw<<<1, 32>>>(next);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemset(next, 0, sizeof *next));
    draw<<<1, 64>>>(next);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    unsigned drawn;
    CHECK(cudaMemcpy(&drawn, next, sizeof drawn, cudaMemcpyDeviceToHost));
    printf("%u numbers are drawn\n", drawn);
    return 0;
}
