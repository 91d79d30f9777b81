//! Fetches from textures, compared with the programming guide's formulas as plain arithmetic.

use tma_emulator::{
    Config, Session,
    texture::{
        AddressMode, Channel, Filter, Format, Geometry, Image, ReadMode, Sampler, Texture,
        TextureError,
    },
};
use tma_launch::{Argument, Failure, Launch};

use crate::common::module;

const MODES: [AddressMode; 4] = [
    AddressMode::Wrap,
    AddressMode::Clamp,
    AddressMode::Mirror,
    AddressMode::Border,
];

/// A kernel in which thread `t` fetches at the four numbers `at[t]` into the four words `out[t]`.
fn kernel(fetch: &str) -> String {
    module(&format!(
        ".visible .entry k(.param .u64 texture, .param .u64 at, .param .u64 out) {{
            .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .f32 %f<8>; .reg .pred %p<2>;
            ld.param.u64 %rd1, [texture]; ld.param.u64 %rd2, [at]; ld.param.u64 %rd3, [out];
            mov.u32 %r5, %tid.x;
            mul.wide.u32 %rd4, %r5, 16;
            add.u64 %rd2, %rd2, %rd4; add.u64 %rd3, %rd3, %rd4;
            ld.global.v4.f32 {{%f1, %f2, %f3, %f4}}, [%rd2];
            cvt.rzi.s32.f32 %r6, %f1; cvt.rzi.s32.f32 %r7, %f4;
            {fetch}
            st.global.v4.b32 [%rd3], {{%r1, %r2, %r3, %r4}};
            ret;
        }}"
    ))
}

/// The four words of each fetch. `texture` gets the address of the texels.
fn try_fetch(
    instruction: &str,
    texels: &[u8],
    texture: impl FnOnce(u64) -> Texture,
    at: &[[f32; 4]],
) -> Result<Vec<[u32; 4]>, Failure> {
    let mut session = Session::new(Config::default());
    let module = session.load("fetch.ptx", &kernel(instruction))?;
    let address = session.allocate("texels", texels.to_vec());
    let handle = session.add_texture(texture(address));
    let bytes = at.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
    let at_address = session.allocate("at", bytes);
    let out = session.allocate("out", vec![0xee; 16 * at.len()]);
    let launch = Launch::new("k", 1, at.len() as u32)
        .scalar(handle)
        .argument(Argument::Address(at_address))
        .argument(Argument::Address(out));
    session.launch(module, &launch)?;
    let words = session.read(out, 16 * at.len())?.chunks_exact(16);
    let word = |bytes: &[u8], index: usize| {
        u32::from_le_bytes(bytes[4 * index..][..4].try_into().expect("four bytes"))
    };
    Ok(words
        .map(|four| [0, 1, 2, 3].map(|index| word(four, index)))
        .collect())
}

fn fetch(
    instruction: &str,
    texels: &[u8],
    texture: impl FnOnce(u64) -> Texture,
    at: &[[f32; 4]],
) -> Vec<[u32; 4]> {
    try_fetch(instruction, texels, texture, at).unwrap_or_else(|failure| panic!("{failure}"))
}

fn floats(words: &[[u32; 4]]) -> Vec<f32> {
    words.iter().map(|four| f32::from_bits(four[0])).collect()
}

const FLOAT: (u32, u32, Channel) = (1, 32, Channel::Float);

fn format((channels, bits, kind): (u32, u32, Channel)) -> Format {
    Format::new(channels, bits, kind).expect("it is a format")
}

/// Returns an array of these texels.
fn array(
    geometry: Geometry,
    extents: [u64; 3],
    of: (u32, u32, Channel),
    sampler: Sampler,
) -> impl Fn(u64) -> Texture {
    move |address| {
        let image = Image::array(address, format(of), geometry, extents).expect("it is an image");
        Texture::new(image, sampler).expect("it is a texture")
    }
}

/// Small whole numbers, so that sums of their parts are exact.
fn numbers(count: u64) -> Vec<f32> {
    (0..count)
        .map(|i| ((i * 37 + 11) % 101) as f32 - 20.0)
        .collect()
}

fn bytes(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|x| x.to_le_bytes()).collect()
}

