use std::{fmt::Display, fs, str::FromStr};

use anyhow::{Context, Result, anyhow, bail, ensure};
use clap::Args;
use serde_json::{Value, json};
use tensor_map::{
    DataType, Decoded, Dims, Im2col, Im2colWide, Interleave, L2Promotion, OobFill, Params, Swizzle,
    Target, Tensor, TensorMap, Tiled, WideMode,
};

/// The parameters of a map, or its bytes.
#[derive(Args, Clone)]
pub(crate) struct Parameters {
    /// The element type: u8, f16, bf16, f32, tf32 and so on
    #[arg(long = "type", value_name = "TYPE", value_parser = data_type)]
    data_type: Option<DataType>,
    /// The length of each dimension in elements, innermost first: 32,162,94
    #[arg(long, value_delimiter = ',')]
    dims: Vec<u64>,
    /// Bytes from one element to the next in dimensions 1 and up; packed unless given
    #[arg(long, value_delimiter = ',')]
    strides: Option<Vec<u64>>,
    /// The length of the box in each dimension, in elements
    #[arg(long = "box", value_delimiter = ',', value_name = "BOX")]
    box_dims: Option<Vec<u32>>,
    /// Lengths of dimensions and boxes are outermost first, as in `[H][W][C]`
    #[arg(long)]
    outermost_first: bool,
    /// Take every n-th element of each dimension
    #[arg(long, value_delimiter = ',')]
    element_strides: Option<Vec<u32>>,
    /// Slices of channels in global memory: none, 16b, 32b
    #[arg(long, default_value = "none", value_parser = interleave)]
    interleave: Interleave,
    /// The swizzle in shared memory: none, 32b, 64b, 128b and so on
    #[arg(long, default_value = "none", value_parser = swizzle)]
    swizzle: Swizzle,
    /// L2 promotion: none, 64b, 128b, 256b
    #[arg(long, default_value = "none", value_parser = l2_promotion)]
    l2: L2Promotion,
    /// What loads deliver out of bounds: zeros or nan
    #[arg(long, default_value = "zeros", value_parser = fill)]
    fill: OobFill,
    /// The address of the tensor
    #[arg(long, default_value = "0x7f0000000000", value_parser = address)]
    address: u64,
    /// An im2col map: channels of each pixel that a copy takes
    #[arg(long, requires = "pixels", conflicts_with = "box_dims")]
    channels: Option<u32>,
    /// An im2col map: pixels that a copy takes
    #[arg(long, requires = "channels")]
    pixels: Option<u32>,
    /// An im2col map: first pixel of the box, W first: -1,-1
    #[arg(
        long,
        value_delimiter = ',',
        allow_hyphen_values = true,
        requires = "channels"
    )]
    lower: Option<Vec<i32>>,
    /// An im2col map: end of the box, counted from the tensor's end, W first: -1,-1
    #[arg(
        long,
        value_delimiter = ',',
        allow_hyphen_values = true,
        requires = "channels"
    )]
    upper: Option<Vec<i32>>,
    /// A wide im2col map: w or w128
    #[arg(long, value_parser = wide_mode, requires = "channels")]
    wide: Option<WideMode>,
    /// The GPU's compute capability: 90, 100, 103, 120
    #[arg(long, default_value = "90", value_parser = target)]
    sm: Target,
}

/// A map's parameters and where its tensor is.
pub(crate) struct Given {
    pub(crate) params: Params,
    pub(crate) address: u64,
    pub(crate) target: Target,
    /// What else the map says, if bytes were given.
    pub(crate) decoded: Option<Decoded>,
}

impl Parameters {
    /// Whether parameters were given.
    pub(crate) fn are_given(&self) -> bool {
        self.data_type.is_some() || !self.dims.is_empty()
    }

