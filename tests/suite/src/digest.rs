//! Digests of scenarios: of launches and of outputs.

use tensor_map::{Params, Target};
use tests_records::Digest;
use tma_launch::{Argument, Buffer, Launch};

use crate::{Content, Scenario};

/// Returns the digest of the kernels' text, the memory before the launches, and the launches.
pub fn of(text: &str, scenario: &Scenario) -> Digest {
    let digest = Digest::EMPTY.and(text.as_bytes());
    let digest = scenario.buffers.iter().fold(digest, buffer);
    scenario.launches.iter().fold(digest, launch)
}

/// Adds the outputs that a scenario knows exactly to a digest.
#[must_use]
pub fn with_outputs(ran: Digest, scenario: &Scenario, buffers: &[Buffer]) -> Digest {
    exact(scenario).fold(ran, |digest, (buffer, _)| {
        digest.and(buffers[buffer].bytes())
    })
}

/// Adds the expected contents of these buffers to a digest.
#[must_use]
pub fn with_right_outputs(ran: Digest, scenario: &Scenario) -> Digest {
    exact(scenario).fold(ran, |digest, (_, elements)| {
        digest.and(bytemuck::cast_slice(elements))
    })
}

/// Returns the buffers with exactly known contents, with their elements.
fn exact(scenario: &Scenario) -> impl Iterator<Item = (usize, &[i32])> {
    scenario
        .expected
        .iter()
        .filter_map(|expected| match &expected.content {
            Content::Exact(elements) => Some((expected.buffer, &elements[..])),
            Content::Near { .. } => None,
        })
}

fn buffer(digest: Digest, buffer: &Buffer) -> Digest {
    let digest = digest.and(buffer.bytes());
    let digest = digest.and(buffer.variable().unwrap_or_default().as_bytes());
    let digest = buffer
        .placed_pointers()
        .iter()
        .fold(digest, |digest, placed| {
            let at = [
                placed.at_bytes as u64,
                placed.index as u64,
                placed.offset_bytes,
            ];
            at.iter()
                .fold(digest, |digest, at| digest.and(&at.to_le_bytes()))
        });
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
