//! The messages for features that device code lacks.

use std::path::PathBuf;

use libtest_mimic::Failed;
use tma_build::{Arch, Assemble, PtxBuilder};

use super::{Crate, checks::checked, contains, holds, refused, text};

/// A big array, recursion, a function of another language.
pub(crate) fn refused_at_its_line() -> Result<(), Failed> {
    let wrong = Crate::new(
        "#[kernel]\npub unsafe fn big(data: *mut u32, step: u32) {\n    let mut table = [0_u32; 1000];\n    \
         let mut i = 0;\n    while i < 1000 { table[i as usize] = i * step; i += step; }\n    \
         unsafe { *data = table[(step % 1000) as usize] };\n}\n\
         unsafe extern \"C\" { fn missing(x: u32) -> u32; }\n\
         #[kernel]\npub unsafe fn external(data: *mut u32) {\n    unsafe { *data = missing(7) };\n}\n\
         #[inline(never)]\nfn ackermann(m: u32, n: u32) -> u32 {\n    if m == 0 { return n + 1 }\n    \
         if n == 0 { return ackermann(m - 1, 1) }\n    ackermann(m - 1, ackermann(m, n - 1))\n}\n\
         #[kernel]\npub unsafe fn deep(data: *mut u32, m: u32) {\n    unsafe { *data = ackermann(m, 3) };\n}\n",
    )?;
    let error = refused(&wrong.builder())?;
    contains(
        &error,
        &[
            "local-memory: in `big` (src/lib.rs:7): 4000 bytes of local memory for each thread, for `table`",
            "put large arrays into `tma::shared!`",
            "unresolved-function: in `external` (src/lib.rs:15): `missing` is called but not defined",
            "recursion: in `deep` (src/lib.rs:21): `k",
            "::ackermann` calls itself",
        ],
    )?;
    holds(error.lines().count() == 4, error)
}

pub(crate) fn indirect_call() -> Result<(), Failed> {
    let slow = Crate::new(
        "trait Shape { fn area(&self, x: u32) -> u32; }\nstruct A(u32);\nstruct B(u32);\n\
         impl Shape for A { fn area(&self, x: u32) -> u32 { self.0 * x } }\n\
         impl Shape for B { fn area(&self, x: u32) -> u32 { self.0 ^ x } }\n\
         #[inline(never)]\nfn area(shape: &dyn Shape, x: u32) -> u32 {\n    shape.area(x)\n}\n\
         #[kernel(local_memory)]\npub unsafe fn k(data: *mut u32, x: u32) {\n    let (a, b) = (A(x), B(x));\n    \
         unsafe { *data = area(if x == 3 { &a } else { &b }, x) };\n}\n",
    )?;
    let warnings = slow.builder().build()?.warnings;
    contains(
        &warnings.join("\n"),
        &["indirect-call: in `k` (src/lib.rs:12): a call through a pointer, as by `dyn`"],
    )
}

/// A kernel with a product, and a quotient that may be a panic.
pub(crate) fn product_and_quotient(name: &str, divisor: &str) -> String {
    format!(
        "#[kernel(max_threads = 128)]\npub unsafe fn {name}(out: *mut f32, a: u64, b: u64, x: u32, y: u32) {{\n    \
         use tma::ptx::{{Aligned, Bf16, wgmma}};\n    let quotient = x / {divisor};\n    \
         unsafe {{\n    wgmma::fence_sync::<Aligned>();\n    \
         let d = wgmma::mma_async::<[f32; 4], Bf16, Bf16, 1, 1, 0, 0>([0.0; 4], a, b, true);\n    \
         wgmma::commit_group_sync::<Aligned>();\n    wgmma::wait_group_sync::<Aligned, 0>();\n    \
         *out = d[0] + quotient as f32;\n    }}\n}}\n"
    )
}

pub(crate) fn call_beside_wgmma() -> Result<(), Failed> {
    let kernel = product_and_quotient;
    let both = Crate::new(&(kernel("may_panic", "y") + &kernel("never_panics", "(y | 1)")))?;
    let wanted = [
        "call-beside-wgmma: in `may_panic` (src/lib.rs:8): `",
        "is called in a kernel with `wgmma`",
        "or write `#[kernel(allow(C7509))]`",
    ];
    // The lint runs before ptxas, and so without ptxas, too.
    let error = refused(&both.builder().assemble(Assemble::Never))?;
    contains(&error, &wanted)?;
    holds(!error.contains("never_panics"), error)?;
    // With checks it is a warning.
    let builder = checked(both.builder()).assemble(Assemble::Never);
    contains(&builder.build()?.warnings.join("\n"), &wanted[..2])?;
    let allowed = kernel("may_panic", "y").replace("128)", "128, allow(C7509))");
    let allowed = Crate::new(&allowed)?;
    let builder = allowed.builder().assemble(Assemble::Never);
    let warnings = builder.build()?.warnings.join("\n");
    holds(!warnings.contains("call-beside-wgmma"), warnings)
}

