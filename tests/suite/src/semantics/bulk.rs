//! The expected effect of copies by the TMA unit on a region of shared memory and on global memory.

use half::{bf16, f16};

use super::{
    blackwell::{counted_boxes, with_map},
    plan::{Plan, UNTOUCHED},
};
use crate::copies::{
    Action, Contents, CopyCase, Number, Operator, Output, Transfer,
    generate::of_form,
    reference::{self, reduce},
};
use crate::maps::generate::Random;

/// Words of each block.
pub(super) const WORDS: usize = 32;

/// One block, and the final contents of its region.
#[derive(Clone)]
pub(super) struct Block {
    pub(super) words: [u32; WORDS],
    pub(super) before: Vec<u8>,
    pub(super) after: Vec<u8>,
}

/// Tensor copies, bulk copies and reductions, their prefetches and groups.
pub(super) fn plans(text: &str, template: &str) -> Vec<Plan> {
    let opcode = text.split(' ').next().unwrap_or_default();
    let seed = text.bytes().fold(1, |seed: u64, byte| {
        seed.wrapping_mul(31).wrapping_add(byte.into())
    });
    let random = &mut Random::new(seed);
    if template == "bulk_groups" {
        return vec![groups(opcode)];
    }
    if opcode.contains(".tensor.") {
        return tensor(opcode, template, random);
    }
    match template {
        "prefetched" => vec![prefetched(random)],
        "stored" => stored(opcode),
        "policies" => vec![loaded(random, 1, 0)],
        "partial" => vec![partial(random)],
        "reported" => [None, report_pattern(opcode)]
            .map(|pattern| reported(opcode, random, pattern))
            .into(),
        "moved" => contents(opcode)
            .map(|it| moved(opcode, random, it))
            .collect(),
        "grouped" => contents(opcode)
            .map(|it| grouped(opcode, random, it))
            .collect(),
        _ if opcode.contains(".multicast") => (1..16).map(|mask| loaded(random, 4, mask)).collect(),
        _ if opcode.contains(".shared::cluster.global") => {
            vec![loaded(random, 2, 0), loaded(random, 1, 0)]
        }
        _ => vec![loaded(random, 1, 0)],
    }
}

pub(super) fn plan(blocks: &[Block], memory: (Vec<u8>, Vec<u8>)) -> Plan {
    let words = |bytes: &[u8]| -> Vec<u32> {
        let words = bytes.chunks_exact(4);
        words
            .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
            .collect()
    };
    let with = |bytes: &[u8], status: u32| [words(bytes), vec![status; 2]].concat();
    let out = blocks
        .iter()
        .flat_map(|block| with(&block.before, UNTOUCHED));
    let expected = blocks.iter().flat_map(|block| with(&block.after, 1));
    let of_blocks: Vec<u32> = blocks.iter().flat_map(|block| block.words).collect();
    let most = blocks.iter().map(|block| block.before.len()).max();
    Plan {
        blocks: blocks.len() as u32,
        shared_bytes: most.unwrap_or_default() as u32,
        out: Some(out.collect()),
        memory: memory.0,
        memory_after: memory.1,
        ..Plan::new(&of_blocks, expected.collect())
    }
}

/// Random bytes.
fn bits(random: &mut Random, bytes: usize) -> Vec<u8> {
    filled(random, bytes, Contents::Bits, Number::Unsigned(4))
}

fn filled(random: &mut Random, bytes: usize, contents: Contents, number: Number) -> Vec<u8> {
    let mut all = vec![0; bytes];
    contents.fill(number, random, &mut all);
    all
}

/// A bulk load by the other block of a cluster of two, or by the first block for the blocks in the mask.
fn loaded(random: &mut Random, blocks: u32, mask: u32) -> Plan {
    const REGION: usize = 640;
    let (here, at, bytes) = (48, 80, 400);
    let memory = bits(random, 768);
    let block = |rank: u32| {
        let before = bits(random, REGION);
        let mut after = before.clone();
        let gets = mask == 0 || mask >> rank & 1 != 0;
        if gets {
            after[here..][..bytes].copy_from_slice(&memory[at..][..bytes]);
        }
        let mut words = [0; WORDS];
        words[..4].copy_from_slice(&[
            REGION as u32,
            here as u32,
            bytes as u32,
            if gets { bytes as u32 } else { 0 },
        ]);
        words[13] = mask;
        words[14] = at as u32;
        words[15] = u32::from(mask == 0 || rank == 0);
        Block {
            words,
            before,
            after,
        }
    };
    let blocks: Vec<Block> = (0..blocks).map(block).collect();
    plan(&blocks, (memory.clone(), memory))
}

