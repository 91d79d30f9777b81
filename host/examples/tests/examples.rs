//! Every example ends well and has checked something.

use std::process::Command;

macro_rules! examples {
    ($($test:ident = $program:literal;)*) => {$(
        #[test]
        fn $test() {
            let output = Command::new(env!(concat!("CARGO_BIN_EXE_", $program))).output();
            let output = output.unwrap_or_else(|error| panic!("cannot run it: {error}"));
            let said = String::from_utf8_lossy(&output.stdout);
            let error = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{said}{error}");
            // A GPU may lack what an example is about; the emulator has all of it.
            let nothing = said.starts_with("on gpu: ") && said.contains("nothing to show");
            assert!(said.contains("numbers equal") || nothing, "{said}");
        }
    )*};
}

examples! {
    first_copy = "01_first_copy";
    jobs = "02_jobs";
    tensor_map = "03_tensor_map";
    maps_in_memory = "04_maps_in_memory";
    maps_by_device = "05_maps_by_device";
    cluster = "06_cluster";
    pipeline = "07_pipeline";
    gemm = "08_gemm";
    gemm_call = "09_gemm_call";
}

/// It ends well, or says what is lacking, which a machine without a GPU does.
#[test]
fn nccl() {
    let output = Command::new(env!("CARGO_BIN_EXE_11_nccl")).output();
    let output = output.unwrap_or_else(|error| panic!("cannot run it: {error}"));
    let said = String::from_utf8_lossy(&output.stdout);
    let error = String::from_utf8_lossy(&output.stderr);
    if output.status.success() {
        assert!(said.contains("numbers equal"), "{said}");
    } else {
        assert!(error.starts_with("lacking: "), "{said}{error}");
        println!("skipped: 11_nccl: {error}");
    }
}
