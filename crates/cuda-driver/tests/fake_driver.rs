//! Calls arrive at the driver with their arguments, and its answers come back: with a driver made for
//! the purpose, `fake_driver.c`.
#![cfg(target_os = "linux")]

mod support;

use std::{
    ffi::{CStr, c_void},
    path::{Path, PathBuf},
    process::Command,
    ptr,
};

use cuda_driver::{
    DriverError, Origin, Status, Version,
    device::{self, DeviceAttribute},
    driver_version, forwarded,
    function::{self, FunctionAttribute},
    launch::{self, LaunchAttribute, LaunchConfig},
    module::{self, JitLog, JitOption, LoadError},
    peer, status,
    sys::{CUfunction, CUstream},
    tensor_map::{self, Pixels, Tensor, TensorMap},
};
use cust::{
    error::CudaError,
    sys::{self, CUresult},
};

/// The fake driver, in a folder that is removed when this is dropped.
struct Fake {
    _folder: tempfile::TempDir,
    library: PathBuf,
}

impl AsRef<Path> for Fake {
    fn as_ref(&self) -> &Path {
        &self.library
    }
}

/// Compiles the fake driver. `cc` is what `rustc` links this test with, so a machine that runs the
/// test has it; one that does not fails here.
fn fake() -> Fake {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let library = folder.path().join("libfake.so");
    let output = Command::new("cc")
        .args(["-std=c11", "-Wall", "-Werror", "-shared", "-fPIC", "-o"])
        .arg(&library)
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fake_driver.c"))
        .output()
        .expect("this test needs a C compiler named `cc`");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    Fake {
        _folder: folder,
        library,
    }
}

const FUNCTION: CUfunction = ptr::without_provenance_mut(16);
const STREAM: CUstream = ptr::without_provenance_mut(32);

fn failed(function: &'static str, code: i32, origin: Origin) -> DriverError {
    DriverError {
        function,
        code,
        origin,
    }
}

#[test]
fn the_named_library_is_loaded() {
    support::with_driver("the_named_library_is_loaded", fake, || {
        let Status::Loaded { path } = status() else {
            panic!("{}", status());
        };
        assert!(path.ends_with("libfake.so"));
        let expected = Version {
            major: 12,
            minor: 8,
        };
        assert_eq!(driver_version(), Ok(expected));
        assert_eq!(expected.to_string(), "12.8");
    });
}

#[test]
fn forwarded_calls_arrive() {
    support::with_driver("forwarded_calls_arrive", fake, || {
        let mut parameter = 42_i32;
        let mut parameters = [(&raw mut parameter).cast::<c_void>()];
        let extra = ptr::null_mut();
        let fill = |address| {
            // SAFETY: the fake driver does not follow the address.
            unsafe { sys::cuMemsetD16_v2(address, 0xbeef, 0x11_2233_4455) }
        };
        // SAFETY: the call has no pointer.
        assert_eq!(unsafe { sys::cuInit(0) }, CUresult::CUDA_SUCCESS);
        assert_eq!(fill(0x1234_5678_9abc), CUresult::CUDA_SUCCESS);
        assert_eq!(
            fill(0x1234_5678_9abd),
            CUresult::CUDA_ERROR_MISALIGNED_ADDRESS
        );
        let array = parameters.as_mut_ptr();
        // SAFETY: the fake driver follows no pointer but `parameters[0]`.
        let launched = unsafe {
            sys::cuLaunchKernel(
                FUNCTION.cast(),
                1,
                2,
                3,
                4,
                5,
                6,
                7,
                STREAM.cast(),
                array,
                extra,
            )
        };
        assert_eq!(launched, CUresult::CUDA_SUCCESS);
        // SAFETY: the call has no pointer.
        let initialised = unsafe { forwarded::cuInit(718) };
        assert_eq!(initialised, CUresult::CUDA_ERROR_INVALID_PC);
        assert_eq!(cust::init(cust::CudaFlags::empty()), Ok(()));
        // A code later than CUDA 11.4.
        // SAFETY: any flags will do for the fake driver.
        let result = unsafe { sys::cuInit(912) };
        assert_eq!(result, CUresult::CUDA_ERROR_UNKNOWN);
    });
}

#[test]
fn missing_symbols_are_not_found() {
    support::with_driver("missing_symbols_are_not_found", fake, || {
        // SAFETY: the fake driver lacks the function.
        let result = unsafe { sys::cuCtxSynchronize() };
        assert_eq!(result, CUresult::CUDA_ERROR_NOT_FOUND);
        let result = cust::context::CurrentContext::synchronize();
        assert_eq!(result, Err(CudaError::NotFound));

        let (function, origin) = ("cuTensorMapEncodeIm2colWide", Origin::NoFunction);
        // SAFETY: the arrays are as long as the rank.
        let result = unsafe { tensor_map::encode_im2col_wide(&tensor(), &pixels(-1, -2), 0) };
        let error = result.expect_err("the fake driver lacks the function");
        assert_eq!(error, failed(function, 500, origin));
        assert_eq!(
            error.to_string(),
            "cuTensorMapEncodeIm2colWide: CUDA_ERROR_NOT_FOUND (500): \
             the loaded CUDA driver has no such function"
        );
    });
}

