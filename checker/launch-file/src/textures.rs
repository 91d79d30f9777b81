//! Textures of a launch file: buffers as arrays of texels, with their sampler settings.

use tma_emulator::{
    BufferTexture,
    texture::{AddressMode, Channel, Filter, Format, Geometry, Image, ReadMode, Sampler, Texture},
};

use super::{
    buffer::{FileBuffer, find},
    element::ElementType,
    reader::{Table, Value, choice},
    violations::{Invalid, Noted},
};

/// `[textures.NAME]`
#[derive(Clone, Debug)]
pub(super) struct FileTexture {
    name: String,
    /// `None` if the table has a violation, which was noted.
    pub(super) texture: Option<BufferTexture>,
}

/// The keys that describe the layout of texels in the buffer.
struct Texels {
    channels: u32,
    /// Length of each dimension in texels, innermost first.
    dims: Option<Vec<u64>>,
    layered: bool,
    cube: bool,
    pitch_bytes: Option<u64>,
}

impl FileTexture {
    pub(super) fn read(
        name: &str,
        table: &Table<'_>,
        buffers: &[FileBuffer],
    ) -> Result<Self, Noted> {
        let buffer = table.required("buffer", |value| find(buffers, value));
        let channels = table.optional("channels", Value::integer::<u32>);
        let dims = table.optional("dims", |value| value.list(Value::integer::<u64>));
        let layered = table.optional("layered", Value::boolean);
        let cube = table.optional("cube", Value::boolean);
        let pitch_bytes = table.optional("pitch_bytes", Value::integer::<u64>);
        let sampler = sampler(table);
        table.end();
        let index = buffer?;
        let texels = Texels {
            channels: channels?.unwrap_or(1),
            dims: dims?,
            layered: layered?.unwrap_or(false),
            cube: cube?.unwrap_or(false),
            pitch_bytes: pitch_bytes?,
        };
        let about = |says: String| table.note(format!("`textures.{name}`: {says}"));
        let image = texels.image(&buffers[index]).map_err(about)?;
        let texture = Texture::new(image, sampler?).map_err(|rule| about(rule.to_string()))?;
        let (needed, there) = (image.bytes(), buffers[index].bytes());
        if needed > there {
            let buffer = &buffers[index].name;
            return Err(about(format!(
                "{needed} bytes of texels exceed the {there} bytes of buffer `{buffer}`"
            )));
        }
        let texture = BufferTexture {
            buffer: index,
            texture,
        };
        Ok(Self {
            name: name.to_owned(),
            texture: Some(texture),
        })
    }

    /// Returns a placeholder for a texture with a violation, so that its name is known.
    pub(super) fn broken(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            texture: None,
        }
    }
}

impl Texels {
    fn image(&self, buffer: &FileBuffer) -> Result<Image, String> {
        let (bits, kind) = match buffer.ty {
            ElementType::U8 => (8, Channel::Unsigned),
            ElementType::U16 => (16, Channel::Unsigned),
            ElementType::U32 => (32, Channel::Unsigned),
            ElementType::I8 => (8, Channel::Signed),
            ElementType::I16 => (16, Channel::Signed),
            ElementType::I32 => (32, Channel::Signed),
            ElementType::F16 => (16, Channel::Float),
            ElementType::F32 => (32, Channel::Float),
            other => {
                let (buffer, ty) = (&buffer.name, other.name());
                return Err(format!(
                    "buffer `{buffer}` has elements of `{ty}`, which are not valid texels"
                ));
            }
        };
        let format = Format::new(self.channels, bits, kind).map_err(|rule| rule.to_string())?;
        let dims = match &self.dims {
            Some(dims) => dims,
            None if self.channels == 1 => &buffer.dims,
            None => return Err("texels with several channels need `dims`, in texels".into()),
        };
        let (geometry, extents) = match (&dims[..], self.layered, self.cube) {
            (&[x], false, false) => (Geometry::Line, [x, 1, 1]),
            (&[x, y], false, false) => (Geometry::Plane, [x, y, 1]),
            (&[x, y, z], false, false) => (Geometry::Volume, [x, y, z]),
            (&[x, layers], true, false) => (Geometry::LayeredLine, [x, 1, layers]),
            (&[x, y, layers], true, false) => (Geometry::LayeredPlane, [x, y, layers]),
            (&[x, y, faces], false, true) => (Geometry::Cube, [x, y, faces]),
            (&[x, y, faces], true, true) => (Geometry::LayeredCube, [x, y, faces]),
            _ => {
                return Err(format!(
                    "`dims` has length {}; a texture must have one to three dimensions (two or three including layers), \
                     and a cube two and its faces",
                    dims.len()
                ));
            }
        };
        let image = match self.pitch_bytes {
            None => Image::array(0, format, geometry, extents),
            Some(pitch_bytes) if geometry == Geometry::Plane => {
                Image::pitched(0, format, [extents[0], extents[1]], pitch_bytes)
            }
            Some(_) => return Err("`pitch_bytes` requires two dimensions without layers".into()),
        };
        image.map_err(|rule| rule.to_string())
    }
}