    /// The parameters, from flags or from a map's bytes, but not both.
    pub(crate) fn or_bytes(&self, bytes: Option<&str>) -> Result<Given> {
        match bytes {
            Some(_) if self.are_given() => bail!("give either parameters or a map, not both"),
            Some(bytes) => {
                let decoded = read_map(bytes)?.decode()?;
                let Decoded {
                    params, address, ..
                } = decoded;
                Ok(Given {
                    params,
                    address,
                    target: self.sm,
                    decoded: Some(decoded),
                })
            }
            None => {
                let params = self.params()?;
                Ok(Given {
                    params,
                    address: self.address,
                    target: self.sm,
                    decoded: None,
                })
            }
        }
    }

    fn params(&self) -> Result<Params> {
        let data_type = self
            .data_type
            .context("give an element type, as in `--type f16`, or a map")?;
        ensure!(
            !self.dims.is_empty(),
            "give the dimensions, as in `--dims 32,162,94`, or a map"
        );
        let dims = self.in_order(&self.dims);
        let tensor = self.tensor(data_type, &dims);
        let Some((channels, pixels)) = self.channels.zip(self.pixels) else {
            let mut tiled = Tiled::new(data_type, &dims);
            if let Some(box_dims) = &self.box_dims {
                tiled = tiled.box_dims(&self.in_order(box_dims));
            }
            return Ok(Tiled { tensor, ..tiled }.params());
        };
        let spatial = dims.len().saturating_sub(2);
        let corner = |given: &Option<Vec<i32>>| given.clone().unwrap_or(vec![0; spatial]);
        let (lower, upper) = (corner(&self.lower), corner(&self.upper));
        if let Some(mode) = self.wide {
            let (&[lower, ..], &[upper, ..]) = (&lower[..], &upper[..]) else {
                bail!("a wide map has at least 3 dimensions");
            };
            let wide = Im2colWide::new(data_type, &dims)
                .pixel_box(lower, upper)
                .mode(mode);
            let wide = wide.channels_per_pixel(channels).pixels_per_column(pixels);
            return Ok(Im2colWide { tensor, ..wide }.params());
        }
        let im2col = Im2col::new(data_type, &dims).pixel_box(&lower, &upper);
        let im2col = im2col
            .channels_per_pixel(channels)
            .pixels_per_column(pixels);
        Ok(Im2col { tensor, ..im2col }.params())
    }

    fn tensor(&self, data_type: DataType, dims: &[u64]) -> Tensor {
        let mut tensor = Tensor::packed(data_type, Dims::<u64>::new(dims));
        if let Some(strides) = &self.strides {
            tensor.strides_bytes = Dims::<u64>::new(strides);
        }
        if let Some(strides) = &self.element_strides {
            tensor.element_strides = Dims::<u32>::new(strides);
        }
        tensor.interleave = self.interleave;
        tensor.swizzle = self.swizzle;
        tensor.l2_promotion = self.l2;
        tensor.oob_fill = self.fill;
        tensor
    }

    fn in_order<T: Clone>(&self, lengths: &[T]) -> Vec<T> {
        let mut lengths = lengths.to_vec();
        if self.outermost_first {
            lengths.reverse();
        }
        lengths
    }
}

/// A map of 256 hexadecimal digits, or from a file that holds such or the bytes themselves.
pub(crate) fn read_map(given: &str) -> Result<TensorMap> {
    if let Some(map) = from_hex(given) {
        return Ok(map);
    }
    let bytes = fs::read(given).with_context(|| {
        format!("`{given}` is neither 256 hexadecimal digits nor a file that can be read")
    })?;
    if let Ok(bytes) = <[u8; TensorMap::BYTES]>::try_from(&bytes[..]) {
        return Ok(TensorMap::from_bytes(bytes));
    }
    let map = str::from_utf8(&bytes).ok().and_then(from_hex);
    map.with_context(|| {
        let length = bytes.len();
        format!("`{given}` has {length} bytes: neither the 128 of a tensor map nor 256 hexadecimal digits")
    })
}

