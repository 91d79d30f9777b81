use launch::{Launch, Rule, Violation, Violations};
use tensor_map::{DataType, Interleave, OobFill, Swizzle, Target, TensorMap, Tiled};

use crate::conditions::{Conditions, product};

/// Makes maps of tensors of bytes on the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EncodeMap {
    /// Begin with a template from the host, or with zeros.
    pub template: bool,
    /// The buffer of what the maps are to say: [`map_fields`] of each.
    pub fields: usize,
    /// The buffer that the tensors lie in.
    pub tensors: usize,
    /// The buffer that gets the maps.
    pub maps: usize,
    /// Maps.
    pub count: u32,
}

/// What the boxes of [`ConsumeMap`] bring, innermost first.
const BOXES: [&[u64]; 2] = [&[128, 4], &[16, 2, 2, 2, 2]];

/// What the device is to make a map of, as it reads it: a tensor of bytes that begins
/// `offset_bytes` into the buffer of the tensors.
///
/// # Errors
/// The tensor is not of bytes, or is interleaved, swizzled or filled with NaN, which the kernels do
/// not make; its box is none that [`ConsumeMap`] takes; it breaks rules of tensor maps.
pub fn map_fields(tiled: &Tiled, offset_bytes: u64) -> Result<[u8; 104], Violations> {
    let tensor = &tiled.tensor;
    let mut wrong = Vec::new();
    let mut refuse = |parameter: &str, value: String, limit: &str, fix: &str| {
        wrong.push(Violation {
            rule: Rule::KernelCondition,
            parameter: parameter.to_owned(),
            value,
            limit: limit.to_owned(),
            fix: fix.to_owned(),
        });
    };
    if tensor.data_type != DataType::U8
        || tensor.interleave != Interleave::None
        || tensor.swizzle != Swizzle::None
        || tensor.oob_fill != OobFill::Zeros
    {
        let value = format!(
            "{:?}, {:?}, {:?}, {:?}",
            tensor.data_type, tensor.interleave, tensor.swizzle, tensor.oob_fill
        );
        let limit = "the kernels make maps of U8 without interleave and swizzle, filled with zeros";
        refuse("tensor", value, limit, "make the others on the host");
    }
    let extents = 0..tensor.rank();
    let extents: Vec<u64> = extents.map(|dim| tiled.box_elements(dim)).collect();
    if !BOXES.contains(&&extents[..]) {
        let value = format!("{extents:?} bytes");
        let limit = "`ConsumeMap` takes boxes that bring [128, 4] or [16, 2, 2, 2, 2]";
        refuse("box", value, limit, "take one of these");
    }
    // Buffers begin at multiples of 256 bytes.
    if let Err(refused) = tiled
        .params()
        .build_for(offset_bytes.saturating_add(0x1000), Target::SM_90)
    {
        let value = format!("{offset_bytes} bytes into its buffer");
        refuse(
            "tensor",
            value,
            &refused.to_string(),
            "keep the rules of tensor maps",
        );
    }
    Violations(wrong).into_result()?;
    let mut bytes = Vec::with_capacity(104);
    bytes.extend(offset_bytes.to_le_bytes());
    let strides = tensor
        .strides_bytes
        .as_slice()
        .iter()
        .copied()
        .chain([0; 4]);
    bytes.extend(strides.take(4).flat_map(u64::to_le_bytes));
    bytes.extend((tensor.rank() as u32).to_le_bytes());
    let dims = tensor.dims.as_slice().iter().map(|dim| *dim as u32);
    let extents = [
        dims.collect(),
        tiled.box_dims.as_slice().to_vec(),
        tensor.element_strides.as_slice().to_vec(),
    ];
    for extent in extents {
        let five = extent.into_iter().chain([0; 5]).take(5);
        bytes.extend(five.flat_map(u32::to_le_bytes));
    }
    let mut fields = [0; 104];
    fields.copy_from_slice(&bytes);
    Ok(fields)
}

impl EncodeMap {
    /// Checks the arguments.
    ///
    /// # Errors
    /// All that the kernels cannot take.
    pub fn launch(&self) -> Result<Launch, Violations> {
        let mut conditions = Conditions::default();
        conditions.at_least("maps", self.count, 1, "there is no empty grid: at least");
        let launch = |entry| Launch::new(entry, self.count, 32);
        let launch = if self.template {
            let template = TensorMap::tiled(DataType::U8, &[16]).box_dims(&[16]);
            launch("encode_map").tensor_map(template, self.tensors)
        } else {
            launch("encode_map_zeroed")
        };
        conditions.launch(
            launch
                .buffer_of(self.fields, product(&[self.count, 104]))
                .buffer(self.tensors)
                .buffer_of(self.maps, product(&[self.count, 128])),
        )
    }
}

/// Copies a box of bytes through each of several maps in global memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConsumeMap {
    /// Dimensions of the maps: 2, with boxes of 128 by 4 bytes, or 5, with boxes of 16 by 2 by 2 by 2
    /// by 2.
    pub rank: u32,
    /// The buffer of maps.
    pub maps: usize,
    /// The buffer that gets the boxes.
    pub output: usize,
    /// Where the boxes begin: in dimension 0, and in all others.
    pub place: [i32; 2],
    /// Maps.
    pub count: u32,
    /// Threads of a block.
    pub threads: u32,
}

impl ConsumeMap {
    /// Checks the arguments.
    ///
    /// # Errors
    /// All that the kernels cannot take.
    pub fn launch(&self) -> Result<Launch, Violations> {
        let mut conditions = Conditions::default();
        conditions.whole_warps(self.threads);
        conditions.one_of("rank", self.rank, &[2, 5], "there are kernels for");
        conditions.multiple(
            "distance of the first byte",
            self.place[0].unsigned_abs().into(),
            16,
            "a box begins at a multiple of 16 bytes: a multiple of",
        );
        let (entry, bytes) = match self.rank {
            2 => ("consume_map", 128 * 4),
            _ => ("consume_map_5d", 16 * 2 * 2 * 2 * 2),
        };
        conditions.launch(
            Launch::new(entry, self.count, self.threads)
                .buffer_of(self.maps, product(&[self.count, 128]))
                .buffer_of(self.output, product(&[self.count, bytes]))
                .scalar(self.place[0])
                .scalar(self.place[1]),
        )
    }
}
