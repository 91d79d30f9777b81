//! `cp.async.bulk.tensor`: copies of the boxes that a tensor map describes. PTX ISA 9.7.9.27.1.
//!
//! Which bytes go where is `tensor_map`'s walk; the map is read from its 128 bytes.

mod copy;
mod parts;

use ptx::{Instruction, Operand, OperandKind, Type};
use tensor_map::WideMode;

use crate::{
    decode::{Modifiers, NotSupported},
    inst::{Action, Decoder, cp_async_bulk::SPACES},
    machine::{Address, Signal, Slot, Space},
    value::Operator,
};

/// A copy of a box.
#[derive(Clone, Debug)]
pub(crate) struct TensorCopy {
    mode: Mode,
    map: Address,
    coordinates: Box<[Slot]>,
    offsets: Box<[Slot]>,
    shared: Address,
    /// Loads have one.
    signal: Option<Signal>,
    reduces: Option<Operator>,
}

/// Which elements a copy takes, from the coordinates on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Tile,
    Gather4,
    Scatter4,
    Im2col,
    Im2colNoOffs,
    Im2colWide(WideMode),
}

const MODES: [(&str, Mode); 7] = [
    ("tile", Mode::Tile),
    ("tile::gather4", Mode::Gather4),
    ("tile::scatter4", Mode::Scatter4),
    ("im2col", Mode::Im2col),
    ("im2col_no_offs", Mode::Im2colNoOffs),
    ("im2col::w", Mode::Im2colWide(WideMode::W)),
    ("im2col::w::128", Mode::Im2colWide(WideMode::W128)),
];

impl Mode {
    /// As PTX writes it.
    fn name(self) -> &'static str {
        let find = MODES.iter().find(|(_, mode)| *mode == self);
        find.map_or("", |(name, _)| name)
    }

    /// Coordinates that the instruction takes.
    fn coordinates(self, rank: usize) -> usize {
        match self {
            Self::Gather4 | Self::Scatter4 => 5,
            _ => rank,
        }
    }

    /// Numbers in the operand behind the mbarrier, if it is there.
    pub(crate) fn offsets(self, rank: usize) -> Option<usize> {
        match self {
            Self::Im2col => Some(rank - 2),
            Self::Im2colWide(_) => Some(2),
            _ => None,
        }
    }
}

pub(crate) fn rank(modifiers: &mut Modifiers<'_>) -> Result<usize, NotSupported> {
    let ranks = [("1d", 1), ("2d", 2), ("3d", 3), ("4d", 4), ("5d", 5)];
    modifiers
        .one_of(&ranks)
        .ok_or(NotSupported::Part("number of dimensions"))
}

pub(crate) fn mode(modifiers: &mut Modifiers<'_>, rank: usize) -> Result<Mode, NotSupported> {
    let mode = modifiers.one_of(&MODES).unwrap_or(Mode::Tile);
    let fits = match mode {
        Mode::Tile => true,
        Mode::Gather4 | Mode::Scatter4 => rank == 2,
        Mode::Im2col | Mode::Im2colNoOffs | Mode::Im2colWide(_) => rank >= 3,
    };
    if !fits {
        return Err(format!("mode `.{}` is not known in {rank} dimensions", mode.name()).into());
    }
    Ok(mode)
}

/// `[map, {coordinates}]`
pub(crate) fn box_of(
    decoder: &mut Decoder<'_>,
    operand: &Operand,
    mode: Mode,
    rank: usize,
) -> Result<(Address, Box<[Slot]>), NotSupported> {
    let OperandKind::Memory {
        address,
        rest: coordinates,
    } = &operand.kind
    else {
        return Err("an operand that must be an address is none".into());
    };
    let coordinates = match coordinates.as_slice() {
        [coordinates] => numbers(decoder, coordinates, Type::S32, mode.coordinates(rank))?,
        _ => return Err("it has no coordinates".into()),
    };
    Ok((decoder.place(address, Space::Generic)?, coordinates))
}

