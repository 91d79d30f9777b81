use std::{fmt::Display, path::Path, str::FromStr};

use anyhow::{Context, Result, anyhow, bail, ensure};
use clap::Args;
use serde_json::{Value, json};
use tensor_map::{
    DataType, Decoded, Dims, Im2col, Im2colWide, Interleave, L2Promotion, OobFill, Params, Swizzle,
    Target, Tensor, TensorMap, Tiled, WideMode,
};
use tma_host::read_file;

use crate::wrong_input::OrWrongInput;

/// The parameters of a map, or its bytes.
#[derive(Args, Clone)]
pub(crate) struct Parameters {
    /// Element type: u8, f16, bf16, f32, tf32 and so on
    #[arg(long = "type", value_name = "TYPE", value_parser = data_type)]
    data_type: Option<DataType>,
    /// Length of each dimension in elements, innermost first, as in 32,162,94
    #[arg(long, value_delimiter = ',')]
    dims: Vec<u64>,
    /// Stride in bytes of dimension 1 and each later one [default: packed]
    #[arg(long, value_delimiter = ',')]
    strides: Option<Vec<u64>>,
    /// Length of the box in each dimension, in elements
    #[arg(long = "box", value_delimiter = ',', value_name = "BOX")]
    box_dims: Option<Vec<u32>>,
    /// Read dimensions, strides, boxes, element strides and `--at` outermost first, as in `[H][W][C]`; corners and
    /// offsets remain W first
    #[arg(long)]
    pub(crate) outermost_first: bool,
    /// Element stride of each dimension: copy every n-th element
    #[arg(long, value_delimiter = ',')]
    element_strides: Option<Vec<u32>>,
    /// Interleaving of channels in global memory: none, 16b, 32b [default: none]
    #[arg(long, value_parser = interleave)]
    interleave: Option<Interleave>,
    /// Swizzle in shared memory: none, 32b, 64b, 128b and so on [default: none]
    #[arg(long, value_parser = swizzle)]
    swizzle: Option<Swizzle>,
    /// L2 promotion: none, 64b, 128b, 256b [default: none]
    #[arg(long, value_parser = l2_promotion)]
    l2: Option<L2Promotion>,
    /// Fill for out-of-bounds elements of loads: zeros or nan [default: zeros]
    #[arg(long, value_parser = fill)]
    fill: Option<OobFill>,
    /// Address of the tensor [default: 0x7f0000000000]
    #[arg(long, value_parser = address)]
    address: Option<u64>,
    /// im2col map: number of channels per pixel in a copy
    #[arg(long, requires = "pixels", conflicts_with = "box_dims")]
    channels: Option<u32>,
    /// im2col map: number of pixels in a copy
    #[arg(long, requires = "channels")]
    pixels: Option<u32>,
    /// im2col map: first pixel of the box, W first, as in -1,-1
    #[arg(
        long,
        value_delimiter = ',',
        allow_hyphen_values = true,
        requires = "channels"
    )]
    lower: Option<Vec<i32>>,
    /// im2col map: end of the box relative to the tensor's end, W first, as in -1,-1
    #[arg(
        long,
        value_delimiter = ',',
        allow_hyphen_values = true,
        requires = "channels"
    )]
    upper: Option<Vec<i32>>,
    /// Wide im2col map: w or w128
    #[arg(long, value_parser = wide_mode, requires = "channels")]
    wide: Option<WideMode>,
    /// Compute capability of the GPU: 90, sm_90a, 100, 103, 120 and so on [default: 90]
    #[arg(long, value_parser = target)]
    pub(crate) sm: Option<Target>,
}

/// The address of the tensor unless one is given.
const ADDRESS: u64 = 0x7f00_0000_0000;

/// The parameters of a map and the address of its tensor.
pub(crate) struct Given {
    pub(crate) params: Params,
    pub(crate) address: u64,
    pub(crate) target: Target,
    /// The map and its other fields, if bytes were given.
    pub(crate) map: Option<(TensorMap, Decoded)>,
}

