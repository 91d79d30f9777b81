//! Prints how many instructions of threads are executed in a second, without and with the checker.
//!
//! `cargo run --release -p tma-emulator --example speed`

use std::time::{Duration, Instant};

use tma_emulator::EmulatorBackend;
use tma_launch::{Buffer, Job, Launch, Ptx};

/// Three kernels: integer arithmetic, a mix as in a kernel that streams through shared memory, and threads that
/// read each other's values with two barriers for each step.
const TEXT: &str = "
.version 8.0
.target sm_90a
.address_size 64
.shared .align 16 .b8 buffer[4096];
.visible .entry arithmetic(.param .u64 out, .param .u32 count)
{
    .reg .pred %p<2>;
    .reg .b32 %r<8>;
    .reg .b64 %rd<4>;
    ld.param.u32 %r1, [count];
    mov.u32 %r2, %tid.x;
    mov.u32 %r3, 0;
LOOP:
    mad.lo.s32 %r2, %r2, 1664525, 1013904223;
    shr.u32 %r4, %r2, 16;
    xor.b32 %r2, %r2, %r4;
    add.s32 %r3, %r3, 1;
    setp.lt.u32 %p1, %r3, %r1;
    @%p1 bra LOOP;
    ld.param.u64 %rd1, [out];
    mov.u32 %r5, %tid.x;
    mul.wide.u32 %rd2, %r5, 4;
    add.s64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r2;
    ret;
}
.visible .entry memory(.param .u64 out, .param .u32 count)
{
    .reg .pred %p<2>;
    .reg .b32 %r<9>;
    .reg .b64 %rd<4>;
    .reg .f32 %f<3>;
    ld.param.u32 %r1, [count];
    ld.param.u64 %rd1, [out];
    mov.u32 %r2, %tid.x;
    mul.wide.u32 %rd2, %r2, 4;
    add.s64 %rd3, %rd1, %rd2;
    shl.b32 %r3, %r2, 2;
    mov.u32 %r4, buffer;
    add.s32 %r5, %r4, %r3;
    mov.u32 %r6, 0;
LOOP:
    ld.global.f32 %f1, [%rd3];
    fma.rn.f32 %f2, %f1, 0f3F800000, 0f3F000000;
    st.shared.f32 [%r5], %f2;
    ld.shared.f32 %f1, [%r5];
    st.global.f32 [%rd3], %f1;
    add.s32 %r6, %r6, 1;
    setp.lt.u32 %p1, %r6, %r1;
    @%p1 bra LOOP;
    ret;
}
.visible .entry barriers(.param .u64 out, .param .u32 count)
{
    .reg .pred %p<2>;
    .reg .b32 %r<12>;
    .reg .b64 %rd<4>;
    ld.param.u32 %r1, [count];
    mov.u32 %r2, %tid.x;
    mov.u32 %r4, buffer;
    shl.b32 %r3, %r2, 2;
    add.s32 %r5, %r4, %r3;
    xor.b32 %r6, %r3, 1020;
    add.s32 %r7, %r4, %r6;
    mov.u32 %r8, 0;
    mov.u32 %r9, %r2;
LOOP:
    st.shared.u32 [%r5], %r9;
    bar.sync 0;
    ld.shared.u32 %r10, [%r7];
    mad.lo.s32 %r9, %r10, 1664525, 1013904223;
    shr.u32 %r11, %r9, 16;
    xor.b32 %r9, %r9, %r11;
    bar.sync 0;
    add.s32 %r8, %r8, 1;
    setp.lt.u32 %p1, %r8, %r1;
    @%p1 bra LOOP;
    ld.param.u64 %rd1, [out];
    mul.wide.u32 %rd2, %r2, 4;
    add.s64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r9;
    ret;
}";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("million thread-instructions a second");
    println!(
        "{:<12} {:>16} {:>12}",
        "kernel", "without checker", "with it"
    );
    for (entry, count) in [
        ("arithmetic", 100_000_u32),
        ("memory", 20_000),
        ("barriers", 5_000),
    ] {
        let job = || {
            let mut job = Job::new(Ptx {
                name: "speed.ptx",
                text: TEXT,
            });
            let out = job.buffer(Buffer::zeroed::<u32>("out", 1024));
            job.launch(Launch::new(entry, 1, 1024).buffer(out).scalar(count));
            job
        };
        let emulator = EmulatorBackend::new(0);
        let start = Instant::now();
        let reports = emulator.run_unchecked(&mut job(), &mut |_| ())?;
        let without = start.elapsed();
        let start = Instant::now();
        let checked = emulator.check(&mut job())?;
        let with = start.elapsed();
        assert!(checked.is_clean(), "{:?}", checked.diagnostics);
        let steps: u64 = reports.iter().map(|report| report.steps).sum();
        let speed = |elapsed: Duration| steps as f64 / elapsed.as_secs_f64() / 1e6;
        println!("{entry:<12} {:>16.0} {:>12.0}", speed(without), speed(with));
    }
    Ok(())
}
