//! `#[kernel]` makes typed launches of a kernel on the host.

use tma::{KernelArg, TensorMap, kernel};
use tma_launch::{Argument, BufferRef, Call, Launch, MapRef, Scalar, Shape};

/// # Safety
/// 1. None: the kernel is empty.
#[kernel(max_threads = 256)]
unsafe fn scale(_data: *mut f32, _len: u32, _factor: f32) {}

/// # Safety
/// 1. None: the kernel is empty.
#[kernel(
    instances(STAGES = 1, 2, 4; FLAG = true, false; T = f32, u32),
    shared_bytes = |threads| u64::from(STAGES) * (threads * size_of::<T>() as u64 + u64::from(extra)),
)]
unsafe fn fill<const STAGES: u32, const FLAG: bool, T: Copy>(_data: *mut T, _value: T, extra: u32) {
    let _ = extra;
}

/// # Safety
/// 1. None: the kernel is empty.
#[kernel(shared_bytes = 16 * u64::from(len))]
unsafe fn tile(#[grid_constant] _map: &TensorMap, len: u32) {
    let _ = len;
}

#[derive(Clone, Copy, KernelArg)]
#[repr(C)]
struct Inner(u8, u16);

#[derive(Clone, Copy, KernelArg)]
#[repr(C, align(16))]
struct Image {
    channels: u8,
    inner: [Inner; 2],
    offset: i64,
    address: *mut f32,
}

/// # Safety
/// 1. None: the kernel is empty.
#[kernel]
unsafe fn resize(_image: Image) {}

fn launched(call: Call<'_>) -> Launch {
    call.launch(Shape::new(1, 64)).unwrap()
}

#[test]
fn arguments_are_those_of_the_parameters() {
    let launch = launched(scale(BufferRef::new(2).skip(3), 1000, 2.5));
    assert_eq!(launch.entry, "scale");
    let buffer = Argument::Buffer {
        index: 2,
        offset_bytes: 12,
    };
    let scalars = [Scalar::U32(1000), Scalar::F32(2.5)].map(Argument::Scalar);
    assert_eq!(launch.arguments[0], buffer);
    assert_eq!(launch.arguments[1..], scalars);
    assert_eq!(launch.shape, Shape::new(1, 64));
    assert_eq!(launch.parameters, ["_data", "_len", "_factor"]);
}

#[test]
fn instances_are_chosen_by_constants_and_types() {
    let launch = launched(fill(2, true, BufferRef::<u32>::new(0), 7, 8));
    assert_eq!(launch.entry, "fill_2_true_u32");
    assert_eq!(launch.arguments[1], Argument::Scalar(Scalar::U32(7)));
    assert_eq!(launch.shape.shared_bytes, 2 * (64 * 4 + 8));
    let refused = fill(3, false, BufferRef::<f32>::new(0), 7.0, 8).launch(Shape::new(1, 64));
    assert_eq!(
        refused.unwrap_err().to_string(),
        "kernel-condition: stages is 3; must be one of 1, 2, 4 (compiled instances); use 2 or 4"
    );
}

#[test]
fn shared_memory_follows_from_the_arguments() {
    let params = TensorMap::tiled_of::<f32>(&[64]).box_dims(&[64]);
    let launch = launched(tile(MapRef::new(params, 0), 5));
    assert_eq!(launch.shape.shared_bytes, 80);
    assert!(matches!(
        launch.arguments[0],
        Argument::TensorMap { index: 0, .. }
    ));
}

#[test]
fn structs_are_laid_out_as_in_c() {
    let image = Image {
        channels: 1,
        inner: [Inner(2, 3), Inner(4, 0x0605)],
        offset: -2,
        address: std::ptr::without_provenance_mut(0x0807),
    };
    let mut expected = vec![0; 32];
    expected[..10].copy_from_slice(&[1, 0, 2, 0, 3, 0, 4, 0, 5, 6]);
    expected[16..24].copy_from_slice(&[0xfe, 255, 255, 255, 255, 255, 255, 255]);
    expected[24..26].copy_from_slice(&[7, 8]);
    assert_eq!(
        launched(resize(image)).arguments,
        [Argument::Bytes(expected)]
    );
}
