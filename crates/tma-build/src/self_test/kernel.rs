#![no_std]
#![feature(abi_ptx, asm_experimental_arch, stdarch_nvptx)]

use core::arch::{asm, global_asm, nvptx};

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    unsafe { nvptx::trap() }
}

global_asm!(".pragma \"tma self-test\";");

#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub struct Bytes([u64; 16]);

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn self_test(data: *mut u32, _map: Bytes) {
    unsafe {
        let first = nvptx::_thread_idx_x() == 0;
        if first {
            *data += 1;
        }
        nvptx::_syncthreads();
        if first {
            *data += 1;
        }
        asm!("cp.async.bulk.commit_group;");
    }
}