/// The texel that an index means, by walking to it.
fn walk(mut index: i64, len: i64, mode: AddressMode, normalized: bool) -> Option<i64> {
    match mode {
        AddressMode::Wrap if normalized => {
            while index < 0 {
                index += len;
            }
            while index >= len {
                index -= len;
            }
        }
        AddressMode::Mirror if normalized => {
            while index < 0 || index >= len {
                index = if index < 0 {
                    -1 - index
                } else {
                    2 * len - 1 - index
                };
            }
        }
        AddressMode::Border => return (index >= 0 && index < len).then_some(index),
        _ => {
            while index < 0 {
                index += 1;
            }
            while index >= len {
                index -= 1;
            }
        }
    }
    Some(index)
}

/// tex(x, y, z) of the guide, one dimension after another.
fn reference(
    numbers: &[f32],
    extents: [i64; 3],
    dimensions: usize,
    sampler: &Sampler,
    at: [f32; 4],
) -> f32 {
    let lookup_in = |dimensions: usize, index: [i64; 3]| {
        let mut place = [0; 3];
        for axis in 0..dimensions {
            let mode = sampler.address_modes[axis];
            match walk(
                index[axis],
                extents[axis],
                mode,
                sampler.normalized_coordinates,
            ) {
                Some(inside) => place[axis] = inside,
                None => return f64::from(f32::from_bits(sampler.border[0])),
            }
        }
        let [x, y, z] = place;
        f64::from(numbers[((z * extents[1] + y) * extents[0] + x) as usize])
    };
    let scaled = |axis: usize| match sampler.normalized_coordinates {
        true => f64::from(at[axis]) * extents[axis] as f64,
        false => f64::from(at[axis]),
    };
    if sampler.filter == Filter::Point {
        return lookup_in(
            dimensions,
            [0, 1, 2].map(|axis| scaled(axis).floor() as i64),
        ) as f32;
    }
    // A line is the only row of a plane, at the row's edge, which is at 0.
    let (dimensions, at) = match dimensions {
        1 => (2, [at[0], 0.0, 0.0, 0.0]),
        _ => (dimensions, at),
    };
    let scaled = |axis: usize| match sampler.normalized_coordinates {
        true => f64::from(at[axis]) * extents[axis] as f64,
        false => f64::from(at[axis]),
    };
    let mut first = [0; 3];
    let mut alpha = [0.0; 3];
    for axis in 0..dimensions {
        let x = scaled(axis) - 0.5;
        first[axis] = x.floor() as i64;
        // 8 bits of fraction; 1.0 can be had.
        alpha[axis] = ((x - x.floor()) * 256.0).round() / 256.0;
    }
    let lookup = |index| lookup_in(dimensions, index);
    // One dimension after another.
    let line = |y: i64, z: i64| {
        let [a, b] = [0, 1].map(|step| lookup([first[0] + step, y, z]));
        a * (1.0 - alpha[0]) + b * alpha[0]
    };
    let plane = |z: i64| line(first[1], z) * (1.0 - alpha[1]) + line(first[1] + 1, z) * alpha[1];
    let value = match dimensions {
        3 => plane(first[2]) * (1.0 - alpha[2]) + plane(first[2] + 1) * alpha[2],
        _ => plane(0),
    };
    value as f32
}

/// Coordinates inside, between, at both ends and far outside, all different in each dimension.
fn points(extents: [i64; 3], normalized: bool) -> Vec<[f32; 4]> {
    let texels = [
        0.0, 0.25, 0.5, 1.0, 1.40625, 1.75, 2.5, 2.9375, 3.3, 4.125, 5.6, -0.25, -0.5, -1.375,
        -3.0, -7.875, 6.5, 8.25, 11.0, 13.6875, 21.1, -16.9,
    ];
    let scale = |axis: usize| match normalized {
        true => 1.0 / extents[axis] as f32,
        false => 1.0,
    };
    let count = texels.len();
    (0..2 * count)
        .map(|i| {
            let of = |step: usize, shift: usize| texels[(i * step + shift + i / count) % count];
            [
                of(1, 0) * scale(0),
                of(5, 3) * scale(1),
                of(7, 8) * scale(2),
                0.0,
            ]
        })
        .collect()
}