fn sampler(table: &Table<'_>) -> Result<Sampler, Noted> {
    let filter = table.optional("filter", |value| {
        choice(
            value,
            &[Filter::Point, Filter::Linear],
            |filter| match filter {
                Filter::Point => "point",
                Filter::Linear => "linear",
            },
        )
    });
    let read_mode = table.optional("read_mode", |value| {
        let all = [ReadMode::Element, ReadMode::NormalizedFloat];
        choice(value, &all, |mode| match mode {
            ReadMode::Element => "element",
            ReadMode::NormalizedFloat => "normalized_float",
        })
    });
    let address_modes = table.optional("address_modes", address_modes);
    let normalized = table.optional("normalized_coordinates", Value::boolean);
    let border = table.optional("border", |value| {
        let channels = value.list(Value::float)?;
        let mut border = [0; 4];
        if channels.len() > border.len() {
            return Err(value.wrong("a border must have at most four channels"));
        }
        for (to, channel) in border.iter_mut().zip(channels) {
            *to = (channel as f32).to_bits();
        }
        Ok(border)
    });
    Ok(Sampler {
        filter: filter?.unwrap_or_default(),
        read_mode: read_mode?.unwrap_or_default(),
        address_modes: address_modes?.unwrap_or_default(),
        normalized_coordinates: normalized?.unwrap_or(false),
        border: border?.unwrap_or_default(),
    })
}

/// Reads one address mode for all dimensions, or a list with one for each.
fn address_modes(value: &Value<'_>) -> Result<[AddressMode; 3], Invalid> {
    let all = [
        AddressMode::Wrap,
        AddressMode::Clamp,
        AddressMode::Mirror,
        AddressMode::Border,
    ];
    let mode = |value: &Value<'_>| {
        choice(value, &all, |mode| match mode {
            AddressMode::Wrap => "wrap",
            AddressMode::Clamp => "clamp",
            AddressMode::Mirror => "mirror",
            AddressMode::Border => "border",
        })
    };
    if !value.is_array() {
        return Ok([mode(value)?; 3]);
    }
    let modes = value.list(mode)?;
    let mut each = [AddressMode::Clamp; 3];
    if modes.is_empty() || modes.len() > each.len() {
        return Err(value.wrong("must be one to three address modes, innermost first"));
    }
    each[..modes.len()].copy_from_slice(&modes);
    Ok(each)
}

/// Returns the index of a texture by its name.
pub(super) fn find_texture(textures: &[FileTexture], value: &Value<'_>) -> Result<u64, Invalid> {
    let given = value.string()?;
    match textures.iter().position(|texture| texture.name == given) {
        Some(index) if textures[index].texture.is_none() => Err(Invalid::Noted),
        Some(index) => Ok(index as u64),
        None => {
            let names = textures.iter().map(|texture| texture.name.as_str());
            let suggestion = tma_launch::suggestion(given, names);
            Err(value.wrong(format!("there is no texture `{given}`: {suggestion}")))
        }
    }
}
