//! Parameters in words.

use core::{
    array,
    fmt::{self, Display, Formatter},
};

use crate::{Im2col, Im2colWide, Interleave, MAX_RANK, Params, Tensor, Tiled, WideMode};

/// A description of parameters, one per line. Made by [`Params::explain`].
#[derive(Clone, Copy, Debug)]
pub struct Explanation {
    params: Params,
    address: u64,
}

impl Params {
    /// Returns a description of these parameters for readers.
    ///
    /// ```
    /// use tensor_map::{DataType, TensorMap};
    ///
    /// let tiled = TensorMap::tiled(DataType::F16, &[32, 162, 94]).box_dims(&[32, 2, 2]);
    /// assert_eq!(tiled.params().explain(0x7f00).to_string(), "  \
    ///   mode             tiled
    ///   address          0x7f00
    ///   element type     f16, 2 bytes
    ///   dimensions       [32, 162, 94] elements, innermost first
    ///   strides          [64, 10368] bytes from one to the next in dimensions 1 and up
    ///   span             974592 bytes from the address to the end of the last element
    ///   box              [32, 2, 2] elements, 256 bytes
    ///   element strides  [1, 1, 1]
    ///   interleave       none
    ///   swizzle          none
    ///   shared memory    box at a multiple of 128 bytes
    ///   L2 promotion     none
    ///   fill             zeros out of bounds");
    /// ```
    pub const fn explain(&self, address: u64) -> Explanation {
        Explanation {
            params: *self,
            address,
        }
    }
}

impl Display for Explanation {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let tensor = self.params.tensor();
        writeln!(f, "  mode             {}", self.params.mode())?;
        writeln!(f, "  address          {:#x}", self.address)?;
        self::tensor(f, tensor)?;
        match &self.params {
            Params::Tiled(tiled) => self::tiled(f, tiled),
            Params::Im2col(im2col) => self::im2col(f, im2col),
            Params::Im2colWide(wide) => self::im2col_wide(f, wide),
        }?;
        options(f, tensor)
    }
}

fn tensor(f: &mut Formatter<'_>, tensor: &Tensor) -> fmt::Result {
    let data_type = tensor.data_type;
    match data_type.global_bits() {
        bits if data_type.is_packed() => {
            writeln!(f, "  element type     {}, {bits} bits", data_type.name())?;
        }
        bits => writeln!(
            f,
            "  element type     {}, {} bytes",
            data_type.name(),
            bits / 8
        )?,
    }
    writeln!(
        f,
        "  dimensions       {:?} elements, innermost first",
        tensor.dims
    )?;
    if tensor.rank() > 1 {
        let strides = tensor.strides_bytes;
        writeln!(
            f,
            "  strides          {strides:?} bytes from one to the next in dimensions 1 and up"
        )?;
    }
    let span = tensor.span_bytes();
    writeln!(
        f,
        "  span             {span} bytes from the address to the end of the last element"
    )
}

fn tiled(f: &mut Formatter<'_>, tiled: &Tiled) -> fmt::Result {
    let bytes = tiled.box_bytes();
    writeln!(
        f,
        "  box              {:?} elements, {bytes} bytes",
        tiled.box_dims
    )
}

fn im2col(f: &mut Formatter<'_>, im2col: &Im2col) -> fmt::Result {
    let (lower, upper) = (im2col.lower_corner, im2col.upper_corner);
    let ends: [i64; MAX_RANK] = array::from_fn(|spatial| im2col.pixel_end(spatial));
    writeln!(
        f,
        "  lower corner     {lower:?} pixels from the first, W first"
    )?;
    writeln!(
        f,
        "  upper corner     {upper:?} pixels from the end, so before {:?}",
        &ends[..upper.len()]
    )?;
    let Im2col {
        channels_per_pixel,
        pixels_per_column,
        ..
    } = im2col;
    writeln!(f, "  channels         {channels_per_pixel} of each pixel")?;
    writeln!(
        f,
        "  pixels           {pixels_per_column} a column, {} bytes",
        im2col.box_bytes()
    )
}

fn im2col_wide(f: &mut Formatter<'_>, wide: &Im2colWide) -> fmt::Result {
    let (lower, upper) = (wide.lower_corner, wide.upper_corner);
    let end = wide.as_im2col().pixel_end(0);
    let (channels, pixels, bytes) = (wide.channels_per_pixel, wide.pixels(), wide.box_bytes());
    writeln!(f, "  wide mode        {}", wide.mode.name())?;
    writeln!(
        f,
        "  lower corner     {lower} pixels from the first along W; the box is one pixel along H and D"
    )?;
    writeln!(
        f,
        "  upper corner     {upper} pixels from the end along W, so before {end}"
    )?;
    writeln!(f, "  channels         {channels} of each pixel")?;
    let whatever = match wide.mode {
        WideMode::W => "",
        WideMode::W128 => ", whatever pixels per column are",
    };
    writeln!(
        f,
        "  pixels           {pixels} along W, {bytes} bytes{whatever}"
    )
}

fn options(f: &mut Formatter<'_>, tensor: &Tensor) -> fmt::Result {
    writeln!(f, "  element strides  {:?}", tensor.element_strides)?;
    match tensor.interleave {
        Interleave::None => writeln!(f, "  interleave       none")?,
        interleave => writeln!(f, "  interleave       slices of {}", interleave.name())?,
    }
    match tensor.swizzle.span_bytes() {
        None => writeln!(f, "  swizzle          none")?,
        Some(span) => {
            let name = tensor.swizzle.name();
            writeln!(
                f,
                "  swizzle          {name}, rows of {span} bytes in shared memory"
            )?;
        }
    }
    let align = tensor.shared_align_bytes();
    writeln!(f, "  shared memory    box at a multiple of {align} bytes")?;
    writeln!(f, "  L2 promotion     {}", tensor.l2_promotion.name())?;
    write!(
        f,
        "  fill             {} out of bounds",
        tensor.oob_fill.name()
    )
}
