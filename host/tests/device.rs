//! Host programs, on the emulator, and on a GPU where there is one.

mod support;

use support::{
    everywhere::everywhere,
    matrix::{PTX, boxed, matrix},
};
use tma_host::{Call, Device, Shape, Slice, Stage};
use tma_launch::{Argument, MapArgument, Pointer, Rule};

type Result = std::result::Result<(), Box<dyn std::error::Error>>;

#[test]
fn kernels_run_from_a_program() -> Result {
    everywhere().iter().try_for_each(runs_kernels)
}

fn runs_kernels(device: &Device) -> Result {
    let module = device.load(PTX.name, PTX.text)?;
    let mut data = device.upload(&[1.5_f32; 1000])?;
    let scale = module.function("scale")?;
    // SAFETY: `scale` takes an address, a length and a number, and accesses that many elements; the
    // buffer is read, which waits.
    unsafe { scale.launch(Shape::new(4, 256), (&mut data, 999_u32, 2.0_f32)) }?;
    let mut expected = vec![3.0; 1000];
    expected[999] = 1.5;
    assert_eq!(data.read()?, expected);

    let (elements, tiled) = matrix();
    let matrix = device.upload(&elements)?;
    let out = device.zeroed::<i32>(256)?;
    let map = matrix.tensor_map(tiled)?;
    let tile = module.function("tile")?;
    for (x, y) in [(0, 0), (32, 16), (88, 60), (-4, -7)] {
        // SAFETY: `tile` takes a map of 16 x 16 boxes, an address of 256 elements and coordinates;
        // the buffer is read, which waits.
        unsafe { tile.launch(Shape::new(1, 256), (&map, &out, x, y)) }?;
        assert_eq!(out.read()?, boxed(x, y), "{x}, {y}");
    }
    // From another thread.
    let read = std::thread::scope(|scope| scope.spawn(|| out.read()).join());
    assert_eq!(read.expect("no panic")?, boxed(-4, -7));
    std::thread::spawn(move || drop(data))
        .join()
        .expect("no panic");
    Ok(())
}

#[test]
fn clusters_and_shared_memory_come_with_the_shape() -> Result {
    everywhere().iter().try_for_each(runs_shapes)
}

fn runs_shapes(device: &Device) -> Result {
    let module = device.load(PTX.name, PTX.text)?;
    let out = device.zeroed::<u32>(32)?;
    let sizes = |entry: &str, shape: Shape| {
        let function = module.function(entry)?;
        // SAFETY: the kernels take an address of one element per block; the buffer is
        // read, which waits.
        unsafe { function.launch(shape, (&out,)) }?;
        Ok::<_, tma_host::Failure>(out.read()?[0])
    };
    assert_eq!(sizes("cluster_size", Shape::new(32, 1))?, 1);
    assert_eq!(sizes("cluster_size", Shape::new(32, 1).cluster(4))?, 4);
    assert_eq!(sizes("cluster_of_two", Shape::new(32, 1))?, 2);
    assert_eq!(sizes("cluster_of_two", Shape::new(32, 1).cluster(2))?, 2);
    if device.limits().non_portable_cluster_blocks == 16 {
        let sixteen = Shape::new(32, 1).cluster(16).non_portable_cluster();
        assert_eq!(sizes("cluster_size", sixteen)?, 16);
    }

    let through_shared = module.function("through_shared")?;
    let most = device.limits().shared_bytes as u32;
    for shared_bytes in [1024, 48 * 1024, 48 * 1024 + 4, most] {
        let out = device.zeroed::<u32>(1)?;
        let shape = Shape::new(1, 1).shared_bytes(shared_bytes);
        // SAFETY: the kernel takes the address of one element and an offset in its shared memory;
        // the buffer is read, which waits.
        unsafe { through_shared.launch(shape, (&out, shared_bytes - 4)) }?;
        assert_eq!(out.read()?, [7]);
    }
    // SAFETY: the launch is refused before it starts.
    let refused =
        unsafe { through_shared.launch(Shape::new(1, 2000).shared_bytes(most + 1), (&out, 0_u64)) };
    let rules: Vec<Rule> = refused
        .unwrap_err()
        .violations
        .0
        .iter()
        .map(|violation| violation.rule)
        .collect();
    let expected = [
        Rule::BlockDimension,
        Rule::BlockThreads,
        Rule::SharedBytes,
        Rule::ArgumentSize,
    ];
    assert_eq!(rules, expected);
    Ok(())
}

/// The host function that `#[kernel]` writes for `scale` in the PTX.
fn scale<'a>(data: impl Pointer<f32> + 'a, len: u32, factor: f32) -> Call<'a> {
    Call::new("scale")
        .argument("data", data.pointer())
        .argument("len", Argument::scalar(len))
        .argument("factor", Argument::scalar(factor))
}

