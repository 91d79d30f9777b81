//! The issue of a tensor copy.

use ptx_isa::Mode;
use tensor_map::{
    DataType, Decoded, Dims, Im2col, Interleave, OobFill, Params, TensorMap, WideMode,
    walk::{Direction, NoWalk, Walk},
};

use super::{
    BoxOf, TensorCopy,
    parts::{join, split},
};
use crate::{
    inst::{Execute, Step, cp_reduce_async_bulk_tensor, each_lane},
    machine::{
        Completion, Flow, Issue, Located, Piece, Slot, Target, Trap, Trapped, issue,
        observer::{AccessKind, BoxLayout, Event, Proxy},
        target,
    },
};

impl Execute for TensorCopy {
    fn run(&self, step: &mut Step<'_>) -> Result<Flow, Trapped> {
        each_lane(step, |step, lane| self.issue(step, lane))
    }
}

impl TensorCopy {
    fn issue(&self, step: &mut Step<'_>, lane: usize) -> Result<(), Trapped> {
        let (map, at) = self.read_map(step, lane)?;
        let illegal =
            |step: &Step<'_>, what: String| step.fault(lane, Trap::IllegalInstruction, what);
        let decoded = map
            .decode()
            .map_err(|error| illegal(step, error.to_string()))?;
        let decoded = self
            .overridden(step, lane, decoded)
            .map_err(|what| illegal(step, what))?;
        let shared = target(
            step,
            &self.shared,
            lane,
            128,
            "shared address of a tensor copy",
        )?;
        let Target::Shared(_, offset) = shared else {
            return Ok(());
        };
        let get = |slot: &Slot| step.get(*slot)[lane];
        let coordinates: Vec<i32> = self
            .tensor
            .coordinates
            .iter()
            .map(|slot| get(slot) as i32)
            .collect();
        let offsets: Vec<u16> = self.offsets.iter().map(|slot| get(slot) as u16).collect();
        let direction = if self.signal.is_some() {
            Direction::Load
        } else {
            Direction::Store
        };
        let walk = self
            .walk(&decoded, &coordinates, &offsets, direction)
            .map_err(|what| illegal(step, what))?;
        let tensor = decoded.params.tensor();
        let rounds = matches!(tensor.data_type, DataType::Tf32 | DataType::Tf32Ftz);
        let reduction = match self.reduces {
            None => None,
            Some(operator) => Some(
                cp_reduce_async_bulk_tensor::reduction(operator, tensor.data_type)
                    .map_err(|what| illegal(step, what))?,
            ),
        };
        let receivers = match &self.signal {
            Some(signal) => signal.receivers(step, lane, shared)?,
            None => {
                let Target::Shared(rank, _) = shared else {
                    return Ok(());
                };
                let thread = step.thread(lane);
                let instruction = step.group.pc;
                let group = step.cta().bulk.entry(thread).or_default().add(instruction);
                vec![(rank, Completion::Bulk { group })]
            }
        };
        let fill = match tensor.oob_fill {
            OobFill::Zeros => [0, 0],
            // The 16-bit word 0x7FF7, whatever the type.
            OobFill::NanRequestZeroFma => [0xf7, 0x7f],
        };
        let mut parts = Vec::new();
        for row in walk {
            for piece in row.pieces(tensor.swizzle, offset as u32) {
                split(&row, piece, decoded.address, &mut parts);
            }
        }
        join(&mut parts);
        for (rank, completion) in receivers {
            let pieces = parts.iter().filter_map(|part| {
                let shared = Target::Shared(rank, part.shared as usize);
                let bytes = part.bytes as usize;
                Some(match (direction, part.global) {
                    (Direction::Load, Some(global)) => Piece {
                        from: Some(Target::Global(global)),
                        to: shared,
                        bytes,
                        data: Vec::new(),
                    },
                    (Direction::Load, None) => {
                        let data = fill.iter().copied().cycle().take(bytes).collect();
                        Piece {
                            from: None,
                            to: shared,
                            bytes,
                            data,
                        }
                    }
                    (Direction::Store, Some(global)) => Piece {
                        from: Some(shared),
                        to: Target::Global(global),
                        bytes,
                        data: Vec::new(),
                    },
                    (Direction::Store, None) => return None,
                })
            });
            let pieces = pieces.collect();
            let rounds_to_tf32 = rounds && direction == Direction::Load;
            let copy = issue(
                step,
                lane,
                Issue {
                    rounds_to_tf32,
                    report: self.report,
                    ..Issue::bulk(pieces, completion, reduction)
                },
            );
            step.tell(lane, |step| Event::CopyPlan {
                copy,
                proxy: Proxy::TensorMap,
                kind: AccessKind::Read,
                range: step.range(at, TensorMap::BYTES as u64),
            });
            let tile = BoxLayout {
                address: offset as u64,
                data_type: tensor.data_type,
                extents: self.extents(&decoded.params),
                swizzle: tensor.swizzle,
                pattern_bytes: tensor.shared_align_bytes() as u32,
            };
            let located = Located::Shared { rank, offset };
            step.tell(lane, |step| Event::CopyBox {
                copy,
                memory: step.range(located, 0).memory,
                tile,
                l2_promotion: tensor.l2_promotion,
            });
        }
        Ok(())
    }

