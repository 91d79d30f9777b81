//! The emulator adds reports as errors, and schedules.

mod support;

use support::matrix::PTX;
use tma_host::{Device, Shape};

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
        // SAFETY: as above, and there is no one to race with.
        unsafe { race.launch(Shape::new(1, 1), (&out,)) }.unwrap();
        assert_eq!(out.read().unwrap(), [0]);
    }
}

#[test]
fn memory_that_was_dropped_is_in_no_allocation() {
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
    assert!(text.contains("in no allocation"), "{text}");
    assert!(text.contains("`[f32; 4]`"), "{text}");
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
    let said = module.function("unknown").map(drop).unwrap_err();
    assert_eq!(said.error_name.as_deref(), Some("UNSUPPORTED"));
    assert!(said.what.contains("tcgen05.fence"), "{said}");

    let said = scale.resources().unwrap_err().to_string();
    assert!(said.contains("the emulator compiles nothing"), "{said}");
}
