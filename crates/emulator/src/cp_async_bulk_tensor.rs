//! `cp.async.bulk.tensor`: copies of the boxes that a tensor map describes. PTX ISA 9.7.9.27.1.
//!
//! Which bytes go where is `tensor_map`'s walk; the map is read from its 128 bytes.

use ptx::{Instruction, Operand, OperandKind, Type};
use tensor_map::{
    DataType, OobFill, Swizzle, TensorMap,
    walk::{Direction, NoWalk, Row},
};

use crate::{
    action::Action,
    cp_async_bulk::{BulkOperation, Issue, SPACES, issue, receivers, target},
    decode::{Address, Decoder, Refusal, Slot, Space, Words},
    error::Trap,
    machine::{Completion, Located, Piece, Step, Target, Trapped},
    observer::{AccessKind, Event, Observer, Proxy},
    reduce::{Operator, Reduction},
};

/// A copy of a box.
#[derive(Clone, Debug)]
pub(crate) struct TensorCopy {
    map: Address,
    coordinates: Box<[Slot]>,
    offsets: Box<[Slot]>,
    shared: Address,
    /// Loads have one.
    mbarrier: Option<Address>,
    multicast: Option<Slot>,
    reduces: Option<Operator>,
}

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    words: &mut Words<'_>,
) -> Result<(), Refusal> {
    decode_copy(decoder, instruction, words, None)
}

/// A copy or, with an operator, a reduction.
pub(crate) fn decode_copy(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    words: &mut Words<'_>,
    reduces: Option<Operator>,
) -> Result<(), Refusal> {
    let ranks = [("1d", 1), ("2d", 2), ("3d", 3), ("4d", 4), ("5d", 5)];
    let rank = words.one_of(&ranks).ok_or("its number of dimensions")?;
    let to = words.one_of(&SPACES).ok_or("its destination")?;
    let from = words.one_of(&SPACES).ok_or("its source")?;
    let im2col = words.take("im2col") || words.take("im2col_no_offs");
    words.take("tile");
    let has_hint = words.take("L2::cache_hint");
    let has_mbarrier = words.take("mbarrier::complete_tx::bytes");
    let multicasts = words.take("multicast::cluster");
    let has_group = words.take("bulk_group");
    let loads = match (to, from) {
        (Space::SharedCta | Space::SharedCluster, Space::Global) => true,
        (Space::Global, Space::SharedCta) => false,
        _ => return Err("its direction".into()),
    };
    if loads != has_mbarrier || loads == has_group || (loads && reduces.is_some()) {
        return Err("how it completes".into());
    }
    let mut rest = instruction.operands.iter();
    let mut next = || rest.next().ok_or("the number of its operands");
    let (map, shared) = match loads {
        true => {
            let shared = decoder.address(next()?, to)?;
            (next()?, shared)
        }
        false => {
            let map = next()?;
            (map, decoder.address(next()?, from)?)
        }
    };
    let OperandKind::Memory {
        address,
        rest: coordinates,
    } = &map.kind
    else {
        return Err("an operand that must be an address is none".into());
    };
    let coordinates = match coordinates.as_slice() {
        [coordinates] => numbers(decoder, coordinates, Type::S32)?,
        _ => return Err("no coordinates".into()),
    };
    if coordinates.len() != rank {
        return Err(format!("{} coordinates in {rank} dimensions", coordinates.len()).into());
    }
    let map = decoder.place(address, Space::Generic)?;
    let mbarrier = match has_mbarrier {
        true => Some(decoder.address(next()?, Space::SharedCluster)?),
        false => None,
    };
    let offsets = match im2col && loads {
        true => numbers(decoder, next()?, Type::U16)?,
        false => Box::default(),
    };
    let multicast = match multicasts {
        true => Some(decoder.source(next()?, Type::U16)?),
        false => None,
    };
    if has_hint {
        decoder.source(next()?, Type::B64)?;
    }
    if rest.next().is_some() {
        return Err("the number of its operands".into());
    }
    let copy = TensorCopy {
        map,
        coordinates,
        offsets,
        shared,
        mbarrier,
        multicast,
        reduces,
    };
    decoder.emit(Action::Bulk(Box::new(BulkOperation::Tensor(copy))));
    Ok(())
}

