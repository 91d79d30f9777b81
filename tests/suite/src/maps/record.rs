//! Cases and a driver's answers as bytes: numbers of seven bits a byte, least significant first.

use tensor_map::{
    DataType, Dims, Im2col, Im2colWide, Interleave, L2Promotion, OobFill, Params, Swizzle, Tensor,
    TensorMap, Tiled, WideMode,
};

use super::MapCase;
use tests_records::{Digest, Origin};

/// The byte before the origin, instead of the number of a function.
const ORIGIN: u8 = 0x7f;

/// Returns the origin, if there is one, and the records in compressed bytes, as `map-differential --sample` writes
/// them.
///
/// # Errors
/// The bytes are not compressed, or invalid from some record on.
pub fn unpack(compressed: &[u8]) -> Result<(Origin, Vec<Record>), String> {
    let bytes = miniz_oxide::inflate::decompress_to_vec_zlib(compressed);
    let bytes = bytes.map_err(|error| error.to_string())?;
    let mut rest = &bytes[..];
    let origin = match rest.split_first() {
        Some((&ORIGIN, behind)) => {
            rest = behind;
            let length = read(&mut rest).unwrap_or_default() as usize;
            let text = rest
                .split_at_checked(length)
                .ok_or("the origin makes no sense")?;
            rest = text.1;
            Origin::parse(&String::from_utf8_lossy(text.0))
        }
        _ => Origin::default(),
    };
    let mut records = Vec::new();
    while !rest.is_empty() {
        let number = records.len();
        records.push(Record::read(&mut rest).ok_or(format!("record {number} makes no sense"))?);
    }
    Ok((origin, records))
}

/// Returns the digest of the parameters.
pub fn asked(records: &[Record]) -> Digest {
    let mut bytes = Vec::new();
    for record in records {
        Record {
            answer: None,
            ..*record
        }
        .write(&mut bytes);
    }
    Digest::EMPTY.and(&bytes)
}

/// Returns the records whose map differs from ours, or that only one of both made.
pub fn differing(records: &[Record]) -> impl Iterator<Item = &Record> {
    let differs = |record: &&Record| record.case.ours().ok() != record.answer;
    records.iter().filter(differs)
}

/// An origin and records as compressed bytes.
pub fn pack(origin: &Origin, records: &[Record]) -> Vec<u8> {
    let origin = origin.to_string();
    let mut bytes = vec![ORIGIN];
    write(&mut bytes, origin.len() as u64);
    bytes.extend(origin.as_bytes());
    records.iter().for_each(|record| record.write(&mut bytes));
    miniz_oxide::deflate::compress_to_vec_zlib(&bytes, 9)
}

/// A case, and the driver's map if it accepted the parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Record {
    /// The parameters.
    pub case: MapCase,
    /// The driver's map.
    pub answer: Option<TensorMap>,
}

impl Record {
    pub(crate) fn write(&self, bytes: &mut Vec<u8>) {
        match self.case {
            MapCase::Encode(Params::Tiled(tiled), address) => {
                write_all(bytes, &[0, address]);
                write_tensor(bytes, &tiled.tensor);
                tiled
                    .box_dims
                    .iter()
                    .for_each(|length| write(bytes, u64::from(*length)));
            }
            MapCase::Encode(Params::Im2col(im2col), address) => {
                write_all(bytes, &[1, address]);
                write_tensor(bytes, &im2col.tensor);
                im2col
                    .lower_corner
                    .iter()
                    .chain(&*im2col.upper_corner)
                    .for_each(|corner| write(bytes, zigzag(*corner)));
                write_all(
                    bytes,
                    &[
                        im2col.channels_per_pixel.into(),
                        im2col.pixels_per_column.into(),
                    ],
                );
            }
            MapCase::Encode(Params::Im2colWide(wide), address) => {
                write_all(bytes, &[2, address]);
                write_tensor(bytes, &wide.tensor);
                write_all(
                    bytes,
                    &[zigzag(wide.lower_corner), zigzag(wide.upper_corner)],
                );
                write_all(
                    bytes,
                    &[
                        wide.channels_per_pixel.into(),
                        wide.pixels_per_column.into(),
                        wide.mode as u64,
                    ],
                );
            }
            MapCase::Replace(map, address) => {
                write_all(bytes, &[3, address]);
                bytes.extend(map.to_bytes());
            }
        }
        bytes.push(self.answer.is_some().into());
        self.answer
            .iter()
            .for_each(|map| bytes.extend(map.to_bytes()));
    }

