//! Tensor maps of a launch file; the parameters are named as in `tma map`.

use std::borrow::Cow;

use tensor_map::{
    DataType, Dims, Im2col, Im2colWide, Interleave, L2Promotion, OobFill, Params, Swizzle, Target,
    Tensor, Tiled, WideMode,
};
use tma_launch::Argument;

use super::{
    buffer::{FileBuffer, find},
    reader::{Table, Value, choice},
    violations::{Invalid, Noted},
};

/// The address used to check rules: buffers are aligned to more than any rule requires.
const ADDRESS: u64 = 0x7f00_0000_0000;

/// `[maps.NAME]`
#[derive(Clone, Debug, PartialEq)]
pub(super) struct FileMap {
    pub(super) name: String,
    /// `None` if the table has a violation, which was noted.
    pub(super) argument: Option<Argument>,
}

/// Reads the table of a map that is passed to a kernel.
pub(super) fn read_map(
    name: &str,
    table: &Table<'_>,
    buffers: &[FileBuffer],
) -> Result<Argument, Noted> {
    let buffer = table.required("buffer", |value| find(buffers, value));
    let offset_bytes = table.optional("offset_bytes", Value::integer::<u64>);
    let given = Given::read(table);
    table.end();
    let (index, offset_bytes) = (buffer?, offset_bytes?.unwrap_or(0));
    let params = given?.params(&buffers[index]);
    let params = params.map_err(|says| table.note(format!("`maps.{name}`: {says}")))?;
    if let Err(refused) = params.build_for(ADDRESS.wrapping_add(offset_bytes), Target::SM_90) {
        return Err(table.note(format!("`maps.{name}`: {refused}")));
    }
    let params = Box::new(params);
    Ok(Argument::TensorMap {
        params,
        index,
        offset_bytes,
    })
}

/// Finds a map by its name.
pub(super) fn find_map(maps: &[FileMap], value: &Value<'_>) -> Result<Argument, Invalid> {
    let given = value.string()?;
    match maps.iter().find(|map| map.name == given) {
        Some(map) => map.argument.clone().ok_or(Invalid::Noted),
        None => {
            let names = maps.iter().map(|map| map.name.as_str());
            let suggestion = tma_launch::suggestion(given, names);
            Err(value.wrong(format!("there is no map `{given}`: {suggestion}")))
        }
    }
}

/// The parameters in the table.
struct Given {
    data_type: Option<DataType>,
    dims: Option<Vec<u64>>,
    strides_bytes: Option<Vec<u64>>,
    box_dims: Option<Vec<u32>>,
    element_strides: Option<Vec<u32>>,
    outermost_first: bool,
    interleave: Interleave,
    swizzle: Swizzle,
    l2_promotion: L2Promotion,
    oob_fill: OobFill,
    channels: Option<u32>,
    pixels: Option<u32>,
    lower: Option<Vec<i32>>,
    upper: Option<Vec<i32>>,
    wide: Option<WideMode>,
}

