//! Copies of contiguous bytes.

use super::super::{Action, CopyCase, LinearCopy, Transfer, linear_forms};
use crate::maps::generate::Random;

pub(super) fn case(random: &mut Random) -> CopyCase {
    let forms = linear_forms();
    let form = match random.once_in(2) {
        true => random.below(3),
        false => random.below(forms.len() as u64),
    } as usize;
    let most = random.pick(&[4, 32, 256, 1024]);
    let bytes = 16
        * match random.below(4) {
            0 => most,
            _ => 1 + random.below(most),
        };
    let near = |random: &mut Random| 16 * random.below(17);
    let (shared_at, global_at) = (near(random), near(random));
    let end = shared_at + bytes;
    let to = end + near(random);
    let shared_end = match forms[form].action {
        Action::Move | Action::ReduceShared(_) => to + bytes,
        _ => end,
    };
    let shared_bytes = shared_end + near(random);
    let global_bytes = global_at + bytes + near(random);
    let is_within = shared_end > end;
    let (from, to) = match random.once_in(2) {
        true if is_within => (to, shared_at),
        _ => (shared_at, to),
    };
    CopyCase {
        transfer: Transfer::Linear(LinearCopy {
            form,
            bytes: bytes as u32,
            to: if is_within { to as u32 } else { 0 },
        }),
        shared_bytes: shared_bytes as u32,
        shared_at: from as u32,
        global_bytes: global_bytes as u32,
        global_at: global_at as u32,
        contents: super::contents(random),
        seed: random.bits(),
    }
}
