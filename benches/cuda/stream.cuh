// The CUDA version of kernels-gpu/src/pipelines/stream.rs: one thread moves items through a ring of stages.
#pragma once
#include "elected.cuh"
#include "ring.cuh"

template <int stages, class Load, class Store>
__device__ inline void stream(uint32_t stage_bytes, uint32_t items, uint32_t* counter, Load load, Store store) {
    if (!is_elected()) {
        return;
    }
    const Ring<stages> ring{stage_bytes};
#pragma unroll
    for (int stage = 0; stage < stages; ++stage) {
        ptx::mbarrier_init(ring.full(stage), 1);
    }
    auto fetch = [&](uint32_t stage, uint32_t item) {
        ring.item(stage) = item;
        if (item < items) {
            load(item, ring.data(stage), ring.full(stage));
        }
    };

    uint32_t own = blockIdx.x;
#pragma unroll
    for (int stage = 0; stage < stages - 1; ++stage) {
        fetch(stage, own);
        own += gridDim.x;
    }
    Tickets tickets(counter, gridDim.x * (stages - 1));

    uint32_t spare = stages - 1;
    Turn<stages> turn;
    while (true) {
        const uint32_t item = ring.item(turn.stage);
        if (item >= items) {
            break;
        }
        wait(ring.full(turn.stage), turn.parity);
        store(item, ring.data(turn.stage));
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<1>());
        fetch(spare, tickets.number());
        tickets.draw();
        spare = turn.stage;
        turn.advance();
    }
    ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
}