impl Parameters {
    /// Returns the names of the given flags, except the flags that only select how to read a map.
    pub(crate) fn given(&self) -> Vec<&'static str> {
        let flags = [
            ("--type", self.data_type.is_some()),
            ("--dims", !self.dims.is_empty()),
            ("--strides", self.strides.is_some()),
            ("--box", self.box_dims.is_some()),
            ("--outermost-first", self.outermost_first),
            ("--element-strides", self.element_strides.is_some()),
            ("--interleave", self.interleave.is_some()),
            ("--swizzle", self.swizzle.is_some()),
            ("--l2", self.l2.is_some()),
            ("--fill", self.fill.is_some()),
            ("--address", self.address.is_some()),
            ("--channels", self.channels.is_some()),
            ("--pixels", self.pixels.is_some()),
            ("--lower", self.lower.is_some()),
            ("--upper", self.upper.is_some()),
            ("--wide", self.wide.is_some()),
        ];
        let given = flags.into_iter().filter(|(_, given)| *given);
        given.map(|(flag, _)| flag).collect()
    }

    /// Returns the parameters, from flags or from a map's bytes, but not both.
    pub(crate) fn or_bytes(&self, bytes: Option<&str>) -> Result<Given> {
        let target = self.sm.unwrap_or(Target::SM_90);
        let Some(bytes) = bytes else {
            return Ok(Given {
                params: self.params()?,
                address: self.address.unwrap_or(ADDRESS),
                target,
                map: None,
            });
        };
        let flags = self.given();
        ensure!(
            flags.is_empty(),
            "a map cannot be combined with {}; pass either a map or parameters",
            flags.join(", ")
        );
        let map = read_map(bytes)?;
        let decoded = map.decode()?;
        let Decoded {
            params, address, ..
        } = decoded;
        Ok(Given {
            params,
            address,
            target,
            map: Some((map, decoded)),
        })
    }

    fn params(&self) -> Result<Params> {
        let data_type = self
            .data_type
            .context("pass an element type, as in `--type f16`, or a map")?;
        ensure!(
            !self.dims.is_empty(),
            "pass the dimensions, as in `--dims 32,162,94`, or a map"
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
            ensure!(spatial > 0, "a wide map must have at least 3 dimensions");
            // Both corners are along W only; the other dimensions are whole.
            let along_w = |name: &str, given: &Option<Vec<i32>>| match given.as_deref() {
                None => Ok(0),
                Some(&[corner]) => Ok(corner),
                Some(corners) => Err(anyhow!(
                    "a wide map must have one corner value, along W; {name} has {}",
                    corners.len()
                )),
            };
            let lower = along_w("--lower", &self.lower)?;
            let upper = along_w("--upper", &self.upper)?;
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
            tensor.strides_bytes = Dims::<u64>::new(&self.in_order(strides));
        }
        if let Some(strides) = &self.element_strides {
            tensor.element_strides = Dims::<u32>::new(&self.in_order(strides));
        }
        tensor.interleave = self.interleave.unwrap_or_default();
        tensor.swizzle = self.swizzle.unwrap_or_default();
        tensor.l2_promotion = self.l2.unwrap_or_default();
        tensor.oob_fill = self.fill.unwrap_or_default();
        tensor
    }

    /// Returns the values of dimensions innermost first.
    pub(crate) fn in_order<T: Clone>(&self, lengths: &[T]) -> Vec<T> {
        let mut lengths = lengths.to_vec();
        if self.outermost_first {
            lengths.reverse();
        }
        lengths
    }
}

/// Size limit of a file with a map, including blanks.
const MAX_FILE_BYTES: u64 = 1 << 16;

/// Reads a map from 256 hexadecimal digits, or from a file that contains these or the bytes themselves.
pub(crate) fn read_map(given: &str) -> Result<TensorMap> {
    map_of(given).or_wrong_input()
}

fn map_of(given: &str) -> Result<TensorMap> {
    if let Some(map) = from_hex(given) {
        return Ok(map);
    }
    let name = shortened(given);
    let bytes = match read_file(Path::new(given), MAX_FILE_BYTES) {
        Ok(bytes) => bytes,
        Err(error) => {
            if let Some(count) = looks_like_hex(given) {
                bail!("`{name}` has {count} hexadecimal digits but must have 256");
            }
            return Err(error).with_context(|| {
                format!("`{name}` is neither 256 hexadecimal digits nor a file that can be read")
            });
        }
    };
    if let Ok(bytes) = <[u8; TensorMap::BYTES]>::try_from(&bytes[..]) {
        return Ok(TensorMap::from_bytes(bytes));
    }
    let text = str::from_utf8(&bytes).unwrap_or_default();
    from_hex(text).with_context(|| match looks_like_hex(text) {
        Some(count) => format!("the file `{name}` has {count} hexadecimal digits but must have 256"),
        None => {
            let length = bytes.len();
            format!(
                "`{name}` has {length} bytes; it must contain the 128 bytes of a tensor map or 256 hexadecimal digits"
            )
        }
    })
}

/// Returns a text without blanks and `0x` prefix, and whether it had the prefix.
fn digits(text: &str) -> (Vec<u8>, bool) {
    let digits: Vec<u8> = text
        .bytes()
        .filter(|byte| !byte.is_ascii_whitespace())
        .collect();
    let bare = digits
        .strip_prefix(b"0x")
        .or_else(|| digits.strip_prefix(b"0X"));
    bare.map_or((digits.clone(), false), |bare| (bare.to_vec(), true))
}

/// Parses a text of digits as a map.
pub(crate) fn from_hex(text: &str) -> Option<TensorMap> {
    let (digits, _) = digits(text);
    if digits.len() != 2 * TensorMap::BYTES || !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    let digit = |index: usize| char::from(digits[index]).to_digit(16).unwrap_or(0) as u8;
    Some(TensorMap::from_bytes(std::array::from_fn(|byte| {
        digit(2 * byte) << 4 | digit(2 * byte + 1)
    })))
}

