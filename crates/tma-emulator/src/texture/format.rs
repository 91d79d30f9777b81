//! Texels as bytes and as numbers.

use std::fmt::{self, Display, Formatter};

use half::f16;

use super::{Texel, TextureError};

/// The kind of a texel's channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[doc(alias = "cudaChannelFormatKind")]
pub enum Channel {
    /// Channels are signed integers.
    Signed,
    /// Channels are unsigned integers.
    Unsigned,
    /// Channels are floating-point numbers.
    Float,
}

impl Display for Channel {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Signed => "signed integers",
            Self::Unsigned => "unsigned integers",
            Self::Float => "floating-point numbers",
        })
    }
}

/// Format of a texel: its channels and their type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[doc(alias = "cudaChannelFormatDesc")]
pub struct Format {
    channels: u32,
    bits: u32,
    kind: Channel,
}

impl Format {
    /// Returns a format with `channels` channels of `bits` bits.
    ///
    /// # Errors
    /// GPUs do not support the format.
    pub fn new(channels: u32, bits: u32, kind: Channel) -> Result<Self, TextureError> {
        if !matches!(channels, 1 | 2 | 4) {
            return Err(TextureError::Channels(channels));
        }
        match (bits, kind) {
            (16 | 32, _) | (8, Channel::Signed | Channel::Unsigned) => Ok(Self {
                channels,
                bits,
                kind,
            }),
            _ => Err(TextureError::ChannelBits(bits, kind)),
        }
    }

    /// Returns the number of channels of a texel.
    pub fn channels(self) -> u32 {
        self.channels
    }

    /// Returns the bits of a channel.
    pub fn bits(self) -> u32 {
        self.bits
    }

    /// Returns the kind of the channels.
    pub fn kind(self) -> Channel {
        self.kind
    }

    /// Returns the bytes of a texel.
    pub fn texel_bytes(self) -> u32 {
        self.channels * self.bits / 8
    }

    /// Returns the bits of a channel; 0 for a missing one.
    fn raw(self, texel: &Texel, channel: usize) -> u32 {
        let bytes = self.bits as usize / 8;
        if channel >= self.channels as usize {
            return 0;
        }
        let bytes = &texel[channel * bytes..][..bytes];
        crate::value::read(bytes) as u32
    }

    /// Returns a channel as a 32-bit integer: smaller ones are extended, floating-point numbers keep their
    /// bits.
    pub(super) fn integer(self, texel: &Texel, channel: usize) -> u32 {
        let raw = self.raw(texel, channel);
        let unused = 32 - self.bits;
        match self.kind {
            Channel::Signed => ((raw << unused) as i32 >> unused) as u32,
            _ => raw,
        }
    }

    /// Returns the bits of a channel as an `f32`.
    pub(super) fn float(self, texel: &Texel, channel: usize) -> u32 {
        match (self.kind, self.bits) {
            (Channel::Float, 32) => self.raw(texel, channel),
            _ => (self.value(texel, channel) as f32).to_bits(),
        }
    }

    /// Returns a channel as a floating-point number: integers become fractions of the largest, from 0 or -1 to
    /// 1. No rounding here, since an H200 rounds filtered values only once.
    pub(super) fn value(self, texel: &Texel, channel: usize) -> f64 {
        match (self.kind, self.bits) {
            (Channel::Float, 16) => f16::from_bits(self.raw(texel, channel) as u16).to_f64(),
            (Channel::Float, _) => f32::from_bits(self.raw(texel, channel)).into(),
            (Channel::Unsigned, bits) => {
                let most = u32::MAX >> (32 - bits);
                f64::from(self.raw(texel, channel)) / f64::from(most)
            }
            (Channel::Signed, bits) => {
                let most = i32::MAX >> (32 - bits);
                let value = self.integer(texel, channel) as i32;
                (f64::from(value) / f64::from(most)).max(-1.0)
            }
        }
    }

    /// Returns the texel with these 32-bit channels. If the format has integers, they are saturated; otherwise
    /// they are floating-point numbers.
    pub(crate) fn texel(self, channels: &[u32]) -> Texel {
        let mut texel = Texel::default();
        let bytes = self.bits as usize / 8;
        let all = channels.iter().take(self.channels as usize);
        for (to, value) in texel.chunks_exact_mut(bytes).zip(all) {
            let value = match (self.kind, self.bits) {
                (Channel::Float, 16) => f16::from_f32(f32::from_bits(*value)).to_bits().into(),
                (_, 32) => *value,
                (Channel::Unsigned, bits) => (*value).min(u32::MAX >> (32 - bits)),
                (_, bits) => {
                    let most = i32::MAX >> (32 - bits);
                    (*value as i32).clamp(-most - 1, most) as u32
                }
            };
            crate::value::write(to, value.into());
        }
        texel
    }
}

impl Display for Format {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self {
            channels,
            bits,
            kind,
        } = self;
        write!(f, "{channels} x {bits} bits of {kind}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_are_extended_and_become_fractions() {
        let bytes = Format::new(4, 8, Channel::Unsigned).unwrap();
        let texel = bytes.texel(&[0, 51, 255, 300]);
        assert_eq!(texel[..5], [0, 51, 255, 255, 0]);
        assert_eq!(
            [1, 2].map(|c| f32::from_bits(bytes.float(&texel, c))),
            [0.2, 1.0]
        );
        let signed = Format::new(2, 16, Channel::Signed).unwrap();
        let texel = signed.texel(&[-40_000_i32 as u32, 32767]);
        assert_eq!(signed.integer(&texel, 0) as i32, -32768);
        assert_eq!([0, 1, 2].map(|c| signed.value(&texel, c)), [-1.0, 1.0, 0.0]);
        let half = Format::new(1, 16, Channel::Float).unwrap();
        let texel = half.texel(&[1.5_f32.to_bits()]);
        assert_eq!(half.value(&texel, 0), 1.5);
        assert_eq!(half.integer(&texel, 0), 0x3e00);
    }

    #[test]
    fn formats_that_no_gpu_has_are_refused() {
        let refused =
            |channels, bits, kind| Format::new(channels, bits, kind).unwrap_err().to_string();
        assert_eq!(
            refused(3, 8, Channel::Unsigned),
            "a texel has 3 channels; it must have 1, 2 or 4"
        );
        assert_eq!(
            refused(1, 8, Channel::Float),
            "a channel is floating-point numbers of 8 bits; floating-point numbers have 16 or 32"
        );
        assert!(Format::new(1, 64, Channel::Signed).is_err());
    }
}
