//! Occupancy.

use std::ffi::c_int;

use cust_raw::{CUfunction, CUoccupancyB2DSize};

use crate::forward::forward;

forward! {
    fn cuOccupancyAvailableDynamicSMemPerBlock(dynamicSmemSize: *mut usize, func: CUfunction, numBlocks: c_int, blockSize: c_int);
    fn cuOccupancyMaxActiveBlocksPerMultiprocessor(numBlocks: *mut c_int, func: CUfunction, blockSize: c_int, dynamicSMemSize: usize);
    fn cuOccupancyMaxPotentialBlockSize(
        minGridSize: *mut c_int, blockSize: *mut c_int, func: CUfunction,
        blockSizeToDynamicSMemSize: CUoccupancyB2DSize, dynamicSMemSize: usize, blockSizeLimit: c_int,
    );
}
