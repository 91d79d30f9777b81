use tensor_map::{DataType, Interleave, TensorMap, Tiled};

use crate::{
    Access, Buffer, Dim3, Launch, Limits, Parameter, Region, Signature, Use, check,
    check::{descent, regions},
};

fn parameter(name: &str, size_bytes: usize, align_bytes: usize) -> Parameter {
    Parameter {
        name: name.to_owned(),
        size_bytes,
        align_bytes,
    }
}

/// `tile(map: grid constant, out: pointer, n: u32)`.
fn tile() -> Signature {
    Signature {
        entry: "tile".to_owned(),
        parameters: vec![
            parameter("map", 128, 64),
            parameter("out", 8, 8),
            parameter("n", 4, 4),
        ],
        maxntid: Some(Dim3::new(256, 1, 1)),
        static_shared_bytes: 4096,
        ..Signature::default()
    }
}

fn tiled() -> Tiled {
    TensorMap::tiled(DataType::I32, &[64, 32]).box_dims(&[16, 8])
}

fn buffers() -> [Buffer; 2] {
    [
        Buffer::zeroed::<i32>("in", 64 * 32),
        Buffer::zeroed::<i32>("out", 100),
    ]
}

fn good() -> Launch {
    Launch::new("tile", (4, 4), 128)
        .tensor_map(tiled(), 0)
        .buffer(1)
        .scalar(7_u32)
}

#[track_caller]
fn refused(launch: &Launch, signature: &Signature, expected: &[&str]) {
    let violations = check(launch, &buffers(), &Limits::SM_90, signature).unwrap_err();
    assert_eq!(violations.to_string(), expected.join("\n"));
}

#[test]
fn a_good_launch_passes() {
    assert_eq!(check(&good(), &buffers(), &Limits::SM_90, &tile()), Ok(()));
    let most = good().shared_bytes(227 * 1024 - 4096);
    assert_eq!(check(&most, &buffers(), &Limits::SM_90, &tile()), Ok(()));
    assert!(check(&most, &buffers(), &Limits::SM_120, &tile()).is_err());
}

#[test]
fn blocks_and_grids_have_limits() {
    let mut launch = good();
    launch.shape.block = Dim3::new(16, 8, 100);
    launch.shape.grid = Dim3::new(0, 70_000, 65_536);
    refused(
        &launch,
        &tile(),
        &[
            "zero-dimension: grid.x is 0; must be at least 1; use 1",
            "block-dimension: block.z is 100; the device's limit is 64; use 64",
            "block-threads: block is 16 x 8 x 100, 12800 threads; \
             the device's limit is 1024; use 16 x 8 x 8",
            "maxntid: block is 16 x 8 x 100, 12800 threads; \
             the kernel's limit is 256 (.maxntid); use 16 x 8 x 2",
            "grid-dimension: grid.y is 70000; the device's limit is 65535; use 65535",
            "grid-dimension: grid.z is 65536; the device's limit is 65535; use 65535",
        ],
    );
}

#[test]
fn a_required_block_is_exact() {
    let signature = Signature {
        reqntid: Some(Dim3::new(64, 2, 1)),
        ..tile()
    };
    let expected = "reqntid: block is 128 x 1 x 1; \
                    the kernel requires 64 x 2 x 1 (.reqntid); use 64 x 2 x 1";
    refused(&good(), &signature, &[expected]);
}

#[test]
fn shared_memory_has_a_limit() {
    refused(
        &good().shared_bytes(230_000),
        &tile(),
        &[
            "shared-bytes: shared_bytes is 230000, besides 4096 bytes of static shared memory; \
           the device's limit for both is 232448; use 228352",
        ],
    );
    let signature = Signature {
        static_shared_bytes: 232_449,
        ..tile()
    };
    refused(
        &good(),
        &signature,
        &[
            "shared-bytes: shared_bytes is 0, besides 232449 bytes of static shared memory; \
           the device's limit for both is 232448; declare 1 bytes less in the kernel",
        ],
    );
}

