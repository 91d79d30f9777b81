//! Tests that need a GPU. Without one they are listed as ignored, and fail if `TMA_DEVICE` requests one.

mod support;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};
use support::matrix::{PTX, matrix};
use tensor_map::{DataType, Swizzle, TensorMap};
use tma_host::{Device, DeviceChoice, EncodeError, encode, encode_with_driver};

type Result = std::result::Result<(), Box<dyn std::error::Error>>;

/// A test and its name.
type Test = (&'static str, fn() -> Result);

const TESTS: &[Test] = &[
    (
        "what_the_driver_refuses_is_explained",
        what_the_driver_refuses_is_explained,
    ),
    (
        "the_driver_says_what_a_kernel_uses",
        the_driver_says_what_a_kernel_uses,
    ),
    ("our_map_is_the_drivers", our_map_is_the_drivers),
    #[cfg(feature = "cust")]
    (
        "objects_of_cust_go_in_and_out",
        objects_of_cust_go_in_and_out,
    ),
];

fn main() -> ExitCode {
    let is_absent = Device::gpu().is_err_and(|error| error.is_absent());
    let is_asked_for = DeviceChoice::from_env() == Ok(DeviceChoice::Gpu);
    let trial = |(name, test): &Test| {
        let test = *test;
        Trial::test(*name, move || Ok(test()?)).with_ignored_flag(is_absent && !is_asked_for)
    };
    libtest_mimic::run(&Arguments::from_args(), TESTS.iter().map(trial).collect()).exit_code()
}

fn what_the_driver_refuses_is_explained() -> Result {
    let gpu = Device::gpu()?;
    let load = |text: &str| gpu.load(PTX.name, text).map(drop).unwrap_err().to_string();

    let text = load(
        &PTX.text
            .replace("mul.f32 %f1, %f1, %f0", "mul.f32 %f1, %f1, %nothing"),
    );
    assert!(
        text.starts_with("load: the driver refuses kernels.ptx (CUDA_ERROR_INVALID_PTX)"),
        "{text}"
    );
    assert!(text.contains("%nothing"), "{text}");

    let text = load(&PTX.text.replace(".version 8.0", ".version 99.0"));
    assert!(
        text.contains("(CUDA_ERROR_UNSUPPORTED_PTX_VERSION): it is PTX 99.0"),
        "{text}"
    );

    let other = if gpu.arch() == "sm_90a" {
        "sm_100a"
    } else {
        "sm_90a"
    };
    let newest = PTX.text.replace(".version 8.0", ".version 8.6");
    let text = load(&newest.replace(".target sm_90", &format!(".target {other}")));
    let hint = format!(
        "it is for {other}, but this GPU is {0}; build it for {0}",
        gpu.arch()
    );
    assert!(text.contains(&hint), "{text}");

    let (elements, tiled) = matrix();
    let buffer = gpu.upload(&elements)?;
    let bad = tiled.box_dims(&[16, 257]).swizzle(Swizzle::B32);
    let text = buffer.tensor_map(bad).unwrap_err().to_string();
    assert_eq!(
        text,
        "parameters of the tiled tensor map break 2 rules:
  box_dims[1] = 257: must be 1 to 256 elements; use 256 [box-range]
  box_dims[0] = 16: row of 64 bytes must fit the swizzle span of 32; use 8 [box-row-span]"
    );
    Ok(())
}

fn the_driver_says_what_a_kernel_uses() -> Result {
    let gpu = Device::gpu()?;
    assert!(gpu.properties().is_some());
    let module = gpu.load(PTX.name, PTX.text)?;
    let tile = module.function("tile")?;
    let resources = tile.resources()?;
    assert!(
        resources.registers > 0 && resources.shared_bytes >= 1032,
        "{resources:?}"
    );
    assert!(tile.blocks_per_multiprocessor(&(1, 256).into())? > 1);
    Ok(())
}

fn our_map_is_the_drivers() -> Result {
    let gpu = Device::gpu()?;
    let tiled = TensorMap::tiled_outermost_first(DataType::F16, &[94, 162, 32])
        .box_dims_outermost_first(&[2, 2, 32])
        .swizzle(Swizzle::B64);
    let address = 0x7f00_0000_0000;
    assert_eq!(
        encode(&gpu, tiled, address)?,
        encode_with_driver(&gpu, tiled, address)?
    );
    let refused = encode_with_driver(&gpu, tiled.box_dims(&[3, 1, 1]), address).unwrap_err();
    assert!(matches!(refused, EncodeError::Driver { .. }), "{refused}");
    Ok(())
}

#[cfg(feature = "cust")]
fn objects_of_cust_go_in_and_out() -> Result {
    use cust::{
        memory::{CopyDestination, DeviceBuffer},
        stream::{Stream as CustStream, StreamFlags},
    };
    use tma_host::{Buffer, Shape, Stream};

    let gpu = Device::from_cust(cust::quick_init()?)?;
    assert!(gpu.cust_context().is_some());
    let numbers: Vec<f32> = (0..1000_u16).map(f32::from).collect();
    let buffer = DeviceBuffer::from_slice(&numbers)?;
    // SAFETY: the copy into the buffer has ended (1).
    let buffer = unsafe { Buffer::from_cust(&gpu, buffer) }?;
    assert_eq!(buffer.read()?, numbers);
    // SAFETY: the stream was just created in the context that is current, without callbacks (1).
    let stream = unsafe { Stream::from_cust(&gpu, CustStream::new(StreamFlags::DEFAULT, None)?) }?;
    let module = gpu.load(PTX.name, PTX.text)?;
    let scale = module.function("scale")?;
    // SAFETY: `scale` takes an address, a length and a number, and accesses that many elements (1, 2); the buffer lives
    // until it is read (3), and nothing else uses it (4).
    unsafe { scale.launch_on(&stream, Shape::new(4, 256), (&buffer, 999_u32, 2.0_f32)) }?;
    stream.synchronise()?;
    let buffer = buffer.into_cust().map_err(|_| "the buffer is shared")?;
    let mut scaled = vec![0.0_f32; 1000];
    buffer.copy_to(&mut scaled)?;
    let expected = numbers.iter().enumerate();
    let expected: Vec<f32> = expected
        .map(|(index, number)| if index < 999 { number * 2.0 } else { *number })
        .collect();
    assert_eq!(scaled, expected);
    let empty = DeviceBuffer::<f32>::from_slice(&[])?;
    // SAFETY: no work uses an empty buffer (1).
    let empty = unsafe { Buffer::from_cust(&gpu, empty) }?;
    assert_eq!(empty.read()?, [0.0; 0]);
    // SAFETY: no callback is added (1), and no work (2).
    assert!(unsafe { stream.as_cust() }.is_some());
    Ok(())
}