pub(crate) fn advice() -> Result<(), Failed> {
    let cases = [
        ("extern crate std;", "write `#![no_std]` at the top"),
        ("extern crate alloc;", "a GPU crate has no heap"),
        ("fn f(x: f32) -> f32 { x.exp() }", "`exp`, `sin`, `sqrt`"),
    ];
    for (body, help) in cases {
        let error = refused(&Crate::new(body)?.builder())?;
        contains(&error, &["src/lib.rs:5:", "\n= help: ", help])?;
    }
    let other = Crate::new("fn f() -> u32 { 1.5 }")?;
    let error = refused(&other.builder())?;
    holds(!error.contains("\n= help: "), error)
}

/// Runs in a process of its own, as cargo runs a build script.
pub(crate) fn told_once() -> Result<(), Failed> {
    const CHILD: &str = "TMA_TEST_BUILD_SCRIPT";
    if let Some(folder) = std::env::var_os(CHILD) {
        PtxBuilder::new(PathBuf::from(folder)).build_or_exit();
        return Ok(());
    }
    let head = "#![no_std]\n#![allow(dead_code)]\n";
    let of_both = Crate::with("", head, "fn f() -> u32 { 1.5 }")?;
    let of_device = Crate::with(
        "",
        head,
        "#[cfg(target_arch = \"nvptx64\")]\nfn f() -> u32 { 1.5 }",
    )?;
    let caller = tempfile::tempdir()?;
    let script = |gpu: &Crate, dependency: &str| {
        let manifest = format!("[dependencies]\n{dependency}\n");
        std::fs::write(caller.path().join("Cargo.toml"), manifest)?;
        let output = std::process::Command::new(std::env::current_exe()?)
            .args([
                "a_build_script_tells_an_error_once",
                "--exact",
                "--test-threads=1",
            ])
            .env(CHILD, gpu.folder.path())
            .env("OUT_DIR", gpu.folder.path())
            .env("CARGO_MANIFEST_DIR", caller.path())
            .env("CARGO_CFG_TARGET_ARCH", "x86_64")
            .output()?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ok::<_, std::io::Error>((
            output.status.success(),
            text(&output.stdout),
            text(&output.stderr),
        ))
    };
    let depends = |gpu: &Crate| format!("gpu = {{ path = {:?} }}", gpu.folder.path());
    for (gpu, dependency) in [
        // No other build of cargo's has the error.
        (&of_both, String::new()),
        // Nor has the build for the host.
        (&of_device, depends(&of_device)),
    ] {
        let (good, stdout, stderr) = script(gpu, &dependency)?;
        holds(!good, "it was built")?;
        holds(!stdout.contains("cargo::"), stdout)?;
        holds(stderr.matches("mismatched types").count() == 1, stderr)?;
    }
    let (good, stdout, stderr) = script(&of_both, &depends(&of_both))?;
    holds(
        good && !stderr.contains("mismatched types"),
        format!("{stdout}{stderr}"),
    )?;
    contains(
        &stdout,
        &[
            "cargo::warning=the kernels have no PTX",
            "cargo::rerun-if-changed=no-ptx",
        ],
    )
}

/// An architecture that LLVM does not know, and an instruction of a version that it does not know.
pub(crate) fn later_architecture() -> Result<(), Failed> {
    let body = "#[kernel]\npub unsafe fn k(data: *mut u8) {\n    \
                unsafe { tma::ptx::applypriority::async_bulk_global_bulk_group_l2_evict_normal(data, 128) }\n}";
    let later = Crate::new(body)?;
    let error = refused(&later.builder().arch(Arch::Sm100a))?;
    contains(&error, &["` needs sm_107a\n", "src/lib.rs:7:"])?;
    let ptx = text(&later.builder().arch(Arch::Sm107a).build()?)?;
    contains(
        &ptx,
        &[
            ".version 9.4\n.target sm_107a\n",
            "applypriority.async.bulk.global",
        ],
    )?;
    let body = "#[kernel]\npub unsafe fn k(data: *mut u8) {\n    \
                unsafe { tma::ptx::prefetch::global_l1_32b_valid_addr(data) }\n}";
    let newer = Crate::new(body)?;
    let ptx = text(&newer.builder().build()?)?;
    contains(&ptx, &[".version 9.4\n.target sm_90a\n"])
}
