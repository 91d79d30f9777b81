//! Checks the instructions that the lanes of a warp, or the warps of a warpgroup, must execute
//! together.

use super::{checker::Checker, finding::FindingEnd, grid::Block, kind::DiagnosticKind};
use crate::{machine::observer::Origin, value::LANES};

const WARPS_OF_GROUP: usize = 4;
/// The number of `setmaxnreg` of a warp that are remembered.
const MAX_REGISTER_CHANGES: usize = 64;

impl Checker {
    pub(super) fn shuffle_outside(&mut self, origin: Origin, from: u32) {
        let here = FindingEnd::new(origin, format!("reads lane {from} of its warp"));
        self.report(DiagnosticKind::ShuffleOutsideMask, here, None, |_| {
            Vec::new()
        });
    }

    /// Checks that the kernel declares its registers per thread, that `.dec` does not increase them, and that
    /// `.inc` does not decrease them (PTX ISA 9.7.19.5).
    pub(super) fn direction_of_registers(
        &mut self,
        origin: Origin,
        count: u32,
        before: Option<u32>,
        increases: bool,
    ) {
        let here = FindingEnd::new(origin, format!("sets the registers of its warp to {count}"));
        match before {
            None => {
                self.report(DiagnosticKind::SetmaxnregUnbounded, here, None, |_| {
                    Vec::new()
                });
            }
            Some(before) if increases && count < before || !increases && count > before => {
                self.report(DiagnosticKind::SetmaxnregWrongWay, here, None, |_| {
                    vec![format!("its threads have {before} registers each")]
                });
            }
            Some(_) => {}
        }
    }

    pub(super) fn set_max_registers(&mut self, origin: Origin, count: u32) {
        let warps = self.grid.extents.threads.div_ceil(LANES as u32);
        let Some(block) = self.grid.blocks.get_mut(origin.block as u32) else {
            return;
        };
        block.registers.resize(warps as usize, Vec::new());
        let changes = &mut block.registers[origin.thread as usize / LANES];
        if changes.len() < MAX_REGISTER_CHANGES {
            changes.push((origin, count));
        }
    }

    /// Checks that all warps of a warpgroup execute the same `setmaxnreg` (PTX ISA 9.7.19.5).
    pub(super) fn registers_at_end(&mut self, block: &Block) {
        for (group, warps) in block.registers.chunks(WARPS_OF_GROUP).enumerate() {
            let longest = warps.iter().map(Vec::len).max().unwrap_or(0);
            let step = |warp: &[(Origin, u32)], at: usize| {
                let change = warp.get(at);
                change.map(|(origin, count)| (origin.instruction, *count))
            };
            let differs = |at: &usize| {
                let all: Vec<_> = warps.iter().map(|warp| step(warp, *at)).collect();
                all.iter().any(|other| *other != all[0])
            };
            let Some(at) = (0..longest).find(differs) else {
                continue;
            };
            let mut there = warps.iter().filter_map(|warp| warp.get(at));
            let Some((origin, count)) = there.next() else {
                continue;
            };
            let same = (origin.instruction, *count);
            let what = |count| format!("sets the registers of its warp to {count}");
            let other = there.find(|(by, count)| (by.instruction, *count) != same);
            let other = other.map(|(by, count)| FindingEnd::new(*by, what(*count)));
            let without = warps.iter().filter(|warp| step(warp, at).is_none()).count();
            let here = FindingEnd::new(*origin, what(*count));
            self.report(DiagnosticKind::SetmaxnregDiverges, here, other, |_| {
                let of = warps.len();
                vec![match without {
                    0 => format!("both are warps of warpgroup {group}"),
                    _ => {
                        format!("{without} of the {of} warps of warpgroup {group} execute none")
                    }
                }]
            });
        }
    }
}
