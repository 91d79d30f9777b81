//! Constants out of range are errors of the compiler, at their location and in words.

use std::fs;

use libtest_mimic::Failed;
use tma_build::{Arch, Assemble, Error, PtxBuilder, PtxIsa};

/// The kernels, each followed by its message.
const SOURCE: &str = "src/bad_constants.rs";

pub(super) fn are_refused() -> Result<(), Failed> {
    let builder = PtxBuilder::new("../gpu/forms")
        .arch(Arch::Sm103a)
        .ptx_isa(PtxIsa::new(9, 0))
        .assemble(Assemble::Never)
        .feature("bad_constants");
    let Err(Error::Compile { diagnostics, .. }) = builder.build() else {
        return Err("they compile".into());
    };
    let source = fs::read_to_string(format!(
        "{}/../gpu/forms/{SOURCE}",
        env!("CARGO_MANIFEST_DIR")
    ))?;
    let errors: Vec<&str> = diagnostics.split("error[E0080]: ").skip(1).collect();
    let mut wrong = Vec::new();
    let mut refused = 0;
    for (number, line) in (1..).zip(source.lines()) {
        let Some((call, message)) = line.split_once("; // ") else {
            continue;
        };
        let location = format!("/{SOURCE}:{number}:");
        let location = location.trim_start_matches("/src");
        let is_it = |error: &&&str| error.contains(location) && error.contains(message);
        match errors.iter().find(is_it) {
            Some(_) => refused += 1,
            None => wrong.push(format!("not refused with `{message}`: {}", call.trim())),
        }
    }
    println!("{refused} calls are refused");
    match wrong.is_empty() && refused > 0 {
        true => Ok(()),
        false => Err(format!("{}\n{diagnostics}", wrong.join("\n")).into()),
    }
}