    /// Returns the map's parameters with the replacements from the instruction.
    fn overridden(
        &self,
        step: &Step<'_>,
        lane: usize,
        mut decoded: Decoded,
    ) -> Result<Decoded, String> {
        let BoxOf {
            address,
            dims,
            strides,
            coordinates,
            ..
        } = &self.tensor;
        let get = |slot: &Slot| step.get(*slot)[lane];
        let Some(address) = address else {
            return Ok(decoded);
        };
        decoded.address = get(address);
        if !decoded.address.is_multiple_of(16) {
            let address = decoded.address;
            return Err(format!(
                "the tensor's address {address:#x} is not a multiple of 16"
            ));
        }
        if dims.is_empty() {
            return Ok(decoded);
        }
        let Params::Tiled(tiled) = &mut decoded.params else {
            return Err("dimensions must not be replaced for an im2col map".into());
        };
        let rank = tiled.tensor.rank();
        if dims.len() != rank {
            return Err(format!(
                "{} dimensions replace the {rank} dimensions of the map",
                dims.len()
            ));
        }
        if coordinates.iter().any(|slot| get(slot) as i32 != 0) {
            return Err("coordinates must be 0 if dimensions replace those in the map".into());
        }
        let dims: Vec<u64> = dims.iter().map(|slot| get(slot) & 0xff).collect();
        tiled.tensor.dims = Dims::<u64>::new(&dims);
        if let Some((lower, upper)) = strides {
            let upper = get(upper);
            let strides = lower.iter().enumerate().map(|(dim, lower)| {
                let upper = upper >> (4 * dim) & 0xf;
                (get(lower) & u64::from(u32::MAX) | upper << 32) << 4
            });
            tiled.tensor.strides_bytes = Dims::<u64>::new(&strides.collect::<Vec<u64>>());
        }
        Ok(decoded)
    }

    /// Returns the extents of the box in shared memory, innermost first, in elements.
    fn extents(&self, params: &Params) -> [u32; 5] {
        let mut extents = [1; 5];
        match params {
            Params::Tiled(tiled) => {
                let tensor = &tiled.tensor;
                let slice = tensor.interleave.slice_bytes();
                let slice = slice.map(|bytes| bytes / tensor.data_type.bytes());
                // A slice represents its channels.
                let is_of_channels = |dim| slice.is_some() && dim + 2 == tensor.rank();
                let dims = (0..tensor.rank()).filter(|dim| !is_of_channels(*dim));
                let counts = dims.map(|dim| tiled.box_elements(dim));
                for (extent, count) in extents.iter_mut().zip(slice.into_iter().chain(counts)) {
                    *extent = count as u32;
                }
                if matches!(self.mode, Mode::TileGather4 | Mode::TileScatter4) {
                    extents[1] = 4;
                }
            }
            Params::Im2col(im2col) => {
                extents[..2]
                    .copy_from_slice(&[im2col.channels_per_pixel, im2col.pixels_per_column]);
            }
            Params::Im2colWide(wide) => {
                extents[..2].copy_from_slice(&[wide.channels_per_pixel, wide.pixels()]);
            }
        }
        extents
    }

