//! Maps from one kernel that another one uses.

use kernels_gpu::{
    consume_map::ConsumeMap,
    encode_map::{EncodeMap, MapFields, map_fields},
};
use tensor_map::{DataType, TensorMap, Tiled};
use tma_launch::Buffer;

use super::{
    Kernel,
    consume_map::{Tensor, boxes, lay_out},
    kept,
};
use crate::{Expected, Scenario};

pub(super) const KERNEL: Kernel = Kernel {
    name: "encode_map",
    summary: "makes maps of tensors of different sizes on the device, for another kernel to use",
    golden: &["encode_map", "encode_map_zeroed"],
    showcase: || scenario(true, &matrices(), [16, -1]),
    cases,
};

/// The guide's tensor first.
fn matrices() -> Vec<Tensor> {
    let matrix = |width: u64, height: u64, pitch: u64| {
        let tiled = TensorMap::tiled(DataType::U8, &[width, height]);
        Tensor::new(tiled.strides_bytes(&[pitch]).box_dims(&[128, 4]))
    };
    let every_second = TensorMap::tiled(DataType::U8, &[200, 30])
        .strides_bytes(&[208])
        .box_dims(&[128, 8])
        .element_strides(&[1, 2]);
    vec![
        matrix(256, 8, 256),
        matrix(300, 5, 304),
        matrix(128, 4, 128),
        matrix(1, 1, 16),
        matrix(1000, 33, 1008),
        Tensor::new(every_second),
    ]
}

fn five_dimensions() -> Vec<Tensor> {
    let tensor = |dims: [u64; 5], padding: u64| {
        let mut stride = dims[0].next_multiple_of(16);
        let mut strides = Vec::new();
        for dim in &dims[1..] {
            stride += padding;
            strides.push(stride);
            stride *= dim;
        }
        let tiled: Tiled = TensorMap::tiled(DataType::U8, &dims);
        Tensor::new(tiled.strides_bytes(&strides).box_dims(&[16, 2, 2, 2, 2]))
    };
    vec![
        tensor([16, 2, 2, 2, 2], 0),
        tensor([40, 3, 5, 2, 4], 0),
        tensor([33, 4, 3, 3, 2], 48),
    ]
}

fn cases() -> Vec<Scenario> {
    let mut cases = Vec::new();
    for template in [true, false] {
        for coords in [[0, 0], [16, 3], [-32, -2], [176, 1]] {
            cases.push(scenario(template, &matrices(), coords));
        }
        cases.push(scenario(template, &matrices()[..1], [128, 4]));
        for coords in [[0, 0], [0, 1], [-16, -1], [16, 1]] {
            cases.push(scenario(template, &five_dimensions(), coords));
        }
    }
    cases
}

fn scenario(template: bool, tensors: &[Tensor], coords: [i32; 2]) -> Scenario {
    let (data, offsets) = lay_out(tensors);
    let fields = tensors.iter().zip(&offsets).map(|(tensor, offset)| {
        match map_fields(&tensor.tiled, *offset) {
            Ok(fields) => fields,
            Err(refused) => panic!("{refused}"),
        }
    });
    let fields: Vec<MapFields> = fields.collect();
    let expected = boxes(tensors, &data, &offsets, coords);
    let encode = EncodeMap {
        template,
        fields: 1,
        tensors: 0,
        maps: 2,
        count: tensors.len() as u32,
    };
    let consume = ConsumeMap {
        rank: tensors[0].tiled.tensor.rank() as u32,
        maps: 2,
        output: 3,
        coords,
        count: tensors.len() as u32,
        threads: 64,
    };
    let (encode, consume) = (kept(encode.launch()), kept(consume.launch()));
    let [x, y] = coords;
    Scenario {
        name: format!(
            "{}_{}_at_{x}_{y}_{}_tensors",
            encode.entry,
            consume.entry,
            tensors.len()
        ),
        buffers: vec![
            Buffer::new("tensors", &data),
            Buffer::new("fields", &fields),
            Buffer::new("maps", &vec![0xff_u8; 128 * tensors.len()]),
            Buffer::new("output", &vec![0xee_u8; expected.len()]),
        ],
        launches: vec![encode, consume],
        expected: vec![Expected::of(3, &expected), Expected::of(0, &data)],
    }
}
