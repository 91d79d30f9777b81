//! Products of a warpgroup: their registers, and the operands that its warps must agree on.

use super::{checker::Checker, finding::FindingEnd, kind::DiagnosticKind};
use crate::machine::observer::Origin;

impl Checker {
    /// Reports an access to a register that a product still uses.
    pub(super) fn product_register(&mut self, origin: Origin, issue: usize) {
        let here = FindingEnd::new(origin, "accesses a register of the product");
        let there = FindingEnd {
            instruction: issue,
            ..FindingEnd::new(origin, "issues a product")
        };
        self.report(
            DiagnosticKind::ProductRegisterInFlight,
            here,
            Some(there),
            |_| vec!["its warp has not waited for the product's group".into()],
        );
    }

    /// Reports a product with registers that were accessed since the last fence.
    pub(super) fn product_unfenced(
        &mut self,
        origin: Origin,
        access: Option<usize>,
        is_early: bool,
    ) {
        let here = FindingEnd::new(origin, "issues a product");
        let there = access.map(|instruction| FindingEnd {
            instruction,
            ..FindingEnd::new(origin, "accesses a register of the product")
        });
        let note = match access {
            Some(_) => "no `wgmma.fence` was executed between the two",
            None => "the warp has executed no `wgmma.fence`",
        };
        let kind = match is_early {
            true => DiagnosticKind::SumsSetAfterFence,
            false => DiagnosticKind::MissingProductFence,
        };
        self.report(kind, here, there, |_| vec![note.into()]);
    }

    /// Reports warps of a warpgroup with different descriptors.
    pub(super) fn product_descriptor(&mut self, origin: Origin) {
        let here = FindingEnd::new(origin, "issues a product");
        self.report(DiagnosticKind::InvalidCollective, here, None, |_| {
            vec![
                "its descriptor or `scale-d` differs from the one in the first warp of its warpgroup".into(),
            ]
        });
    }
}
