use tma_launch::Conditions;

/// Bytes that one bulk copy takes.
pub(crate) fn bulk(conditions: &mut Conditions, parameter: &str, bytes: u64) {
    conditions.multiple(
        parameter,
        bytes,
        16,
        "bulk copies take 16 bytes: a multiple of",
    );
}

/// Where the bytes begin, and how many they are.
pub(crate) fn ends(conditions: &mut Conditions, offset_bytes: u64, len_bytes: u64) {
    bulk(conditions, "dst_offset_bytes", offset_bytes);
    bulk(conditions, "len_bytes", len_bytes);
}

/// How many pieces there are, which are counted in 31 bits.
pub(crate) fn chunks(conditions: &mut Conditions, len_bytes: u64, chunk_bytes: u32) -> u32 {
    let chunks = len_bytes.div_ceil(chunk_bytes.max(1).into());
    let most = i32::MAX as u32;
    let reason = "pieces that are counted in 31 bits:";
    conditions.within("chunks", chunks, 0..=most.into(), reason);
    u32::try_from(chunks).unwrap_or(most)
}
