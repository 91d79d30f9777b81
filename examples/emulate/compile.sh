#!/bin/sh
# Makes the PTX of each `.cu` here. Run it where `nvcc` (13.0) is in PATH and CUDA_INCLUDE names the
# toolkit's headers. Paths of the machine do not stay in the outputs.
set -eu
: "${CUDA_INCLUDE:?}"
cd "$(dirname "$0")"
here=$(pwd)
for source in *.cu; do
    output=${source%.cu}.ptx
    nvcc -arch=sm_90a -std=c++17 -lineinfo -ptx "$source" -o "$output" \
        -I"$CUDA_INCLUDE" -I"$CUDA_INCLUDE/cccl"
    sed -i -E "s#(\.file.*\")$here/#\1#; s#(\.file.*\")/.*/include/#\1include/#" "$output"
done