#[test]
fn the_driver_names_its_errors() {
    support::with_driver("the_driver_names_its_errors", fake, || {
        assert_eq!(cuda_driver::name(912), "NAME_OF_THE_FAKE_DRIVER");
        assert_eq!(cuda_driver::sentence(912), "sentence of the fake driver");
        // Where the driver knows no name, this crate may.
        assert_eq!(cuda_driver::name(700), "CUDA_ERROR_ILLEGAL_ADDRESS");
        assert_eq!(cuda_driver::sentence(34), "CUDA driver is a stub library");

        let text = CudaError::InvalidValue.to_string();
        assert!(text.contains("sentence of the fake driver"), "{text}");
        let mut name = ptr::null();
        // SAFETY: `name` is valid for a write.
        let result = unsafe { sys::cuGetErrorName(CUresult::CUDA_ERROR_INVALID_VALUE, &mut name) };
        assert_eq!(result, CUresult::CUDA_SUCCESS);
        // SAFETY: the fake driver has written the address of a constant.
        let name = unsafe { CStr::from_ptr(name) };
        assert_eq!(name, c"NAME_OF_THE_FAKE_DRIVER");
    });
}

#[test]
fn devices_and_functions_have_attributes() {
    support::with_driver("devices_and_functions_have_attributes", fake, || {
        let set = |bytes| {
            let attribute = FunctionAttribute::MAX_DYNAMIC_SHARED_SIZE_BYTES;
            // SAFETY: the fake driver does not follow the handle.
            unsafe { function::set_attribute(FUNCTION, attribute, bytes) }
        };
        assert_eq!(set(232_448), Ok(()));
        let refused = failed("cuFuncSetAttribute", 1, Origin::Driver);
        assert_eq!(set(232_449), Err(refused));
        assert_eq!(
            refused.to_string(),
            "cuFuncSetAttribute: NAME_OF_THE_FAKE_DRIVER (1): sentence of the fake driver"
        );
        // SAFETY: the fake driver does not follow the handle.
        let registers = unsafe { function::get_attribute(FUNCTION, FunctionAttribute::NUM_REGS) };
        assert_eq!(registers, Ok(104));
        let attribute = DeviceAttribute::TENSOR_MAP_ACCESS_SUPPORTED;
        // SAFETY: the fake driver knows any device.
        let maps = unsafe { device::get_attribute(3, attribute) };
        assert_eq!(maps, Ok(3127));
        // SAFETY: the fake driver knows any device.
        let uuid = unsafe { device::get_uuid(3) };
        assert_eq!(uuid, Ok(std::array::from_fn(|index| 3 + index as u8)));
    });
}

#[test]
fn launches_carry_their_attributes() {
    support::with_driver("launches_carry_their_attributes", fake, || {
        let mut parameter = 42_i32;
        let parameters = &mut [(&raw mut parameter).cast::<c_void>()];
        let attributes = &mut [
            LaunchAttribute::cluster_dimension([8, 9, 10]),
            LaunchAttribute::programmatic_stream_serialization(true),
        ];
        let config = LaunchConfig::new([1, 2, 3], [4, 5, 6], 7, STREAM, attributes);
        let bare = LaunchConfig::new([1, 2, 3], [4, 5, 6], 7, STREAM, &mut []);
        let mut launched = |config| {
            // SAFETY: the fake driver follows no pointer but the configuration and `parameters[0]`.
            unsafe { launch::launch_kernel_ex(config, FUNCTION, parameters) }
        };
        assert_eq!(launched(&config), Ok(()));
        let error = failed("cuLaunchKernelEx", 912, Origin::Driver);
        assert_eq!(launched(&bare), Err(error));
        // SAFETY: the fake driver follows no pointer but the configuration.
        let clusters = unsafe { launch::occupancy_max_active_clusters(FUNCTION, &config) };
        assert_eq!(clusters, Ok(66));
    });
}

