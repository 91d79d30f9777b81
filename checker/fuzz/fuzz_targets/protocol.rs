#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    fuzz::Target::from_name("protocol").map(|target| target.run(data));
});
