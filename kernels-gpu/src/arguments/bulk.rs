use tma_launch::Conditions;

/// Bytes that one bulk copy takes.
pub(crate) fn bulk(conditions: &mut Conditions, parameter: &str, bytes: u64) {
    conditions.multiple(parameter, bytes, 16, "bulk copies move units of 16 bytes");
}

/// The longest pieces that one bulk copy and one phase of a barrier take.
const MOST_CHUNK_BYTES: u32 = (1 << 20) - 16;

/// Bytes of a piece.
pub(crate) fn chunk(conditions: &mut Conditions, chunk_bytes: u32) {
    let reason = "bytes of one bulk copy";
    conditions.within("chunk_bytes", chunk_bytes, 16..=MOST_CHUNK_BYTES, reason);
    bulk(conditions, "chunk_bytes", chunk_bytes.into());
}

/// There is a block for each piece, and one of its threads works.
pub(crate) fn each(conditions: &mut Conditions, len_bytes: u64, threads: u32) {
    let reason = "the grid must not be empty";
    conditions.at_least("len_bytes", len_bytes, 16, reason);
    conditions.whole_warps(threads);
    let reason = "blocks of one chunk have at most 256 threads";
    conditions.within("block size", threads, 32..=256, reason);
}

/// Checks the offset and the number of the bytes.
pub(crate) fn ends(conditions: &mut Conditions, offset_bytes: u64, len_bytes: u64) {
    bulk(conditions, "dst_offset_bytes", offset_bytes);
    bulk(conditions, "len_bytes", len_bytes);
}

/// Checks the offset and the size in bytes of a part of two buffers.
pub(crate) fn part(conditions: &mut Conditions, offset_bytes: u64, len_bytes: u64) {
    bulk(conditions, "offset_bytes", offset_bytes);
    bulk(conditions, "len_bytes", len_bytes);
}

/// Returns the number of pieces, and checks that it fits into 31 bits.
pub(crate) fn chunks(conditions: &mut Conditions, len_bytes: u64, chunk_bytes: u32) -> u32 {
    let chunks = len_bytes.div_ceil(chunk_bytes.max(1).into());
    let most = i32::MAX as u32;
    let reason = "chunks are counted in 31 bits";
    conditions.within("chunks", chunks, 0..=most.into(), reason);
    u32::try_from(chunks).unwrap_or(most)
}