/// Returns the number of digits if the text consists of digits and is too long to mean a file.
fn looks_like_hex(text: &str) -> Option<usize> {
    let (digits, is_prefixed) = digits(text);
    let is_hex = digits.iter().all(u8::is_ascii_hexdigit);
    (is_hex && (is_prefixed || digits.len() >= 32)).then_some(digits.len())
}

/// Shortens an argument for an error message.
fn shortened(given: &str) -> String {
    match given.char_indices().nth(16) {
        Some((end, _)) if looks_like_hex(given).is_some() => format!("{}...", &given[..end]),
        _ => given.to_owned(),
    }
}

/// Returns the bytes of a map as digits.
pub(crate) fn hex(map: &TensorMap) -> String {
    map.to_bytes()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// Returns the parameters as JSON.
pub(crate) fn to_json(params: &Params, address: u64) -> Value {
    let tensor = params.tensor();
    let mut value = json!({
        "mode": params.mode(),
        "address": format!("{address:#x}"),
        "type": tensor.data_type.name(),
        "rank": tensor.dims.given(),
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

fn named<T: Copy>(
    what: &str,
    all: &[T],
    name: impl Fn(T) -> &'static str,
    given: &str,
) -> Result<T> {
    let lower = given.to_ascii_lowercase();
    let found = all.iter().copied().find(|choice| name(*choice) == lower);
    found.ok_or_else(|| {
        let names = list(all.iter().map(|choice| name(*choice)));
        anyhow!("unknown {what} `{given}`; use one of {names}")
    })
}

fn list<T: Display>(names: impl Iterator<Item = T>) -> String {
    names
        .map(|name| name.to_string())
        .collect::<Vec<_>>()
        .join(", ")
}

fn data_type(given: &str) -> Result<DataType> {
    if given == "i8" {
        return Ok(DataType::I8);
    }
    named("type", &DataType::ALL, DataType::name, given)
}

fn interleave(given: &str) -> Result<Interleave> {
    named("interleave", &Interleave::ALL, Interleave::name, given)
}

fn swizzle(given: &str) -> Result<Swizzle> {
    named("swizzle", &Swizzle::ALL, Swizzle::name, given)
}

fn l2_promotion(given: &str) -> Result<L2Promotion> {
    named("L2 promotion", &L2Promotion::ALL, L2Promotion::name, given)
}

fn fill(given: &str) -> Result<OobFill> {
    named("fill", &OobFill::ALL, OobFill::name, given)
}

fn wide_mode(given: &str) -> Result<WideMode> {
    named("wide mode", &WideMode::ALL, WideMode::name, given)
}

/// The compute capabilities from 9.0 on.
const CAPABILITIES: [u8; 7] = [90, 100, 101, 103, 110, 120, 121];

/// Parses a target: `90`, `9.0`, `sm_90`, `sm_90a`, `sm_100f`.
fn target(given: &str) -> Result<Target> {
    let digits = given.strip_prefix("sm_").unwrap_or(given);
    let digits = digits.strip_suffix(['a', 'f']).unwrap_or(digits);
    let number = match digits.split_once('.') {
        Some((major, minor)) if minor.len() == 1 => format!("{major}{minor}"),
        _ => digits.to_owned(),
    };
    let number = u8::from_str(&number).ok();
    let number = number.filter(|number| CAPABILITIES.contains(number));
    let number = number.with_context(|| {
        let all = list(CAPABILITIES.iter());
        format!("compute capability `{given}` is unknown or has no tensor maps; use one of {all}")
    })?;
    Ok(Target::new(number / 10, number % 10))
}

fn address(given: &str) -> Result<u64> {
    number(given).context("an address must be a number, as in `0x7f0000000000`")
}

/// Parses an address in shared memory.
pub(crate) fn shared_address(given: &str) -> Result<u32> {
    let number = number(given).context("a shared address must be a number, as in `0x400`")?;
    u32::try_from(number).context("a shared address must fit in 32 bits")
}

fn number(given: &str) -> Result<u64> {
    let digits = given
        .strip_prefix("0x")
        .or_else(|| given.strip_prefix("0X"));
    Ok(match digits {
        Some(digits) => u64::from_str_radix(digits, 16)?,
        None => given.parse()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compute_capabilities_are_those_that_exist() {
        for given in ["90", "9.0", "sm_90", "90a", "sm_90a"] {
            assert_eq!(target(given).unwrap(), Target::SM_90, "{given}");
        }
        assert_eq!(target("sm_100a").unwrap(), Target::new(10, 0));
        for given in ["80", "99", "255", "sm_", "90b", "9.00"] {
            assert!(target(given).is_err(), "{given}");
        }
    }

    #[test]
    fn numbers_are_decimal_or_hexadecimal() {
        assert_eq!(shared_address("0x400").unwrap(), 1024);
        assert_eq!(shared_address("0X400").unwrap(), 1024);
        assert_eq!(shared_address("1024").unwrap(), 1024);
        assert!(shared_address("0x100000000").is_err());
        assert!(shared_address("-1").is_err());
    }
}
