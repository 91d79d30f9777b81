//! Invalid launch files and their messages.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::OnceLock,
};

use tma_cli::emulate::LaunchFile;

const PTX: &str = ".version 8.6\n.target sm_90a\n.address_size 64\n.visible .entry k() { ret; }\n";

/// A valid file with a module, a launch, two buffers and a map.
const GOOD: &str = r#"
module = "k.ptx"
buffers.a = { type = "i32", length = 64 }
buffers.h = { type = "f16", dims = [8, 4] }
maps.tile = { buffer = "h" , box = [8, 2] }
launch = { entry = "k", grid = 1, block = 32 }
"#;

/// Creates a folder with a module and a file of six bytes.
fn folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("launch_files");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("k.ptx"), PTX).unwrap();
        fs::write(folder.join("six.bin"), [0; 6]).unwrap();
        folder
    })
}

fn parse(text: &str) -> Result<LaunchFile, String> {
    LaunchFile::parse("k.toml", text, folder()).map_err(|violations| {
        let lines = violations.iter();
        let lines: Vec<String> = lines
            .map(|violation| {
                format!(
                    "{}:{}: {}",
                    violation.line, violation.column, violation.says
                )
            })
            .collect();
        lines.join("\n")
    })
}

/// Returns the message for these lines followed by the buffers of the valid file.
fn says(lines: &str) -> String {
    parse(&format!("{lines}\n{GOOD}")).expect_err(lines)
}

#[test]
fn a_small_file_is_read() {
    let file = parse(GOOD).unwrap();
    assert_eq!((file.name(), file.arch()), ("k.toml", "sm_90a"));
    let launches: Vec<_> = file.launches().collect();
    assert_eq!(launches[0].entry, "k");
    let buffers = file.buffers().unwrap();
    let sizes: Vec<_> = buffers.iter().map(|buffer| buffer.bytes().len()).collect();
    assert_eq!(sizes, [256, 64]);
}

#[test]
fn buffers_lie_in_the_order_of_the_file() {
    let text = GOOD.replace("buffers.a", "buffers.zebra");
    let buffers = parse(&text).unwrap().buffers().unwrap();
    let names: Vec<_> = buffers.iter().map(|buffer| buffer.name()).collect();
    assert_eq!(names, ["zebra", "h"]);
}

