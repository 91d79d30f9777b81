//! Other programs.

use std::{
    path::Path,
    process::{Command, ExitCode, ExitStatus, Stdio},
};

use anyhow::{Context, Result, ensure};

/// Runs a command whose output the user sees.
///
/// # Errors
/// The command cannot be started, or fails.
pub fn run(command: &mut Command) -> Result<()> {
    let status = status(command)?;
    ensure!(status.success(), "`{}` failed ({status})", shown(command));
    Ok(())
}

/// Runs a command whose output the user sees, and returns its status.
///
/// # Errors
/// The command cannot be started.
pub fn status(command: &mut Command) -> Result<ExitStatus> {
    say!("$ {}", shown(command));
    command.status().with_context(|| cannot_run(command))
}

/// Runs a command, and returns its output, which the user does not see.
///
/// # Errors
/// The command cannot be started, or fails; the error has its standard error stream.
pub fn output(command: &mut Command) -> Result<String> {
    let output = command.stdin(Stdio::null()).output();
    let output = output.with_context(|| cannot_run(command))?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(
        output.status.success(),
        "`{}` failed ({}): {}",
        shown(command),
        output.status,
        errors.trim()
    );
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Returns the first line of a program's output, if it runs.
pub fn first_line(program: &str, arguments: &[&str]) -> Option<String> {
    let text = output(Command::new(program).args(arguments)).ok()?;
    text.lines().next().map(str::to_owned)
}

/// Returns a command as it is typed.
pub fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let name = program.file_stem().unwrap_or(program.as_os_str());
    let words = [name].into_iter().chain(command.get_args());
    let quoted = words.map(|word| {
        let word = word.to_string_lossy();
        let plain = !word.is_empty() && !word.contains(|c: char| c.is_whitespace() || c == '*');
        if plain {
            word.into_owned()
        } else {
            format!("'{word}'")
        }
    });
    quoted.collect::<Vec<_>>().join(" ")
}

/// Returns the exit code of a command for our caller.
pub fn exit_code(status: ExitStatus) -> ExitCode {
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    code.map_or(ExitCode::FAILURE, ExitCode::from)
}

/// Returns the message of a command that cannot be started.
pub fn cannot_run(command: &Command) -> String {
    format!("cannot run {}", Path::new(command.get_program()).display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_shown_as_typed() {
        let mut command = Command::new("/usr/bin/cargo");
        command.args(["test", "a b", "nvcc==13.0.*", ""]);
        assert_eq!(shown(&command), "cargo test 'a b' 'nvcc==13.0.*' ''");
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let error = run(&mut Command::new("/nowhere/program")).unwrap_err();
        assert_eq!(error.to_string(), "cannot run /nowhere/program");
    }
}