/// A vector of so many numbers.
pub(crate) fn numbers(
    decoder: &mut Decoder<'_>,
    operand: &Operand,
    ty: Type,
    count: usize,
) -> Result<Box<[Slot]>, NotSupported> {
    let items = match &operand.kind {
        OperandKind::Vector(items) => items.as_slice(),
        _ => std::slice::from_ref(operand),
    };
    if items.len() != count {
        return Err(format!("a vector has {} elements, and not {count}", items.len()).into());
    }
    items.iter().map(|item| decoder.source(item, ty)).collect()
}

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
) -> Result<(), NotSupported> {
    decode_copy(decoder, instruction, modifiers, None)
}

/// A copy or, with an operator, a reduction.
pub(crate) fn decode_copy(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
    reduces: Option<Operator>,
) -> Result<(), NotSupported> {
    let rank = rank(modifiers)?;
    let to = modifiers
        .one_of(&SPACES)
        .ok_or(NotSupported::Part("destination"))?;
    let from = modifiers
        .one_of(&SPACES)
        .ok_or(NotSupported::Part("source"))?;
    let loads = match (to, from) {
        (Space::SharedCta | Space::SharedCluster, Space::Global) => true,
        (Space::Global, Space::SharedCta) => false,
        _ => return Err(NotSupported::Part("direction")),
    };
    let mode = match (mode(modifiers, rank)?, loads) {
        // Stores take no offsets, whatever their mode is called.
        (Mode::Im2col, false) => Mode::Im2colNoOffs,
        (Mode::Im2colNoOffs | Mode::Scatter4, true)
        | (Mode::Gather4 | Mode::Im2colWide(_), false) => {
            return Err(NotSupported::Part("mode for this direction"));
        }
        (mode, _) => mode,
    };
    let has_hint = modifiers.take("L2::cache_hint");
    let has_mbarrier = modifiers.take("mbarrier::complete_tx::bytes");
    let multicasts = modifiers.take("multicast::cluster");
    let group = modifiers.one_of(&[("cta_group::1", false), ("cta_group::2", true)]);
    let has_group = modifiers.take("bulk_group");
    if loads != has_mbarrier || loads == has_group || (loads && reduces.is_some()) {
        return Err(NotSupported::Part("way to complete"));
    }
    if multicasts && to != Space::SharedCluster || !loads && group.is_some() {
        return Err(NotSupported::Part("multicast or group"));
    }
    let mut rest = instruction.operands.iter();
    let mut next = || rest.next().ok_or(NotSupported::Operands);
    let ((map, coordinates), shared) = match loads {
        true => {
            let shared = decoder.address(next()?, to)?;
            (box_of(decoder, next()?, mode, rank)?, shared)
        }
        false => {
            let map = box_of(decoder, next()?, mode, rank)?;
            (map, decoder.address(next()?, from)?)
        }
    };
    let mbarrier = match has_mbarrier {
        true => Some(decoder.address(next()?, Space::SharedCluster)?),
        false => None,
    };
    let offsets = match mode.offsets(rank) {
        Some(count) => numbers(decoder, next()?, Type::U16, count)?,
        None => Box::default(),
    };
    let multicast = match multicasts {
        true => Some(decoder.source(next()?, Type::U16)?),
        false => None,
    };
    if has_hint {
        decoder.source(next()?, Type::B64)?;
    }
    if rest.next().is_some() {
        return Err(NotSupported::Operands);
    }
    let signal = mbarrier.map(|mbarrier| Signal {
        mbarrier,
        multicast,
        pairs: group == Some(true),
    });
    let copy = TensorCopy {
        mode,
        map,
        coordinates,
        offsets,
        shared,
        signal,
        reduces,
    };
    decoder.emit(Action::TensorCopy(Box::new(copy)));
    Ok(())
}
