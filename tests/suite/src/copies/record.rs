//! Cases with digests of a GPU's outputs, as compressed bytes. The cases are stored whole, so
//! that they stay the same when the generator changes.

use tests_records::{Digest, Origin};
use tma_emulator::EmulatorBackend;
use tma_launch::Failure;

use super::{
    Action, Batch, Contents, CopyCase, LinearCopy, Operator, TensorCopy, Transfer, linear_forms,
    text,
};
use crate::maps::{
    self,
    record::{Record, read, unzigzag, write, write_all, zigzag},
};

/// A case, and the [digest](super::Output::digest) of the memory after it.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// The case.
    pub case: CopyCase,
    /// The digest of its output.
    pub digest: u64,
}

/// Samples, with the device that made them.
#[derive(Clone, Debug, PartialEq)]
pub struct Samples {
    /// The device and the kernels that made them.
    pub origin: Origin,
    /// The samples.
    pub samples: Vec<Sample>,
}

impl Samples {
    /// The digest of the kernels; the file contains the cases.
    pub fn ran() -> Digest {
        Digest::EMPTY.and(text().as_bytes())
    }

    /// The samples that the emulator copies in another way.
    ///
    /// # Errors
    /// A launch fails.
    pub fn differing(&self) -> Result<Vec<&Sample>, Failure> {
        let mut different = Vec::new();
        for (seed, samples) in (0..).zip(self.samples.chunks(200)) {
            let cases: Vec<CopyCase> = samples.iter().map(|sample| sample.case.clone()).collect();
            let outputs = Batch::new(&cases).run(|job| EmulatorBackend::new(seed).run(job))?;
            let pairs = samples.iter().zip(outputs);
            different.extend(pairs.filter_map(|(sample, output)| {
                let differs = output.digest() != sample.digest;
                differs.then_some(sample)
            }));
        }
        Ok(different)
    }

    /// Returns compressed bytes.
    pub fn pack(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        write_text(&mut bytes, &self.origin.to_string());
        self.samples
            .iter()
            .for_each(|sample| sample.write(&mut bytes));
        miniz_oxide::deflate::compress_to_vec_zlib(&bytes, 9)
    }

    /// Reads compressed bytes, as `copy-differential --record` writes them.
    ///
    /// # Errors
    /// The bytes are not compressed, or invalid from some sample on.
    pub fn unpack(compressed: &[u8]) -> Result<Self, String> {
        let bytes = miniz_oxide::inflate::decompress_to_vec_zlib(compressed);
        let bytes = bytes.map_err(|error| error.to_string())?;
        let mut rest = &bytes[..];
        let origin = read_text(&mut rest).ok_or("it has no author")?;
        let origin = Origin::parse(&String::from_utf8_lossy(origin));
        let mut samples = Vec::new();
        while !rest.is_empty() {
            let number = samples.len();
            samples.push(Sample::read(&mut rest).ok_or(format!("sample {number} makes no sense"))?);
        }
        Ok(Self { origin, samples })
    }
}

fn write_text(bytes: &mut Vec<u8>, text: &str) {
    write(bytes, text.len() as u64);
    bytes.extend(text.as_bytes());
}

fn read_text<'b>(bytes: &mut &'b [u8]) -> Option<&'b [u8]> {
    let length = read(bytes)? as usize;
    let text;
    (text, *bytes) = bytes.split_at_checked(length)?;
    Some(text)
}

impl Sample {
    fn write(&self, bytes: &mut Vec<u8>) {
        let case = &self.case;
        match &case.transfer {
            Transfer::Tensor(copy) => {
                write(bytes, 0);
                write(bytes, action_code(copy.action));
                let case = maps::MapCase::Encode(copy.params, case.global_at.into());
                Record { case, answer: None }.write(bytes);
                let coordinates = copy.coordinates.iter().map(|number| zigzag(*number));
                coordinates.for_each(|number| write(bytes, number));
                write(bytes, copy.offsets.len() as u64);
                let offsets = copy.offsets.iter().map(|number| u64::from(*number));
                offsets.for_each(|number| write(bytes, number));
            }
            Transfer::Linear(copy) => {
                // The name, so that the list may grow.
                write(bytes, 1);
                write_text(bytes, linear_forms()[copy.form].instruction);
                write_all(bytes, &[copy.bytes.into(), copy.to.into()]);
            }
        }
        let fields = [
            case.shared_bytes,
            case.shared_at,
            case.global_bytes,
            case.global_at,
        ];
        write_all(bytes, &fields.map(u64::from));
        write(bytes, case.contents as u64);
        bytes.extend(case.seed.to_le_bytes());
        bytes.extend(self.digest.to_le_bytes());
    }

    /// Removes the first sample; none if the bytes are invalid.
    fn read(bytes: &mut &[u8]) -> Option<Self> {
        let transfer = match read(bytes)? {
            0 => Transfer::Tensor(Box::new(read_tensor_copy(bytes)?)),
            1 => {
                let name = read_text(bytes)?;
                let mut forms = linear_forms().iter();
                Transfer::Linear(LinearCopy {
                    form: forms.position(|form| form.instruction.as_bytes() == name)?,
                    bytes: read(bytes)? as u32,
                    to: read(bytes)? as u32,
                })
            }
            _ => return None,
        };
        let case = CopyCase {
            transfer,
            shared_bytes: read(bytes)? as u32,
            shared_at: read(bytes)? as u32,
            global_bytes: read(bytes)? as u32,
            global_at: read(bytes)? as u32,
            contents: *Contents::ALL.get(read(bytes)? as usize)?,
            seed: read_word(bytes)?,
        };
        let digest = read_word(bytes)?;
        Some(Self { case, digest })
    }
}

fn read_tensor_copy(bytes: &mut &[u8]) -> Option<TensorCopy> {
    let action = action(read(bytes)?)?;
    let maps::MapCase::Encode(params, _) = Record::read(bytes)?.case else {
        return None;
    };
    let mut numbers = |count: usize| {
        (0..count)
            .map(|_| read(bytes))
            .collect::<Option<Vec<u64>>>()
    };
    let coordinates = numbers(params.tensor().rank())?;
    let offsets = *numbers(1)?.first()?;
    let offsets = numbers(offsets.min(3) as usize)?;
    Some(TensorCopy {
        action,
        params,
        coordinates: coordinates.into_iter().map(unzigzag).collect(),
        offsets: offsets.into_iter().map(|number| number as u16).collect(),
    })
}

fn read_word(bytes: &mut &[u8]) -> Option<u64> {
    let word;
    (word, *bytes) = bytes.split_first_chunk()?;
    Some(u64::from_le_bytes(*word))
}

fn action_code(action: Action) -> u64 {
    match action {
        Action::Load => 0,
        Action::Store => 1,
        Action::Move => 2,
        Action::Reduce(operator) | Action::ReduceShared(operator) => 3 + operator as u64,
    }
}

/// The fields of a tensor copy.
fn action(code: u64) -> Option<Action> {
    Some(match code {
        0 => Action::Load,
        1 => Action::Store,
        2 => return None,
        _ => Action::Reduce(*Operator::ALL.get(code as usize - 3)?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::copies::{Excluded, generate::draw};

    #[test]
    fn samples_come_back() {
        let sample = |number| Sample {
            case: draw(5, number, &Excluded::ALL).case,
            digest: number * number,
        };
        let samples = Samples {
            origin: Origin::parse("a test"),
            samples: (0..2000).map(sample).collect(),
        };
        assert_eq!(Samples::unpack(&samples.pack()), Ok(samples));
        assert!(Samples::unpack(b"no zlib").is_err());
    }
}
