//! Every schedule of the launches of a program.

use std::fs;

use libtest_mimic::Failed;
use serde_json::Value;

use crate::programs::{Programs, wanted};

pub(crate) fn every_schedule_is_run(programs: &Programs) -> Result<(), Failed> {
    let output = programs.run(&["--seeds", "0..2"], &["locks"])?;
    wanted(&output, 0, "2 numbers are drawn\n", &[])?;
    let sarif = programs.folder.path().join("locks.sarif");
    let sarif_flag = sarif.display().to_string();
    let flags = [
        "--all-schedules",
        "--error-exitcode",
        "9",
        "--sarif",
        &sarif_flag,
    ];
    let output = programs.run(&flags, &["locks"])?;
    let parts = [
        "proved: launch number 1, `_Z4drawPj`, 1 x 1 x 1 blocks of 32 x 1 x 1 threads: 1 schedule explored, 0 more covered\n",
        "error[trapped]",
        "  = story: how it comes to this",
        "findings: launch number 2, `_Z4drawPj`, 1 x 1 x 1 blocks of 64 x 1 x 1 threads: 2 schedules explored up to this one\n",
        "2 launches under every schedule (1 proved, 1 with an error, 0 not finished): 1 error, 0 warnings\n",
    ];
    // The program continues with what the first schedule leaves, which is right.
    wanted(&output, 9, "2 numbers are drawn\n", &parts)?;
    let log: Value = serde_json::from_str(&fs::read_to_string(&sarif)?)?;
    let properties = &log["runs"][0]["results"][0]["properties"];
    let name = properties["schedule"]
        .as_str()
        .ok_or("SARIF has no schedule")?;
    let again = properties["again"].as_str().unwrap_or_default();
    assert!(again.contains(&format!("--schedule {name} ")), "{again}");
    let output = programs.run(&["--schedule", name], &["locks"])?;
    let parts = [
        "error[trapped]",
        &format!("  = schedule: {name}\n  = launch: number 2"),
        "2 launches checked, one by the schedule: 1 error, 0 warnings\n",
    ];
    let failed = "cudaGetLastError(): cudaErrorLaunchFailure: unspecified launch failure\n";
    wanted(&output, 3, failed, &parts)?;
    let wrong = name.replacen(|c: char| c != '0', "0", 1);
    let output = programs.run(&["--schedule", &wrong], &["locks"])?;
    wanted(
        &output,
        3,
        "cudaGetLastError(): cudaErrorInvalidValue: invalid argument\n",
        &["is of another PTX: the text with `_Z4drawPj`"],
    )?;
    let output = programs.run(
        &["--all-schedules", "--bound", "1", "--error-exitcode", "9"],
        &["locks"],
    )?;
    wanted(
        &output,
        9,
        "2 numbers are drawn\n",
        &["the bound of 1 schedule is reached"],
    )
}
