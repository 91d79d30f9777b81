//! `tma map` without a GPU.
#![cfg(target_os = "linux")]

#[allow(dead_code, reason = "other tests use the rest")]
mod support;

use std::{fs, path::Path, process::Output};

use support::{NO_DRIVER, printed, refused, tma, unreadable};

/// The tile of `docs/tensor-maps.md`: 2 x 2 x 32 of an [H][W][C] image of f16.
const TILE: [&str; 8] = [
    "--type",
    "f16",
    "--dims",
    "32,162,94",
    "--box",
    "32,2,2",
    "--swizzle",
    "64b",
];

fn map(verb: &str, arguments: &[&str]) -> Output {
    let all: Vec<&str> = ["map", verb].iter().chain(arguments).copied().collect();
    tma(Path::new(NO_DRIVER), &[], &all)
}

fn with<'a>(more: &[&'a str]) -> Vec<&'a str> {
    TILE.iter().chain(more).copied().collect()
}

fn bytes(arguments: &[&str]) -> String {
    let json: serde_json::Value =
        serde_json::from_str(&printed(&map("explain", arguments))).unwrap();
    json["bytes"].as_str().unwrap().to_owned()
}

#[test]
fn a_map_is_explained_from_parameters_bytes_and_files() {
    let text = printed(&map("explain", &TILE));
    assert!(
        text.contains("dimensions       [32, 162, 94] elements, innermost first"),
        "{text}"
    );
    let reversed = [
        "--type",
        "f16",
        "--dims",
        "94,162,32",
        "--box",
        "2,2,32",
        "--outermost-first",
        "--swizzle",
        "64b",
    ];
    assert_eq!(printed(&map("explain", &reversed)), text);
    let digits = bytes(&with(&["--json"]));
    let from_digits = printed(&map("explain", &[&digits]));
    assert!(
        from_digits.contains("box              [32, 2, 2] elements, 256 bytes"),
        "{from_digits}"
    );
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("map");
    fs::write(&file, tensor_map::TensorMap::from_words([0; 16]).to_bytes()).unwrap();
    let zero = printed(&map("explain", &[&file.display().to_string()]));
    assert!(zero.contains("dimensions       [1] elements"), "{zero}");
    fs::write(&file, format!("{digits}\n")).unwrap();
    assert_eq!(
        printed(&map("explain", &[&file.display().to_string()])),
        from_digits
    );
}

#[test]
fn broken_rules_are_listed_and_fail() {
    let text = printed(&map("check", &TILE));
    assert!(
        text.ends_with("all rules of cuTensorMapEncodeTiled are kept for compute capability 9.0\n"),
        "{text}"
    );
    let output = map(
        "check",
        &["--type", "f32", "--dims", "64,64", "--box", "3,300"],
    );
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    assert!(
        text.contains("broken: box_dims[0] = 3: row of 12 bytes"),
        "{text}"
    );
    assert!(
        text.contains("broken: box_dims[1] = 300: must be 1 to 256 elements; use 256"),
        "{text}"
    );
    assert!(!output.status.success());
    assert_eq!(
        String::from_utf8(output.stderr).unwrap(),
        "error: 2 rules are broken\n"
    );
    let rules = printed(&map("check", &["--rules"]));
    assert!(rules.contains("box-row-multiple"));
    let json = printed(&map("check", &["--rules", "--json"]));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let all = json["rules"].as_array().unwrap();
    assert_eq!(2 * all.len(), rules.lines().count());
    assert!(
        all.iter()
            .all(|rule| rules.contains(rule["rule"].as_str().unwrap()))
    );
}

#[test]
fn maps_are_compared() {
    let left = bytes(&with(&["--json"]));
    assert_eq!(
        printed(&map("diff", &[&left, &left])),
        "the maps are equal\n"
    );
    let output = map("diff", &with(&[&left, "--l2", "128b"]));
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        "L2 promotion (word 1, bits 18:17): given 0x0, parameters 0x2\n"
    );
    assert!(!output.status.success());
    assert!(refused(&map("diff", &[&left])).contains("pass two maps"));
    assert!(refused(&map("diff", &with(&["--driver"]))).contains("the driver's map needs a GPU"));
}

#[test]
fn the_tile_of_the_page_is_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tile.svg");
    let file = file.display().to_string();
    let text = printed(&map("draw", &with(&["--at", "0,161,7", "-o", &file])));
    assert!(
        text.contains("box at [0, 161, 7]: 4 rows, 256 bytes, 128 of them out of bounds"),
        "{text}"
    );
    assert!(text.contains("bank conflicts"), "{text}");
    let drawn = fs::read_to_string(&file).unwrap();
    let expected = include_str!("../../../docs/tensor-map-tile.svg");
    assert!(drawn == expected, "draw it anew: see docs/tensor-maps.md");
    let json = printed(&map("draw", &with(&["--json"])));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["rows"][3]["global_offset"], 10368 + 64);
}

