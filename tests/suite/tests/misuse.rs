//! Launches that a kernel's conditions forbid and that only its memory reveals: ranges that overlap, and
//! contents that are not maps or not zeros. They are refused on the emulator, by both of its backends, and on a
//! GPU if there is one, and the buffers of a job stay unchanged. For launches that conditions do not forbid, the
//! emulator's report names the parameter.

use std::sync::LazyLock;

use kernels_gpu::{
    Matrix,
    add_one_bulk::AddOneBulk,
    add_one_tile::AddOneTile,
    attention::{Attention, Packed},
    consume_map::ConsumeMap,
    copy_bulk::CopyBulk,
    histogram::histogram,
    tile_2d::{self, MapSource, Tile2d, Tile2dTo},
    transpose::{Transpose, TransposeForm},
};
use tensor_map::{DataType, TensorMap};
use tests::{KERNELS_PTX, Module};
use tma_emulator::EmulatorBackend;
use tma_host::{Buffer as Memory, Device, DeviceChoice, Jobs};
use tma_launch::{Buffer, Checked, Failure, Job, Kernels, Ptx, Rule, Stage};

/// The text for the emulator: only the kernels of these tests, since each launch parses it again.
fn emulated() -> Ptx<'static> {
    static TEXT: LazyLock<String> = LazyLock::new(|| {
        let capability = Device::emulator(0).capability();
        let module = Module::for_device(KERNELS_PTX, capability).expect("it is built");
        let module = module.parsed().expect("the builder parsed it");
        let entries = module.entries().map(|entry| entry.name.as_str());
        let is_used = |entry: &&str| KERNELS.iter().any(|kernel| entry.starts_with(kernel));
        module.extract_all(entries.filter(is_used)).to_string()
    });
    Ptx {
        name: "kernels",
        text: &TEXT,
    }
}

const KERNELS: [&str; 8] = [
    "add_one_bulk",
    "add_one_tile",
    "attention_64_bf16_false",
    "consume_map",
    "copy_bulk",
    "histogram",
    "tile_2d",
    "transpose",
];

/// Runs launches on each device; `expect` receives the outcome of each, and the buffers.
fn everywhere(
    buffers: &[Buffer],
    launches: &[&dyn Checked],
    expect: impl Fn(Result<(), Failure>, &[Buffer]),
) {
    let mut devices = vec![Device::emulator(0)];
    match Device::gpu() {
        Ok(gpu) => devices.push(gpu),
        Err(error) => {
            let is_asked_for = DeviceChoice::from_env() == Ok(DeviceChoice::Gpu);
            assert!(error.is_absent() && !is_asked_for, "{error}");
        }
    }
    for device in devices {
        let module = Module::for_device(KERNELS_PTX, device.capability()).expect("it is built");
        let ptx = match device.is_emulator() {
            true => emulated(),
            false => module.ptx(),
        };
        // SAFETY: the text has the kernels of `kernels-gpu` (1).
        let kernels = unsafe { Kernels::new(ptx) };
        let mut run = buffers.to_vec();
        let result = Jobs::new(device).run_checked(kernels, &mut run, launches);
        expect(result.map(drop), &run);

        let mut job = Job::new(emulated());
        job.buffers = buffers.to_vec();
        for arguments in launches {
            job.launch(arguments.launch().expect("the arguments alone are good"));
        }
        let result = EmulatorBackend::new(0).run(&mut job);
        expect(result.map(drop), &job.buffers);
    }
}

/// The launches are refused for these rules, and no buffer has changed since the last that ran.
#[track_caller]
fn refused(buffers: &[Buffer], launches: &[&dyn Checked], rules: &[(Rule, &str)]) {
    everywhere(buffers, launches, |result, after| {
        let failure = result.expect_err("it ran");
        let found = failure.violations.0.iter();
        let found: Vec<Rule> = found.map(|violation| violation.rule).collect();
        let expected: Vec<Rule> = rules.iter().map(|(rule, _)| *rule).collect();
        assert_eq!(
            (failure.stage, found),
            (Stage::Check, expected),
            "{failure}"
        );
        for (_, part) in rules {
            assert!(failure.to_string().contains(part), "{failure}");
        }
        // A buffer of maps comes back with the encoded maps.
        let pairs = after.iter().zip(buffers);
        let mut plain = pairs.filter(|(_, before)| before.placed_maps().is_empty());
        let same = plain.all(|(after, before)| after.bytes() == before.bytes());
        assert!(launches.len() > 1 || same, "a buffer has changed");
    });
}

#[track_caller]
fn taken(buffers: &[Buffer], launches: &[&dyn Checked]) {
    everywhere(buffers, launches, |result, _| assert_eq!(result, Ok(())));
}

