//! The real driver, and the functions of it that this library calls.

use std::{
    ffi::{CStr, CString, c_char, c_void},
    os::unix::ffi::OsStrExt,
    path::Path,
    ptr,
    sync::{
        OnceLock,
        atomic::{AtomicPtr, Ordering},
    },
};

use crate::{host, options::Options};

/// `CUDA_SUCCESS`.
pub(crate) const SUCCESS: i32 = 0;
/// `CUDA_ERROR_NOT_FOUND`, the code for functions missing from the driver.
pub(crate) const NOT_FOUND: i32 = 500;

/// A driver function by name, looked up on first use.
#[derive(Debug)]
pub(crate) struct Slot {
    name: &'static CStr,
    found: AtomicPtr<c_void>,
}

impl Slot {
    pub(crate) const fn new(name: &'static CStr) -> Self {
        Self {
            name,
            found: AtomicPtr::new(ptr::null_mut()),
        }
    }

    /// Returns the driver's function; null if it has none.
    pub(crate) fn get(&self) -> *mut c_void {
        let found = self.found.load(Ordering::Relaxed);
        if !found.is_null() {
            return found;
        }
        let found = symbol(self.name);
        self.found.store(found, Ordering::Relaxed);
        found
    }

    /// Sets the function to one returned by the driver itself.
    pub(crate) fn set(&self, function: *mut c_void) {
        self.found.store(function, Ordering::Relaxed);
    }

    pub(crate) fn name(&self) -> &'static str {
        self.name.to_str().unwrap_or_default()
    }
}

fn symbol(name: &CStr) -> *mut c_void {
    static LIBRARY: OnceLock<usize> = OnceLock::new();
    let library = *LIBRARY.get_or_init(|| {
        let opened = Options::read().map(|options| open(&options.driver, libc::RTLD_LAZY));
        let opened = opened.filter(|library| !library.is_null());
        // Otherwise the driver is the next library in the loader's order.
        opened.unwrap_or(libc::RTLD_NEXT) as usize
    });
    // SAFETY: the library is never closed, and the name ends with a zero byte.
    unsafe { libc::dlsym(library as *mut c_void, name.as_ptr()) }
}

fn open(path: &Path, flags: i32) -> *mut c_void {
    let Ok(path) = CString::new(path.as_os_str().as_bytes()) else {
        return ptr::null_mut();
    };
    // SAFETY: the path ends with a zero byte, and the driver's initialisers are safe in every program.
    unsafe { libc::dlopen(path.as_ptr(), flags) }
}

/// Prevents unloading of this library, since its thread and its exit handler remain.
pub(crate) fn keep() {
    let mut here = std::mem::MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: the address belongs to a function of this library, and the struct is writable.
    let found = unsafe { libc::dladdr(keep as *const c_void, here.as_mut_ptr()) };
    if found == 0 {
        return;
    }
    // SAFETY: the successful call above has written the value.
    let here = unsafe { here.assume_init() };
    // SAFETY: the name is a zero-terminated text owned by the loader.
    if let Some(path) = unsafe { host::text(here.dli_fname) } {
        open(
            Path::new(&path),
            libc::RTLD_LAZY | libc::RTLD_NOLOAD | libc::RTLD_NODELETE,
        );
    }
}

/// Calls a function of the driver; a missing one returns `CUDA_ERROR_NOT_FOUND`. The macro's callers justify the
/// types of the function and its arguments.
macro_rules! call {
    ($name:literal ($($argument:expr => $ty:ty),*)) => {{
        type Function = unsafe extern "C" fn($($ty),*) -> i32;
        static SLOT: Slot = Slot::new($name);
        let found = SLOT.get();
        if found.is_null() {
            NOT_FOUND
        } else {
            // SAFETY: the name of a driver's function fixes its type.
            let function = unsafe { std::mem::transmute::<*mut c_void, Function>(found) };
            // SAFETY: pointers refer to values of this function with the size and type that the driver's
            // documentation requires, and handles came from the driver.
            unsafe { function($($argument),*) }
        }
    }};
}

/// Waits for all work of the current context.
pub(crate) fn synchronise() -> i32 {
    call!(c"cuCtxSynchronize"())
}

/// Copies device memory; returns an error if it cannot be read.
pub(crate) fn read(address: u64, bytes: &mut [u8]) -> i32 {
    if bytes.is_empty() {
        return SUCCESS;
    }
    call!(c"cuMemcpyDtoH_v2"(bytes.as_mut_ptr() => *mut u8, address => u64, bytes.len() => usize))
}