#[test]
fn modules_load_with_their_logs() {
    support::with_driver("modules_load_with_their_logs", fake, || {
        let load = |image: &CStr| {
            let options = [(JitOption::LOG_VERBOSE, 1)];
            // SAFETY: the image ends with a zero byte, and the option takes a number.
            unsafe { module::load_data_ex(image.as_ptr().cast(), 8, &options) }
        };
        let loaded = load(c"good").expect("the fake driver loads this");
        assert_eq!(loaded.module.addr(), 64);
        let (info, error) = (String::from("iiii"), String::new());
        assert_eq!(loaded.log, JitLog { info, error });

        // The error log fills its buffer and has no zero byte.
        let (info, error) = (String::from("iiii"), String::from("eeeeeeee"));
        let expected = LoadError {
            error: failed("cuModuleLoadDataEx", 218, Origin::Driver),
            log: JitLog { info, error },
        };
        let refused = load(c"bad").expect_err("the fake driver refuses this");
        assert_eq!(refused, expected);
        assert!(
            refused
                .to_string()
                .ends_with("a PTX JIT compilation failed\neeeeeeee")
        );
    });
}

fn tensor() -> Tensor<'static> {
    Tensor {
        data_type: 6,
        rank: 3,
        global_address: ptr::without_provenance_mut(0x7000_1122_3340),
        global_dim_elems: &[0x1_0000_0000, 65, 66],
        global_strides_bytes: &[0x2_0000_0000, 80],
        element_strides: &[1, 2, 3],
        interleave: 1,
        swizzle: 3,
        l2_promotion: 2,
        oob_fill: 1,
    }
}

fn pixels<Corner>(lower_corner: Corner, upper_corner: Corner) -> Pixels<Corner> {
    Pixels {
        lower_corner,
        upper_corner,
        channels_per_pixel: 64,
        pixels_per_column: 128,
    }
}

/// The map that the fake encoders write: 32-bit words, the wide ones in two halves.
fn map(words: &[u32]) -> TensorMap {
    let mut map = TensorMap::ZERO;
    for (to, word) in map.bytes.chunks_exact_mut(4).zip(words) {
        to.copy_from_slice(&word.to_ne_bytes());
    }
    map
}

#[test]
fn peers_are_asked_for_in_their_order() {
    support::with_driver("peers_are_asked_for_in_their_order", fake, || {
        for (device, other, expected) in [(1, 2, true), (2, 1, false)] {
            // SAFETY: the fake driver takes any device.
            let can = unsafe { peer::can_access(device, other) };
            // SAFETY: the fake driver takes any device.
            let has = unsafe { peer::has_atomics(device, other) };
            assert_eq!((can, has), (Ok(expected), Ok(expected)));
        }
        // The second call finds it loaded already.
        for _ in 0..2 {
            // SAFETY: the fake driver does not follow the context.
            let enabled = unsafe { peer::enable_access(ptr::without_provenance_mut(48)) };
            assert_eq!(enabled, Ok(()));
        }
        // SAFETY: the fake driver does not follow the context.
        let refused = unsafe { peer::enable_access(ptr::without_provenance_mut(64)) };
        let error = failed("cuCtxEnablePeerAccess", 217, Origin::Driver);
        assert_eq!(refused, Err(error));
    });
}

#[cfg(target_endian = "little")]
#[test]
fn tensor_maps_are_encoded() {
    support::with_driver("tensor_maps_are_encoded", fake, || {
        let head = [6, 3, 0x1122_3340, 0x7000, 0, 1, 65, 0, 66, 0, 0, 2, 80, 0];
        let tail = [1, 2, 3, 1, 3, 2, 1];

        // SAFETY: the arrays are as long as the rank.
        let tiled = unsafe { tensor_map::encode_tiled(&tensor(), &[16, 17, 18]) };
        let expected = map(&[&head[..], &[16, 17, 18], &tail[..]].concat());
        assert_eq!(tiled, Ok(expected));

        let corners = pixels(&[-1][..], &[-2][..]);
        // SAFETY: the arrays are as long as the rank.
        let im2col = unsafe { tensor_map::encode_im2col(&tensor(), &corners) };
        let minus = |value: i32| value.cast_unsigned();
        let middle = [minus(-1), minus(-2), 64, 128];
        assert_eq!(im2col, Ok(map(&[&head[..], &middle, &tail[..]].concat())));

        let mut moved = expected;
        // SAFETY: the fake encoder made the map.
        let result =
            unsafe { tensor_map::replace_address(&mut moved, ptr::without_provenance_mut(0x80)) };
        assert_eq!(result, Ok(()));
        let mut words = [&head[..], &[16, 17, 18], &tail[..]].concat();
        words[2..4].copy_from_slice(&[0x80, 0]);
        assert_eq!(moved, map(&words));

        let mut flat = tensor();
        flat.rank = 2;
        // SAFETY: the arrays are longer than the rank.
        let refused = unsafe { tensor_map::encode_tiled(&flat, &[16, 17, 18]) };
        let error = failed("cuTensorMapEncodeTiled", 1, Origin::Driver);
        assert_eq!(refused, Err(error));
    });
}
