//! `cargo tma`: runs the command `tma`, which `cargo install` puts beside this program.

use std::{
    env,
    process::{Command, ExitCode},
};

fn main() -> ExitCode {
    let tma = env::current_exe()
        .map(|program| program.with_file_name(format!("tma{}", env::consts::EXE_SUFFIX)));
    // Cargo passes the name of the verb, `tma`, first.
    let arguments = env::args_os().skip(1).enumerate();
    let arguments = arguments.filter(|(index, argument)| *index > 0 || argument != "tma");
    let status = tma.and_then(|tma| {
        Command::new(tma)
            .args(arguments.map(|(_, argument)| argument))
            .status()
    });
    match status.map(|status| status.code()) {
        Ok(code) => code
            .and_then(|code| u8::try_from(code).ok())
            .map_or(ExitCode::FAILURE, ExitCode::from),
        Err(error) => {
            eprintln!("error: cannot run `tma` beside this program: {error}; reinstall tma-cli");
            ExitCode::FAILURE
        }
    }
}