/// Pins memory that is never freed; if the driver refuses, copies are slower.
pub(crate) fn pin(memory: &'static mut [u8]) -> *mut u8 {
    let (start, bytes) = (memory.as_mut_ptr(), memory.len());
    /// `CU_MEMHOSTREGISTER_PORTABLE`: for all contexts.
    const PORTABLE: u32 = 1;
    let _ = call!(c"cuMemHostRegister_v2"(start => *mut u8, bytes => usize, PORTABLE => u32));
    start
}

/// The default stream.
const STREAM: u64 = 0;

/// Starts a copy of device memory, which has finished when an event recorded afterwards has.
///
/// # Safety
/// 1. `to` has `bytes` bytes, which are not used otherwise until then.
pub(crate) unsafe fn read_later(address: u64, to: *mut u8, bytes: usize) -> i32 {
    call!(c"cuMemcpyDtoHAsync_v2"(to => *mut u8, address => u64, bytes => usize, STREAM => u64))
}

/// A point in the default stream.
#[derive(Debug)]
pub(crate) struct Event(u64);

impl Event {
    pub(crate) fn new() -> Result<Self, i32> {
        /// `CU_EVENT_DISABLE_TIMING`.
        const WITHOUT_TIME: u32 = 2;
        let mut event = 0;
        match call!(c"cuEventCreate"(&raw mut event => *mut u64, WITHOUT_TIME => u32)) {
            SUCCESS => Ok(Self(event)),
            code => Err(code),
        }
    }

    pub(crate) fn record(&self) -> i32 {
        call!(c"cuEventRecord"(self.0 => u64, STREAM => u64))
    }

    pub(crate) fn wait(&self) -> i32 {
        call!(c"cuEventSynchronize"(self.0 => u64))
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        call!(c"cuEventDestroy_v2"(self.0 => u64));
    }
}

/// `CUDA_ARRAY3D_DESCRIPTOR`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Array {
    /// Width, height, and depth or layers; 0 where there is no such dimension.
    pub(crate) extents: [usize; 3],
    pub(crate) format: u32,
    pub(crate) channels: u32,
    pub(crate) flags: u32,
}

impl Array {
    /// Returns the bytes of a row; an error if the format does not consist of whole channels.
    fn row_bytes(&self) -> Result<usize, String> {
        // `CUarray_format`
        let channel_bytes = match self.format {
            0x01 | 0x08 => 1,
            0x02 | 0x09 | 0x10 => 2,
            0x03 | 0x0a | 0x20 => 4,
            other => {
                return Err(format!(
                    "one of its arrays has the unsupported format {other:#x}"
                ));
            }
        };
        Ok(self.extents[0] * self.channels as usize * channel_bytes)
    }

    /// Returns the bytes of all rows.
    pub(crate) fn bytes(&self) -> Result<u64, String> {
        let [_, height, depth] = self.extents.map(|extent| extent.max(1) as u64);
        Ok(self.row_bytes()? as u64 * height * depth)
    }
}

/// Returns the description of an array.
pub(crate) fn array(array: u64) -> Result<Array, String> {
    let mut found = Array::default();
    match call!(c"cuArray3DGetDescriptor_v2"(&raw mut found => *mut Array, array => u64)) {
        SUCCESS => Ok(found),
        code => Err(format!("its array is unknown: error {code}")),
    }
}

/// One side of `CUDA_MEMCPY3D`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Layers {
    x_bytes: usize,
    y: usize,
    z: usize,
    level: usize,
    kind: u32,
    host: usize,
    device: u64,
    array: u64,
    reserved: u64,
    pitch: usize,
    height: usize,
}

/// `CUDA_MEMCPY3D`.
#[repr(C)]
struct Copy3d {
    from: Layers,
    to: Layers,
    width_bytes: usize,
    height: usize,
    depth: usize,
}