#[test]
fn clusters_have_limits_and_divide_the_grid() {
    refused(
        &good().cluster((3, 3)),
        &tile(),
        &[
            "cluster-blocks: cluster is 3 x 3 x 1, 9 blocks; \
             the limit is 8, or 16 for non-portable sizes; allow a non-portable size",
            "whole-clusters: grid.x is 4; clusters of 3 x 3 x 1 need a multiple of 3; use 6",
            "whole-clusters: grid.y is 4; clusters of 3 x 3 x 1 need a multiple of 3; use 6",
        ],
    );
    let sixteen = good().cluster((4, 4)).non_portable_cluster();
    assert_eq!(check(&sixteen, &buffers(), &Limits::SM_90, &tile()), Ok(()));
    refused(
        &good().cluster((4, 4, 2)).non_portable_cluster(),
        &tile(),
        &[
            "cluster-blocks: cluster is 4 x 4 x 2, 32 blocks; \
             the limit is 8, or 16 for non-portable sizes; use 4 x 4 x 1",
            "whole-clusters: grid.z is 1; clusters of 4 x 4 x 2 need a multiple of 2; use 2",
        ],
    );
}

#[test]
fn a_kernel_may_require_its_cluster() {
    let signature = Signature {
        reqnctapercluster: Some(Dim3::new(4, 1, 1)),
        ..tile()
    };
    assert_eq!(
        check(&good(), &buffers(), &Limits::SM_90, &signature),
        Ok(())
    );
    refused(
        &good().cluster(2),
        &signature,
        &[
            "reqnctapercluster: cluster is 2 x 1 x 1; the kernel requires 4 x 1 x 1 \
           (.reqnctapercluster); use 4 x 1 x 1, or leave the cluster unset",
        ],
    );
    let mut five = good();
    five.shape.grid.x = 5;
    refused(
        &five,
        &signature,
        &["whole-clusters: grid.x is 5; clusters of 4 x 1 x 1 need a multiple of 4; use 8"],
    );
}

#[test]
fn arguments_match_parameters() {
    let wrong = Launch::new("tile", 1, 1)
        .scalar(1_u32)
        .scalar(2_u32)
        .tensor_map(tiled(), 0);
    refused(
        &wrong,
        &tile(),
        &[
            "argument-size: argument 0 is u32 of 4 bytes; \
             its parameter is `map` of 128 bytes, aligned to 64; pass a tensor map",
            "argument-size: argument 1 is u32 of 4 bytes; \
             its parameter is `out` of 8 bytes, aligned to 8; pass a value of 8 bytes",
            "tensor-map-parameter: argument 2 is tensor map of 128 bytes; its parameter is `n` of \
             4 bytes, aligned to 4; pass the tensor map to a parameter that is a grid constant",
        ],
    );
    let mut unaligned = tile();
    unaligned.parameters[0].align_bytes = 16;
    refused(
        &good(),
        &unaligned,
        &[
            "tensor-map-parameter: argument 0 is tensor map of 128 bytes; its parameter is `map` of \
           128 bytes, aligned to 16; declare the parameter as a grid constant",
        ],
    );
}

#[test]
fn arguments_are_counted() {
    refused(
        &Launch::new("tile", 1, 1).tensor_map(tiled(), 0),
        &tile(),
        &[
            "argument-count: number of arguments is 1; the kernel takes 3; \
           add one for `out` of 8 bytes, aligned to 8",
        ],
    );
    refused(
        &good().scalar(1_u8).scalar(2_u8),
        &tile(),
        &["argument-count: number of arguments is 5; the kernel takes 3; drop the last 2"],
    );
}

#[test]
fn arguments_stay_in_their_buffers() {
    let launch = Launch::new("tile", 1, 1)
        .tensor_map_at(tiled(), 0, 256)
        .buffer_at(1, 401)
        .scalar(0_u32);
    refused(
        &launch,
        &tile(),
        &[
            "tensor-span: argument 0 is a tensor of 8192 bytes from byte 256; \
             buffer `in` has 8192 bytes, and element [0, 31] is the first out of bounds; \
             make the buffer 256 bytes longer",
            "buffer-offset: argument 1 is 401 bytes into its buffer; \
             buffer `out` has 400 bytes; use 400 or less",
        ],
    );
    refused(
        &Launch::new("tile", 1, 1)
            .tensor_map(tiled(), 0)
            .buffer(2)
            .scalar(0_u32),
        &tile(),
        &["buffer-index: argument 1 is in buffer 2; the job has 2; use 1 or less"],
    );
}

