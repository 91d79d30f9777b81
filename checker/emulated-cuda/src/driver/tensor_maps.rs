//! Tensor maps, encoded by `tensor-map`.

use tensor_map::{
    DataType, Im2col, Interleave, L2Promotion, OobFill, Params, Swizzle, Target, TensorMap, Tiled,
};

use crate::{
    calls::with,
    code::{Code, Result},
    export::export,
    ffi::{In, Out, Pointer, choice},
};

/// The parameters of all maps: element type, lengths, strides, element strides, and the last four parameters.
struct Tensor {
    data_type: DataType,
    dims: Vec<u64>,
    strides_bytes: Vec<u64>,
    element_strides: Vec<u32>,
    interleave: Interleave,
    swizzle: Swizzle,
    l2_promotion: L2Promotion,
    oob_fill: OobFill,
}

impl Tensor {
    fn new(
        (data_type, rank): (i32, usize),
        (dims, strides_bytes, element_strides): (In<u64>, In<u64>, In<u32>),
        [interleave, swizzle, l2_promotion, oob_fill]: [i32; 4],
    ) -> Result<Self> {
        // If the rank is out of range, the lists may have any length.
        if !(1..=tensor_map::MAX_RANK).contains(&rank) {
            return Err(Code::INVALID_VALUE);
        }
        Ok(Self {
            data_type: choice(&DataType::ALL, data_type)?,
            dims: dims.list(rank)?,
            strides_bytes: strides_bytes.list(rank - 1)?,
            element_strides: element_strides.list(rank)?,
            interleave: choice(&Interleave::ALL, interleave)?,
            swizzle: choice(&Swizzle::ALL, swizzle)?,
            l2_promotion: choice(&L2Promotion::ALL, l2_promotion)?,
            oob_fill: choice(&OobFill::ALL, oob_fill)?,
        })
    }
}

/// Sets the common parameters of maps.
macro_rules! with_tensor {
    ($params:expr, $tensor:expr) => {
        $params
            .strides_bytes(&$tensor.strides_bytes)
            .element_strides(&$tensor.element_strides)
            .interleave($tensor.interleave)
            .swizzle($tensor.swizzle)
            .l2_promotion($tensor.l2_promotion)
            .oob_fill($tensor.oob_fill)
    };
}

/// Encodes a map, and reports every broken rule.
fn encode(map: &Out<[u8; TensorMap::BYTES]>, params: Params, address: Pointer) -> Result {
    match params.build_for(address.address(), Target::SM_90) {
        Ok(encoded) => map.put(encoded.to_bytes()),
        Err(refused) => with(|context| {
            let what = format!("{}: {refused}", params.function());
            Err(context.wrong(Code::INVALID_VALUE, &what))
        }),
    }
}

export! {
    driver;

    fn cuTensorMapEncodeTiled(
        map: Out<[u8; TensorMap::BYTES]>,
        data_type: i32,
        rank: u32,
        address: Pointer,
        dims: In<u64>,
        strides_bytes: In<u64>,
        box_dims: In<u32>,
        element_strides: In<u32>,
        interleave: i32,
        swizzle: i32,
        l2_promotion: i32,
        oob_fill: i32,
    ) {
        let rank = rank as usize;
        let lists = (dims, strides_bytes, element_strides);
        let tensor = Tensor::new((data_type, rank), lists, [interleave, swizzle, l2_promotion, oob_fill])?;
        let tiled = Tiled::new(tensor.data_type, &tensor.dims).box_dims(&box_dims.list(rank)?);
        encode(&map, with_tensor!(tiled, tensor).params(), address)
    }

    fn cuTensorMapEncodeIm2col(
        map: Out<[u8; TensorMap::BYTES]>,
        data_type: i32,
        rank: u32,
        address: Pointer,
        dims: In<u64>,
        strides_bytes: In<u64>,
        lower: In<i32>,
        upper: In<i32>,
        channels: u32,
        pixels: u32,
        element_strides: In<u32>,
        interleave: i32,
        swizzle: i32,
        l2_promotion: i32,
        oob_fill: i32,
    ) {
        let rank = rank as usize;
        let lists = (dims, strides_bytes, element_strides);
        let tensor = Tensor::new((data_type, rank), lists, [interleave, swizzle, l2_promotion, oob_fill])?;
        let corners = rank.saturating_sub(2);
        let im2col = Im2col::new(tensor.data_type, &tensor.dims)
            .pixel_box(&lower.list(corners)?, &upper.list(corners)?)
            .channels_per_pixel(channels)
            .pixels_per_column(pixels);
        encode(&map, with_tensor!(im2col, tensor).params(), address)
    }

    fn cuTensorMapReplaceAddress(map: Out<[u8; TensorMap::BYTES]>, address: Pointer) {
        let mut replaced = TensorMap::from_bytes(map.get()?);
        match replaced.replace_address(address.address()) {
            Ok(()) => map.put(replaced.to_bytes()),
            Err(refused) => with(|context| {
                let what = format!("cuTensorMapReplaceAddress: {refused}");
                Err(context.wrong(Code::INVALID_VALUE, &what))
            }),
        }
    }
}
