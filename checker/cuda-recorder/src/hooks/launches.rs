//! Launches of kernels and graphs, and stream captures.

use std::ffi::c_void;

use crate::{
    arguments::Arguments,
    driver::SUCCESS,
    hooks::hooks,
    host,
    launch::{Launch, launch},
    state,
};

/// `CUlaunchConfig`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct LaunchConfig {
    grid: [u32; 3],
    block: [u32; 3],
    shared_bytes: u32,
    stream: u64,
    attributes: *const LaunchAttribute,
    attribute_count: u32,
}

/// `CUlaunchAttribute`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct LaunchAttribute {
    id: u32,
    padding: u32,
    value: [u32; 16],
}

/// `CU_LAUNCH_ATTRIBUTE_COOPERATIVE`.
const COOPERATIVE: u32 = 2;
/// `CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION`.
const CLUSTER: u32 = 4;

impl LaunchConfig {
    /// # Safety
    /// 1. The attributes come from a program's call of `cuLaunchKernelEx`.
    unsafe fn launch(&self, function: u64) -> Launch {
        let mut launch = Launch {
            function,
            grid: self.grid,
            block: self.block,
            shared_bytes: self.shared_bytes,
            ..Launch::default()
        };
        for index in 0..self.attribute_count as usize {
            let attribute = self.attributes.wrapping_add(index);
            // SAFETY: there are this many attributes, or the pointer is null (1).
            let attribute = unsafe { host::value(attribute) };
            match attribute {
                Some(LaunchAttribute {
                    id: COOPERATIVE,
                    value: [is, ..],
                    ..
                }) => launch.is_cooperative = is != 0,
                Some(LaunchAttribute {
                    id: CLUSTER,
                    value: [x, y, z, ..],
                    ..
                }) if [x, y, z] != [1; 3] => {
                    launch.cluster = Some([x, y, z]);
                }
                _ => {}
            }
        }
        launch
    }
}

/// Counts the streams in capture.
fn capture(code: i32, step: fn(u64) -> u64) -> i32 {
    state::with(|state| state.captures = step(state.captures));
    code
}

hooks! {
    fn cuLaunchKernel, fn cuLaunchKernel_ptsz(
        function: u64,
        grid_x: u32, grid_y: u32, grid_z: u32,
        block_x: u32, block_y: u32, block_z: u32,
        shared_bytes: u32,
        stream: u64,
        list: *mut *mut c_void,
        extra: *mut *mut c_void,
    ) |real| {
        // SAFETY: the program passed these lists to this launch (1).
        let arguments = unsafe { Arguments::new(list, extra) };
        let grid = [grid_x, grid_y, grid_z];
        let block = [block_x, block_y, block_z];
        launch(Launch { function, grid, block, shared_bytes, ..Launch::default() }, &arguments, real)
    }

    fn cuLaunchCooperativeKernel, fn cuLaunchCooperativeKernel_ptsz(
        function: u64,
        grid_x: u32, grid_y: u32, grid_z: u32,
        block_x: u32, block_y: u32, block_z: u32,
        shared_bytes: u32,
        stream: u64,
        list: *mut *mut c_void,
    ) |real| {
        // SAFETY: the program passed these lists to this launch (1).
        let arguments = unsafe { Arguments::new(list, std::ptr::null_mut()) };
        let grid = [grid_x, grid_y, grid_z];
        let block = [block_x, block_y, block_z];
        let is_cooperative = true;
        launch(Launch { function, grid, block, shared_bytes, is_cooperative, ..Launch::default() }, &arguments, real)
    }

    fn cuLaunchKernelEx, fn cuLaunchKernelEx_ptsz(
        config: *const LaunchConfig,
        function: u64,
        list: *mut *mut c_void,
        extra: *mut *mut c_void,
    ) |real| {
        // SAFETY: the program passed this pointer, which is valid or null (1).
        let Some(config) = (unsafe { host::value(config) }) else {
            return real();
        };
        // SAFETY: the program passed the attributes of this configuration (1).
        let asked = unsafe { config.launch(function) };
        // SAFETY: the program passed these lists to this launch (1).
        let arguments = unsafe { Arguments::new(list, extra) };
        launch(asked, &arguments, real)
    }

    fn cuGraphLaunch, fn cuGraphLaunch_ptsz(graph: u64, stream: u64) |real| {
        state::with(|state| state.skip("a graph", "kernels of a graph are not recorded".to_owned()));
        real()
    }

    fn cuStreamBeginCapture_v2, fn cuStreamBeginCapture_v2_ptsz(stream: u64, mode: u32) |real| {
        match real() {
            SUCCESS => capture(SUCCESS, |captures| captures + 1),
            code => code,
        }
    }

    fn cuStreamBeginCaptureToGraph, fn cuStreamBeginCaptureToGraph_ptsz(
        stream: u64, graph: u64, dependencies: *const u64, data: *const c_void, count: usize, mode: u32,
    ) |real| {
        match real() {
            SUCCESS => capture(SUCCESS, |captures| captures + 1),
            code => code,
        }
    }

    fn cuStreamEndCapture, fn cuStreamEndCapture_ptsz(stream: u64, graph: *mut u64) |real| {
        capture(real(), |captures| captures.saturating_sub(1))
    }
}
