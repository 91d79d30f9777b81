//! Maps in global memory that the host has written.

use kernels_gpu::consume_map::ConsumeMap;
use tensor_map::{DataType, TensorMap, Tiled};
use tma_launch::{Buffer, PlacedMap};

use super::{Kernel, kept, numbers};
use crate::{Expected, Scenario};

pub(super) const KERNEL: Kernel = Kernel {
    name: "consume_map",
    summary: "acquires tensor maps in global memory and loads through them",
    golden: &["consume_map"],
    showcase: || scenario([16, 2], 32),
    cases,
};

/// A tensor of bytes.
pub(super) struct Tensor {
    pub(super) tiled: Tiled,
}

impl Tensor {
    pub(super) fn new(tiled: Tiled) -> Self {
        Self { tiled }
    }

    /// Bytes from its first element to the end of its last row, to a multiple of 16.
    fn span(&self) -> usize {
        let tensor = &self.tiled.tensor;
        let rank = tensor.rank();
        let last = rank
            .checked_sub(2)
            .map(|dim| tensor.strides_bytes.at(dim) * tensor.dims.at(rank - 1));
        last.unwrap_or_else(|| tensor.dims.at(0).next_multiple_of(16)) as usize
    }

    /// The byte at these coordinates: zero outside.
    fn at(&self, data: &[u8], coords: &[i64]) -> u8 {
        let tensor = &self.tiled.tensor;
        let mut index = 0;
        for (dim, coord) in coords.iter().enumerate() {
            if *coord < 0 || *coord >= tensor.dims.at(dim) as i64 {
                return 0;
            }
            let stride = if dim == 0 {
                1
            } else {
                tensor.strides_bytes.at(dim - 1)
            };
            index += *coord as usize * stride as usize;
        }
        data[index]
    }

    /// The box that begins here, in the order of shared memory.
    fn load(&self, data: &[u8], coords: [i32; 2]) -> Vec<u8> {
        let rank = self.tiled.tensor.rank();
        let mut loaded = Vec::new();
        let mut at = vec![0_i64; rank];
        loop {
            let coords: Vec<i64> = at
                .iter()
                .enumerate()
                .map(|(dim, at)| i64::from(coords[dim.min(1)]) + at)
                .collect();
            loaded.push(self.at(data, &coords));
            let mut dim = 0;
            loop {
                at[dim] += i64::from(self.tiled.tensor.element_strides.at(dim));
                if at[dim] < i64::from(self.tiled.box_dims.at(dim)) {
                    break;
                }
                at[dim] = 0;
                dim += 1;
                if dim == rank {
                    return loaded;
                }
            }
        }
    }
}

/// Tensors one after the other, with their offsets.
pub(super) fn lay_out(tensors: &[Tensor]) -> (Vec<u8>, Vec<u64>) {
    let mut offsets = Vec::new();
    let mut end: usize = 48;
    for tensor in tensors {
        offsets.push(end as u64);
        end = (end + tensor.span()).next_multiple_of(16) + 16;
    }
    let bytes = numbers(end.next_multiple_of(4));
    // No element is zero, which marks elements out of bounds.
    let bytes = bytes.iter().map(|number| (*number as u8) | 1).collect();
    (bytes, offsets)
}

/// The bytes that are loaded through the maps of all tensors.
pub(super) fn boxes(tensors: &[Tensor], data: &[u8], offsets: &[u64], coords: [i32; 2]) -> Vec<u8> {
    tensors
        .iter()
        .zip(offsets)
        .flat_map(|(tensor, offset)| tensor.load(&data[*offset as usize..], coords))
        .collect()
}

fn cases() -> Vec<Scenario> {
    [([0, 0], 32), ([16, 2], 32), ([-16, -3], 96), ([160, 6], 32)]
        .map(|(coords, threads)| scenario(coords, threads))
        .to_vec()
}

fn scenario(coords: [i32; 2], threads: u32) -> Scenario {
    let tiled = |width: u64, height: u64| {
        let tiled = TensorMap::tiled(DataType::U8, &[width, height]);
        Tensor::new(
            tiled
                .strides_bytes(&[width.next_multiple_of(16)])
                .box_dims(&[128, 4]),
        )
    };
    let tensors = [tiled(256, 8), tiled(100, 50), tiled(161, 3)];
    let (data, offsets) = lay_out(&tensors);
    let mut maps = Buffer::zeroed::<u8>("maps", 128 * tensors.len());
    for (number, (tensor, offset)) in tensors.iter().zip(&offsets).enumerate() {
        maps = maps.with_tensor_map(PlacedMap {
            at_bytes: number * 128,
            params: tensor.tiled.params(),
            index: 0,
            offset_bytes: *offset,
        });
    }
    let expected = boxes(&tensors, &data, &offsets, coords);
    let consume = ConsumeMap {
        rank: 2,
        maps: 1,
        output: 2,
        coords,
        count: tensors.len() as u32,
        threads,
    };
    Scenario {
        name: format!("of_the_host_at_{}_{}", coords[0], coords[1]),
        buffers: vec![
            Buffer::new("tensors", &data),
            maps,
            Buffer::new("output", &vec![0xee_u8; expected.len()]),
        ],
        launches: vec![kept(consume.launch())],
        expected: vec![Expected::of(2, &expected), Expected::of(0, &data)],
    }
}