/// 2 images of 24 channels of 2 bytes, which are 3 slices of 16 bytes, each with 16 rows of 10 pixels.
#[test]
fn channels_of_interleaved_tensors_lie_in_slices() {
    let map = TensorMap::tiled(DataType::F16, &[10, 16, 24, 2])
        .strides_bytes(&[160, 2560, 7680])
        .box_dims(&[10, 4, 8, 1])
        .interleave(Interleave::B16);
    let launch = |at| {
        let launch = Launch::new("tile", 1, 1).tensor_map_at(map, 0, at);
        launch.buffer(1).scalar(0_u32)
    };
    let buffers = [
        Buffer::zeroed::<u8>("in", 15360),
        Buffer::zeroed::<u32>("out", 100),
    ];
    assert_eq!(check(&launch(0), &buffers, &Limits::SM_90, &tile()), Ok(()));
    let refused = check(&launch(16), &buffers, &Limits::SM_90, &tile()).unwrap_err();
    assert!(
        refused
            .to_string()
            .contains("a tensor of 15360 bytes from byte 16"),
        "{refused}"
    );
}

#[test]
fn buffers_have_the_bytes_that_are_used() {
    let of = |bytes| {
        let launch = Launch::new("tile", 1, 1).tensor_map(tiled(), 0);
        launch.buffer_of(1, bytes).scalar(0_u32)
    };
    assert_eq!(check(&of(400), &buffers(), &Limits::SM_90, &tile()), Ok(()));
    refused(
        &of(404),
        &tile(),
        &["buffer-length: buffer `out` is 400 bytes; the kernel uses 404; make it 4 bytes longer"],
    );
}

#[test]
fn the_blocks_of_a_cooperative_launch_run_at_once() {
    let launch = |blocks: u32| {
        let launch = Launch::new("tile", blocks, 256).cooperative();
        launch.tensor_map(tiled(), 0).buffer(1).scalar(0_u32)
    };
    assert_eq!(
        check(&launch(1056), &buffers(), &Limits::SM_90, &tile()),
        Ok(())
    );
    refused(
        &launch(1057),
        &tile(),
        &[
            "cooperative-grid: grid is 1057 x 1 x 1, 1057 blocks; all blocks of a cooperative launch must be resident at once, at most 1056: \
           8 on each of 132 multiprocessors; use 1056 x 1 x 1",
        ],
    );
    let mut usual = launch(1057);
    usual.shape.cooperative = false;
    assert_eq!(check(&usual, &buffers(), &Limits::SM_90, &tile()), Ok(()));
}

/// Returns the violations of a launch that uses these regions of a buffer of 100 bytes and one of 64.
fn wrong(uses: &[(Region, Access)]) -> String {
    let buffers = [
        Buffer::zeroed::<u8>("a", 100),
        Buffer::zeroed::<u8>("b", 64).in_variable("B"),
    ];
    let uses = uses.iter().cloned();
    let uses: Vec<Use> = uses
        .map(|(region, access)| Use { region, access })
        .collect();
    regions(&uses, &buffers).to_string()
}