#[test]
fn filters_and_address_modes_in_one_to_three_dimensions() {
    let kinds = [
        (
            Geometry::Line,
            [7, 1, 1],
            "tex.1d.v4.f32.f32 {%f5, _, _, _}, [%rd1, {%f1}];",
        ),
        (
            Geometry::Plane,
            [7, 5, 1],
            "tex.2d.v4.f32.f32 {%f5, _, _, _}, [%rd1, {%f1, %f2}];",
        ),
        (
            Geometry::Volume,
            [7, 5, 3],
            "tex.3d.v4.f32.f32 {%f5, _, _, _}, [%rd1, {%f1, %f2, %f3, %f3}];",
        ),
    ];
    for (number, (geometry, extents, instruction)) in kinds.into_iter().enumerate() {
        let numbers = numbers(extents.iter().product());
        let instruction = format!("{instruction} mov.b32 %r1, %f5;");
        for filter in [Filter::Point, Filter::Linear] {
            for normalized_coordinates in [false, true] {
                for mode in 0..MODES.len() {
                    let sampler = Sampler {
                        // Not the same in each dimension.
                        address_modes: [0, 1, 2].map(|axis| MODES[(mode + axis) % 4]),
                        filter,
                        normalized_coordinates,
                        border: [(-50.0_f32).to_bits(), 1, 2, 3],
                        ..Sampler::default()
                    };
                    let signed = extents.map(|extent| extent as i64);
                    let at = points(signed, normalized_coordinates);
                    let texture = array(geometry, extents, FLOAT, sampler);
                    let found = floats(&fetch(&instruction, &bytes(&numbers), texture, &at));
                    for (at, found) in at.iter().zip(found) {
                        let wanted = reference(&numbers, signed, number + 1, &sampler, *at);
                        assert_eq!(found, wanted, "{geometry:?} {sampler:?} at {at:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn channels_are_extended_or_become_fractions() {
    let texels = [1, 200, 0x80, 0x7f, 5, 6, 7, 255];
    let at = [[1.5, 0.0, 0.0, 0.0], [0.0; 4]];
    let all = "tex.1d.v4.u32.f32 {%r1, %r2, %r3, %r4}, [%rd1, {%f1}];";
    let line = |of, sampler| array(Geometry::Line, [2, 1, 1], of, sampler);
    let unsigned = fetch(
        all,
        &texels,
        line((4, 8, Channel::Unsigned), Sampler::default()),
        &at,
    );
    assert_eq!(unsigned, [[5, 6, 7, 255], [1, 200, 0x80, 0x7f]]);
    let signed = fetch(
        &all.replace("u32", "s32"),
        &texels,
        line((2, 8, Channel::Signed), Sampler::default()),
        &at,
    );
    // The texels have two channels.
    assert_eq!(
        signed,
        [[-128_i32 as u32, 127, 0, 0], [1, -56_i32 as u32, 0, 0]]
    );
    let sampler = Sampler {
        read_mode: ReadMode::NormalizedFloat,
        filter: Filter::Linear,
        ..Sampler::default()
    };
    let all = "tex.1d.v4.f32.f32 {%f5, %f6, %f7, %f1}, [%rd1, {%f1}];
        mov.b32 %r1, %f5; mov.b32 %r2, %f6; mov.b32 %r3, %f7; mov.b32 %r4, %f1;";
    let at = [[1.0, 0.0, 0.0, 0.0], [-3.0, 0.0, 0.0, 0.0]];
    let fractions = fetch(all, &texels, line((4, 8, Channel::Unsigned), sampler), &at);
    let mean = |a: f64, b: f64| (((a + b) / 2.0) / 255.0) as f32;
    for (channel, wanted) in [
        mean(1.0, 5.0),
        mean(200.0, 6.0),
        mean(128.0, 7.0),
        mean(127.0, 255.0),
    ]
    .into_iter()
    .enumerate()
    {
        let found = f32::from_bits(fractions[0][channel]);
        assert!((found - wanted).abs() < 1e-7, "{found} {wanted}");
    }
    assert_eq!(f32::from_bits(fractions[1][0]), 1.0 / 255.0);
    let halves: Vec<u8> = [0x3e00_u16, 0xc000]
        .iter()
        .flat_map(|half| half.to_le_bytes())
        .collect();
    let sampler = Sampler {
        read_mode: ReadMode::Element,
        ..sampler
    };
    let found = fetch(all, &halves, line((1, 16, Channel::Float), sampler), &at);
    assert_eq!(floats(&found), [-0.25, 1.5]);
}

#[test]
fn layers_are_not_mixed_and_end() {
    let sampler = Sampler {
        filter: Filter::Linear,
        ..Sampler::default()
    };
    let numbers = numbers(4 * 3 * 3);
    // The layer, then the coordinates: the second is between two rows.
    let at = [
        [1.5, 2.0, 0.0, 2.0],
        [1.5, 2.0, 0.0, 9.0],
        [0.5, 0.5, 0.0, 1.0],
    ];
    let layered = array(Geometry::LayeredPlane, [4, 3, 3], FLOAT, sampler);
    let plane =
        "tex.a2d.v4.f32.f32 {%f5, _, _, _}, [%rd1, {%r7, %f1, %f2, %f2}]; mov.b32 %r1, %f5;";
    let found = floats(&fetch(plane, &bytes(&numbers), layered, &at));
    let mean = |layer: usize| (numbers[layer * 12 + 4 + 1] + numbers[layer * 12 + 8 + 1]) / 2.0;
    assert_eq!(found, [mean(2), mean(2), numbers[12]]);
    let layered = array(Geometry::LayeredLine, [4, 1, 9], FLOAT, sampler);
    let line = "tex.a1d.v4.f32.f32 {%f5, _, _, _}, [%rd1, {%r7, %f1}]; mov.b32 %r1, %f5;";
    let found = floats(&fetch(line, &bytes(&numbers), layered, &at));
    assert_eq!(found, [numbers[9], numbers[33], numbers[4]]);
}

#[test]
fn faces_of_cubes_are_found_by_direction() {
    let numbers = numbers(2 * 6 * 4);
    let cubes = array(Geometry::LayeredCube, [2, 2, 12], FLOAT, Sampler::default());
    // A direction, the layer, and the texel of the table in "Cubemap Textures": face, column, row.
    let table = [
        ([2.0, 1.0, -1.0, 1.0], 0, 1, 0),
        ([-2.0, 1.0, -1.0, 0.0], 1, 0, 0),
        ([1.0, 2.0, 1.5, 1.0], 2, 1, 1),
        ([1.0, -2.0, 1.5, 1.0], 3, 1, 0),
        ([-0.5, -0.5, 3.0, 0.0], 4, 0, 1),
        ([-0.5, 0.5, -3.0, 1.0], 5, 1, 0),
    ];
    let at: Vec<[f32; 4]> = table.iter().map(|row| row.0).collect();
    let layered =
        "tex.acube.v4.f32.f32 {%f5, _, _, _}, [%rd1, {%r7, %f1, %f2, %f3}]; mov.b32 %r1, %f5;";
    let found = floats(&fetch(layered, &bytes(&numbers), cubes, &at));
    let index = |face: usize, column: usize, row: usize| face * 4 + row * 2 + column;
    for ((at, face, column, row), found) in table.into_iter().zip(found) {
        assert_eq!(
            found,
            numbers[at[3] as usize * 24 + index(face, column, row)],
            "{at:?}"
        );
    }
    let cube = array(Geometry::Cube, [2, 2, 6], FLOAT, Sampler::default());
    let plain =
        "tex.cube.v4.f32.f32 {%f5, _, _, _}, [%rd1, {%f1, %f2, %f3, %f3}]; mov.b32 %r1, %f5;";
    let found = floats(&fetch(plain, &bytes(&numbers[..24]), cube, &at));
    assert_eq!(found[2], numbers[index(2, 1, 1)]);
}

#[test]
fn four_texels_are_gathered_counter_clockwise() {
    let numbers = numbers(2 * 5 * 4);
    let sampler = Sampler {
        address_modes: [AddressMode::Border; 3],
        border: [0, (-9.0_f32).to_bits(), 0, 0],
        ..Sampler::default()
    };
    let two = (2, 32, Channel::Float);
    let plane = array(Geometry::Plane, [5, 4, 1], two, sampler);
    let gather = "tld4.g.2d.v4.f32.f32 {%f5, %f6, %f7, %f4}, [%rd1, {%f1, %f2}];
        mov.b32 %r1, %f5; mov.b32 %r2, %f6; mov.b32 %r3, %f7; mov.b32 %r4, %f4;";
    let at = [[2.25, 1.75, 0.0, 0.0], [4.75, 0.25, 0.0, 0.0]];
    let found = fetch(gather, &bytes(&numbers), plane, &at);
    let green = |x: usize, y: usize| numbers[2 * (y * 5 + x) + 1];
    assert_eq!(
        found[0].map(f32::from_bits),
        [green(1, 2), green(2, 2), green(2, 1), green(1, 1)]
    );
    assert_eq!(
        found[1].map(f32::from_bits),
        [green(4, 0), -9.0, -9.0, -9.0]
    );
}

#[test]
fn memory_is_read_by_integers_and_with_a_pitch() {
    let numbers = numbers(64);
    let linear = |address| {
        let image = Image::linear(address, format(FLOAT), 4 * 50).unwrap();
        let sampler = Sampler {
            filter: Filter::Linear,
            ..Sampler::default()
        };
        Texture::new(image, sampler).unwrap()
    };
    let at = [0.0, 49.0, 50.0, -1.0].map(|x| [x, 0.0, 0.0, 0.0]);
    let by_integer = "tex.1d.v4.f32.s32 {%f5, _, _, _}, [%rd1, {%r6}]; mov.b32 %r1, %f5;";
    let found = floats(&fetch(by_integer, &bytes(&numbers), linear, &at));
    assert_eq!(found, [numbers[0], numbers[49], 0.0, 0.0]);
    let pitched = |address| {
        let image = Image::pitched(address, format(FLOAT), [7, 3], 64).unwrap();
        Texture::new(image, Sampler::default()).unwrap()
    };
    let at = [
        [6.5, 2.5, 0.0, 0.0],
        [7.0, 2.0, 0.0, 0.0],
        [2.0, -1.0, 0.0, 0.0],
    ];
    // A level and derivatives have no effect with only one level.
    for (opcode, more) in [
        ("", ""),
        (".level", ", %f1"),
        (".grad", ", {%f1, %f1}, {%f2, %f2}"),
    ] {
        let plane = format!(
            "tex{opcode}.2d.v4.f32.f32 {{%f5, _, _, _}}|%p1, [%rd1, {{%f1, %f2}}]{more};
             selp.f32 %f5, %f5, 0f00000000, %p1; mov.b32 %r1, %f5;"
        );
        let found = floats(&fetch(&plane, &bytes(&numbers), pitched, &at));
        assert_eq!(found, [numbers[38], numbers[38], numbers[2]]);
    }
}

#[test]
fn properties_are_asked_for() {
    let sampler = Sampler {
        normalized_coordinates: true,
        ..Sampler::default()
    };
    let texels = vec![0; 4 * 5 * 3 * 4];
    let ask =
        "txq.width.b32 %r1, [%rd1]; txq.height.b32 %r2, [%rd1]; txq.array_size.b32 %r3, [%rd1];
        txq.normalized_coords.b32 %r4, [%rd1];";
    let layered = array(Geometry::LayeredPlane, [5, 3, 4], FLOAT, sampler);
    assert_eq!(fetch(ask, &texels, layered, &[[0.0; 4]]), [[5, 3, 4, 1]]);
    let ask = "txq.depth.b32 %r1, [%rd1]; mov.b64 {%r2, %r3}, %rd1; mov.b32 %r3, 0; mov.b32 %r2, 0; mov.b32 %r4, 0;";
    let volume = array(Geometry::Volume, [5, 3, 4], FLOAT, sampler);
    assert_eq!(fetch(ask, &texels, volume, &[[0.0; 4]]), [[4, 0, 0, 0]]);
}

#[test]
fn what_does_not_fit_is_a_fault_that_says_so() {
    let plane = || array(Geometry::Plane, [4, 4, 1], FLOAT, Sampler::default());
    let fault = |instruction: &str, len: usize| {
        let failed = try_fetch(instruction, &vec![0; len], plane(), &[[1.0; 4]]);
        failed.unwrap_err().to_string()
    };
    let fetch = "tex.2d.v4.f32.f32 {%f5, _, _, _}, [%rd1, {%f1, %f2}]; mov.b32 %r1, %f5;";
    let cases = [
        (
            format!("mov.u64 %rd1, 7; {fetch}"),
            "`tex.2d.v4.f32.f32`",
            "0x7 is not the handle of a texture",
        ),
        (
            fetch.replace("v4.f32", "v4.u32").replace("%f5", "%r1"),
            "returns floating-point numbers, but the instruction is for `.u32`; its texels are 1 x 32 bits",
            "",
        ),
        (
            fetch
                .replace("2d", "3d")
                .replace("%f2}]", "%f2, %f3, %f3}]"),
            "is an array of two dimensions, but the instruction is for an array of three dimensions",
            "",
        ),
        (
            "suld.b.2d.b32.zero {%r1}, [%rd1, {%r6, %r6}];".into(),
            "is the handle of a texture, and not of a surface",
            "",
        ),
    ];
    for (instruction, first, second) in cases {
        let message = fault(&instruction, 64);
        assert!(
            message.contains(first) && message.contains(second),
            "{message}"
        );
    }
    // The texels are not all there.
    let message = fault(fetch, 20);
    assert!(
        message.contains("out-of-bounds") && message.contains("`texels`"),
        "{message}"
    );
}

#[test]
fn what_is_not_known_is_refused_by_name() {
    let refused = |items: &str, instruction: &str| {
        let text =
            kernel(instruction).replace(".address_size 64", &format!(".address_size 64\n{items}"));
        let mut session = Session::new(Config::default());
        let module = session.load("fetch.ptx", &text).unwrap();
        session.signature(module, "k").unwrap_err().to_string()
    };
    let cases = [
        (
            ".global .texref t;",
            "tex.2d.v4.f32.f32 {%f5, %f6, %f7, %f1}, [t, {%f1, %f2}];",
            "references (`.texref`",
        ),
        (
            ".global .samplerref s;",
            "tex.2d.v4.f32.f32 {%f5, %f6, %f7, %f1}, [%rd1, s, {%f1, %f2}];",
            "a sampler of its own",
        ),
        (
            "",
            "tex.2dms.v4.f32.s32 {%f5, %f6, %f7, %f1}, [%rd1, {%r1, %r2, %r3, %r3}];",
            "geometry",
        ),
        (
            "",
            "tex.1d.v4.f32.f32 {%f5, %f6, %f7, %f1}, [%rd1, {%f1}], {%r1};",
            "offsets",
        ),
        (
            "",
            "tex.2d.v4.f16.f32 {%f5, %f6, %f7, %f1}, [%rd1, {%f1, %f2}];",
            "type",
        ),
        (
            "",
            "tex.2d.v4.f32.f32 {%f5, %f6, %f7, %f1}, [%rd1, {%f1}];",
            "has 1 coordinates but needs 2",
        ),
        ("", "txq.channel_order.b32 %r1, [%rd1];", "property"),
    ];
    for (items, instruction, part) in cases {
        let message = refused(items, instruction);
        assert!(
            message.contains(part) && message.contains("is not supported"),
            "{message}"
        );
    }
}

#[test]
fn samplers_that_do_not_fit_are_refused() {
    let image =
        |bits, kind| Image::array(0, format((1, bits, kind)), Geometry::Plane, [4, 4, 1]).unwrap();
    let linear = Sampler {
        filter: Filter::Linear,
        ..Sampler::default()
    };
    let refused = Texture::new(image(8, Channel::Unsigned), linear);
    assert_eq!(refused, Err(TextureError::LinearFilter));
    let fractions = Sampler {
        read_mode: ReadMode::NormalizedFloat,
        ..linear
    };
    assert!(Texture::new(image(8, Channel::Unsigned), fractions).is_ok());
    let refused = Texture::new(image(32, Channel::Signed), fractions).unwrap_err();
    assert!(
        refused.to_string().contains("signed integers of 32 bits"),
        "{refused}"
    );
    assert!(Texture::new(image(32, Channel::Float), fractions).is_ok());
}
