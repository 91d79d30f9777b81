//! NCCL moves a buffer, and a kernel continues with it on the same stream without waiting in between.
//!
//! Needs a GPU and NCCL; the error names a missing one. This example has a single rank, so that one GPU is enough.
//! With ranks on other GPUs and hosts, the kernel launch is the same.

use std::process::ExitCode;

use host_examples::{
    Result, check, load,
    nccl::{Collective, Nccl, Rank},
};
use kernels_gpu::add_one_bulk::add_one_bulk;
use tma_host::Device;

const LEN: usize = 1 << 20;
const THREADS: u32 = 256;

fn main() -> ExitCode {
    let lacking = |error: &dyn std::fmt::Display| {
        eprintln!("lacking: {error}");
        ExitCode::FAILURE
    };
    let gpu = match Device::gpu() {
        Err(error) if error.is_absent() => return lacking(&error),
        gpu => gpu,
    };
    let nccl = match Nccl::load() {
        Err(error) => return lacking(&error),
        Ok(nccl) => nccl,
    };
    match gpu.map_err(Into::into).and_then(|gpu| run(&gpu, nccl)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(device: &Device, nccl: Nccl) -> Result<()> {
    println!("on {device}, NCCL {}", nccl.version()?);
    let module = load(device)?;
    let numbers: Vec<f32> = (0..LEN).map(|index| index as f32).collect();
    let sent = device.upload(&numbers)?;
    let received = device.zeroed::<f32>(LEN)?;
    let result = device.zeroed::<f32>(LEN)?;

    let ordinal = device.properties().ok_or("it is no GPU")?.ordinal;
    let communicators = nccl.communicators(&[ordinal.try_into()?])?;
    let stream = device.stream();
    let rank = Rank {
        send: sent.address(),
        receive: received.address(),
        stream: stream.raw().ok_or("it is no GPU")?.cast(),
    };
    // SAFETY: both buffers have enough numbers on the GPU of the rank, and only later work on the same stream uses
    // them (1).
    unsafe { communicators.start(Collective::AllGather, &[rank], LEN) }?;

    // Adds one to the bits of each number, which makes it the next larger one.
    let bytes = 4 * LEN as u64;
    let blocks = bytes.div_ceil(u64::from(THREADS) * 16) as u32;
    let call = add_one_bulk(1, result.bytes(), received.bytes(), bytes);
    // SAFETY: the kernel is in the module (1). It accesses 16 bytes per thread of buffers that live until they have
    // been read (2).
    unsafe { module.launch((blocks, THREADS), call) }?;

    let expected: Vec<f32> = numbers.iter().map(|number| number.next_up()).collect();
    check(
        "add_one_bulk of what NCCL moved",
        &expected,
        &result.read()?,
    )
}
