//! The bytes of shared memory that `wgmma` reads for each element of a matrix, by its descriptor.
//!
//! Shared memory holds the number of each element: one block has the numbers' low bytes, another the high ones. The other
//! matrix has a single one for each K, so that each result is the number of one element.

mod kernel;

use half::f16;
use tma_host::Jobs;
use tma_launch::{Buffer, Failure, Job, Launch, Ptx};

use super::{
    Tally, emulate,
    form::{Element, Group, ProductForm, all},
    in_parts,
    tiles::Rng,
    words_of,
};

/// Bytes of shared memory that a descriptor may address.
const MEMORY_BYTES: usize = 1 << 16;
/// Columns of B.
const COLUMNS: usize = 128;
const ROWS: usize = 64;
/// Words of the sums of a block.
const SUMS: usize = ROWS * COLUMNS;
/// Blocks for one descriptor: one for each byte of an element's number.
const BLOCKS: usize = 2;

/// One matrix of a form in one layout.
#[derive(Clone, Debug)]
pub struct Layout {
    form: ProductForm,
    is_a: bool,
    is_mn_major: bool,
    /// Bytes of a line of the swizzle; 16 without one.
    span: usize,
}

/// A layout with random descriptors.
pub struct Descriptors<'l> {
    layout: &'l Layout,
    text: String,
    /// The parts of the input that all blocks share.
    common: Vec<u32>,
    descriptors: Vec<Descriptor>,
}

#[derive(Clone, Copy, Debug)]
struct Descriptor {
    /// The offset in `MEMORY_BYTES`.
    start: usize,
    leading: usize,
    stride: usize,
    base_offset: usize,
}

/// Returns all layouts of the types that have their own layouts.
pub fn layouts() -> Vec<Layout> {
    let types = [".f32.f16.f16", ".f32.tf32.tf32", ".s32.u8.u8"];
    let mut layouts = Vec::new();
    for mut form in all() {
        let is_one = form.group == Group::Warpgroup
            && form.shape.n == 8
            && form.negates == [false; 2]
            && form.selector.unwrap_or(0) == 0
            && types.iter().any(|types| form.opcode.ends_with(types));
        if !is_one {
            continue;
        }
        form.shape.n = COLUMNS as u32;
        form.opcode = form.opcode.replace("n8k", &format!("n{COLUMNS}k"));
        for is_a in [true, false] {
            for is_mn_major in [false, true] {
                let is_there =
                    (!is_a || form.is_shared) && (!is_mn_major || form.elements[0] == Element::F16);
                let spans = if is_there {
                    &[16, 32, 64, 128][..]
                } else {
                    &[]
                };
                layouts.extend(spans.iter().map(|span| Layout {
                    form: form.clone(),
                    is_a,
                    is_mn_major,
                    span: *span,
                }));
            }
        }
    }
    layouts
}

impl Layout {
    /// The form, the matrix, and its layout.
    pub fn name(&self) -> String {
        let matrix = if self.is_a { 'A' } else { 'B' };
        let major = match (self.is_mn_major, self.is_a) {
            (false, _) => 'K',
            (true, true) => 'M',
            (true, false) => 'N',
        };
        let swizzle = match self.span {
            16 => "no swizzle".to_owned(),
            span => format!("swizzle {span}"),
        };
        format!("{}: {matrix} {major}-major, {swizzle}", self.form.name())
    }

    fn element_bytes(&self) -> usize {
        self.form.elements[0].bits() / 8
    }

    /// Rows of A or columns of B, and the stored elements along K.
    fn extents(&self) -> (usize, usize) {
        match self.is_a {
            true => (ROWS, self.form.kept()),
            false => (COLUMNS, self.form.depth()),
        }
    }

    /// The byte at which an element is read.
    fn rule(&self, descriptor: Descriptor, mn: usize, k: usize) -> usize {
        let Descriptor {
            start,
            leading,
            stride,
            base_offset,
        } = descriptor;
        let bytes = self.element_bytes();
        let (span, mask) = (self.span, self.span / 16 - 1);
        let offset = match (self.is_mn_major, span) {
            (false, _) => {
                mn % 8 * span + mn / 8 * stride + k * bytes / span * leading + k * bytes % span
            }
            (true, 16) => mn * bytes / 16 * stride + mn * bytes % 16 + k % 8 * 16 + k / 8 * leading,
            (true, _) => {
                mn * bytes / span * leading + mn * bytes % span + k % 8 * span + k / 8 * stride
            }
        };
        let address = start + offset;
        let line = (address / 128 + 8 - base_offset) & mask;
        address ^ (line * 16)
    }

