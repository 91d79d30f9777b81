#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    fuzz::Target::from_name("ptx").map(|target| target.run(data));
});