/// Copies all rows of an array to memory of their size.
pub(crate) fn read_array(handle: u64, array: &Array, to: &mut [u8]) -> i32 {
    // `CUmemorytype`
    const HOST: u32 = 1;
    const ARRAY: u32 = 3;
    let (Ok(width_bytes), Ok(bytes)) = (array.row_bytes(), array.bytes()) else {
        return NOT_FOUND;
    };
    if bytes > to.len() as u64 {
        return NOT_FOUND;
    }
    let [_, height, depth] = array.extents.map(|extent| extent.max(1));
    let copy = Copy3d {
        from: Layers {
            kind: ARRAY,
            array: handle,
            ..Layers::default()
        },
        to: Layers {
            kind: HOST,
            host: to.as_mut_ptr() as usize,
            pitch: width_bytes,
            height,
            ..Layers::default()
        },
        width_bytes,
        height,
        depth,
    };
    call!(c"cuMemcpy3D_v2"(&raw const copy => *const Copy3d))
}

/// Returns start and size of the allocation that contains an address.
pub(crate) fn allocation(address: u64) -> Option<(u64, u64)> {
    let (mut start, mut bytes) = (0, 0);
    let code = call!(c"cuMemGetAddressRange_v2"(
        &raw mut start => *mut u64, &raw mut bytes => *mut u64, address => u64
    ));
    (code == SUCCESS && start <= address).then_some((start, bytes))
}

/// Returns address and size of a variable of a module.
pub(crate) fn module_variable(module: u64, name: &str) -> Option<(u64, u64)> {
    variable(name, |address, bytes, name| {
        call!(c"cuModuleGetGlobal_v2"(
            address => *mut u64, bytes => *mut u64, module => u64, name => *const c_char
        ))
    })
}

/// Returns address and size of a variable of a library.
pub(crate) fn library_variable(library: u64, name: &str) -> Option<(u64, u64)> {
    let global = variable(name, |address, bytes, name| {
        call!(c"cuLibraryGetGlobal"(
            address => *mut u64, bytes => *mut u64, library => u64, name => *const c_char
        ))
    });
    global.or_else(|| {
        variable(name, |address, bytes, name| {
            call!(c"cuLibraryGetManaged"(
                address => *mut u64, bytes => *mut u64, library => u64, name => *const c_char
            ))
        })
    })
}

fn variable(
    name: &str,
    get: impl FnOnce(*mut u64, *mut u64, *const c_char) -> i32,
) -> Option<(u64, u64)> {
    let name = CString::new(name).ok()?;
    let (mut address, mut bytes) = (0, 0);
    let code = get(&raw mut address, &raw mut bytes, name.as_ptr());
    (code == SUCCESS).then_some((address, bytes))
}

/// Returns the module of a function and its name.
pub(crate) fn function(function: u64) -> Option<(u64, String)> {
    let (mut module, mut name) = (0, ptr::null());
    let mut code = call!(c"cuFuncGetModule"(&raw mut module => *mut u64, function => u64));
    if code == SUCCESS {
        code = call!(c"cuFuncGetName"(&raw mut name => *mut *const c_char, function => u64));
    }
    // SAFETY: the driver wrote a text that lives as long as the module, or the pointer is null.
    let name = unsafe { host::text(name) };
    name.filter(|_| code == SUCCESS).map(|name| (module, name))
}

/// Returns the library of a kernel and its name.
pub(crate) fn kernel(kernel: u64) -> Option<(u64, String)> {
    let (mut library, mut name) = (0, ptr::null());
    let mut code = call!(c"cuKernelGetLibrary"(&raw mut library => *mut u64, kernel => u64));
    if code == SUCCESS {
        code = call!(c"cuKernelGetName"(&raw mut name => *mut *const c_char, kernel => u64));
    }
    // SAFETY: the driver wrote a text that lives as long as the library, or the pointer is null.
    let name = unsafe { host::text(name) };
    name.filter(|_| code == SUCCESS).map(|name| (library, name))
}

/// Returns the name of the current device.
pub(crate) fn device_name() -> String {
    let mut device = 0;
    let mut name = [0_u8; 256];
    let mut code = call!(c"cuCtxGetDevice"(&raw mut device => *mut i32));
    if code == SUCCESS {
        code = call!(c"cuDeviceGetName"(name.as_mut_ptr() => *mut u8, 256 => i32, device => i32));
    }
    let text = CStr::from_bytes_until_nul(&name).unwrap_or_default();
    match code {
        SUCCESS => text.to_string_lossy().into_owned(),
        _ => String::new(),
    }
}

/// Returns the CUDA version of the driver.
pub(crate) fn version() -> i32 {
    let mut version = 0;
    // An unknown version stays 0.
    let _ = call!(c"cuDriverGetVersion"(&raw mut version => *mut i32));
    version
}
