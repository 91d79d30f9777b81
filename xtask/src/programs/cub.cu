// Calls of CUB's algorithms, which make their kernels.
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

int main() {
    size_t bytes = 0;
    int *in = nullptr, *out = nullptr, *count = nullptr;
    cub::DeviceReduce::Sum(nullptr, bytes, in, out, 1000);
    cub::DeviceReduce::ReduceByKey(nullptr, bytes, in, out, in, out, count, ::cuda::std::plus<>{}, 1000);
    cub::DeviceScan::ExclusiveSum(nullptr, bytes, in, out, 1000);
    cub::DeviceSelect::Unique(nullptr, bytes, in, out, count, 1000);
    cub::DeviceRunLengthEncode::Encode(nullptr, bytes, in, out, out, count, 1000);
    cub::DeviceHistogram::HistogramEven(nullptr, bytes, in, out, 33, 0, 1000, 1000);
}