const COPY: CopyBulk = CopyBulk {
    stages: 2,
    chunk_bytes: 256,
    len_bytes: 1024,
    dst: 0,
    dst_offset_bytes: 1024,
    src: 0,
    counter: 1,
    blocks: 2,
    shared_bytes: 0,
    threads: 32,
};

fn bytes_and_counter(counter: u32) -> [Buffer; 2] {
    [
        Buffer::new("bytes", &[7_u8; 4096]),
        Buffer::new("counter", &[counter]),
    ]
}

#[test]
fn a_copy_over_its_own_source_is_refused() {
    taken(&bytes_and_counter(0), &[&COPY]);
    let shifted = CopyBulk {
        dst_offset_bytes: 16,
        ..COPY
    };
    let expected = "read from byte 0 to 1024; it is also written from byte 16 to 1040";
    refused(
        &bytes_and_counter(0),
        &[&shifted],
        &[(Rule::Overlap, expected)],
    );
}

#[test]
fn an_addition_is_in_place_or_apart() {
    let add = |dst_offset_bytes| AddOneBulk {
        vectors: 1,
        len_bytes: 1024,
        dst: 0,
        dst_offset_bytes,
        src: 0,
        threads: 32,
        shared_bytes: 0,
    };
    let buffers = [Buffer::new("numbers", &[1_i32; 1024])];
    taken(&buffers, &[&add(0)]);
    taken(&buffers, &[&add(1024)]);
    refused(&buffers, &[&add(16)], &[(Rule::Overlap, "`numbers`")]);
    refused(&buffers, &[&add(1008)], &[(Rule::Overlap, "`numbers`")]);
}

#[test]
fn tiles_of_one_matrix_do_not_go_to_the_same_one() {
    let matrix = Matrix::packed(128, 32);
    let buffers = [
        Buffer::new("source", &vec![1_i32; matrix.len_elems()]),
        Buffer::new("target", &vec![1_i32; matrix.len_elems()]),
    ];
    let to = |target_data| Tile2dTo {
        source: matrix,
        source_data: 0,
        source_origin: [64, 0],
        target: matrix,
        target_data,
        target_origin: [0, 0],
        blocks: [1, 2],
        threads: 128,
    };
    taken(&buffers, &[&to(1)]);
    refused(&buffers, &[&to(0)], &[(Rule::Overlap, "`source`")]);
    let square = Matrix::packed(64, 64);
    let buffers = [Buffer::new("square", &vec![1_i32; square.len_elems()])];
    let transpose = Transpose {
        form: TransposeForm::Tile,
        source: square,
        source_data: 0,
        target_pitch: 64,
        target_data: 0,
    };
    refused(&buffers, &[&transpose], &[(Rule::Overlap, "`square`")]);
    // A kernel that adds to each number in place uses the same matrix twice.
    let map = TensorMap::tiled(DataType::I32, &[64, 64]).box_dims(&[32, 16]);
    let add = AddOneTile {
        tiles: 1,
        vectors: 1,
        map,
        dst: 0,
        src: 0,
        shared_bytes: 0,
    };
    taken(&buffers, &[&add]);
}

#[test]
fn a_counter_is_zero_before_each_launch() {
    let expected = "byte 1 of buffer `counter` is 1; the kernel counts from zero";
    refused(
        &bytes_and_counter(256),
        &[&COPY],
        &[(Rule::Zeroed, expected)],
    );
    // The first launch has counted in it.
    refused(
        &bytes_and_counter(0),
        &[&COPY, &COPY],
        &[(Rule::Zeroed, "launch 1, `copy_bulk_2`")],
    );
    let other = CopyBulk { counter: 2, ..COPY };
    let counters = [
        bytes_and_counter(0).to_vec(),
        vec![Buffer::new("other", &[0_u32])],
    ];
    taken(&counters.concat(), &[&COPY, &other]);
}

const MATRIX: Matrix = Matrix::packed(64, 16);

fn tile(map: MapSource) -> Tile2d {
    Tile2d {
        map,
        matrix: MATRIX,
        data: 0,
        origin: [0, 0],
        blocks: [1, 1],
        threads: 128,
    }
}

/// The first and the third sequence would have the same queries, whose results two blocks would write.
#[test]
fn starts_of_sequences_do_not_descend() {
    let attention = Attention {
        elements: 64,
        sequences: 3,
        queries: 100,
        keys: 100,
        packed: Some(Packed {
            queries: 100,
            keys: 100,
            query_starts: 5,
            key_starts: 6,
        }),
        ..Attention::default()
    };
    let buffers = |query_starts: [u32; 4]| {
        let tensor = |name| Buffer::zeroed::<u16>(name, 100 * 64);
        vec![
            tensor("results"),
            tensor("queries"),
            tensor("keys"),
            tensor("values"),
            Buffer::zeroed::<f32>("logarithms", 100),
            Buffer::new("query starts", &query_starts),
            Buffer::new("key starts", &[0_u32, 50, 50, 100]),
        ]
    };
    let expected = "number 2 of buffer `query starts` is 0; numbers must not decrease, and the previous one is 100";
    refused(
        &buffers([0, 100, 0, 100]),
        &[&attention],
        &[(Rule::Ascending, expected)],
    );
    taken(&buffers([0, 100, 100, 100]), &[&attention]);
}

