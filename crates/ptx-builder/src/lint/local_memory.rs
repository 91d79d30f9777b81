use ptx::{Block, Space};

use super::{Finding, Kind};

/// The local variables of a kernel, which LLVM calls its depot.
pub(super) fn depot(function: &str, body: &Block) -> Option<Finding> {
    let local = body
        .variables()
        .filter(|variable| variable.space == Space::Local);
    let bytes = local
        .flat_map(|variable| {
            variable
                .declarators
                .iter()
                .map(|name| variable.size_bytes(name).unwrap_or(0))
        })
        .sum();
    (bytes > 0).then(|| Finding {
        kind: Kind::LocalMemory { bytes },
        function: function.to_owned(),
        rust: None,
    })
}