/// The same check for `tile`.
fn tile<'a>(map: impl MapArgument + 'a, out: impl Pointer<i32> + 'a, x: i32, y: i32) -> Call<'a> {
    Call::new("tile")
        .argument("map", map.map())
        .argument("out", out.pointer())
        .argument("x", Argument::scalar(x))
        .argument("y", Argument::scalar(y))
}

#[test]
fn calls_are_launched_by_their_module() -> Result {
    for device in everywhere() {
        let module = device.load(PTX.name, PTX.text)?;
        let mut data = device.upload(&[1.0_f32; 100])?;
        // SAFETY: `scale` scales that many elements, which the buffer has from there on (1, 2); it lives
        // until it is read (3), and no one else has it (4).
        unsafe { module.launch((1, 128), scale(&data, 100, 2.0)) }?;
        // SAFETY: `scale` scales the last 10 of 100 elements (1, 2); `data` lives until it is read (3), and the
        // first launch has ended (4).
        unsafe { module.launch((1, 128), scale(data.at(90), 10, 3.0)) }?;
        // SAFETY: `scale` scales the first element (1, 2); `data` lives until it is read (3), and the launches
        // before have ended (4).
        unsafe { module.launch((1, 128), scale(&mut data, 1, 5.0)) }?;
        let mut expected = [[2.0; 90].as_slice(), &[6.0; 10]].concat();
        expected[0] = 10.0;
        assert_eq!(data.read()?, expected);

        let (elements, tiled) = matrix();
        let (matrix, out) = (device.upload(&elements)?, device.zeroed::<i32>(256)?);
        let map = matrix.tensor_map(tiled)?;
        // SAFETY: `tile` writes 256 elements, which the buffer has (1, 2); it lives until it is read (3), and no
        // other launch uses it (4).
        unsafe { module.launch((1, 256), tile(&map, &out, 8, 4)) }?;
        assert_eq!(out.read()?, boxed(8, 4));

        let bytes: Slice<'_, u8> = out.bytes();
        let (address, len) = (bytes.at(4).address(), bytes.len_elems());
        assert_eq!((address, len), (out.address() + 4, 1024));
        // SAFETY: the launch is refused before it starts.
        let refused = unsafe { module.launch((1, 2048), Call::new("scale")) }.unwrap_err();
        let rules: Vec<Rule> = refused
            .violations
            .0
            .iter()
            .map(|broken| broken.rule)
            .collect();
        assert!(rules.contains(&Rule::BlockThreads) && rules.contains(&Rule::ArgumentCount));
    }
    Ok(())
}

#[test]
fn launches_on_a_stream_are_in_order_and_events_lie_between_them() -> Result {
    for device in everywhere() {
        let module = device.load(PTX.name, PTX.text)?;
        let scale_of = module.function("scale")?;
        let data = device.upload(&[1.0_f32; 64])?;
        let (first, second) = (device.new_stream()?, device.new_stream()?);
        let begin = first.record()?;
        for _ in 0..3 {
            // SAFETY: `scale` takes these arguments (1) and stays in the buffer (2), which lives until
            // it has been read (3); the second stream waits for the first (4).
            unsafe { scale_of.launch_on(&first, (1, 64), (&data, 64_u32, 2.0_f32)) }?;
        }
        let end = first.record()?;
        second.wait_for(&first)?;
        // SAFETY: `scale` takes these arguments (1) and stays in the first half of the buffer (2), which is read
        // at the end (3); the second stream waits for the first (4).
        unsafe { module.launch_on(&second, (1, 64), scale(&data, 32, 0.5)) }?;
        second.synchronise()?;
        assert_eq!(data.read()?, [[4.0; 32], [8.0; 32]].concat());
        assert!(!end.elapsed_since(&begin)?.is_zero());
        assert!(begin.elapsed_since(&end)?.is_zero());
        device.stream().synchronise()?;
        assert_eq!(first.raw().is_none(), device.is_emulator());
    }
    Ok(())
}

#[test]
fn memory_of_no_bytes_is_nowhere() -> Result {
    for device in everywhere() {
        let mut empty = device.upload::<f32>(&[])?;
        assert_eq!((empty.address(), empty.len_bytes()), (0, 0));
        empty.write(&[])?;
        assert_eq!(empty.read()?, [0.0; 0]);
        assert!(device.zeroed::<u16>(0)?.read()?.is_empty());
        let message = empty.write(&[1.0]).unwrap_err().to_string();
        assert_eq!(
            message,
            "upload: cannot fill a buffer of 0 elements with 1; the numbers must be equal"
        );
        let too_much = device.zeroed::<u64>(usize::MAX).unwrap_err();
        assert_eq!(too_much.stage, Stage::Upload, "{too_much}");
        if device.is_emulator() {
            let name = too_much.error_name.unwrap_or_default();
            assert_eq!(name, "CUDA_ERROR_OUT_OF_MEMORY");
        }
    }
    Ok(())
}