/// A load whose first and last bytes are undefined; they are erased.
fn partial(random: &mut Random) -> Plan {
    let (here, left, right) = (48, 5, 11);
    let mut plan = loaded(random, 1, 0);
    plan.words[16..18].copy_from_slice(&[left, right]);
    // The region is first in the results.
    let region: &mut [u8] = bytemuck::cast_slice_mut(&mut plan.expected);
    let copied = &mut region[here..][..plan.words[2] as usize];
    copied[..left as usize].fill(0);
    let end = copied.len() - right as usize;
    copied[end..].fill(0);
    plan
}

/// 16 bytes in which whatever is looked at is reported.
pub(super) fn report_pattern(opcode: &str) -> Option<[u8; 16]> {
    let word: u32 = match opcode.split("validity::").nth(1)? {
        "per_16bytes::80000000" => 0x8000_0000,
        "per_16bytes::8000" => 0x8000_8000,
        "per_16bytes::80" => 0x8080_8080,
        "per_16bytes::8" => 0x8888_8888,
        // One byte is enough.
        _ => return Some([1, 2, 3, 4, 5, 0xff, 7, 1, 1, 1, 1, 1, 1, 1, 1, 1]),
    };
    word.to_le_bytes().repeat(4).try_into().ok()
}

/// A load of bytes with none to report, or with 16 of them.
fn reported(opcode: &str, random: &mut Random, pattern: Option<[u8; 16]>) -> Plan {
    let blocks = if opcode.contains(".shared::cluster") {
        2
    } else {
        1
    };
    let mut plan = loaded(random, blocks, 0);
    let (here, at, bytes) = (48, 80, 400);
    // Neither -0 of any width nor 0xff.
    plan.memory
        .iter_mut()
        .for_each(|byte| *byte = *byte & 0x77 | 0x11);
    if let Some(pattern) = pattern {
        plan.memory[at + 160..][..16].copy_from_slice(&pattern);
    }
    plan.memory_after.clone_from(&plan.memory);
    let per_block = plan.expected.len() / blocks as usize;
    for results in plan.expected.chunks_exact_mut(per_block) {
        let region: &mut [u8] = bytemuck::cast_slice_mut(results);
        region[here..][..bytes].copy_from_slice(&plan.memory[at..][..bytes]);
    }
    for words in plan.words.chunks_exact_mut(WORDS) {
        words[16] = pattern.is_some().into();
    }
    plan
}

/// The operator and the type of a reduction; none for a copy.
fn reduction(opcode: &str) -> Option<(Operator, Number)> {
    let is_reduction = opcode.starts_with("cp.reduce");
    let part = |name: &str| opcode.split('.').any(|part| part == name);
    let operator = Operator::ALL
        .into_iter()
        .find(|operator| part(operator.name()));
    let number = opcode.rsplit('.').next().and_then(Number::named);
    operator.zip(number).filter(|_| is_reduction)
}

/// The contents of memory: increasing numbers, and numbers at the edges.
fn contents(opcode: &str) -> impl Iterator<Item = Contents> + use<> {
    let is_float = reduction(opcode).is_some_and(|(_, number)| number.is_float());
    let all: &[Contents] = match is_float {
        true => &[Contents::Finite],
        false => &[Contents::Bits, Contents::Finite],
    };
    all.iter().copied()
}

/// A word of the destination after a store, or a reduction as a number without a sign.
pub(super) fn reduced(opcode: &str, old: u32, new: u32) -> u32 {
    let part = |name: &str| opcode.split('.').any(|part| part == name);
    let mut operators = Operator::ALL.into_iter();
    let Some(operator) = operators.find(|operator| part(operator.name())) else {
        return new;
    };
    let mut word = old.to_le_bytes();
    reduce(operator, Number::Unsigned(4), &mut word, &new.to_le_bytes())
        .expect("it has all of them");
    u32::from_le_bytes(word)
}