    /// Returns the position in D of element (`mn`, `k`) of the matrix: row and column.
    fn shown(&self, mn: usize, k: usize) -> (usize, usize) {
        match self.is_a {
            true => (mn, self.first_kept(k)),
            false => (k, mn),
        }
    }

    /// Returns the K of the stored element `at` of A if all metadata names the first elements of a group.
    fn first_kept(&self, at: usize) -> usize {
        match (self.form.selector, self.form.elements[0]) {
            (None, _) => at,
            (Some(_), Element::Tf32) => 2 * at,
            (Some(_), _) => 4 * (at / 2) + at % 2,
        }
    }

    /// A small number as an element.
    fn number(&self, number: usize) -> u32 {
        match self.form.elements[0] {
            Element::F16 => f16::from_f64(number as f64).to_bits().into(),
            Element::Tf32 => (number as f32).to_bits(),
            _ => number as u32,
        }
    }

    /// Returns the other matrix: a one for each K.
    fn other(&self) -> Vec<u32> {
        let form = &self.form;
        let bits = form.elements[0].bits();
        let (lines, depth) = match self.is_a {
            true => (COLUMNS, form.depth()),
            false => (ROWS, form.kept()),
        };
        let mut words = vec![0; lines * depth * bits / 32];
        for k in 0..form.depth() {
            let at = match (self.is_a, form.selector, form.elements[0]) {
                (true, ..) => form.bit_of_b(0, k, k),
                (false, None, _) => form.bit_of_a(0, k, k),
                (false, Some(_), Element::Tf32) => form.bit_of_a(0, k, k / 2),
                (false, Some(_), _) => form.bit_of_a(0, k, k / 4 * 2 + k % 2),
            };
            words[at / 32] |= self.number(1) << (at % 32);
        }
        words
    }

    /// Returns metadata that names the first elements of a group, except, for B, the last if one of these is the one.
    fn metadata(&self) -> Vec<u32> {
        let form = &self.form;
        let mut words = vec![0x4444_4444_u32; form.threads()];
        if form.selector.is_none() || self.is_a {
            return words;
        }
        let group = if form.elements[0] == Element::Tf32 {
            2
        } else {
            4
        };
        for k in (0..form.depth()).filter(|k| k % group >= group / 2) {
            let (thread, nibble) = form.nibble(k, k / group);
            words[thread] |= 0xe << (4 * nibble);
        }
        words
    }
}

impl<'l> Descriptors<'l> {
    /// Returns enough descriptors to read at least this many elements.
    pub fn new(layout: &'l Layout, seed: u64, elements: usize) -> Self {
        let (mn, k) = layout.extents();
        let count = elements.div_ceil(mn * k).max(4);
        let mut rng = Rng::new(seed);
        let descriptors = (0..count).map(|_| Descriptor::random(&mut rng, layout.span));
        let numbers = (0..BLOCKS).flat_map(|block| {
            let of_element = move |element: usize| layout.number(element >> (8 * block) & 0xff);
            let per = 4 / layout.element_bytes();
            (0..MEMORY_BYTES / 4).map(move |word| {
                let parts = (0..per).map(|at| of_element(word * per + at) << (32 / per * at % 32));
                parts.fold(0, |word, part| word | part)
            })
        });
        let mut common: Vec<u32> = numbers.collect();
        common.extend(layout.metadata());
        common.extend(layout.other());
        Self {
            layout,
            text: kernel::module(layout),
            common,
            descriptors: descriptors.collect(),
        }
    }