#[test]
fn memory_of_another_device_is_refused() -> Result {
    // Handles of one memory are devices of their own: two emulators, and the GPU, where there is one, opened again.
    let devices = [everywhere(), Device::emulators(1).into(), everywhere()].concat();
    for (one, other) in devices
        .iter()
        .flat_map(|one| devices.iter().map(move |other| (one, other)))
    {
        let same = std::ptr::eq(one, other);
        let module = one.load(PTX.name, PTX.text)?;
        let (scale_of, tile_of) = (module.function("scale")?, module.function("tile")?);
        let data = other.upload(&[1.0_f32; 64])?;
        let (elements, tiled) = matrix();
        let (matrix, out) = (other.upload(&elements)?, one.zeroed::<i32>(256)?);
        let map = matrix.tensor_map(tiled)?;
        let results = [
            // SAFETY: `scale` scales that many elements, `tile` writes 256 (1, 2); the buffers live until the
            // end (3), and nothing else runs (4).
            unsafe { scale_of.launch((1, 64), (&data, 64_u32, 2.0_f32)) },
            // SAFETY: `scale` scales the 64 elements from the first on (1, 2); `data` lives until the end (3),
            // and launches of a device run in order (4).
            unsafe { scale_of.launch((1, 64), (data.at(0), 64_u32, 2.0_f32)) },
            // SAFETY: `scale` scales the 64 elements of `data` (1, 2), which lives until the end (3), and
            // launches of a device run in order (4).
            unsafe { module.launch((1, 64), scale(&data, 64, 2.0)) },
            // SAFETY: `tile` writes the 256 elements of `out` (1, 2), which lives until the end (3), and nothing
            // else uses it (4).
            unsafe { tile_of.launch((1, 256), (&map, &out, 0, 0)) },
            // SAFETY: `tile` writes the 256 elements of `out` (1, 2), which lives until the end (3), and launches
            // of a device run in order (4).
            unsafe { module.launch((1, 256), tile(&map, &out, 0, 0)) },
        ];
        one.synchronise()?;
        for result in results {
            assert_eq!(result.is_ok(), same, "{result:?}");
            if let Err(failure) = result {
                assert_eq!(failure.stage, Stage::Check);
                let message = failure.to_string();
                assert!(
                    message.contains("but argument 0 is on another device"),
                    "{message}"
                );
            }
        }
        let stream = other.new_stream()?;
        let mine = one.upload(&[1.0_f32; 64])?;
        // SAFETY: `scale` scales the 64 elements of `mine` (1, 2), which lives until the device is synchronised
        // (3), and nothing else uses it (4).
        let result = unsafe { scale_of.launch_on(&stream, (1, 64), (&mine, 64_u32, 2.0_f32)) };
        assert_eq!(result.is_ok(), same, "{result:?}");
        one.synchronise()?;
    }
    Ok(())
}

#[test]
fn threads_launch_one_kernel_with_other_shared_sizes() -> Result {
    for device in everywhere() {
        let module = device.load(PTX.name, PTX.text)?;
        let launch = |shared_bytes: u32| {
            let through_shared = module.function("through_shared")?;
            let stream = device.new_stream()?;
            for _ in 0..if device.is_emulator() { 2 } else { 200 } {
                let out = device.zeroed::<u32>(1)?;
                let shape = Shape::new(1, 1).shared_bytes(shared_bytes);
                let arguments = (&out, shared_bytes - 4);
                // SAFETY: the kernel takes the address of one element and an offset in its shared
                // memory; the buffer is read, which waits.
                unsafe { through_shared.launch_on(&stream, shape, arguments) }?;
                assert_eq!(out.read()?, [7]);
            }
            Ok::<(), tma_host::Failure>(())
        };
        let most = device.limits().shared_bytes as u32;
        let launch = &launch;
        std::thread::scope(|scope| {
            let sizes = [1024, 64 * 1024, most / 2, most];
            let threads = sizes.map(|size| scope.spawn(move || launch(size)));
            threads
                .into_iter()
                .try_for_each(|thread| thread.join().expect("no panic"))
        })?;
    }
    Ok(())
}

#[test]
fn a_stream_ends_in_its_context_whatever_thread_drops_it() -> Result {
    for device in everywhere() {
        let stream = device.new_stream()?;
        let context = move || {
            drop(stream);
            cuda_driver::context::synchronize().is_ok()
        };
        let current = std::thread::spawn(context).join().expect("no panic");
        assert!(current || device.is_emulator());
    }
    Ok(())
}