#[test]
fn what_is_written_overlaps_nothing_else() {
    let bytes = |start, len| Region::bytes(0, len).skip(start);
    let (read, written) = (Access::Read, Access::Written);
    assert_eq!(
        wrong(&[
            (bytes(0, 50), read.clone()),
            (bytes(50, 50), written.clone())
        ]),
        ""
    );
    assert_eq!(
        wrong(&[(bytes(0, 60), read.clone()), (bytes(50, 50), read.clone())]),
        ""
    );
    assert_eq!(
        wrong(&[
            (bytes(0, 60), Access::Used),
            (bytes(50, 50), written.clone())
        ]),
        ""
    );
    assert_eq!(
        wrong(&[
            (bytes(50, 0), read.clone()),
            (bytes(0, 100), written.clone())
        ]),
        ""
    );
    let expected = "overlap: buffer `a` is read from byte 0 to 51; it is also written from byte 50 to 100, which \
                must not overlap; use another buffer, or disjoint bytes";
    assert_eq!(
        wrong(&[(bytes(0, 51), read), (bytes(50, 50), written)]),
        expected
    );
    for access in [Access::Updated, Access::Zeroed, Access::Written] {
        let both = [(bytes(0, 60), access), (bytes(59, 1), Access::Updated)];
        assert!(wrong(&both).starts_with("overlap: "), "{both:?}");
    }
}

#[test]
fn a_stored_row_ends_at_16_bytes_and_a_variable_is_filled() {
    let narrow = TensorMap::tiled(DataType::I32, &[25]);
    assert_eq!(wrong(&[(Region::tensor(narrow, 0), Access::Read)]), "");
    assert_eq!(
        wrong(&[(Region::tensor(narrow, 0), Access::Written)]),
        "buffer-length: buffer `a` is 100 bytes; the kernel uses 112; make it 12 bytes longer"
    );
    // A tensor that its buffer does not hold is reported with its argument.
    let long = TensorMap::tiled(DataType::I32, &[28]);
    assert_eq!(wrong(&[(Region::tensor(long, 0), Access::Written)]), "");
    assert_eq!(
        wrong(&[(Region::tensor(narrow, 0).skip(16), Access::Read)]),
        ""
    );
    let variable = |name: &str| wrong(&[(Region::Variable(name.to_owned()), Access::Read)]);
    assert_eq!(variable("B"), "");
    assert!(variable("C").starts_with("variable: the variable `C` is not filled by any buffer"));
}

#[test]
fn numbers_that_ascend_may_repeat_and_may_not_descend() {
    let refusal = |numbers: &[u32]| {
        let found = descent("starts", numbers.iter().copied());
        found.map(|violation| violation.to_string())
    };
    for numbers in [&[][..], &[7], &[0, 0, 3, 3, u32::MAX]] {
        assert_eq!(refusal(numbers), None, "{numbers:?}");
    }
    assert_eq!(
        refusal(&[0, 100, 0, 100]).unwrap(),
        "ascending: number 2 of starts is 0; numbers must not decrease, and the previous one is 100; use 100 or more"
    );
}

/// Overflow panics in tests, so this would reveal a product of extents that wraps.
#[test]
fn extents_of_any_size_are_refused_by_name() {
    let sides = [1, 2, 0x8000, 0x0800_0000, 1 << 31, u32::MAX];
    let dims = sides.into_iter().flat_map(|x| {
        sides
            .into_iter()
            .flat_map(move |y| sides.into_iter().map(move |z| Dim3::new(x, y, z)))
    });
    for dim in dims.filter(|dim| dim.count() > 2) {
        let mut launch = good();
        (launch.shape.block, launch.shape.grid) = (dim, dim);
        (launch.shape.cluster, launch.shape.cooperative) = (Some(dim), true);
        launch.shape.shared_bytes = u32::MAX;
        let signature = Signature {
            static_shared_bytes: u64::MAX,
            ..tile()
        };
        let refused = check(&launch, &buffers(), &Limits::SM_90, &signature).unwrap_err();
        let message = refused.to_string();
        assert!(
            message.contains("shared-bytes: shared_bytes is"),
            "{message}"
        );
        let rules = ["block-threads: block is", "cluster-blocks: cluster is"];
        let are_reported = rules.iter().all(|rule| message.contains(rule));
        assert!(are_reported || dim.count() <= 16, "{message}");
    }
    let mut launch = good();
    launch.shape.block = Dim3::from([u32::MAX; 3]);
    let message = check(&launch, &buffers(), &Limits::SM_90, &tile()).unwrap_err();
    let expected = "block-dimension: block.x is 4294967295; the device's limit is 1024; use 1024";
    assert!(message.to_string().contains(expected), "{message}");
}
