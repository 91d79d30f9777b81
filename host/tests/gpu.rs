//! Host programs on a GPU: run with `--ignored`.

#[path = "support/matrix.rs"]
mod matrix;

use host::{Gpu, Shape};
use launch::Rule;
use matrix::{PTX, boxed, matrix};
use tensor_map::Swizzle;

type Result = std::result::Result<(), Box<dyn std::error::Error>>;

#[test]
#[ignore = "needs a GPU"]
fn kernels_run_from_a_program() -> Result {
    let gpu = Gpu::first()?;
    let module = gpu.load(PTX.name, PTX.text)?;
    let mut data = gpu.upload(&[1.5_f32; 1000])?;
    let scale = module.function("scale")?;
    // SAFETY: `scale` takes an address, a length and a number, and accesses so many elements; the
    // buffer is read, which waits.
    unsafe { scale.launch(Shape::new(4, 256), (&mut data, 999_u32, 2.0_f32)) }?;
    let mut expected = vec![3.0; 1000];
    expected[999] = 1.5;
    assert_eq!(data.read()?, expected);

    let (elements, tiled) = matrix();
    let matrix = gpu.upload(&elements)?;
    let out = gpu.zeroed::<i32>(256)?;
    let map = matrix.tensor_map(tiled)?;
    let tile = module.function("tile")?;
    for (x, y) in [(0, 0), (32, 16), (88, 60), (-4, -7)] {
        // SAFETY: `tile` takes a map of 16 x 16 boxes, an address of 256 elements and coordinates;
        // the buffer is read, which waits.
        unsafe { tile.launch(Shape::new(1, 256), (map, &out, x, y)) }?;
        assert_eq!(out.read()?, boxed(x, y), "{x}, {y}");
    }
    let resources = tile.resources()?;
    assert!(
        resources.registers > 0 && resources.shared_bytes >= 1032,
        "{resources:?}"
    );

    // From another thread.
    let read = std::thread::scope(|scope| scope.spawn(|| out.read()).join());
    assert_eq!(read.expect("no panic")?, boxed(-4, -7));
    std::thread::spawn(move || drop(data))
        .join()
        .expect("no panic");
    Ok(())
}

#[test]
#[ignore = "needs a GPU"]
fn clusters_and_shared_memory_come_with_the_shape() -> Result {
    let gpu = Gpu::first()?;
    let module = gpu.load(PTX.name, PTX.text)?;
    let out = gpu.zeroed::<u32>(32)?;
    let sizes = |entry: &str, shape: Shape| {
        let function = module.function(entry)?;
        // SAFETY: the kernels take an address of as many elements as there are blocks; the buffer is
        // read, which waits.
        unsafe { function.launch(shape, (&out,)) }?;
        Ok::<_, host::Failure>(out.read()?[0])
    };
    assert_eq!(sizes("cluster_size", Shape::new(32, 32))?, 1);
    assert_eq!(sizes("cluster_size", Shape::new(32, 32).cluster(4))?, 4);
    assert_eq!(sizes("cluster_of_two", Shape::new(32, 32))?, 2);
    assert_eq!(sizes("cluster_of_two", Shape::new(32, 32).cluster(2))?, 2);
    if gpu.device().limits().non_portable_cluster_blocks == 16 {
        let sixteen = Shape::new(32, 32).cluster(16).non_portable_cluster();
        assert_eq!(sizes("cluster_size", sixteen)?, 16);
    }

    let through_shared = module.function("through_shared")?;
    let most = gpu.device().shared_bytes as u32;
    for shared_bytes in [1024, 48 * 1024, 48 * 1024 + 4, most] {
        let out = gpu.zeroed::<u32>(1)?;
        let shape = Shape::new(1, 1).shared_bytes(shared_bytes);
        // SAFETY: the kernel takes the address of one element and an offset in its shared memory;
        // the buffer is read, which waits.
        unsafe { through_shared.launch(shape, (&out, shared_bytes - 4)) }?;
        assert_eq!(out.read()?, [7]);
    }
    // SAFETY: refused before it is made.
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

#[test]
#[ignore = "needs a GPU"]
fn what_the_driver_refuses_is_explained() -> Result {
    let gpu = Gpu::first()?;
    let load = |text: &str| gpu.load(PTX.name, text).map(drop).unwrap_err().to_string();

    let text = load(
        &PTX.text
            .replace("mul.f32 %f1, %f1, %f0", "mul.f32 %f1, %f1, %nothing"),
    );
    assert!(
        text.starts_with("load: the driver refuses kernels.ptx (CUDA_ERROR_INVALID_PTX)"),
        "{text}"
    );
    assert!(text.contains("%nothing"), "{text}");

    let text = load(&PTX.text.replace(".version 8.0", ".version 99.0"));
    assert!(
        text.contains("(CUDA_ERROR_UNSUPPORTED_PTX_VERSION): it is PTX 99.0"),
        "{text}"
    );

    let other = if gpu.arch() == "sm_90a" {
        "sm_100a"
    } else {
        "sm_90a"
    };
    let newest = PTX.text.replace(".version 8.0", ".version 8.6");
    let text = load(&newest.replace(".target sm_90", &format!(".target {other}")));
    let hint = format!(
        "it is for {other}, and this GPU is {0}: build it for {0}",
        gpu.arch()
    );
    assert!(text.contains(&hint), "{text}");

    let (elements, tiled) = matrix();
    let buffer = gpu.upload(&elements)?;
    let bad = tiled.box_dims(&[16, 257]).swizzle(Swizzle::B32);
    let text = buffer.tensor_map(bad).unwrap_err().to_string();
    assert_eq!(
        text,
        "no tiled tensor map of these parameters, 2 rules are broken:
  box_dims[1] = 257: must be 1 to 256 elements; try 256 [box-range]
  box_dims[0] = 16: a row of 64 bytes, must fit the swizzle span of 32; try 8 [box-row-span]"
    );
    Ok(())
}