/// The bytes at the destination afterwards.
fn combined(opcode: &str, old: &[u8], new: &[u8]) -> Vec<u8> {
    let Some((operator, number)) = reduction(opcode) else {
        return new.to_vec();
    };
    let mut result = old.to_vec();
    let bytes = number.bytes();
    for (old, new) in result.chunks_mut(bytes).zip(new.chunks(bytes)) {
        match number {
            Number::F16 | Number::Bf16 => halves(operator, number, old, new),
            _ => reduce(operator, number, old, new).unwrap_or_else(|| panic!("{opcode}")),
        }
    }
    result
}

/// Finite halves: the sum of two is rounded to the nearest, in a type with more than twice
/// as many bits.
fn halves(operator: Operator, number: Number, old: &mut [u8], new: &[u8]) {
    let (a, b) = ([old[0], old[1]], [new[0], new[1]]);
    let pick = |is_less: bool| match (operator, is_less) {
        (Operator::Min, true) | (Operator::Max, false) => a,
        _ => b,
    };
    let result = match (operator, number) {
        (Operator::Add, Number::F16) => {
            let sum = f16::from_le_bytes(a).to_f32() + f16::from_le_bytes(b).to_f32();
            f16::from_f32(sum).to_le_bytes()
        }
        (Operator::Add, _) => {
            let sum = bf16::from_le_bytes(a).to_f32() + bf16::from_le_bytes(b).to_f32();
            bf16::from_f32(sum).to_le_bytes()
        }
        (_, Number::F16) => pick(
            f16::from_le_bytes(a)
                .total_cmp(&f16::from_le_bytes(b))
                .is_lt(),
        ),
        _ => pick(
            bf16::from_le_bytes(a)
                .total_cmp(&bf16::from_le_bytes(b))
                .is_lt(),
        ),
    };
    old.copy_from_slice(&result);
}

/// Copies from each block's shared memory into the other block's.
fn moved(opcode: &str, random: &mut Random, contents: Contents) -> Plan {
    const REGION: usize = 960;
    let (here, there, bytes) = (16, 480, 432);
    let number = reduction(opcode).map_or(Number::Unsigned(4), |(_, number)| number);
    let before: Vec<Vec<u8>> = (0..2)
        .map(|_| filled(random, REGION, contents, number))
        .collect();
    let block = |rank: usize| {
        let mut words = [0; WORDS];
        words[..4].copy_from_slice(&[REGION as u32, here as u32, bytes as u32, bytes as u32]);
        words[12] = there as u32;
        words[15] = 1;
        let mut after = before[rank].clone();
        let new = &before[1 - rank][here..][..bytes];
        let result = combined(opcode, &after[there..][..bytes], new);
        after[there..][..bytes].copy_from_slice(&result);
        Block {
            words,
            before: before[rank].clone(),
            after,
        }
    };
    plan(&[block(0), block(1)], (Vec::new(), Vec::new()))
}

/// Copies from shared into global memory.
fn grouped(opcode: &str, random: &mut Random, contents: Contents) -> Plan {
    const REGION: usize = 640;
    let (here, at, bytes) = (32, 144, 432);
    let number = reduction(opcode).map_or(Number::Unsigned(4), |(_, number)| number);
    let region = filled(random, REGION, contents, number);
    let memory = filled(random, 768, contents, number);
    let mut after = memory.clone();
    let new = &region[here..][..bytes];
    let result = combined(opcode, &memory[at..][..bytes], new);
    // The bytes of each 16 that are copied.
    let mask = if opcode.contains(".cp_mask") {
        0xa5c3_u32
    } else {
        0xffff
    };
    for (index, byte) in result.iter().enumerate() {
        if mask >> (index % 16) & 1 != 0 {
            after[at + index] = *byte;
        }
    }
    let mut words = [0; WORDS];
    words[13] = mask;
    words[..3].copy_from_slice(&[REGION as u32, here as u32, bytes as u32]);
    words[14] = at as u32;
    let block = Block {
        words,
        before: region.clone(),
        after: region,
    };
    plan(&[block], (memory, after))
}

