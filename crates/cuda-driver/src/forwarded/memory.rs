//! Memory management: allocations, arrays, unified memory.

use std::ffi::{c_uint, c_void};

use cust_raw::{CUDA_ARRAY3D_DESCRIPTOR, CUarray, CUdevice, CUdeviceptr, CUmem_advise, CUstream};

use crate::forward::forward;

forward! {
    fn cuMemAlloc_v2(dptr: *mut CUdeviceptr, bytesize: usize);
    fn cuMemAllocHost_v2(pp: *mut *mut c_void, bytesize: usize);
    fn cuMemAllocManaged(dptr: *mut CUdeviceptr, bytesize: usize, flags: c_uint);
    fn cuMemFree_v2(dptr: CUdeviceptr);
    fn cuMemFreeHost(p: *mut c_void);
    fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize);

    fn cuMemAllocAsync(dptr: *mut CUdeviceptr, bytesize: usize, hStream: CUstream);
    fn cuMemFreeAsync(dptr: CUdeviceptr, hStream: CUstream);

    fn cuArray3DCreate_v2(pHandle: *mut CUarray, pAllocateArray: *const CUDA_ARRAY3D_DESCRIPTOR);
    fn cuArray3DGetDescriptor_v2(pArrayDescriptor: *mut CUDA_ARRAY3D_DESCRIPTOR, hArray: CUarray);
    fn cuArrayDestroy(hArray: CUarray);

    fn cuMemAdvise(devPtr: CUdeviceptr, count: usize, advice: CUmem_advise, device: CUdevice);
    fn cuMemPrefetchAsync(devPtr: CUdeviceptr, count: usize, dstDevice: CUdevice, hStream: CUstream);
}
