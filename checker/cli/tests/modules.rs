//! Launch files with several modules.
#![cfg(target_os = "linux")]

#[allow(dead_code, reason = "other tests use the rest")]
mod support;

use std::{fs, path::Path};

use support::{NO_DRIVER, tma};

/// A module of two kernels; each adds the module's `step` to a number and to the module's `sum`.
fn module(kernels: [&str; 2], variables: &str) -> String {
    let kernel = |name| {
        format!(
            ".visible .entry {name}(.param .u64 number)
            {{
                .reg .b32 %r<4>; .reg .b64 %rd<2>;
                ld.param.u64 %rd1, [number];
                ld.global.u32 %r1, [%rd1]; ld.const.u32 %r2, [step]; add.u32 %r1, %r1, %r2;
                st.global.u32 [%rd1], %r1;
                ld.global.u32 %r3, [sum]; add.u32 %r3, %r3, %r2; st.global.u32 [sum], %r3;
                ret;
            }}\n"
        )
    };
    let header = ".version 8.6\n.target sm_90a\n.address_size 64\n";
    format!("{header}{variables}\n{}", kernels.map(kernel).concat())
}

const FILE: &str = r#"
modules = ["a.ptx", "b.ptx"]
buffers.number = { type = "u32", length = 1, contents = [1000] }
variables.sum_of_b = { name = "sum", module = "b.ptx", type = "u32", length = 1 }
variables.only_b = { type = "u32", length = 1, contents = [77] }
variables.step_of_b = { name = "step", module = "b.ptx", type = "u32", length = 1 }
launch = [
    { entry = "first", grid = 1, block = 1, arguments = [{ buffer = "number" }] },
    { entry = "common", module = "b.ptx", grid = 1, block = 1, arguments = [{ buffer = "number" }] },
    { entry = "common", module = "a.ptx", grid = 1, block = 1, arguments = [{ buffer = "number" }] },
    { entry = "second", grid = 1, block = 1, arguments = [{ variable = "sum_of_b" }] },
]
expect = [
    { buffer = "number", contents = [1102] },
    { variable = "sum_of_b", contents = [500] },
    { variable = "only_b", contents = [77] },
]
"#;

/// Runs a launch file on two modules: one has `first` and `common`, the other `second` and `common`.
fn run(file: &str) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().unwrap();
    let a = module(
        ["first", "common"],
        ".const .u32 step = 1; .global .u32 sum;",
    );
    let b = module(
        ["second", "common"],
        ".const .u32 step = 100; .global .u32 sum = 200; .global .u32 only_b;",
    );
    fs::write(folder.path().join("a.ptx"), a).unwrap();
    fs::write(folder.path().join("b.ptx"), b).unwrap();
    let path = folder.path().join("k.toml");
    fs::write(&path, file).unwrap();
    let arguments = ["emulate", path.to_str().unwrap()];
    let output = tma(Path::new(NO_DRIVER), &[], &arguments);
    let said = [output.stdout, output.stderr].concat();
    (
        output.status.code(),
        String::from_utf8_lossy(&said).into_owned(),
    )
}

#[test]
fn memory_lives_on_between_launches_of_several_modules() {
    let (code, said) = run(FILE);
    assert_eq!(code, Some(0), "{said}");
    // Each module keeps its own sum.
    let other = FILE.replace("contents = [500]", "contents = [501]");
    let (code, said) = run(&other);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("sum_of_b") && said.contains("500"), "{said}");
    let of_a = FILE
        .replace(
            "name = \"sum\", module = \"b.ptx\"",
            "name = \"sum\", module = \"a.ptx\"",
        )
        // 1 from `first` and from `common`, and 100 added by `second`.
        .replace("contents = [500]", "contents = [102]");
    let (code, said) = run(&of_a);
    assert_eq!(code, Some(0), "{said}");
}

#[test]
fn what_is_in_no_module_or_in_several_is_an_error_with_its_line() {
    let cases = [
        (
            FILE.replace("entry = \"second\"", "entry = \"secnd\""),
            "no module has a kernel `secnd`: did you mean `second`",
        ),
        (
            FILE.replace(
                "entry = \"common\", module = \"b.ptx\"",
                "entry = \"common\"",
            ),
            "the modules `a.ptx` and `b.ptx` each have a kernel `common`; choose one, as in `module = \"a.ptx\"`",
        ),
        (
            FILE.replace("module = \"a.ptx\"", "module = \"c.ptx\""),
            "the file has no module `c.ptx`",
        ),
        (
            FILE.replace("entry = \"first\"", "entry = \"first\", module = \"b.ptx\""),
            "b.ptx has no kernel `first`",
        ),
        (
            FILE.replace("name = \"sum\", module = \"b.ptx\"", "name = \"sum\""),
            "the modules `a.ptx` and `b.ptx` each have a variable `sum`",
        ),
        (
            FILE.replace(
                "grid = 1, block = 1, arguments = [{ variable = \"sum_of_b\" }]",
                "grid = 1, block = 1, arguments = [{ variable = \"step_of_b\" }]",
            )
            .replace("\"second\"", "\"first\""),
            "an argument of `first` is the address of `step`, a constant of another module",
        ),
        (
            FILE.replace("name = \"sum\", module", "name = \"sun\", module"),
            "the module has no variable `sun`",
        ),
        (
            FILE.replace("variables.only_b", "variables.only_c")
                .replace("variable = \"only_b\"", "variable = \"only_c\""),
            "no module has a variable `only_c`: did you mean `only_b`",
        ),
        (
            FILE.replace("[\"a.ptx\", \"b.ptx\"]", "[\"a.ptx\", \"a.ptx\"]"),
            "`a.ptx` is listed twice",
        ),
        (
            FILE.replace("[\"a.ptx\", \"b.ptx\"]", "[]"),
            "list at least one PTX file",
        ),
        (
            format!("module = \"a.ptx\"\n{FILE}"),
            "set either `module` or `modules`",
        ),
    ];
    for (file, expected) in cases {
        let (code, said) = run(&file);
        assert_eq!(code, Some(2), "{expected}: {said}");
        assert!(said.contains(expected), "{expected}: {said}");
    }
}

#[test]
fn the_example_of_two_modules_is_clean() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let path = root.join("examples/emulate/divide.toml");
    let arguments = ["emulate", path.to_str().unwrap(), "--seeds", "0..8"];
    let output = tma(Path::new(NO_DRIVER), &[], &arguments);
    assert!(output.status.success(), "{output:?}");
}
