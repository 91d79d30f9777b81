//! Memory as differences from other memory: runs of bytes, each preceded by its offset and length.

use std::borrow::Cow;

/// Runs begin and end at multiples of this, so that there are few of them.
const BLOCK_BYTES: usize = 256;
const HEAD_BYTES: usize = 16;

/// Returns the runs in which bytes differ from others, or from zeros, as headers and slices. All lengths except the
/// last are multiples of eight.
pub(crate) fn pieces<'a>(base: Option<&[u8]>, bytes: &'a [u8]) -> Vec<Cow<'a, [u8]>> {
    let zeros = [0; BLOCK_BYTES];
    let differs = |index: usize, block: &[u8]| {
        let start = index * BLOCK_BYTES;
        let base = base.map_or(&zeros[..block.len()], |base| {
            &base[start..start + block.len()]
        });
        block != base
    };
    let mut pieces = Vec::new();
    let mut blocks = bytes.chunks(BLOCK_BYTES).enumerate().peekable();
    while let Some((first, block)) = blocks.next() {
        if !differs(first, block) {
            continue;
        }
        let start = first * BLOCK_BYTES;
        let mut end = start + block.len();
        while let Some((_, block)) = blocks.next_if(|(index, block)| differs(*index, block)) {
            end += block.len();
        }
        let head = [start as u64, (end - start) as u64].map(u64::to_le_bytes);
        pieces.push(Cow::Owned(head.concat()));
        pieces.push(Cow::Borrowed(&bytes[start..end]));
    }
    pieces
}

/// Applies runs to other bytes. The error is the offset of the damage in the runs.
pub(crate) fn apply(runs: &[u8], bytes: &mut [u8]) -> Result<(), usize> {
    let mut at = 0;
    while at < runs.len() {
        let number = |from: usize| {
            let bytes = runs.get(from..from + 8)?.try_into().ok()?;
            usize::try_from(u64::from_le_bytes(bytes)).ok()
        };
        let range = |start: usize, len: Option<usize>| Some(start..start.checked_add(len?)?);
        let (start, len) = (number(at), number(at + 8));
        let from = range(at + HEAD_BYTES, len).and_then(|range| runs.get(range));
        let to = start.and_then(|start| range(start, len));
        let to = to.and_then(|range| bytes.get_mut(range));
        let (Some(from), Some(to)) = (from, to) else {
            return Err(at);
        };
        to.copy_from_slice(from);
        at += HEAD_BYTES + from.len();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encode(base: Option<&[u8]>, bytes: &[u8]) -> Vec<u8> {
        pieces(base, bytes).concat()
    }

    #[test]
    fn what_differs_is_kept_alone() {
        for len in [0, 1, 255, 256, 257, 5000] {
            let base: Vec<u8> = (0..len).map(|index| (index % 251) as u8).collect();
            assert!(encode(Some(&base), &base).is_empty());
            for at in [0, 256, 700, 4999] {
                let mut bytes = base.clone();
                let Some(byte) = bytes.get_mut(at) else {
                    continue;
                };
                *byte ^= 0x80;
                let runs = encode(Some(&base), &bytes);
                assert!(runs.len() <= HEAD_BYTES + BLOCK_BYTES, "{len} {at}");
                let mut again = base.clone();
                assert_eq!(apply(&runs, &mut again), Ok(()));
                assert_eq!(again, bytes);
            }
            let mut again = vec![0; len];
            assert_eq!(apply(&encode(None, &base), &mut again), Ok(()));
            assert_eq!(again, base);
        }
    }

    #[test]
    fn wrong_runs_are_refused_where_they_begin() {
        let one = encode(None, &[1; 300]);
        assert_eq!(apply(&one, &mut [0; 299]), Err(0));
        for len in 1..one.len() {
            assert_eq!(apply(&one[..len], &mut [0; 300]), Err(0), "{len}");
        }
        let two = [&one[..], &u64::MAX.to_le_bytes(), &[0; 8]].concat();
        assert_eq!(apply(&two, &mut [0; 300]), Err(one.len()));
    }
}
