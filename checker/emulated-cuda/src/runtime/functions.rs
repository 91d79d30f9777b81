//! Kernel attributes, occupancy, and explicitly loaded modules.

use crate::{
    calls::alive,
    driver::modules,
    export::export,
    ffi::{Image, In, Out, Pointer, Text},
    kernels::{FunctionAttributes, clusters_of},
    runtime::launches::LaunchConfig,
};

export! {
    runtime;

    fn cudaFuncGetAttributes(attributes: Out<FunctionAttributes>, function: Pointer) {
        let all = alive(|context| context.attributes_of(function.address()))?;
        attributes.put(all)
    }

    fn cudaFuncSetAttribute(function: Pointer, attribute: i32, value: i32) {
        alive(|context| context.set_attribute_of(function.address(), attribute, value))
    }

    fn cudaFuncSetCacheConfig as cudaFuncSetSharedMemConfig (function: Pointer, config: i32) {
        let _ = config;
        alive(|context| context.kernel(function.address()).map(drop))
    }

    fn cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        blocks: Out<i32>,
        function: Pointer,
        threads: i32,
        shared_bytes: usize,
    ) {
        let count = alive(|context| context.resident_blocks(function.address(), threads, shared_bytes))?;
        blocks.put(count)
    }

    fn cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        blocks: Out<i32>,
        function: Pointer,
        threads: i32,
        shared_bytes: usize,
        flags: u32,
    ) {
        let _ = flags;
        let count = alive(|context| context.resident_blocks(function.address(), threads, shared_bytes))?;
        blocks.put(count)
    }

    fn cudaOccupancyAvailableDynamicSMemPerBlock(
        shared_bytes: Out<usize>,
        function: Pointer,
        blocks: i32,
        threads: i32,
    ) {
        let _ = threads;
        let own = alive(|context| context.signature(function.address()))?.static_shared_bytes as usize;
        let each = crate::attributes::MULTIPROCESSOR_SHARED_BYTES as usize / blocks.max(1) as usize;
        shared_bytes.put(each.saturating_sub(own + 1024))
    }

    fn cudaOccupancyMaxPotentialClusterSize(
        blocks: Out<i32>,
        function: Pointer,
        config: In<LaunchConfig>,
    ) {
        let _ = config;
        let non_portable = alive(|context| Ok(context.kernel(function.address())?.non_portable_cluster))?;
        blocks.put(if non_portable { 16 } else { 8 })
    }

    fn cudaOccupancyMaxActiveClusters(
        clusters: Out<i32>,
        function: Pointer,
        config: In<LaunchConfig>,
    ) {
        let config = config.get()?;
        let threads = tma_launch::Dim3::from(config.block()).count();
        let shared_bytes = config.shared_bytes();
        let blocks = alive(|context| context.resident_blocks(function.address(), threads, shared_bytes))?;
        clusters.put(clusters_of(blocks, config.cluster()?))
    }

    fn cudaFuncGetName(name: Out<u64>, function: Pointer) {
        modules::name_of(&name, function)
    }

    fn cudaFuncGetParamInfo(function: Pointer, index: usize, offset: Out<usize>, bytes: Out<usize>) {
        modules::parameter(function, index, &offset, &bytes)
    }

    fn cudaLibraryLoadData(handle: Out<u64>, image: Image, keys: In<i32>, values: Pointer, count: u32) {
        modules::load_with(image, &handle, modules::Options { keys, values, count })
    }

    fn cudaLibraryLoadFromFile(handle: Out<u64>, path: Text) {
        modules::load_file(path, &handle)
    }

    fn cudaLibraryUnload(handle: Pointer) {
        alive(|context| context.remove_binary(handle.address()))
    }

    fn cudaLibraryGetKernelCount(count: Out<u32>, library: Pointer) {
        count.put(modules::kernels(library)?.len() as u32)
    }

    fn cudaLibraryEnumerateKernels(to: Pointer, most: u32, library: Pointer) {
        modules::write_kernels(to, most, library)
    }

    fn cudaLibraryGetKernel(handle: Out<u64>, library: Pointer, name: Text) {
        modules::kernel(&handle, library, name)
    }

    fn cudaLibraryGetGlobal(address: Out<u64>, bytes: Out<usize>, library: Pointer, name: Text) {
        modules::variable(library, name, &address, &bytes)
    }
}
