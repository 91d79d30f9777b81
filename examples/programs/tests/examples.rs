//! Every example ends well and has checked something. One that lacks a GPU or a library is listed as ignored.

use std::process::{Command, Output};

use libtest_mimic::{Arguments, Failed, Trial};

/// The test and the program of each example.
macro_rules! examples {
    ($($test:ident = $program:literal)*) => {
        &[$((stringify!($test), env!(concat!("CARGO_BIN_EXE_", $program)))),*]
    };
}

type Examples = &'static [(&'static str, &'static str)];

const EVERYWHERE: Examples = examples! {
    first_copy = "01_first_copy"
    jobs = "02_jobs"
    tensor_map = "03_tensor_map"
    maps_in_memory = "04_maps_in_memory"
    cluster = "06_cluster"
    pipeline = "07_pipeline"
    gemm = "08_gemm"
    gemm_call = "09_gemm_call"
    attention_call = "12_attention_call"
    decode_call = "13_decode_call"
};

/// The examples that a machine may lack something for. They run before the list of tests is made.
const WHERE_POSSIBLE: Examples = examples! {
    maps_by_device = "05_maps_by_device"
    nccl = "11_nccl"
};

fn main() {
    let arguments = Arguments::from_args();
    let everywhere = EVERYWHERE
        .iter()
        .map(|(name, program)| Trial::test(*name, || has_checked(&output(program)?)));
    let where_possible = WHERE_POSSIBLE.iter().map(|(name, program)| {
        let output = output(program);
        let lacks = output.as_ref().ok().and_then(lacks);
        if let Some(lacks) = &lacks {
            println!("skipped: {name}: {lacks}");
        }
        Trial::test(*name, || has_checked(&output?)).with_ignored_flag(lacks.is_some())
    });
    libtest_mimic::run(&arguments, everywhere.chain(where_possible).collect()).exit();
}

fn output(program: &str) -> Result<Output, Failed> {
    Ok(Command::new(program).output()?)
}

/// The reason why an example checked no result, if the example reports one.
fn lacks(output: &Output) -> Option<String> {
    let (message, error) = (text(&output.stdout), text(&output.stderr));
    let reported = match output.status.success() {
        true => message
            .lines()
            .find(|line| line.contains("this example is skipped")),
        false => error.lines().next()?.strip_prefix("lacking: "),
    };
    reported.map(str::to_owned)
}

fn has_checked(output: &Output) -> Result<(), Failed> {
    let (message, error) = (text(&output.stdout), text(&output.stderr));
    match output.status.success() && message.contains("numbers equal") {
        true => Ok(()),
        false => Err(format!("{}: {message}{error}", output.status).into()),
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