fn numbers(decoder: &mut Decoder<'_>, operand: &Operand, ty: Type) -> Result<Box<[Slot]>, Refusal> {
    match &operand.kind {
        OperandKind::Vector(items) => items.iter().map(|item| decoder.source(item, ty)).collect(),
        _ => Ok([decoder.source(operand, ty)?].into()),
    }
}

impl TensorCopy {
    pub(crate) fn issue<O: Observer>(
        &self,
        step: &mut Step<'_, O>,
        lane: usize,
    ) -> Result<(), Trapped> {
        let (map, at) = self.read_map(step, lane)?;
        let illegal =
            |step: &Step<'_, O>, what: String| step.fault(lane, Trap::IllegalInstruction, what);
        let decoded = map
            .decode()
            .map_err(|error| illegal(step, error.to_string()))?;
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
            .coordinates
            .iter()
            .map(|slot| get(slot) as i32)
            .collect();
        let offsets: Vec<u16> = self.offsets.iter().map(|slot| get(slot) as u16).collect();
        let direction = if self.mbarrier.is_some() {
            Direction::Load
        } else {
            Direction::Store
        };
        // What stores of im2col maps add to a pixel is nothing.
        let offsets = match (&decoded.params, direction) {
            (tensor_map::Params::Im2col(im2col), Direction::Store) => {
                vec![0; im2col.tensor.rank() - 2]
            }
            _ => offsets,
        };
        let walk = decoded.params.walk(&coordinates, &offsets, direction);
        let walk = walk.map_err(|error: NoWalk| illegal(step, error.to_string()))?;
        let tensor = decoded.params.tensor();
        let rounds = matches!(tensor.data_type, DataType::Tf32 | DataType::Tf32Ftz);
        let reduction = match self.reduces {
            None => None,
            Some(operator) => Some(reduction(operator, tensor.data_type).ok_or_else(|| {
                illegal(
                    step,
                    format!("a reduction of {:?} that is not modelled", tensor.data_type),
                )
            })?),
        };
        let receivers = match &self.mbarrier {
            Some(mbarrier) => receivers(step, lane, shared, mbarrier, self.multicast)?,
            None => {
                let Target::Shared(rank, _) = shared else {
                    return Ok(());
                };
                let thread = step.thread(lane);
                let group = step.cta().bulk.entry(thread).or_default().add();
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
                    pieces,
                    completion,
                    reduction,
                    rounds_to_tf32,
                    proxy: Proxy::Async,
                },
            );
            step.tell(lane, |step| Event::CopyPlan {
                copy,
                proxy: Proxy::TensorMap,
                kind: AccessKind::Read,
                range: step.range(at, TensorMap::BYTES as u64),
            });
            let pattern_bytes = tensor.shared_align_bytes() as u32;
            if tensor.swizzle != Swizzle::None {
                let located = Located::Shared { rank, offset };
                step.tell(lane, |step| Event::CopySwizzle {
                    copy,
                    range: step.range(located, 0),
                    pattern_bytes,
                });
            }
        }
        Ok(())
    }

    /// The map's 128 bytes: in parameters, constants or global memory, at a multiple of 64.
    fn read_map<O: Observer>(
        &self,
        step: &mut Step<'_, O>,
        lane: usize,
    ) -> Result<(TensorMap, Located), Trapped> {
        let located = step.locate(lane, &self.map, TensorMap::BYTES as u64, 64)?;
        if matches!(located, Located::Local { .. } | Located::Shared { .. }) {
            let what =
                "the tensor map is neither a parameter nor in constant or global memory".into();
            return Err(step.fault(lane, Trap::MapInLocalMemory, what));
        }
        let mut words = [0; TensorMap::BYTES / 8];
        let bytes = step.bytes(lane, located, TensorMap::BYTES);
        for (word, bytes) in words.iter_mut().zip(bytes.chunks_exact(8)) {
            *word = crate::machine::read(bytes);
        }
        Ok((TensorMap::from_words(words), located))
    }
}

/// Bytes that stay together at both ends, or at the shared end and out of bounds at the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Part {
    shared: u64,
    global: Option<u64>,
    bytes: u64,
}