/// The matrix of `docs/tensor-cores.md`.
const MATRIX: [&str; 8] = [
    "--type",
    "bf16",
    "--dims",
    "256,256",
    "--box",
    "64,16",
    "--swizzle",
    "128b",
];

#[test]
fn what_tensor_cores_read_is_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("matrix.svg").display().to_string();
    let more = ["--at", "64,8", "--wgmma", "k", "-o", &file];
    let arguments: Vec<&str> = MATRIX.into_iter().chain(more).collect();
    let text = printed(&map("draw", &arguments));
    let last = "wgmma step 3, K 48 to 63: matrix descriptor 0x4000004000800006";
    assert!(text.contains(last), "{text}");
    let drawn = fs::read_to_string(&file).unwrap();
    let expected = include_str!("../../../docs/wgmma-tile.svg");
    assert!(drawn == expected, "draw it anew: see docs/tensor-cores.md");
    let more = ["--box", "64,32", "--wgmma", "mn", "--json"];
    let arguments: Vec<&str> = MATRIX[..4]
        .iter()
        .chain(&MATRIX[6..])
        .copied()
        .chain(more)
        .collect();
    let json: serde_json::Value = serde_json::from_str(&printed(&map("draw", &arguments))).unwrap();
    assert_eq!(json["wgmma"][1]["k"], serde_json::json!([16, 32]));
    assert_eq!(json["wgmma"][1]["descriptor"], "0x4000004001000080");
    // Rows 16 to 31 of 128 bytes.
    let pieces = json["wgmma"][1]["pieces"].as_array().unwrap();
    let mut pieces: Vec<u64> = pieces.iter().map(|piece| piece.as_u64().unwrap()).collect();
    pieces.sort_unstable();
    assert_eq!(pieces, (2048..4096).step_by(16).collect::<Vec<u64>>());
    let plain: Vec<&str> = MATRIX[..6]
        .iter()
        .copied()
        .chain(["--wgmma", "k"])
        .collect();
    assert!(
        refused(&map("draw", &plain)).contains("must fill the span of its swizzle, which is none")
    );
}

#[test]
fn a_matrix_descriptor_is_explained() {
    let text = printed(&map("explain", &["0x6000004000010080"]));
    assert!(text.contains("start address         2048 bytes"), "{text}");
    let json = printed(&map("explain", &["8006000300020001", "--json"]));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let expected = serde_json::json!({
        "start_bytes": 16, "leading_bytes": 32, "stride_bytes": 48, "base_offset": 3, "swizzle": "64b",
    });
    assert_eq!(json, expected);
}

#[test]
fn bad_input_gives_one_clear_message() {
    let cases: [(&[&str], &str); 7] = [
        (&["/dev/zero"], "not a regular file"),
        (
            &["abc"],
            "`abc` is neither 256 hexadecimal digits nor a file that can be read",
        ),
        (&["--dims", "3"], "pass an element type"),
        (
            &["--type", "f17", "--dims", "3"],
            "unknown type `f17`; use one of u8, u16",
        ),
        (&["--type", "f16"], "pass the dimensions"),
        (
            &["abc", "--type", "f16", "--dims", "8"],
            "pass either a map or parameters",
        ),
        (
            &["--type", "f16", "--dims", "8", "--sm", "80"],
            "compute capability `80` is unknown or has no tensor maps; use one of 90, 100",
        ),
    ];
    for (arguments, message) in cases {
        let output = map("explain", arguments);
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && text.contains(message), "{text}");
    }
    let no_map = "f".repeat(256);
    assert!(refused(&map("explain", &[&no_map])).contains("not a valid tensor map"));
    let trap = refused(&map("draw", &with(&["--at", "1,0,0"])));
    assert!(trap.contains("must be a multiple of 16 bytes"), "{trap}");
    let short = refused(&map("draw", &with(&["--at", "0,0"])));
    assert!(
        short.contains("2 coordinates are given, and 3 are needed"),
        "{short}"
    );
}