#[test]
fn mistakes_name_their_place_and_what_is_allowed() {
    let cases = [
        (
            "expekt = []",
            "1:1: the file has no key `expekt`: did you mean `expect`? known keys are `module`, `modules`, `arch`, `buffers`, `variables`, `maps`, `textures`, `launch`, `expect`, `dump`",
        ),
        (
            "arch = 90",
            "1:8: `arch`: expected a string, found an integer",
        ),
        ("buffers.b = 3", "1:13: expected a table, found an integer"),
        (
            "buffers.b = { type = \"i33\", length = 1 }",
            "1:22: `type`: unknown value `i33`: did you mean `i32` or `f32` or `i16`?",
        ),
        (
            "buffers.b = { length = 1 }",
            "1:13: `buffers.b` has no `type`",
        ),
        (
            "buffers.b = { type = \"u8\" }",
            "1:13: `buffers.b` needs a `length` in elements, or `dims`, innermost first",
        ),
        (
            "buffers.b = { type = \"u8\", length = 1, dims = [1] }",
            "1:13: `b`: set either `length` or `dims`",
        ),
        (
            "buffers.b = { type = \"u8\", length = -1 }",
            "1:37: `length`: -1 must be from 0 to 18446744073709551615",
        ),
        (
            "buffers.b = { type = \"u8\", length = 1.5 }",
            "1:37: `length`: expected an integer, found a float",
        ),
        (
            "buffers.b = { type = \"u8\", length = 1073741825 }",
            "1:13: `b` is too large: the limit of all buffers together is 1073741824 bytes",
        ),
        (
            "buffers.b = { type = \"u64\", dims = [4294967296, 4294967296] }",
            "1:13: `b` is too large: the limit of all buffers together is 1073741824 bytes",
        ),
        (
            "buffers.b = { type = \"u8\", length = 2, contents = \"iotas\" }",
            "1:51: `contents`: unknown pattern `iotas`: did you mean `iota`?",
        ),
        (
            "buffers.b = { type = \"u8\", length = 2, contents = 7 }",
            "1:51: `contents`: expected a pattern as in `\"zeros\"`, a list as in `[1, 2, 3]`, or a table as in `{ file = \"...\" }`",
        ),
        (
            "buffers.b = { type = \"u8\", length = 2, contents = [1] }",
            "1:51: `contents`: the list has 1 elements but must have 2; use `{ repeat = [...] }` to repeat a shorter list",
        ),
        (
            "buffers.b = { type = \"u8\", length = 2, contents = [256, -1] }",
            "1:52: 256 must be a u8, from 0 to 255\n1:57: -1 must be a u8, from 0 to 255",
        ),
        (
            "buffers.b = { type = \"i8\", length = 1, contents = [0.5] }",
            "1:52: 0.5 must be an integer for the type i8",
        ),
        (
            "buffers.b = { type = \"u8\", length = 2, contents = { repeat = [] } }",
            "1:62: `contents`: an empty list cannot be repeated",
        ),
        (
            "buffers.b = { type = \"u8\", length = 2, contents = { constant = 1, iota = {} } }",
            "1:51: `contents`: set either `constant` or `iota`",
        ),
        (
            "buffers.b = { type = \"u8\", length = 2, contents = {} }",
            "1:51: `contents`: set one of `constant`, `iota`, `random`, `repeat`, `file`",
        ),
        (
            "buffers.b = { type = \"u8\", length = 2, contents = { random = { low = 3, high = 2 } } }",
            "1:62: `contents`: the range from 3 to 2 is empty or infinite; `low` must not exceed `high`",
        ),
        (
            "buffers.b = { type = \"f32\", length = 2, contents = { random = { seed = -2 } } }",
            "1:72: `seed`: -2 must be from 0 to 18446744073709551615",
        ),
        (
            "buffers.b = { type = \"f64\", length = 2, contents = { constant = 1e999 } }",
            "1:65: `contents`: the number is too large for any type; infinity is `inf`",
        ),
        (
            "buffers.b = { type = \"u16\", length = 2, contents = { file = \"six.bin\" } }",
            "1:61: `contents`: `six.bin` has 6 bytes but must have 4, for 2 elements of u16",
        ),
        (
            "buffers.b = { type = \"u16\", length = 2, contents = { file = \"five.bin\" } }",
            "1:61: `contents`: cannot read `five.bin`: No such file or directory (os error 2)",
        ),
        (
            "maps.m = { buffer = \"b\" }",
            "1:21: `buffer`: there is no buffer `b`: there are `a`, `h`",
        ),
        (
            "maps.m = { buffer = \"h\", swizzle = \"65b\", box = [8, 2] }",
            "1:36: `swizzle`: unknown value `65b`: did you mean `64b` or `32b`?",
        ),
        (
            "maps.m = { buffer = \"h\", box = [8, 2], box_dims = [8, 2] }",
            "1:10: `box_dims` and `box` are the same key; set only one",
        ),
        (
            "maps.m = { buffer = \"h\", box = [4, 2], fill = \"nan\", strides = [10] }",
            "1:10: `maps.m`: parameters of the tiled tensor map break 2 rules:\n  strides_bytes[0] = 10: must be a multiple of 16 bytes; use 16 [stride-multiple]\n  box_dims[0] = 4: row of 8 bytes must be a multiple of 16; use 8 [box-row-multiple]",
        ),
        (
            "maps.m = { buffer = \"h\", pixels = 8 }",
            "1:10: `maps.m`: an im2col map needs both `channels_per_pixel` and `pixels_per_column`",
        ),
        (
            "expect = { buffer = \"a\" }",
            "1:10: `expect` has no `contents`",
        ),
        (
            "expect = { buffer = \"a\", contents = \"unchanged\", first = 64 }",
            "1:10: no element is compared: `a` has 64 elements, and the comparison covers 0 from element 64 on",
        ),
        (
            "expect = { buffer = \"a\", contents = \"unchanged\", first = 60, count = 5 }",
            "1:10: `a` has 64 elements, too few for 5 from element 60 on",
        ),
        (
            "expect = { buffer = \"a\", contents = \"zeros\", tolerance = { ulps = 1 } }",
            "1:10: `tolerance` must not be set for i32, an integer type",
        ),
        (
            "expect = { buffer = \"h\", contents = \"zeros\", tolerance = {} }",
            "1:58: `tolerance`: set `ulps`, `absolute` or both",
        ),
        (
            "expect = { buffer = \"h\", contents = \"zeros\", tolerance = { absolute = -1 } }",
            "1:58: `tolerance`: `absolute` must be at least 0",
        ),
        (
            "expect = { buffer = \"h\", contents = { buffer = \"a\" } }",
            "1:48: `contents`: `a` has elements of i32, which must be f16",
        ),
        (
            "expect = { buffer = \"a\", contents = { buffer = \"a\", first = 1 } }",
            "1:48: `contents`: `a` has 64 elements, too few for 64 from element 1 on",
        ),
        (
            "dump = [{ buffer = \"a\" }, 3]",
            "1:9: `dump` has no `file`\n1:27: expected a table, found an integer",
        ),
        (
            "arch = [",
            "3:8: unexpected `=` in array, expected value, `]`",
        ),
    ];
    let mut wrong = Vec::new();
    for (lines, expected) in cases {
        let said = says(lines);
        if !said.starts_with(expected) {
            wrong.push(format!("{lines}\n{said}\n{expected}\n"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn arguments_are_one_thing_each() {
    let with = |arguments: &str| {
        let text = GOOD.replace(
            "block = 32",
            &format!("block = 32, arguments = {arguments}"),
        );
        parse(&text).map(|file| file.launches().next().unwrap().arguments.clone())
    };
    let arguments = with(
        r#"[{ buffer = "a", offset_bytes = 4 }, { map = "tile" }, { f16 = 1.5 }, { i64 = -1 }, [{ u32 = 1 }, { buffer = "h" }]]"#,
    );
    let shown: Vec<String> = arguments
        .unwrap()
        .iter()
        .map(|a| a.form().to_string())
        .collect();
    let expected = [
        "address of 8 bytes",
        "tensor map of 128 bytes",
        "u16 of 2 bytes",
        "i64 of 8 bytes",
        "struct of 16 bytes",
    ];
    assert_eq!(shown, expected);
    let cases = [
        (
            "[{}]",
            "6:60: an argument must be exactly one of `{ buffer = \"x\" }`, `{ variable = \"x\" }`, `{ map = \"x\" }`, `{ texture = \"x\" }`, `{ surface = \"x\" }`, or a number with its type, as in `{ u32 = 5 }`",
        ),
        (
            "[{ u32 = 1, f32 = 1 }]",
            "6:60: an argument must be exactly one of",
        ),
        (
            "[{ u32 = -1 }]",
            "6:68: `u32`: -1 must be a u32, from 0 to 4294967295",
        ),
        (
            "[{ map = \"h\" }]",
            "6:68: `map`: there is no map `h`: there are `tile`",
        ),
        (
            "[{ bufer = \"a\" }, 5]",
            "6:62: `arguments` has no key `bufer`: did you mean `buffer`? known keys are `buffer`, `variable`, `offset_bytes`, `map`, `texture`, `surface`, `u8`,",
        ),
        (
            "[{ u32 = 1, offset_bytes = 4 }]",
            "6:60: `offset_bytes` requires a `buffer`",
        ),
        ("[[]]", "6:60: a struct must have fields"),
        (
            "5",
            "6:59: `arguments`: expected an array, found an integer",
        ),
    ];
    for (arguments, expected) in cases {
        let said = with(arguments).expect_err(arguments);
        assert!(said.starts_with(expected), "{arguments}\n{said}");
    }
}

#[test]
fn launches_are_checked_for_their_form() {
    let cases = [
        (
            GOOD.replace("grid = 1", "grid = [1, 2, 3, 4]"),
            "6:32: `grid`: must be one to three numbers, innermost first, not 4",
        ),
        (
            GOOD.replace("grid = 1", "grid = 4294967296"),
            "6:32: `grid`: 4294967296 must be from 0 to 4294967295",
        ),
        (
            GOOD.replace("grid = 1, ", ""),
            "6:10: `launch` has no `grid`",
        ),
        (
            GOOD.replace("entry = \"k\", ", ""),
            "6:10: `launch` has no `entry`",
        ),
        (
            GOOD.replace("launch", "lunch"),
            "1:1: the file must have at least one `[[launch]]`",
        ),
        (
            GOOD.replace("k.ptx", "l.ptx"),
            "2:10: `module`: cannot read `",
        ),
        (GOOD.replace("k.ptx", ""), "2:10: `module`: `"),
        (format!("{GOOD}\n[[launch]]"), "8:3: duplicate key"),
    ];
    for (text, expected) in cases {
        let said = parse(&text).expect_err(&text);
        assert!(said.starts_with(expected), "{text}\n{said}");
    }
}

#[test]
fn a_mistake_in_a_buffer_is_said_once() {
    let text = GOOD.replace("\"i32\"", "\"i33\"");
    let text = format!(
        "{text}\nexpect = {{ buffer = \"a\", contents = \"zeros\" }}\nmaps.x = {{ buffer = \"a\" }}"
    );
    let said = parse(&text).unwrap_err();
    assert_eq!(said.lines().count(), 1, "{said}");
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let said = LaunchFile::read(Path::new("/nowhere/x.toml"))
        .unwrap_err()
        .to_string();
    assert!(
        said.starts_with("/nowhere/x.toml:1:1: cannot read the file: No such file"),
        "{said}"
    );
    let said = LaunchFile::read(Path::new(env!("CARGO_MANIFEST_DIR")))
        .unwrap_err()
        .to_string();
    assert!(
        said.ends_with("cannot read the file: not a regular file"),
        "{said}"
    );
}

/// Reading would block on a pipe without a writer, and never end on a device.
#[cfg(unix)]
#[test]
fn pipes_and_devices_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    for path in [pipe.as_path(), Path::new("/dev/zero")] {
        let said = LaunchFile::read(path).unwrap_err().to_string();
        assert!(said.ends_with("not a regular file"), "{said}");
        let buffer = format!(
            "buffers.b = {{ type = \"u8\", length = 3, contents = {{ file = \"{}\" }} }}",
            path.display()
        );
        let said = parse(&format!("{buffer}\n{GOOD}")).unwrap_err();
        assert!(said.contains("not a regular file"), "{said}");
    }
}

#[test]
fn launch_files_have_a_limit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large.toml");
    fs::File::create(&path).unwrap().set_len(1 << 32).unwrap();
    let said = LaunchFile::read(&path).unwrap_err().to_string();
    assert!(said.contains("4294967296 bytes exceed the limit"), "{said}");
}

/// Returns the initial contents of a buffer of `count` elements of this type.
fn contents<T: bytemuck::AnyBitPattern + bytemuck::NoUninit>(
    ty: &str,
    length: usize,
    contents: &str,
) -> Vec<T> {
    let buffer =
        format!("buffers.b = {{ type = \"{ty}\", length = {length}, contents = {contents} }}");
    let file = parse(&format!("{buffer}\n{GOOD}")).unwrap();
    file.buffers().unwrap()[0].to_vec().unwrap()
}

#[test]
fn patterns_fill_buffers() {
    assert_eq!(contents::<u32>("u32", 3, "\"zeros\""), [0; 3]);
    assert_eq!(contents::<i16>("i16", 3, "\"poison\""), [-1; 3]);
    assert!(contents::<f32>("f32", 2, "\"poison\"")[1].is_nan());
    assert_eq!(
        contents::<u8>("u8", 258, "\"iota\"")[250..],
        [250, 251, 252, 253, 254, 255, 0, 1]
    );
    let iota = "{ iota = { start = 1.5, step = -0.5 } }";
    assert_eq!(contents::<f64>("f64", 4, iota), [1.5, 1.0, 0.5, 0.0]);
    let iota = "{ iota = { start = 3, step = -2 } }";
    assert_eq!(contents::<u32>("u32", 3, iota), [3, 1, u32::MAX]);
    assert_eq!(
        contents::<u64>("u64", 2, "{ constant = 0xffff_ffff_ffff_ffff }"),
        [u64::MAX; 2]
    );
    assert_eq!(
        contents::<i8>("i8", 5, "{ repeat = [1, -2] }"),
        [1, -2, 1, -2, 1]
    );
    assert_eq!(
        contents::<u16>("f16", 3, "[1, -0.0, inf]"),
        [0x3c00, 0x8000, 0x7c00]
    );
    assert_eq!(contents::<u16>("bf16", 1, "[-1.5]"), [0xbfc0]);
    assert_eq!(contents::<u16>("u16", 3, "{ file = \"six.bin\" }"), [0; 3]);
}

#[test]
fn random_contents_keep_their_range_and_are_those_of_the_seed() {
    let of = |inner: &str| contents::<i32>("i32", 1000, &format!("{{ random = {{ {inner} }} }}"));
    let few = of("seed = 3, low = -2, high = 2");
    assert!(few.iter().all(|value| (-2..=2).contains(value)));
    assert!((-2..=2).all(|value| few.contains(&value)));
    assert_eq!(of("seed = 3"), of("seed = 3"));
    assert_ne!(of("seed = 3"), of("seed = 4"));
    let all = of("");
    assert!(all.iter().any(|value| *value < -1_000_000_000));
    assert!(all.iter().any(|value| *value > 1_000_000_000));
    let floats = contents::<f32>("f32", 1000, "{ random = { seed = 9, high = 0.5 } }");
    assert!(floats.iter().all(|value| (-1.0..0.5).contains(value)));
    assert!(floats.iter().any(|value| *value < -0.9) && floats.iter().any(|value| *value > 0.4));
}

#[test]
fn modules_run_here_if_they_run_on_the_emulated_gpu() {
    use tma_host::Capability;
    for target in [
        "sm_80",
        "sm_90",
        "sm_90a",
        "sm_90f",
        "sm_100",
        "sm_100a",
        "sm_80a",
        "sm_90af",
        "sm_",
        "compute_90",
        "",
    ] {
        let expected = Capability::LEAST.runs(target);
        let runs = match tma_cli::emulate::runs_here("k.ptx", target) {
            Ok(()) => Some(true),
            Err(tma_cli::emulate::Stopped::Unsupported(_)) => Some(false),
            Err(_) => None,
        };
        assert_eq!(runs, expected, "{target}");
    }
}
