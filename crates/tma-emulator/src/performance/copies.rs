//! Bulk and tensor copies: the sectors of global memory that they touch, beside the bytes of their boxes.

use std::collections::BTreeMap;

use tensor_map::L2Promotion;

use super::{
    counts::CopyCounts,
    sectors::{SECTOR_BYTES, units},
};
use crate::machine::observer::{BoxLayout, Origin};

/// A copy that is being issued.
#[derive(Clone, Debug)]
struct Issued {
    origin: Origin,
    /// Blocks that receive the bytes; the first stands for all.
    receivers: u32,
    bytes: u64,
    stores: bool,
    /// Address and length of each part in global memory.
    global: Vec<(u64, u64)>,
    row_bytes: u64,
    promotion: L2Promotion,
}

/// The copies of a launch.
#[derive(Clone, Debug, Default)]
pub(super) struct Copies {
    issued: Option<Issued>,
    pub(super) by_instruction: BTreeMap<usize, CopyCounts>,
}

impl Copies {
    /// Begins a copy, or adds a receiver to a multicast.
    pub(super) fn issue(&mut self, origin: Origin, bytes: u32) {
        if let Some(issued) = &mut self.issued
            && issued.origin == origin
        {
            issued.receivers += 1;
            return;
        }
        self.finish();
        self.issued = Some(Issued {
            origin,
            receivers: 1,
            bytes: u64::from(bytes),
            stores: false,
            global: Vec::new(),
            row_bytes: 0,
            promotion: L2Promotion::None,
        });
    }

    /// Adds bytes that the copy reads or writes in global memory.
    pub(super) fn global(&mut self, address: u64, bytes: u32, writes: bool) {
        if let Some(issued) = self.issued.as_mut().filter(|issued| issued.receivers == 1) {
            issued.stores |= writes;
            issued.global.push((address, u64::from(bytes)));
        }
    }

    /// Adds the box of a tensor copy.
    pub(super) fn tile(&mut self, tile: &BoxLayout, promotion: L2Promotion) {
        if let Some(issued) = &mut self.issued {
            let elements = tile.extents.iter().map(|extent| u64::from(*extent));
            issued.row_bytes = tile.data_type.global_bytes(u64::from(tile.extents[0]));
            issued.promotion = promotion;
            if issued.stores {
                // A store has no part for elements out of bounds.
                issued.bytes = tile.data_type.global_bytes(elements.product());
            }
        }
    }

    /// Counts the copy whose issue is over.
    pub(super) fn finish(&mut self) {
        let Some(mut issued) = self.issued.take() else {
            return;
        };
        issued.global.sort();
        let counts = self
            .by_instruction
            .entry(issued.origin.instruction)
            .or_default();
        counts.copies += 1;
        counts.stores |= issued.stores;
        counts.box_bytes += issued.bytes;
        counts.inside_bytes += units(&issued.global, 1);
        counts.sector_bytes += units(&issued.global, SECTOR_BYTES) * SECTOR_BYTES;
        counts.row_bytes = counts.row_bytes.max(issued.row_bytes);
        let promotion = match issued.promotion {
            L2Promotion::B64 => 64,
            L2Promotion::B128 => 128,
            L2Promotion::B256 => 256,
            _ => 0,
        };
        counts.promotion_bytes = counts.promotion_bytes.max(promotion);
        let unit = promotion.max(SECTOR_BYTES);
        counts.promoted_bytes += units(&issued.global, unit) * unit;
    }
}