    /// Removes the first record; none if the bytes are invalid.
    pub(crate) fn read(bytes: &mut &[u8]) -> Option<Self> {
        let (function, address) = (read(bytes)?, read(bytes)?);
        let case = match function {
            0 => {
                let tensor = read_tensor(bytes)?;
                let box_dims =
                    Dims::<u32>::new(&read_many(bytes, tensor.rank(), |number| number as u32)?);
                MapCase::Encode(Tiled { tensor, box_dims }.params(), address)
            }
            1 => {
                let tensor = read_tensor(bytes)?;
                let spatial = tensor.rank().saturating_sub(2);
                let im2col = Im2col {
                    tensor,
                    lower_corner: Dims::<i32>::new(&read_many(bytes, spatial, unzigzag)?),
                    upper_corner: Dims::<i32>::new(&read_many(bytes, spatial, unzigzag)?),
                    channels_per_pixel: read(bytes)? as u32,
                    pixels_per_column: read(bytes)? as u32,
                };
                MapCase::Encode(im2col.params(), address)
            }
            2 => {
                let wide = Im2colWide {
                    tensor: read_tensor(bytes)?,
                    lower_corner: unzigzag(read(bytes)?),
                    upper_corner: unzigzag(read(bytes)?),
                    channels_per_pixel: read(bytes)? as u32,
                    pixels_per_column: read(bytes)? as u32,
                    mode: *WideMode::ALL.get(read(bytes)? as usize)?,
                };
                MapCase::Encode(wide.params(), address)
            }
            _ => MapCase::Replace(read_map(bytes)?, address),
        };
        let answer = if read(bytes)? == 1 {
            Some(read_map(bytes)?)
        } else {
            None
        };
        Some(Self { case, answer })
    }
}

fn write_tensor(bytes: &mut Vec<u8>, tensor: &Tensor) {
    let kept = |given: usize| given.min(tensor_map::MAX_RANK);
    write_all(bytes, &[tensor.data_type as u64, tensor.rank() as u64]);
    write_all(bytes, &tensor.dims);
    write_all(
        bytes,
        &tensor.strides_bytes[..kept(tensor.strides_bytes.given())],
    );
    tensor
        .element_strides
        .iter()
        .for_each(|stride| write(bytes, u64::from(*stride)));
    write_all(bytes, &[tensor.interleave as u64, tensor.swizzle as u64]);
    write_all(bytes, &[tensor.l2_promotion as u64, tensor.oob_fill as u64]);
}

fn read_tensor(bytes: &mut &[u8]) -> Option<Tensor> {
    let data_type = *DataType::ALL.get(read(bytes)? as usize)?;
    let rank = read(bytes)? as usize;
    Some(Tensor {
        data_type,
        dims: Dims::<u64>::new(&read_many(bytes, rank, |number| number)?),
        strides_bytes: Dims::<u64>::new(&read_many(bytes, rank.saturating_sub(1), |number| {
            number
        })?),
        element_strides: Dims::<u32>::new(&read_many(bytes, rank, |number| number as u32)?),
        interleave: *Interleave::ALL.get(read(bytes)? as usize)?,
        swizzle: *Swizzle::ALL.get(read(bytes)? as usize)?,
        l2_promotion: *L2Promotion::ALL.get(read(bytes)? as usize)?,
        oob_fill: *OobFill::ALL.get(read(bytes)? as usize)?,
    })
}

/// Returns `given` values, of which at most `MAX_RANK` were written.
fn read_many<T: Clone + Default>(
    bytes: &mut &[u8],
    given: usize,
    value: impl Fn(u64) -> T,
) -> Option<Vec<T>> {
    let mut values = vec![T::default(); given];
    for slot in values.iter_mut().take(tensor_map::MAX_RANK) {
        *slot = value(read(bytes)?);
    }
    Some(values)
}

pub(crate) fn write_all(bytes: &mut Vec<u8>, numbers: &[u64]) {
    numbers.iter().for_each(|number| write(bytes, *number));
}

pub(crate) fn write(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

pub(crate) fn read(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let byte;
        (byte, *bytes) = bytes.split_first()?;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

fn read_map(bytes: &mut &[u8]) -> Option<TensorMap> {
    let map;
    (map, *bytes) = bytes.split_first_chunk()?;
    Some(TensorMap::from_bytes(*map))
}

pub(crate) fn zigzag(number: i32) -> u64 {
    ((number << 1) ^ (number >> 31)) as u32 as u64
}

pub(crate) fn unzigzag(number: u64) -> i32 {
    (number as u32 >> 1) as i32 ^ -(number as i32 & 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::maps::generate::{MapFunction, Random, case};

    #[test]
    fn records_come_back() {
        let random = &mut Random::new(1);
        let records: Vec<Record> = (0..2000)
            .map(|number| case(random, MapFunction::ALL[number % 4]))
            .map(|case| Record {
                case,
                answer: case.ours().ok(),
            })
            .collect();
        let origin = Origin::parse("a test; a driver");
        assert_eq!(unpack(&pack(&origin, &records)), Ok((origin, records)));
        assert!(unpack(b"no zlib").is_err());
    }
}
