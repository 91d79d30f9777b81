//! The self-test that a compiler passes before it is trusted with device code.

use std::{
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    path::Path,
    process,
    sync::Mutex,
};

use ptx::Module;

use crate::{Arch, DeviceCompiler, Error, compile::Compilation};

/// A crate that shows, in its PTX, the properties on which the builder relies.
const KERNEL: &str = include_str!("self_test/kernel.rs");

const MANIFEST: &str = "\
[package]
name = \"self_test\"
version = \"0.0.0\"
edition = \"2024\"

[lib]
path = \"kernel.rs\"

[workspace]
";

/// Builds of several architectures begin at once; one of them runs the test.
static RUNNING: Mutex<()> = Mutex::new(());

/// Compiles the kernel and looks at its PTX, once for each compiler: success leaves a stamp.
pub(crate) fn run(compiler: &DeviceCompiler, target_dir: &Path) -> Result<(), Error> {
    let _running = RUNNING.lock();
    let mut hasher = DefaultHasher::new();
    (&compiler.rustc, &compiler.verbose, KERNEL).hash(&mut hasher);
    let tests = target_dir.join("self-test");
    let stamp = tests.join(format!("passed-{:016x}", hasher.finish()));
    if stamp.is_file() {
        return Ok(());
    }
    // A folder for each process, since others may test at the same time.
    let folder = tests.join(format!("self-test-{}", process::id()));
    fs::create_dir_all(&folder)
        .map_err(Error::io(format!("cannot create {}", folder.display())))?;
    let result = compile_and_check(compiler, &folder, &tests);
    let _ = fs::remove_dir_all(&folder);
    result?;
    fs::write(&stamp, "").map_err(Error::io(format!("cannot write {}", stamp.display())))
}

fn compile_and_check(
    compiler: &DeviceCompiler,
    folder: &Path,
    target_dir: &Path,
) -> Result<(), Error> {
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        fs::write(&path, text).map_err(Error::io(format!("cannot write {}", path.display())))
    };
    write("Cargo.toml", MANIFEST)?;
    write("kernel.rs", KERNEL)?;
    let failed = |reason: String| Error::SelfTest {
        version: compiler.version,
        reason,
    };
    let output = Compilation {
        compiler,
        crate_dir: folder,
        target_dir,
        arch: Arch::Sm90a,
        isa: Arch::Sm90a.default_isa(),
        features: &[],
        default_features: true,
        rustflags: &[],
        only: &[],
        debug_assertions: false,
        overflow_checks: false,
    }
    .run()
    .map_err(|error| failed(error.to_string()))?;
    let module = ptx::parse(&output.ptx)
        .map_err(|errors| failed(format!("its PTX does not parse: {errors}")))?;
    check(&module).map_err(failed)
}

fn check(module: &Module) -> Result<(), String> {
    let isa = Arch::Sm90a.default_isa();
    if (module.version.major, module.version.minor) != (isa.major, isa.minor) {
        let ptx::Version { major, minor } = module.version;
        return Err(format!(
            "the PTX has version {major}.{minor} in place of {isa}"
        ));
    }
    let entry = module
        .function("self_test")
        .ok_or("the entry `self_test` is missing")?;
    let body = entry
        .body
        .as_ref()
        .ok_or("the entry `self_test` has no body")?;
    let barriers = body
        .instructions()
        .filter(|instruction| instruction.opcode.stem().starts_with("bar"));
    match barriers.count() {
        1 => {}
        count => return Err(format!("one barrier of the source became {count}")),
    }
    let map = entry
        .parameter("self_test_param_1")
        .ok_or("parameters are not named `self_test_param_1`")?;
    if map.size_bytes() != Some(128) {
        return Err("a parameter of 128 bytes is not passed by value".into());
    }
    if !module
        .pragmas()
        .any(|pragma| pragma.texts.iter().any(|text| text == "tma self-test"))
    {
        return Err("the text of `global_asm!` is missing".into());
    }
    if !body
        .instructions()
        .any(|instruction| instruction.opcode.name() == "cp.async.bulk.commit_group")
    {
        return Err("the text of `asm!` is missing".into());
    }
    if !body
        .walk()
        .any(|statement| matches!(statement, ptx::Statement::Location(_)))
    {
        return Err("the line table is missing".into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "\
.version 8.0
.target sm_90a
.address_size 64
.pragma \"tma self-test\";
.visible .entry self_test(.param .u64 self_test_param_0, .param .align 16 .b8 self_test_param_1[128])
{
.loc 1 2 3
bar.sync 0;
cp.async.bulk.commit_group;
ret;
}
";

    fn refused(from: &str, to: &str) -> String {
        assert!(GOOD.contains(from));
        check(&ptx::parse(&GOOD.replace(from, to)).unwrap()).unwrap_err()
    }

    #[test]
    fn each_property_is_looked_at() {
        assert_eq!(check(&ptx::parse(GOOD).unwrap()), Ok(()));
        assert_eq!(
            refused("8.0", "7.8"),
            "the PTX has version 7.8 in place of 8.0"
        );
        assert_eq!(
            refused("bar.sync 0;", "bar.sync 0;\nbar.sync 0;"),
            "one barrier of the source became 2"
        );
        assert_eq!(
            refused("bar.sync 0;", ""),
            "one barrier of the source became 0"
        );
        assert_eq!(
            refused("self_test_param_1", "map"),
            "parameters are not named `self_test_param_1`"
        );
        assert_eq!(
            refused("[128]", "[64]"),
            "a parameter of 128 bytes is not passed by value"
        );
        assert_eq!(
            refused("tma self-test", "other"),
            "the text of `global_asm!` is missing"
        );
        assert_eq!(
            refused("cp.async.bulk.commit_group;", ""),
            "the text of `asm!` is missing"
        );
        assert_eq!(refused(".loc 1 2 3", ""), "the line table is missing");
    }
}