#[test]
fn a_map_in_memory_is_that_of_the_matrix() {
    let matrix = || Buffer::new("matrix", &vec![1_i32; MATRIX.len_elems()]);
    let map = |index| Buffer::tensor_maps("map", [(MATRIX.map(tile_2d::TILE), index)]);
    let ones = || Buffer::new("map", &[0xff_u8; 128]);
    let in_variable = |buffer: Buffer| buffer.in_variable(Tile2d::VARIABLE);
    let rule = (
        Rule::TensorMapContent,
        "the map of the tensor in buffer `matrix`",
    );

    let global = tile(MapSource::Global(1));
    taken(&[matrix(), map(0)], &[&global]);
    refused(&[matrix(), ones()], &[&global], &[rule]);
    refused(&[matrix(), map(2), matrix()], &[&global], &[rule]);

    let constant = tile(MapSource::Constant);
    taken(&[matrix(), in_variable(map(0))], &[&constant]);
    refused(&[matrix(), in_variable(ones())], &[&constant], &[rule]);
    refused(
        &[matrix(), in_variable(map(2)), matrix()],
        &[&constant],
        &[rule],
    );
    refused(
        &[matrix(), map(0)],
        &[&constant],
        &[(Rule::Variable, "`TILE_2D_MAP`")],
    );
}

#[test]
fn maps_in_memory_are_of_tensors_of_the_job() {
    let consume = |output| ConsumeMap {
        rank: 2,
        maps: 1,
        output,
        coords: [0, 0],
        count: 1,
        threads: 32,
    };
    let bytes = || Buffer::new("bytes", &[3_u8; 2048]);
    let output = || Buffer::zeroed::<u8>("output", 512);
    let tiled = TensorMap::tiled(DataType::U8, &[256, 8]);
    let maps = |tiled| Buffer::tensor_maps("maps", [(tiled, 0)]);
    let good = tiled.box_dims(&[128, 4]);
    taken(&[bytes(), maps(good), output()], &[&consume(2)]);

    let ones = Buffer::new("maps", &[0xff_u8; 128]);
    let expected = "map 0 of buffer `maps` is not a valid tensor map";
    let rule = Rule::TensorMapContent;
    refused(
        &[bytes(), ones, output()],
        &[&consume(2)],
        &[(rule, expected)],
    );

    let wider = maps(tiled.box_dims(&[256, 4]));
    let expected = "a box of 256 x 4 elements";
    refused(
        &[bytes(), wider, output()],
        &[&consume(2)],
        &[(rule, expected)],
    );

    let elsewhere = good.build(0x1000).expect("it keeps the rules");
    let elsewhere = Buffer::new("maps", &elsewhere.to_bytes());
    let expected = "of a tensor of 2048 bytes at 0x1000; the job has no buffer that holds it";
    refused(
        &[bytes(), elsewhere, output()],
        &[&consume(2)],
        &[(rule, expected)],
    );

    let expected = "the kernel writes there";
    refused(&[bytes(), maps(good)], &[&consume(0)], &[(rule, expected)]);
}

/// The buffers of a device have no names of their own, and these two are of one type.
#[test]
fn memory_that_is_too_short_is_told_by_its_parameter() {
    let device = Device::emulator(0);
    let ptx = emulated();
    let module = device.load(ptx.name, ptx.text).expect("it loads");
    let [data, counts, short] = [256, 256, 255].map(|words| {
        let zeroed = device.zeroed::<u32>(words);
        zeroed.expect("there is room")
    });
    let expected = |data: &Memory<u32>, counts: &Memory<u32>| {
        let call = histogram(data.bytes(), 1024, counts);
        // SAFETY: the emulator detects the end of the memory (1, 2).
        let result = unsafe { module.launch((1, 32), call) };
        result.map_err(|failure| failure.to_string())
    };
    assert_eq!(expected(&data, &counts), Ok(()));
    for (data, counts, parameter) in [(&short, &counts, "data"), (&data, &short, "counts")] {
        let expected = expected(data, counts).expect_err("it is too short");
        let nearest =
            format!("the nearest is `[u32; 255]`, parameter `{parameter}`, 1020 bytes at");
        assert!(expected.contains(&nearest), "{expected}");
    }
}