    /// Visits the rows of the box.
    fn walk(
        &self,
        decoded: &Decoded,
        coordinates: &[i32],
        offsets: &[u16],
        direction: Direction,
    ) -> Result<Walk, String> {
        let walk = match (&decoded.params, self.mode, coordinates) {
            (params @ Params::Tiled(_), Mode::Tile, _) => params.walk(coordinates, &[], direction),
            (
                params @ Params::Tiled(_),
                Mode::TileGather4 | Mode::TileScatter4,
                [column, a, b, c, d],
            ) => params.walk_rows(*column, [*a, *b, *c, *d], direction),
            (params @ Params::Im2col(im2col), Mode::Im2col | Mode::Im2colNoOffs, _) => {
                if direction == Direction::Store {
                    is_within(im2col, coordinates)?;
                }
                params.walk(coordinates, offsets, direction)
            }
            (Params::Im2col(im2col), Mode::Im2colW, _) => {
                let wide = im2col.as_wide(WideMode::W).params();
                wide.walk(coordinates, offsets, direction)
            }
            (Params::Im2col(im2col), Mode::Im2colW128, _) => {
                let wide = im2col.as_wide(WideMode::W128).params();
                wide.walk(coordinates, offsets, direction)
            }
            (params, mode, _) => {
                let map = match params {
                    Params::Tiled(_) => "a tiled map",
                    _ => "an im2col map",
                };
                return Err(format!(
                    "the instruction has the mode `.{}`, but the map is {map}",
                    mode.word()
                ));
            }
        };
        walk.map_err(|error: NoWalk| error.to_string())
    }

    /// Reads the map's 128 bytes from parameters, constants or global memory, at a multiple of 64.
    fn read_map(&self, step: &mut Step<'_>, lane: usize) -> Result<(TensorMap, Located), Trapped> {
        let located = step.locate(lane, &self.tensor.map, TensorMap::BYTES as u64, 64)?;
        if matches!(located, Located::Local { .. } | Located::Shared { .. }) {
            let what =
                "the tensor map is neither a parameter nor in constant or global memory".into();
            return Err(step.fault(lane, Trap::MapInLocalMemory, what));
        }
        let mut words = [0; TensorMap::BYTES / 8];
        let bytes = step.bytes(lane, located, TensorMap::BYTES);
        for (word, bytes) in words.iter_mut().zip(bytes.chunks_exact(8)) {
            *word = crate::value::read(bytes);
        }
        Ok((TensorMap::from_words(words), located))
    }
}

/// Checks that the pixels of a store are within the tensor, where they must be: seen on an H200.
fn is_within(im2col: &Im2col, coordinates: &[i32]) -> Result<(), String> {
    let tensor = &im2col.tensor;
    let first = usize::from(tensor.interleave == Interleave::None);
    for dim in 0..tensor.rank() - 2 {
        let (lower, upper) = (im2col.lower_corner.at(dim), im2col.upper_corner.at(dim));
        let end = tensor.dims.at(first + dim) as i64 + i64::from(upper);
        let at = i64::from(coordinates.get(first + dim).copied().unwrap_or(0));
        if lower < 0 || upper > 0 {
            return Err(format!(
                "the store's box of pixels, with corners {lower} and {upper} in dimension {}, is not within the tensor",
                first + dim
            ));
        }
        if at >= end {
            return Err(format!(
                "the store begins at {at} in dimension {}, and its box of pixels ends at {end}",
                first + dim
            ));
        }
    }
    Ok(())
}