    fn job(&self, descriptors: &[Descriptor]) -> Job<'_> {
        let mut input = self.common.clone();
        for descriptor in descriptors {
            let bits = descriptor.bits(self.layout.span);
            input.extend([bits as u32, (bits >> 32) as u32]);
        }
        let blocks = descriptors.len() * BLOCKS;
        let mut job = Job::new(Ptx {
            name: "addresses.ptx",
            text: &self.text,
        });
        let output = vec![0_u32; blocks * SUMS];
        job.buffers = vec![Buffer::new("out", &output), Buffer::new("in", &input)];
        let shared = MEMORY_BYTES + 4 * self.layout.other().len();
        let launch = Launch::new("k", blocks as u32, 128).shared_bytes(shared as u32);
        job.launch(launch.buffer(0).buffer(1));
        job
    }

    /// The addresses that the emulator reads.
    pub fn emulated(&self) -> Vec<u32> {
        let sums = in_parts(self.descriptors.len(), |range| {
            let mut job = self.job(&self.descriptors[range]);
            emulate(&mut job, &self.layout.name());
            words_of(&job)
        });
        self.addresses(&sums)
    }

    /// Returns the addresses that a GPU reads.
    ///
    /// # Errors
    /// The errors of the run.
    pub fn computed(&self, jobs: &mut Jobs) -> Result<Vec<u32>, Failure> {
        let mut job = self.job(&self.descriptors);
        // SAFETY: a block reads its part of `in` and writes its part of `out`, which have it.
        unsafe { jobs.run(&mut job) }?;
        Ok(self.addresses(&words_of(&job)))
    }

    /// The addresses by the rules.
    pub fn expected(&self) -> Vec<u32> {
        let of = |descriptor: &Descriptor| {
            let descriptor = *descriptor;
            self.elements()
                .map(move |(mn, k)| self.layout.rule(descriptor, mn, k) as u32)
        };
        self.descriptors.iter().flat_map(of).collect()
    }

    fn elements(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let (mn, k) = self.layout.extents();
        (0..mn).flat_map(move |mn| (0..k).map(move |k| (mn, k)))
    }

    /// The addresses that sums show.
    fn addresses(&self, sums: &[u32]) -> Vec<u32> {
        let layout = self.layout;
        let value = |word: u32| match layout.form.elements[0] {
            Element::U8 => word,
            _ => f32::from_bits(word) as u32,
        };
        let of_descriptor = |sums: &[u32]| -> Vec<u32> {
            let at = |(mn, k)| {
                let (row, column) = layout.shown(mn, k);
                let word = layout.form.bit_of_sum(32, 0, row, column) / 32;
                let bytes =
                    (0..BLOCKS).map(|block| value(sums[block * SUMS + word]) << (8 * block));
                bytes.sum::<u32>() * layout.element_bytes() as u32
            };
            self.elements().map(at).collect()
        };
        sums.chunks_exact(BLOCKS * SUMS)
            .flat_map(of_descriptor)
            .collect()
    }

    /// Compares addresses with the expected ones.
    ///
    /// # Panics
    /// If their numbers differ.
    pub fn compare(&self, got: &[u32], wanted: &[u32]) -> Tally {
        assert_eq!(got.len(), wanted.len(), "{}", self.layout.name());
        let mut tally = Tally {
            results: got.len() as u64,
            ..Tally::default()
        };
        let elements = self
            .descriptors
            .iter()
            .flat_map(|descriptor| self.elements().map(move |element| (descriptor, element)));
        for ((got, wanted), (descriptor, element)) in got.iter().zip(wanted).zip(elements) {
            if got != wanted {
                tally.differing += 1;
                tally.first.get_or_insert_with(|| {
                    format!("{element:?} of {descriptor:?} at {got} for {wanted}")
                });
            }
        }
        tally
    }
}

impl Descriptor {
    /// Returns a descriptor whose elements are all in `MEMORY_BYTES`.
    fn random(rng: &mut Rng, span: usize) -> Self {
        let mut of = |bound: usize| rng.below(bound as u64) as usize;
        let (leading, stride) = (16 * of(170), 16 * of(170));
        // No element is further than that, whichever offset counts for which dimension.
        let reach = 15 * stride.max(leading) + 7 * stride.min(leading) + 2048;
        Self {
            start: 16 * of((MEMORY_BYTES - reach) / 16),
            leading,
            stride,
            base_offset: if span > 16 { of(2) * of(8) } else { 0 },
        }
    }

    fn bits(self, span: usize) -> u64 {
        let mode = match span {
            128 => 1,
            64 => 2,
            32 => 3,
            _ => 0,
        };
        let field = |bytes: usize, at: usize| (bytes as u64 / 16) << at;
        field(self.start, 0)
            | field(self.leading, 16)
            | field(self.stride, 32)
            | (self.base_offset as u64) << 49
            | mode << 62
    }
}
