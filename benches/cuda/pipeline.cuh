// The CUDA version of kernels-gpu/src/pipelines/pipeline.rs: the first warp loads items, the others work on them.
#pragma once
#include "elected.cuh"
#include "ring.cuh"

// `drawn`: items come from the counter, `run` at a time, all but the first.
template <int stages, bool drawn, class Load, class Work, class Store>
__device__ inline void pipeline(
    uint32_t stage_bytes, uint32_t items, uint32_t run, uint32_t* counter, Load load, Work work, Store store) {
    const Ring<stages> ring{stage_bytes};
    if (threadIdx.x == 0) {
#pragma unroll
        for (int stage = 0; stage < stages; ++stage) {
            ptx::mbarrier_init(ring.full(stage), 1);
            ptx::mbarrier_init(ring.empty(stage), 1);
        }
    }
    __syncthreads();

    const uint32_t warp = warp_index();
    Turn<stages> turn;

    if (warp == 0) {
        if (!elect_sync(0xffffffff)) {
            return;
        }
        auto produce = [&](auto next) {
            for (uint32_t first = blockIdx.x;; first = next(first)) {
                for (uint32_t item = first * run; item < first * run + run; ++item) {
                    wait(ring.empty(turn.stage), turn.parity ^ 1);
                    ring.item(turn.stage) = item;
                    if (item >= items) {
                        arrive(ring.full(turn.stage));
                        return;
                    }
                    load(item, ring.data(turn.stage), ring.full(turn.stage));
                    turn.advance();
                }
            }
        };
        if constexpr (drawn) {
            Tickets tickets(counter, gridDim.x);
            produce([&](uint32_t) {
                const uint32_t number = tickets.number();
                tickets.draw();
                return number;
            });
        } else {
            produce([](uint32_t item) { return item + gridDim.x; });
        }
        return;
    }

    const uint32_t consumer = threadIdx.x - 32;
    const uint32_t consumers = blockDim.x - 32;
    uint32_t last = stages;
    while (true) {
        wait(ring.full(turn.stage), turn.parity);
        const uint32_t item = ring.item(turn.stage);
        if (item >= items) {
            break;
        }
        work(item, ring.data(turn.stage), consumer, consumers);
        ptx::fence_proxy_async(ptx::space_shared);
        asm volatile("bar.sync 1, %0;" ::"r"(consumers) : "memory");
        if (warp == 1 && elect_sync(0xffffffff)) {
            store(item, ring.data(turn.stage));
            ptx::cp_async_bulk_commit_group();
            ptx::cp_async_bulk_wait_group_read(ptx::n32_t<1>());
            if (last != stages) {
                arrive(ring.empty(last));
            }
            last = turn.stage;
        }
        turn.advance();
    }
    if (warp == 1 && elect_sync(0xffffffff)) {
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    }
}
