//! A program that uses `cust` throughout links, with no CUDA toolkit and no driver.

mod support;

use std::hint::black_box;

use cust::{
    context::legacy,
    device::DeviceAttribute,
    error::{CudaError, CudaResult},
    event::{Event, EventFlags},
    function::FunctionAttribute,
    link::Linker,
    memory::{
        AsyncCopyDestination, CopyDestination, DeviceBox, DeviceBuffer, LockedBuffer,
        UnifiedBuffer,
        array::{ArrayFormat, ArrayObject},
        mem_get_info,
    },
    prelude::*,
    stream::StreamWaitEventFlags,
};

/// Uses the driver as `cust` does, object by object. All of it has to link; of each step the first
/// call is made, and fails.
#[test]
fn the_whole_of_cust_links() {
    support::with_driver(
        "the_whole_of_cust_links",
        || "/nowhere/libcuda.so.1",
        || {
            let steps: [fn() -> CudaResult<()>; 11] = [
                contexts,
                legacy_contexts,
                modules,
                launches,
                streams,
                events,
                memory,
                memory_in_a_stream,
                arrays,
                unified,
                linking,
            ];
            for (index, step) in steps.into_iter().enumerate() {
                let result = black_box(step)();
                assert_eq!(result, Err(CudaError::UnknownError), "step {index}");
            }
        },
    );
}

fn contexts() -> CudaResult<()> {
    let device = Device::get_device(0)?;
    device.name()?;
    device.total_memory()?;
    device.get_attribute(DeviceAttribute::WarpSize)?;
    let context = Context::new(device)?;
    context.set_flags(ContextFlags::SCHED_AUTO)?;
    context.get_api_version()?;
    cust::context::CurrentContext::set_current(&context)?;
    cust::context::CurrentContext::synchronize()
}

fn legacy_contexts() -> CudaResult<()> {
    let device = legacy::CurrentContext::get_device()?;
    let flags = legacy::ContextFlags::SCHED_AUTO;
    let context = legacy::Context::create_and_push(flags, device)?;
    legacy::ContextStack::pop()?;
    legacy::ContextStack::push(&context)?;
    legacy::CurrentContext::get_stream_priority_range()?;
    legacy::Context::drop(context).map_err(|(error, _)| error)
}

fn modules() -> CudaResult<()> {
    let module = Module::from_ptx("", &[])?;
    let mut global = module.get_global::<u32>(c"global")?;
    global.copy_from(&1)?;
    let function = module.get_function("kernel")?;
    function.get_attribute(FunctionAttribute::NumRegisters)?;
    function.available_dynamic_shared_memory_per_block(1.into(), 1.into())?;
    function.max_active_blocks_per_multiprocessor(1.into(), 0)?;
    function
        .suggested_launch_configuration(0, 1.into())
        .map(drop)
}

fn launches() -> CudaResult<()> {
    let stream = Stream::new(StreamFlags::NON_BLOCKING, None)?;
    let module = Module::from_file("/nowhere")?;
    let function = module.get_function("kernel")?;
    // SAFETY: never reached, as there is no driver.
    unsafe { cust::launch!(function<<<1, 1, 0, stream>>>(1_u32)) }
}

fn streams() -> CudaResult<()> {
    let stream = Stream::new(StreamFlags::DEFAULT, Some(1))?;
    stream.get_flags()?;
    stream.get_priority()?;
    stream.add_callback(Box::new(|| ()))?;
    stream.synchronize()
}

fn events() -> CudaResult<()> {
    let event = Event::new(EventFlags::DEFAULT)?;
    let stream = Stream::new(StreamFlags::DEFAULT, None)?;
    event.record(&stream)?;
    event.query()?;
    event.synchronize()?;
    stream.wait_event(event, StreamWaitEventFlags::DEFAULT)
}

fn memory() -> CudaResult<()> {
    mem_get_info()?;
    let mut host = LockedBuffer::new(&1_u32, 4)?;
    let mut one = DeviceBox::new(&1_u32)?;
    one.copy_from(&2)?;
    let mut buffer = DeviceBuffer::from_slice(host.as_slice())?;
    buffer.copy_to(&mut host[..])?;
    buffer.set_8(0)?;
    buffer.set_16(0)?;
    buffer.set_32(0)?;
    let other = DeviceBuffer::<u32>::zeroed(4)?;
    buffer.copy_from(&other)?;
    buffer.as_host_vec().map(drop)
}

fn memory_in_a_stream() -> CudaResult<()> {
    let stream = Stream::new(StreamFlags::DEFAULT, None)?;
    let mut host = LockedBuffer::new(&1_u32, 4)?;
    // SAFETY: never reached, as there is no driver.
    let mut buffer = unsafe { DeviceBuffer::<u32>::uninitialized_async(4, &stream) }?;
    // SAFETY: never reached, as there is no driver.
    unsafe { buffer.set_32_async(0, &stream) }?;
    // SAFETY: never reached, as there is no driver.
    unsafe { buffer.async_copy_from(&host[..], &stream) }?;
    // SAFETY: never reached, as there is no driver.
    unsafe { buffer.async_copy_to(&mut host[..], &stream) }?;
    buffer.drop_async(&stream)
}

fn arrays() -> CudaResult<()> {
    let mut array = ArrayObject::new([4, 4, 0], ArrayFormat::U8, 1)?;
    array.copy_from(&[0_u8; 16])?;
    array.copy_to(&mut [0_u8; 16])?;
    array.descriptor()?;
    ArrayObject::drop(array).map_err(|(error, _)| error)
}

fn unified() -> CudaResult<()> {
    let mut buffer = UnifiedBuffer::new(&1_u32, 4)?;
    buffer[0] = 2;
    Ok(())
}

fn linking() -> CudaResult<()> {
    let mut linker = Linker::new()?;
    linker.add_ptx("")?;
    linker.complete().map(drop)
}

/// The empty `libcuda` of the build script works with the linker that `cc` uses, usually GNU ld, as well as with
/// `rustc`'s.
#[cfg(target_os = "linux")]
#[test]
fn nothing_is_linked_for_libcuda() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (source, program) = (folder.path().join("main.c"), folder.path().join("main"));
    std::fs::write(&source, "int main(void) { return 0; }\n").expect("writable");
    let output = std::process::Command::new("cc")
        .args([&source, std::path::Path::new("-o"), &program])
        .args([concat!("-L", env!("OUT_DIR")), "-lcuda"])
        .output()
        .expect("this test needs a C compiler named `cc`");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && errors.is_empty(), "{errors}");
}