fn from_hex(text: &str) -> Option<TensorMap> {
    let digits: Vec<u8> = text
        .bytes()
        .filter(|byte| !byte.is_ascii_whitespace())
        .collect();
    let digits = digits.strip_prefix(b"0x").unwrap_or(&digits);
    if digits.len() != 2 * TensorMap::BYTES || !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    let digit = |index: usize| char::from(digits[index]).to_digit(16).unwrap_or(0) as u8;
    Some(TensorMap::from_bytes(std::array::from_fn(|byte| {
        digit(2 * byte) << 4 | digit(2 * byte + 1)
    })))
}

/// A map's bytes as digits.
pub(crate) fn hex(map: &TensorMap) -> String {
    map.to_bytes()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// Parameters for programs.
pub(crate) fn to_json(params: &Params, address: u64) -> Value {
    let tensor = params.tensor();
    let mut value = json!({
        "mode": params.mode(),
        "address": format!("{address:#x}"),
        "type": tensor.data_type.name(),
        "dims": tensor.dims.as_slice(),
        "strides_bytes": tensor.strides_bytes.as_slice(),
        "element_strides": tensor.element_strides.as_slice(),
        "interleave": tensor.interleave.name(),
        "swizzle": tensor.swizzle.name(),
        "l2_promotion": tensor.l2_promotion.name(),
        "oob_fill": tensor.oob_fill.name(),
        "box_bytes": params.box_bytes(),
        "shared_align_bytes": tensor.shared_align_bytes(),
    });
    match params {
        Params::Tiled(tiled) => value["box_dims"] = json!(tiled.box_dims.as_slice()),
        Params::Im2col(im2col) => column_to_json(&mut value, im2col),
        Params::Im2colWide(wide) => {
            column_to_json(&mut value, &wide.as_im2col());
            value["wide_mode"] = json!(wide.mode.name());
        }
    }
    value
}

fn column_to_json(value: &mut Value, im2col: &Im2col) {
    value["lower_corner"] = json!(im2col.lower_corner.as_slice());
    value["upper_corner"] = json!(im2col.upper_corner.as_slice());
    value["channels_per_pixel"] = json!(im2col.channels_per_pixel);
    value["pixels_per_column"] = json!(im2col.pixels_per_column);
}

fn named<T: Copy>(all: &[T], name: impl Fn(T) -> &'static str, given: &str) -> Result<T> {
    let found = all
        .iter()
        .copied()
        .find(|choice| name(*choice) == given.to_ascii_lowercase());
    found.ok_or_else(|| anyhow!("there is {}", list(all.iter().map(|choice| name(*choice)))))
}

fn list<T: Display>(names: impl Iterator<Item = T>) -> String {
    names
        .map(|name| name.to_string())
        .collect::<Vec<_>>()
        .join(", ")
}

fn data_type(given: &str) -> Result<DataType> {
    named(&DataType::ALL, DataType::name, given)
}

fn interleave(given: &str) -> Result<Interleave> {
    named(&Interleave::ALL, Interleave::name, given)
}

fn swizzle(given: &str) -> Result<Swizzle> {
    named(&Swizzle::ALL, Swizzle::name, given)
}

fn l2_promotion(given: &str) -> Result<L2Promotion> {
    named(&L2Promotion::ALL, L2Promotion::name, given)
}

fn fill(given: &str) -> Result<OobFill> {
    named(&OobFill::ALL, OobFill::name, given)
}

fn wide_mode(given: &str) -> Result<WideMode> {
    named(&WideMode::ALL, WideMode::name, given)
}

fn target(given: &str) -> Result<Target> {
    let digits = given.trim_start_matches("sm_").replace('.', "");
    let number = u8::from_str(&digits).ok().filter(|number| *number >= 90);
    let number = number.context("a compute capability is 90 or more, as in `--sm 100`")?;
    Ok(Target::new(number / 10, number % 10))
}

fn address(given: &str) -> Result<u64> {
    let parsed = match given.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => given.parse(),
    };
    parsed.context("an address is a number, as in `0x7f0000000000`")
}