#[test]
fn the_bytes_given_are_the_bytes_explained() {
    let digits = bytes(&with(&["--json"]));
    // A map as left by `tensormap.replace`: the box size in bytes belongs to another box.
    let edited = {
        let map: Vec<u8> = (0..128)
            .map(|byte| u8::from_str_radix(&digits[2 * byte..2 * byte + 2], 16).unwrap())
            .collect();
        let mut words = *tensor_map::TensorMap::from_bytes(map.try_into().unwrap()).words();
        tensor_map::layout::BOX_BYTES.set(&mut words, 64);
        let bytes = tensor_map::TensorMap::from_words(words).to_bytes();
        bytes.map(|byte| format!("{byte:02x}")).concat()
    };
    assert_ne!(edited, digits);
    let text = printed(&map("explain", &[&edited]));
    assert!(
        text.contains(&format!("bytes            {edited}\n")),
        "{text}"
    );
    assert!(text.contains("given 0x40, encoded anew 0x100"), "{text}");
    let json = printed(&map("explain", &[&format!("0X{edited}"), "--json"]));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["bytes"], edited);
    assert_eq!(json["encoded_anew"]["bytes"], digits);
    assert_eq!(json["encoded_anew"]["differences"][0]["left"], 64);
    let zero = printed(&map("explain", &[&"0".repeat(256), "--json"]));
    let zero: serde_json::Value = serde_json::from_str(&zero).unwrap();
    assert_eq!(zero["bytes"], "0".repeat(256));
    assert_eq!(zero["broken"][0]["rule"], "box-row-multiple");
}

#[test]
fn broken_parameters_are_explained_and_fail() {
    let broken = with(&["--swizzle", "32b"]);
    let broken: Vec<&str> = broken[..6].iter().chain(&broken[8..]).copied().collect();
    let output = map("explain", &broken);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("\nbroken: box_dims[0] = 32"), "{text}");
    assert!(text.starts_with("  mode             tiled"), "{text}");
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(error, "error: 1 rule is broken\n");
    let ranks = ["--type", "u8", "--dims", "16,2,2,2,2,2"];
    let output = map("explain", &ranks);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("6; only 5 of the dimensions are shown"),
        "{text}"
    );
    let text = printed(&map("explain", &with(&["--fill", "nan", "--l2", "64b"])));
    assert!(text.contains("0x7FF7 repeated"), "{text}");
    assert!(
        text.contains("L2 promotion: L2 fetch granularity"),
        "{text}"
    );
}

#[test]
fn no_flag_is_ignored() {
    let digits = bytes(&with(&["--json"]));
    let error = refused(&map("check", &[&digits, "--address", "0x7", "--box", "3"]));
    assert!(
        error.contains("a map cannot be combined with --box, --address"),
        "{error}"
    );
    let error = refused(&map("diff", &[&digits, &digits, "--sm", "100"]));
    assert!(
        error.contains("two maps cannot be combined with --sm"),
        "{error}"
    );
    let wide = [
        "--type",
        "f16",
        "--dims",
        "64,16,16,4",
        "--channels",
        "64",
        "--pixels",
        "32",
        "--wide",
        "w",
        "--lower=-3,-7",
    ];
    let error = refused(&map("explain", &wide));
    assert!(error.contains("--lower has 2"), "{error}");
    let error = unreadable(&map("explain", &[&digits[..254]]));
    assert!(
        error.contains("has 254 hexadecimal digits but must have 256"),
        "{error}"
    );
    assert!(error.len() < 100, "{error}");
    let turned = [
        "--type",
        "f16",
        "--dims",
        "94,162,32",
        "--strides",
        "12960,80",
        "--box",
        "2,2,32",
        "--outermost-first",
        "--json",
    ];
    let json: serde_json::Value = serde_json::from_str(&printed(&map("explain", &turned))).unwrap();
    assert_eq!(json["strides_bytes"], serde_json::json!([80, 12960]));
}

#[test]
fn copies_that_no_gpu_makes_are_not_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("box.svg").display().to_string();
    let draw = |more: &[&str]| {
        let all = [&with(more)[..], &["-o", &file]].concat();
        map("draw", &all)
    };
    let error = refused(&draw(&["--shared", "0x40"]));
    assert!(error.contains("0x40 must be a multiple of 128"), "{error}");
    let error = refused(&draw(&["--shared", "4294967168"]));
    assert!(error.contains("is 233472 bytes"), "{error}");
    let text = printed(&draw(&["--shared", "0x80"]));
    assert!(text.contains("begins within a swizzle pattern"), "{text}");
    let far = [
        "--type",
        "u8",
        "--dims",
        "256,4294967296,4294967296",
        "--strides",
        "1099511627760,16",
        "--box",
        "256,1,1",
        "--at",
        "0,8388608,8388607",
        "-o",
        &file,
    ];
    printed(&map("draw", &far));
}