/// Cuts a piece where the row enters and leaves the tensor.
fn split(row: &Row, piece: tensor_map::walk::Piece, tensor: u64, parts: &mut Vec<Part>) {
    let end = piece.row_offset + piece.bytes;
    let mut cuts = [piece.row_offset, row.inside.start, row.inside.end, end];
    for cut in &mut cuts {
        *cut = (*cut).clamp(piece.row_offset, end);
    }
    for (range, is_inside) in cuts.windows(2).zip([false, true, false]) {
        let (from, to) = (range[0], range[1]);
        if from < to {
            let global = tensor
                .wrapping_add_signed(row.global_offset)
                .wrapping_add(from);
            parts.push(Part {
                shared: u64::from(piece.shared_address) + (from - piece.row_offset),
                global: is_inside.then_some(global),
                bytes: to - from,
            });
        }
    }
}

/// Neighbours become one part, as long as it is not too long.
fn join(parts: &mut Vec<Part>) {
    const LONGEST: u64 = 256;
    parts.dedup_by(|next, part| {
        let goes_on = next.shared == part.shared + part.bytes
            && next.global == part.global.map(|global| global + part.bytes)
            && part.bytes + next.bytes <= LONGEST;
        if goes_on {
            part.bytes += next.bytes;
        }
        goes_on
    });
}

fn reduction(operator: Operator, data_type: DataType) -> Option<Reduction> {
    let bitwise = matches!(operator, Operator::And | Operator::Or | Operator::Xor);
    let ty = match data_type {
        DataType::U32 => Type::U32,
        DataType::I32 if bitwise => Type::B32,
        DataType::I32 => Type::S32,
        DataType::U64 => Type::U64,
        DataType::I64 if bitwise => Type::B64,
        DataType::I64 => Type::S64,
        DataType::F16 => Type::F16,
        DataType::Bf16 => Type::Bf16,
        DataType::F32 => Type::F32,
        DataType::F64 => Type::F64,
        _ => return None,
    };
    Reduction::new(operator, ty).ok()
}

/// Each `f32` to nearest even with 10 bits of fraction; a NaN has a pattern of its own.
pub(crate) fn round_to_tf32(bytes: &mut [u8]) {
    for element in bytes.chunks_exact_mut(4) {
        let bits = crate::machine::read(element) as u32;
        let is_nan = bits & 0x7fff_ffff > 0x7f80_0000;
        let odd = bits >> 13 & 1;
        let rounded = if is_nan {
            0x7fff_e000
        } else {
            bits.wrapping_add(0xfff + odd) & !0x1fff
        };
        crate::machine::write(element, rounded.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tf32_is_rounded_to_nearest_even() {
        let round = |value: u32| {
            let mut bytes = value.to_le_bytes();
            round_to_tf32(&mut bytes);
            u32::from_le_bytes(bytes)
        };
        let one = 1.0_f32.to_bits();
        assert_eq!(round(one), one);
        assert_eq!(round(one + 0x1000), one);
        assert_eq!(round(one + 0x1001), one + 0x2000);
        assert_eq!(round(one + 0x3000), one + 0x4000);
        assert_eq!(round(f32::INFINITY.to_bits()), f32::INFINITY.to_bits());
        assert_eq!(round(f32::NAN.to_bits()), 0x7fff_e000);
    }

    #[test]
    fn a_row_is_cut_where_it_leaves_the_tensor() {
        let row = Row {
            shared_offset: 0,
            global_offset: -8,
            bytes: 16,
            inside: 8..12,
        };
        let piece = tensor_map::walk::Piece {
            shared_address: 64,
            row_offset: 0,
            bytes: 16,
        };
        let mut parts = Vec::new();
        split(&row, piece, 1000, &mut parts);
        let part = |shared, global, bytes| Part {
            shared,
            global,
            bytes,
        };
        assert_eq!(
            parts,
            [
                part(64, None, 8),
                part(72, Some(1000), 4),
                part(76, None, 4)
            ]
        );
        let mut parts = vec![
            part(0, Some(0), 16),
            part(16, Some(16), 16),
            part(32, None, 16),
            part(48, None, 16),
        ];
        join(&mut parts);
        assert_eq!(parts, [part(0, Some(0), 32), part(32, None, 32)]);
    }
}