/// Unchanged global memory.
fn prefetched(random: &mut Random) -> Plan {
    const REGION: usize = 640;
    // `applypriority` requires the start of a line.
    let memory = bits(random, 1024);
    let mut words = [0; WORDS];
    words[..3].copy_from_slice(&[REGION as u32, 0, 496]);
    words[14] = 128;
    let block = Block {
        words,
        before: vec![0; REGION],
        after: memory[..REGION].to_vec(),
    };
    plan(&[block], (memory.clone(), memory))
}

fn groups(opcode: &str) -> Plan {
    const GROUP_WORDS: u32 = 32;
    let what = match opcode.rsplit('.').next() {
        Some("commit_group") => 0,
        Some("wait_group") => 1,
        _ => 2,
    };
    let seed = 0x5a5a_1234_u32;
    let memory: Vec<u32> = (0..5 * GROUP_WORDS).map(|index| seed ^ index).collect();
    let results = match what {
        2 => vec![UNTOUCHED; 2],
        _ => vec![seed, seed ^ GROUP_WORDS],
    };
    Plan {
        memory: vec![0; 4 * memory.len()],
        memory_after: bytemuck::cast_slice(&memory).to_vec(),
        ..Plan::new(&[what, seed], results)
    }
}

/// One store or reduction into the other block's shared memory, with values that differ in each half.
fn stored(opcode: &str) -> Vec<Plan> {
    const REGION: usize = 64;
    const HERE: usize = 16;
    // Old and new numbers: in the midst, at the ends of each type, and beyond the wrap.
    let pairs: [(u64, u64); 5] = [
        (0x0000_0005_8000_0001, 0x0000_0003_0000_0007),
        (0xffff_ffff_ffff_ffff, 1),
        (0x8000_0000_8000_0000, 0x7fff_ffff_7fff_ffff),
        (0, 0x0123_4567_89ab_cdef),
        (0x0000_0007_0000_0007, 0x0000_0007_0000_0007),
    ];
    let plan = |(old, new): (u64, u64)| {
        let mut words = [0; WORDS];
        let (low, high) = (new as u32, (new >> 32) as u32);
        words[..2].copy_from_slice(&[REGION as u32, HERE as u32]);
        words[15] = 1;
        words[16] = low.rotate_left(8);
        words[2] = low;
        words[4..8].copy_from_slice(&[low, !low, low.rotate_left(5), low ^ 0xff]);
        words[17..19].copy_from_slice(&[low, low.rotate_left(9)]);
        words[19..23].copy_from_slice(&[low, high, !low, high.rotate_left(3)]);
        let bytes = source(opcode, &words);
        words[3] = bytes.len() as u32;
        let before: Vec<u8> = old.to_le_bytes().repeat(REGION / 8);
        let mut after = before.clone();
        let range = HERE..HERE + bytes.len();
        match red(opcode) {
            Some((operator, number)) => {
                reduce(operator, number, &mut after[range], &bytes).expect("a type of integers");
            }
            None => after[range].copy_from_slice(&bytes),
        }
        let block = Block {
            words,
            before,
            after,
        };
        plan(&[block.clone(), block], (Vec::new(), Vec::new()))
    };
    pairs.map(plan).into()
}

/// The operator and the type of `red.async`.
fn red(opcode: &str) -> Option<(Operator, Number)> {
    opcode.starts_with("red.").then_some(())?;
    let part = |name: &str| opcode.split('.').any(|part| part == name);
    let operator = Operator::ALL
        .into_iter()
        .find(|operator| part(operator.name()));
    operator.zip(opcode.rsplit('.').next().and_then(Number::named))
}

/// The bytes of the values that the call names.
fn source(opcode: &str, words: &[u32; WORDS]) -> Vec<u8> {
    let ty = opcode.rsplit('.').next().unwrap_or_default();
    let count = match () {
        () if opcode.contains(".v4.") => 4,
        () if opcode.contains(".v2.") => 2,
        () => 1,
    };
    let [n, m, f, g] = [2, 16, 17, 18].map(|index| words[index]);
    let numbers: Vec<u32> = match (ty, count) {
        ("u64", 2) | ("b128", _) => words[19..23].into(),
        ("s64" | "f64", 2) => words[19..21].repeat(2),
        ("u64" | "s64" | "f64", _) => words[19..21].into(),
        ("f32", 1) => vec![f],
        ("f32", _) => [f, g].repeat(count / 2),
        // The call of `red.async` takes `n` for all types but one.
        ("s32", _) if !opcode.starts_with("red.") => words[4..4 + count].into(),
        ("s32", _) if opcode.contains(".add.") => vec![words[4]],
        (_, 1) => vec![n],
        _ => [n, m].repeat(count / 2),
    };
    bytemuck::cast_slice(&numbers).to_vec()
}

