//! The emulator adds reports as errors, and schedules.

mod support;

use support::matrix::PTX;
use tma_host::{Device, Jobs, Shape};
use tma_launch::{Buffer, Job, Launch, Ptx};

/// Every thread writes its index over the same word.
const RACE: &str = ".version 8.0\n.target sm_90\n.address_size 64
.visible .entry race(.param .u64 out) {
    .reg .b32 %r; .reg .b64 %rd;
    ld.param.u64 %rd, [out]; mov.u32 %r, %tid.x; st.global.u32 [%rd], %r; ret; }";

#[test]
fn what_the_checker_finds_is_the_error_of_the_launch() {
    for seed in 0..8 {
        let device = Device::emulator(seed);
        let module = device.load("race.ptx", RACE).unwrap();
        let race = module.function("race").unwrap();
        let out = device.zeroed::<u32>(1).unwrap();
        // SAFETY: the kernel writes to the one word of the buffer, and the emulator lets it race.
        let failure = unsafe { race.launch(Shape::new(1, 64), (&out,)) }.unwrap_err();
        let text = failure.to_string();
        assert!(text.starts_with("synchronise: error["), "{text}");
        assert!(
            text.contains("race.ptx:6:") && text.contains("= help: "),
            "{text}"
        );
        // The device goes on.
        // SAFETY: the one thread writes to the one word of the buffer.
        unsafe { race.launch(Shape::new(1, 1), (&out,)) }.unwrap();
        assert_eq!(out.read().unwrap(), [0]);
    }
}

#[test]
fn memory_that_was_dropped_is_freed() {
    let device = Device::emulator(0);
    let module = device.load(PTX.name, PTX.text).unwrap();
    let scale = module.function("scale").unwrap();
    let data = device.upload(&[1.0_f32; 4]).unwrap();
    let other = device.upload(&[1.0_f32; 4]).unwrap();
    let kept = tma_host::Argument::Address(data.address());
    drop(data);
    // SAFETY: the emulator finds out that the buffer is gone.
    let failure = unsafe { scale.launch((1, 32), (kept, 4_u32, 2.0_f32)) }.unwrap_err();
    let text = failure.to_string();
    let freed = "byte 0 of `[f32; 4]` (16 bytes), which was freed by the host";
    assert!(text.contains(freed), "{text}");
    assert_eq!(other.read().unwrap(), [1.0; 4]);
}

#[test]
fn modules_for_later_gpus_run_as_far_as_their_instructions_are_known() {
    let device = Device::emulator(0);
    let text = PTX.text.replace(".target sm_90", ".target sm_120a");
    let text = text.replace(".version 8.0", ".version 8.7");
    let unknown = ".visible .entry unknown() { tcgen05.fence::before_thread_sync; ret; }";
    let module = device.load("later.ptx", &format!("{text}{unknown}"));
    let module = module.unwrap();
    let scale = module.function("scale").unwrap();
    let data = device.upload(&[1.0_f32; 4]).unwrap();
    // SAFETY: the kernel scales the four numbers of the buffer, which is read, and waits so.
    unsafe { scale.launch((1, 32), (&data, 4_u32, 2.0_f32)) }.unwrap();
    assert_eq!(data.read().unwrap(), [2.0; 4]);
    let message = module.function("unknown").map(drop).unwrap_err();
    assert_eq!(message.error_name.as_deref(), Some("UNSUPPORTED"));
    assert!(message.what.contains("tcgen05.fence"), "{message}");

    let message = scale.resources().unwrap_err().to_string();
    assert!(
        message.contains("the emulator does not compile kernels"),
        "{message}"
    );
}

/// `leads` lets the next kernel begin and writes a word; `follows` reads it, before or after waiting for `leads`.
fn dependents(follows: &str) -> String {
    let kernel = |name: &str, body: &str| {
        format!(
            ".visible .entry {name}(.param .u64 data) {{
            .reg .b32 %r; .reg .b64 %rd; ld.param.u64 %rd, [data]; {body} ret; }}\n"
        )
    };
    let leads = "griddepcontrol.launch_dependents; st.global.u32 [%rd], 5;";
    let header = ".version 8.0\n.target sm_90\n.address_size 64\n";
    header.to_owned() + &kernel("leads", leads) + &kernel("follows", follows)
}

