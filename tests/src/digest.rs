//! Digests that tell a result of what runs today from one of something else: FNV-1a of 128 bits, by words of
//! 8 bytes.

use std::fmt::{self, Display, Formatter};

use tensor_map::{Params, Target};
use tma_launch::{Argument, Buffer, Launch};

use crate::{Content, Scenario};

/// A digest of what it was given so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digest(u128);

impl Digest {
    /// Of nothing.
    pub const EMPTY: Self = Self(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d);

    /// Of what it was of, and of these bytes.
    #[must_use]
    pub fn and(self, bytes: &[u8]) -> Self {
        const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
        let add = |digest: u128, word: u64| (digest ^ u128::from(word)).wrapping_mul(PRIME);
        let mut digest = add(self.0, bytes.len() as u64);
        for part in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..part.len()].copy_from_slice(part);
            digest = add(digest, u64::from_le_bytes(word));
        }
        Self(digest)
    }

    /// Of the kernels' text, the memory before the launches, and the launches.
    pub fn of(text: &str, scenario: &Scenario) -> Self {
        let digest = Self::EMPTY.and(text.as_bytes());
        let digest = scenario.buffers.iter().fold(digest, buffer);
        scenario.launches.iter().fold(digest, launch)
    }

    /// With what the buffers hold of which a scenario knows every bit.
    #[must_use]
    pub fn with_outputs(self, scenario: &Scenario, buffers: &[Buffer]) -> Self {
        exact(scenario).fold(self, |digest, (buffer, _)| {
            digest.and(buffers[buffer].bytes())
        })
    }

    /// With what these must hold.
    #[must_use]
    pub fn with_right_outputs(self, scenario: &Scenario) -> Self {
        exact(scenario).fold(self, |digest, (_, elements)| {
            digest.and(bytemuck::cast_slice(elements))
        })
    }
}

impl Display for Digest {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

/// The buffers of which every bit is known, with their elements.
fn exact(scenario: &Scenario) -> impl Iterator<Item = (usize, &[i32])> {
    scenario
        .expected
        .iter()
        .filter_map(|expected| match &expected.content {
            Content::Exact(elements) => Some((expected.buffer, &elements[..])),
            Content::Halves { .. } => None,
        })
}

fn buffer(digest: Digest, buffer: &Buffer) -> Digest {
    let digest = digest.and(buffer.bytes());
    let digest = digest.and(buffer.variable().unwrap_or_default().as_bytes());
    buffer.placed_maps().iter().fold(digest, |digest, placed| {
        let at = [
            placed.at_bytes as u64,
            placed.index as u64,
            placed.offset_bytes,
        ];
        let digest = at
            .iter()
            .fold(digest, |digest, at| digest.and(&at.to_le_bytes()));
        digest.and(&map(&placed.params))
    })
}

/// The map of a tensor at address 0.
fn map(params: &Params) -> Vec<u8> {
    match params.build_for(0, Target::SM_90) {
        Ok(map) => map.to_bytes().to_vec(),
        Err(_) => format!("{params:?}").into_bytes(),
    }
}

fn launch(digest: Digest, launch: &Launch) -> Digest {
    let shape = &launch.shape;
    let cluster = shape.cluster.map_or([0; 3], |cluster| cluster.to_array());
    let dims = [shape.grid.to_array(), shape.block.to_array(), cluster];
    let digest = digest.and(launch.entry.as_bytes());
    let digest = dims
        .iter()
        .flatten()
        .fold(digest, |digest, side| digest.and(&side.to_le_bytes()));
    let digest = digest.and(&shape.shared_bytes.to_le_bytes());
    let leaves = launch.arguments.iter().flat_map(Argument::leaves);
    leaves.fold(digest, |digest, argument| match argument {
        Argument::Buffer {
            index,
            offset_bytes,
        } => digest
            .and(&(*index as u64).to_le_bytes())
            .and(&offset_bytes.to_le_bytes()),
        Argument::TensorMap {
            params,
            index,
            offset_bytes,
        } => {
            let digest = digest.and(&(*index as u64).to_le_bytes());
            let digest = digest.and(&offset_bytes.to_le_bytes());
            digest.and(&map(params))
        }
        other => digest.and(&other.to_bytes().unwrap_or_default()),
    })
}