/// Boxes of tensors that the copies between a GPU and the emulator have, too.
fn tensor(opcode: &str, template: &str, random: &mut Random) -> Vec<Plan> {
    let parts: Vec<&str> = opcode.split('.').collect();
    let has = |name: &str| parts.contains(&name);
    let operator = Operator::ALL
        .into_iter()
        .find(|operator| has(operator.name()));
    let action = match (template, operator) {
        ("grouped", Some(operator)) => Action::Reduce(operator),
        ("grouped", None) => Action::Store,
        _ => Action::Load,
    };
    let rank = (1..=5)
        .find(|rank| has(&format!("{rank}d")))
        .unwrap_or_default();
    let is_im2col = has("im2col") || has("im2col_no_offs");
    let pairs = has("cta_group::2");
    let mut case = |across: bool| loop {
        let case = of_form(random, action, is_im2col, rank, across);
        let changes = |after: Output| after.global != Output::before(&case).global;
        // Other forms have cases that GPUs have run.
        let is_new = template == "grouped" && opcode.contains(".override::");
        if !is_new || reference::expected(&case).is_some_and(changes) {
            return case;
        }
    };
    match template {
        "prefetched" => vec![boxed(&case(true), opcode, template, (1, false), 0)],
        _ if opcode.contains(".multicast") => {
            let case = case(true);
            (1..16)
                .map(|mask| boxed(&case, opcode, template, (4, pairs), mask))
                .collect()
        }
        "completes_tx" if opcode.contains(".shared::cluster.global") => vec![
            boxed(&case(true), opcode, template, (2, false), 0),
            boxed(&case(false), opcode, template, (1, false), 0),
        ],
        _ => [true, false]
            .map(|across| boxed(&case(across), opcode, template, (1, false), 0))
            .into(),
    }
}

/// A case in each of some blocks, or in the blocks of the mask.
pub(super) fn boxed(
    case: &CopyCase,
    opcode: &str,
    template: &str,
    (blocks, pairs): (u32, bool),
    mask: u32,
) -> Plan {
    let before = Output::before(case);
    let expected = reference::expected(case).expect("such cases are chosen");
    let Transfer::Tensor(copy) = &case.transfer else {
        panic!("a case of a tensor");
    };
    let block = |rank: u32| {
        let gets = mask == 0 || mask >> rank & 1 != 0;
        let mut words = [0; WORDS];
        words[0] = case.shared_bytes;
        words[1] = case.shared_at;
        let boxes = counted_boxes(
            rank,
            &|rank| mask == 0 || mask >> rank & 1 != 0,
            mask,
            pairs,
        );
        words[3] = boxes * case.expected_bytes().unwrap_or(0) as u32;
        for (word, coordinate) in words[4..].iter_mut().zip(&copy.coordinates) {
            *word = *coordinate as u32;
        }
        for (word, offset) in words[9..].iter_mut().zip(&copy.offsets) {
            *word = (*offset).into();
        }
        words[13] = mask;
        words[15] = u32::from(mask == 0 || rank == 0);
        let (mut first, mut after) = (before.shared.clone(), before.shared.clone());
        if template == "prefetched" {
            let bytes = before.shared.len().min(before.global.len());
            words[0] = bytes as u32;
            first.truncate(bytes);
            after = before.global[..bytes].to_vec();
        } else if gets {
            after.clone_from(&expected.shared);
        }
        Block {
            words,
            before: first,
            after,
        }
    };
    let blocks: Vec<Block> = (0..blocks).map(block).collect();
    let memory_after = match template {
        "prefetched" => before.global.clone(),
        _ => expected.global,
    };
    let mut plan = plan(&blocks, (before.global.clone(), memory_after));
    with_map(&mut plan, opcode, copy.params, case.global_at as usize);
    plan
}