#[test]
fn kernels_that_wait_overlap_unless_the_host_has_waited() {
    let read = "ld.global.u32 %r, [%rd]; st.global.u32 [%rd+4], %r;";
    let wait = "griddepcontrol.wait;";
    let run = |follows: &str, between: &dyn Fn(&Device, &tma_host::Buffer<u32>)| {
        let device = Device::emulator(0);
        let module = device.load("dependents.ptx", &dependents(follows)).unwrap();
        let kernels = ["leads", "follows"].map(|name| module.function(name).unwrap());
        let data = device.zeroed::<u32>(2).unwrap();
        // SAFETY: the kernels access the two words of the buffer, and the emulator lets them race.
        unsafe { kernels[0].launch((1, 1), (&data,)) }.unwrap();
        between(&device, &data);
        // SAFETY: the second kernel accesses the same two words, and the emulator lets it race with the first.
        let result = unsafe { kernels[1].launch((1, 1), (&data,)) };
        result.map_err(|failure| failure.to_string())
    };
    let nothing = |_: &Device, _: &tma_host::Buffer<u32>| {};
    run(&format!("{wait} {read}"), &nothing).unwrap();
    let late = format!("{read} {wait}");
    let message = run(&late, &nothing).unwrap_err();
    assert!(message.contains("error[missing-grid-wait]"), "{message}");
    run(&late, &|device, _| device.synchronise().unwrap()).unwrap();
    run(&late, &|_, data| drop(data.read().unwrap())).unwrap();
    // A stream that waits for another one on the emulator waits for its kernels.
    let waits = |device: &Device, _: &tma_host::Buffer<u32>| {
        let stream = device.new_stream().unwrap();
        stream.wait_for(&device.stream()).unwrap();
    };
    run(&late, &waits).unwrap();
    // Without a wait the kernel is not launched so that it overlaps.
    run(read, &nothing).unwrap();
}

#[test]
fn a_job_can_have_several_modules() {
    let text = |step: u32| {
        format!(
            ".version 8.0\n.target sm_90\n.address_size 64\n.visible .global .u32 calls = {step};
            .visible .entry add(.param .u64 data) {{
            .reg .b32 %r<3>; .reg .b64 %rd; ld.param.u64 %rd, [data]; ld.global.u32 %r1, [%rd];
            ld.global.u32 %r2, [calls]; add.u32 %r1, %r1, %r2; st.global.u32 [%rd], %r1;
            add.u32 %r2, %r2, 1; st.global.u32 [calls], %r2; ret; }}"
        )
    };
    let (a, b) = (text(10), text(1000));
    let mut job = Job::new(Ptx {
        name: "a.ptx",
        text: &a,
    });
    job.further = vec![Ptx {
        name: "b.ptx",
        text: &b,
    }];
    let data = job.buffer(Buffer::new("data", &[1_u32]));
    let calls = job.buffer(
        Buffer::zeroed::<u32>("calls", 1)
            .of_variable("calls")
            .of_module(1),
    );
    for module in [0, 1, 1] {
        job.launch(Launch::new("add", 1, 1).of_module(module).buffer(data));
    }
    let mut jobs = Jobs::new(Device::emulator(0));
    // SAFETY: the device is the emulator, which checks every access (1).
    unsafe { jobs.run(&mut job) }.unwrap();
    assert_eq!(
        job.buffers[data].to_vec::<u32>(),
        Ok(vec![1 + 10 + 1000 + 1001])
    );
    assert_eq!(job.buffers[calls].to_vec::<u32>(), Ok(vec![1002]));
    job.launch(Launch::new("add", 1, 1).of_module(2).buffer(data));
    // SAFETY: the device is the emulator, which checks every access (1).
    let failure = unsafe { jobs.run(&mut job) }.unwrap_err().to_string();
    assert!(
        failure.contains("module number 2 does not exist"),
        "{failure}"
    );
}
