//! The kernels of `kernels-gpu`: their files, their PTX, ptxas's result, their CUDA references, and
//! with `--long` their cases under several schedules. `cases` runs these on a GPU if there is one.

#[path = "kernels/assembled.rs"]
mod assembled;
#[path = "kernels/files.rs"]
mod files;
#[path = "kernels/golden.rs"]
mod golden;
#[path = "kernels/machine_code.rs"]
mod machine_code;
#[path = "kernels/overlaps.rs"]
mod overlaps;
#[path = "kernels/references.rs"]
mod references;
#[path = "kernels/schedules.rs"]
mod schedules;

use libtest_mimic::Arguments;

fn main() {
    let all = [
        files::trials(),
        golden::trials(),
        assembled::trials(),
        machine_code::trials(),
        overlaps::trials(),
        references::trials(),
        schedules::trials(),
    ];
    assert!(all.iter().all(|trials| !trials.is_empty()));
    libtest_mimic::run(&Arguments::from_args(), all.into_iter().flatten().collect()).exit();
}