/// Reads a key by its name or by the shorter name of the corresponding flag of `tma map`.
fn either<T>(
    table: &Table<'_>,
    [long, short]: [&'static str; 2],
    read: impl Fn(&Value<'_>) -> Result<T, Invalid>,
) -> Result<Option<T>, Noted> {
    let (a, b) = (table.optional(long, &read), table.optional(short, &read));
    match (a?, b?) {
        (Some(_), Some(_)) => Err(table.note(format!(
            "`{long}` and `{short}` are the same key; set only one"
        ))),
        (a, b) => Ok(a.or(b)),
    }
}

impl Given {
    fn read(table: &Table<'_>) -> Result<Self, Noted> {
        let longs = |value: &Value<'_>| value.list(Value::integer::<u64>);
        let words = |value: &Value<'_>| value.list(Value::integer::<u32>);
        let corner = |value: &Value<'_>| value.list(Value::integer::<i32>);
        let data_type = table.optional("type", |value| {
            choice(value, &DataType::ALL, DataType::name)
        });
        let dims = table.optional("dims", longs);
        let strides_bytes = either(table, ["strides_bytes", "strides"], longs);
        let box_dims = either(table, ["box_dims", "box"], words);
        let element_strides = table.optional("element_strides", words);
        let outermost_first = table.optional("outermost_first", Value::boolean);
        let interleave = table.optional("interleave", |value| {
            choice(value, &Interleave::ALL, Interleave::name)
        });
        let swizzle = table.optional("swizzle", |value| {
            choice(value, &Swizzle::ALL, Swizzle::name)
        });
        let l2_promotion = either(table, ["l2_promotion", "l2"], |value| {
            choice(value, &L2Promotion::ALL, L2Promotion::name)
        });
        let oob_fill = either(table, ["oob_fill", "fill"], |value| {
            choice(value, &OobFill::ALL, OobFill::name)
        });
        let channels = either(table, ["channels_per_pixel", "channels"], |value| {
            value.integer()
        });
        let pixels = either(table, ["pixels_per_column", "pixels"], |value| {
            value.integer()
        });
        let lower = either(table, ["lower_corner", "lower"], corner);
        let upper = either(table, ["upper_corner", "upper"], corner);
        let wide = either(table, ["wide_mode", "wide"], |value| {
            choice(value, &WideMode::ALL, WideMode::name)
        });
        Ok(Self {
            data_type: data_type?,
            dims: dims?,
            strides_bytes: strides_bytes?,
            box_dims: box_dims?,
            element_strides: element_strides?,
            outermost_first: outermost_first?.unwrap_or(false),
            interleave: interleave?.unwrap_or_default(),
            swizzle: swizzle?.unwrap_or_default(),
            l2_promotion: l2_promotion?.unwrap_or_default(),
            oob_fill: oob_fill?.unwrap_or_default(),
            channels: channels?,
            pixels: pixels?,
            lower: lower?,
            upper: upper?,
            wide: wide?,
        })
    }

    /// Returns the values innermost first.
    fn in_order<'a, T: Clone>(&self, given: &'a [T]) -> Cow<'a, [T]> {
        match self.outermost_first {
            true => given.iter().rev().cloned().collect(),
            false => given.into(),
        }
    }

    fn params(&self, buffer: &FileBuffer) -> Result<Params, String> {
        let data_type = self.data_type.unwrap_or(buffer.ty.data_type());
        let dims = match &self.dims {
            Some(dims) => self.in_order(dims),
            None => Cow::from(&buffer.dims),
        };
        let tensor = self.tensor(data_type, &dims);
        let is_column = self.channels.is_some() || self.pixels.is_some();
        if !is_column {
            let corners = self.lower.is_some() || self.upper.is_some();
            if corners || self.wide.is_some() {
                return Err(
                    "an im2col map also needs `channels_per_pixel` and `pixels_per_column`".into(),
                );
            }
            let mut tiled = Tiled::new(data_type, &dims);
            if let Some(box_dims) = &self.box_dims {
                tiled = tiled.box_dims(&self.in_order(box_dims));
            }
            return Ok(Tiled { tensor, ..tiled }.params());
        }
        let (Some(channels), Some(pixels)) = (self.channels, self.pixels) else {
            return Err(
                "an im2col map needs both `channels_per_pixel` and `pixels_per_column`".into(),
            );
        };
        if self.box_dims.is_some() {
            return Err("an im2col map must not have `box_dims`".into());
        }
        let spatial = dims.len().saturating_sub(2);
        let corner = |given: &Option<Vec<i32>>| given.clone().unwrap_or(vec![0; spatial]);
        let (lower, upper) = (corner(&self.lower), corner(&self.upper));
        let Some(mode) = self.wide else {
            let im2col = Im2col::new(data_type, &dims)
                .pixel_box(&lower, &upper)
                .channels_per_pixel(channels)
                .pixels_per_column(pixels);
            return Ok(Im2col { tensor, ..im2col }.params());
        };
        let along_w = |given: &Option<Vec<i32>>| match given.as_deref() {
            None => Ok(0),
            Some(&[corner]) => Ok(corner),
            Some(corners) => Err(format!(
                "a wide map must have one corner value, along W, not {}",
                corners.len()
            )),
        };
        let wide = Im2colWide::new(data_type, &dims)
            .pixel_box(along_w(&self.lower)?, along_w(&self.upper)?)
            .mode(mode)
            .channels_per_pixel(channels)
            .pixels_per_column(pixels);
        Ok(Im2colWide { tensor, ..wide }.params())
    }

    fn tensor(&self, data_type: DataType, dims: &[u64]) -> Tensor {
        let mut tensor = Tensor::packed(data_type, Dims::<u64>::new(dims));
        if let Some(strides) = &self.strides_bytes {
            tensor.strides_bytes = Dims::<u64>::new(&self.in_order(strides));
        }
        if let Some(strides) = &self.element_strides {
            tensor.element_strides = Dims::<u32>::new(&self.in_order(strides));
        }
        tensor.interleave = self.interleave;
        tensor.swizzle = self.swizzle;
        tensor.l2_promotion = self.l2_promotion;
        tensor.oob_fill = self.oob_fill;
        tensor
    }
}
