//! Tensor maps in every memory that kernels can take them from, and addresses without a map: on
//! the emulator, and on a GPU where there is one.

mod support;

use support::{
    everywhere::everywhere,
    matrix::{PTX, boxed, matrix},
};
use tensor_map::{DataType, TensorMap};
use tma_host::{Argument, Device, EncodeError, Shape, encode_with_driver};

type Result = std::result::Result<(), Box<dyn std::error::Error>>;

/// `tile` of the other tests, whose map is at an address, acquired, or in constant memory.
fn ptx(entry: &str, parameter: &str, map: &str) -> String {
    let (head, tile) = PTX
        .text
        .split_once(".visible .entry tile(")
        .expect("a kernel `tile`");
    let version = head.split(".extern").next().expect("a head");
    let (tile, _) = tile.split_once("\n}").expect("an end");
    let tile = tile.replace("\t.param .align 64 .b8 map[128],\n", parameter);
    let tile = tile.replace("\tmov.b64 %rd0, map;\n\tcvta.param.u64 %rd0, %rd0;\n", map);
    let version = version.replace(".version 8.0", ".version 8.3");
    format!(
        "{version}\n.const .align 64 .b8 constant_map[128];\n\
         .global .align 64 .b8 short_map[64];\n.visible .entry {entry}({tile}\n}}\n"
    )
}

#[test]
fn maps_work_from_global_memory() -> Result {
    everywhere().iter().try_for_each(loads_from_global_memory)
}

fn loads_from_global_memory(device: &Device) -> Result {
    let acquire = "\tld.param.u64 %rd0, [map];\n\
                   \tfence.proxy.tensormap::generic.acquire.sys [%rd0], 128;\n";
    let module = device.load(
        "global.ptx",
        &ptx("tile_global", "\t.param .u64 map,\n", acquire),
    )?;
    let (elements, tiled) = matrix();
    let (matrix, other) = (
        device.upload(&elements)?,
        device.upload(&vec![7_i32; elements.len()])?,
    );
    let maps = device.upload_tensor_maps(&[other.tensor_map(tiled)?, matrix.tensor_map(tiled)?])?;
    let out = device.zeroed::<i32>(256)?;
    let tile = module.function("tile_global")?;
    // SAFETY: the kernel takes the address of a map of 16 x 16 boxes, an address of 256 elements and
    // coordinates; the buffer is read, which waits.
    unsafe { tile.launch(Shape::new(1, 256), (&maps, &out, 0, 0)) }?;
    assert_eq!(out.read()?, [7; 256]);
    let second = maps.address(1).expect("two maps");
    // SAFETY: `second` is the address of a map of 16 x 16 boxes, `out` has 256 elements, and reading it waits for
    // the kernel.
    unsafe {
        tile.launch(
            Shape::new(1, 256),
            (Argument::Address(second), &out, 88, 60),
        )
    }?;
    assert_eq!(out.read()?, boxed(88, 60));
    assert_eq!(maps.address(2), None);
    Ok(())
}

#[test]
fn maps_work_from_constant_memory() -> Result {
    everywhere().iter().try_for_each(loads_from_constant_memory)
}

fn loads_from_constant_memory(device: &Device) -> Result {
    let map = "\tmov.u64 %rd0, constant_map;\n\tcvta.const.u64 %rd0, %rd0;\n";
    let module = device.load("constant.ptx", &ptx("tile_constant", "", map))?;
    let (elements, tiled) = matrix();
    let matrix = device.upload(&elements)?;
    module.set_tensor_map("constant_map", &matrix.tensor_map(tiled)?)?;
    let out = device.zeroed::<i32>(256)?;
    let tile = module.function("tile_constant")?;
    // SAFETY: the kernel takes an address of 256 elements and coordinates, and a map of 16 x 16 boxes
    // from constant memory; the buffer is read, which waits.
    unsafe { tile.launch(Shape::new(1, 256), (&out, 32, 16)) }?;
    assert_eq!(out.read()?, boxed(32, 16));
    // The module keeps the tensor.
    let address = matrix.address();
    drop(matrix);
    // SAFETY: the map in constant memory still has 16 x 16 boxes, `out` has 256 elements, and reading it waits
    // for the kernel.
    unsafe { tile.launch(Shape::new(1, 256), (&out, 16, 8)) }?;
    assert_eq!(out.read()?, boxed(16, 8));
    // Another map replaces the first one, whose tensor is freed.
    let negative: Vec<i32> = elements.iter().map(|element| -element).collect();
    let matrix = device.upload(&negative)?;
    module.set_tensor_map("constant_map", &matrix.tensor_map(tiled)?)?;
    let freed = device.tensor_map(tiled, address).unwrap_err();
    assert!(matches!(freed, EncodeError::NoMemory { .. }), "{freed}");
    // SAFETY: the new map in constant memory has 16 x 16 boxes, `out` has 256 elements, and reading it waits for
    // the kernel.
    unsafe { tile.launch(Shape::new(1, 256), (&out, 16, 8)) }?;
    let expected: Vec<i32> = boxed(16, 8).iter().map(|element| -element).collect();
    assert_eq!(out.read()?, expected);
    // Zeros are not a map. On a GPU the fault would end the tests of this process.
    module.set_variable("constant_map", &[0; TensorMap::BYTES])?;
    if device.is_emulator() {
        // SAFETY: the kernel finds no map, and stops.
        let result = unsafe { tile.launch(Shape::new(1, 256), (&out, 32, 16)) };
        let message = result.unwrap_err().to_string();
        assert!(message.contains("map"), "{message}");
    }
    let error = module
        .set_tensor_map("no_map", &matrix.tensor_map(tiled)?)
        .unwrap_err();
    assert!(
        error.to_string().contains("no variable `no_map`"),
        "{error}"
    );
    let error = module
        .set_tensor_map("short_map", &matrix.tensor_map(tiled)?)
        .unwrap_err();
    assert!(
        error.to_string().contains("`short_map` has 64 bytes"),
        "{error}"
    );
    Ok(())
}

#[test]
fn what_lies_at_an_address_is_looked_at() -> Result {
    everywhere().iter().try_for_each(looks_at_addresses)
}

fn looks_at_addresses(device: &Device) -> Result {
    let (elements, tiled) = matrix();
    let matrix = device.upload(&elements)?;
    let address = matrix.address();
    assert_eq!(
        device.tensor_map(tiled, address)?,
        *matrix.tensor_map(tiled)?.encoded()
    );
    let taller = TensorMap::tiled(DataType::I32, &[100, 65])
        .strides_bytes(&[416])
        .box_dims(&[16, 16]);
    let error = device.tensor_map(taller, address).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("element [0, 64] is the first out of bounds"),
        "{error}"
    );
    drop(matrix);
    let error = device.tensor_map(tiled, address).unwrap_err();
    assert!(matches!(error, EncodeError::NoMemory { .. }), "{error}");
    let local = [0_u128; 4];
    let error = device
        .tensor_map(tiled, local.as_ptr().addr() as u64)
        .unwrap_err();
    assert!(matches!(error, EncodeError::NoMemory { .. }), "{error}");
    if device.is_emulator() {
        let error = encode_with_driver(device, tiled, address).unwrap_err();
        assert!(matches!(error, EncodeError::Context(_)), "{error}");
    }
    let bytes = device.upload(&[0_u8; 26624])?;
    assert!(bytes.tensor_map(tiled).is_ok());
    let halves = device.upload(&[0_u16; 13312])?;
    let error = halves.tensor_map(tiled).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("a buffer of u16 cannot hold a tensor of i32"),
        "{error}"
    );
    Ok(())
}
