//! Products of matrices on a device, on the emulator, and by plain rules that share no code with it.

mod addresses;
mod form;
mod kernel;
mod layout;
mod reference;
mod tiles;

use std::{fmt::Write as _, thread};

use tma_emulator::EmulatorBackend;
use tma_host::Jobs;
use tma_launch::{Buffer, Failure, Job, Launch, Ptx, Stage};

pub use addresses::{Descriptors, layouts};
pub use form::{ProductForm, all};
use layout::Parts;

/// Tiles of a form with their inputs.
pub struct Tiles<'f> {
    form: &'f ProductForm,
    text: String,
    input: Vec<u32>,
}

/// The results that were compared.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// The number of compared results.
    pub results: u64,
    /// The number of results with other bits.
    pub differing: u64,
    /// The first of these, in words.
    pub first: Option<String>,
}

impl<'f> Tiles<'f> {
    /// Returns enough tiles for at least this many results, and for each class of tiles.
    pub fn new(form: &'f ProductForm, seed: u64, results: usize) -> Self {
        let count = results.div_ceil(form.results()).max(tiles::CLASSES);
        let made = in_parts(count, |range| {
            range
                .flat_map(|number| tiles::tile(form, seed, number))
                .collect()
        });
        Self {
            form,
            text: kernel::module(form),
            input: made,
        }
    }

    fn words(&self) -> usize {
        Parts::of(self.form).words()
    }

    fn count(&self) -> usize {
        self.input.len() / self.words()
    }

    /// Why the emulator does not execute the form, if it does not.
    pub fn refusal(&self) -> Option<String> {
        let mut job = Job::new(Ptx {
            name: "product.ptx",
            text: &self.text,
        });
        // A launch without blocks is refused, but only after the decoding.
        job.launch(Launch::new("k", 0, 0));
        let failure = EmulatorBackend::new(0).run(&mut job).err()?;
        (failure.stage != Stage::Check).then_some(failure.what)
    }

    fn job(&self, input: &[u32]) -> Job<'_> {
        let tiles = input.len() / self.words();
        let mut job = Job::new(Ptx {
            name: "product.ptx",
            text: &self.text,
        });
        let output = vec![0_u32; tiles * self.form.words_out()];
        job.buffers = vec![Buffer::new("out", &output), Buffer::new("in", input)];
        let threads = self.form.threads() as u32;
        job.launch(Launch::new("k", tiles as u32, threads).buffer(0).buffer(1));
        job
    }

    /// The results of the emulator, on all processors of the host.
    ///
    /// # Panics
    /// If it refuses a form that it decodes.
    pub fn emulated(&self) -> Vec<u32> {
        in_parts(self.count(), |range| {
            let words = self.words();
            let mut job = self.job(&self.input[range.start * words..range.end * words]);
            emulate(&mut job, &self.form.name());
            words_of(&job)
        })
    }

    /// Returns the results of a GPU.
    ///
    /// # Errors
    /// The errors of the run.
    pub fn computed(&self, jobs: &mut Jobs) -> Result<Vec<u32>, Failure> {
        let mut job = self.job(&self.input);
        // SAFETY: a block reads its part of `in` and writes its part of `out`, which have it.
        unsafe { jobs.run(&mut job) }?;
        Ok(words_of(&job))
    }

    /// Returns the results by the rules; `None` for a form without rules.
    pub fn expected(&self) -> Option<Vec<u32>> {
        let words = self.words();
        expected(self.form, &self.input[..words])?;
        Some(in_parts(self.count(), |range| {
            let tiles = range.map(|tile| &self.input[tile * words..(tile + 1) * words]);
            let of_tile = |tile| expected(self.form, tile).unwrap_or_default();
            tiles.flat_map(of_tile).collect()
        }))
    }

    /// Compares results with the expected ones.
    ///
    /// # Panics
    /// If their numbers differ.
    pub fn compare(&self, got: &[u32], wanted: &[u32]) -> Tally {
        let form = self.form;
        let (bits, words) = (form.d.bits(), form.words_out());
        let mut tally = Tally {
            results: (self.count() * form.results()) as u64,
            ..Tally::default()
        };
        assert_eq!(got.len(), wanted.len(), "{}", form.name());
        for (number, (got, wanted)) in got.chunks(words).zip(wanted.chunks(words)).enumerate() {
            for at in (0..words * 32).step_by(bits) {
                let (got, wanted) = (bits_of(got, at, bits), bits_of(wanted, at, bits));
                if got != wanted {
                    tally.differing += 1;
                    tally.first.get_or_insert_with(|| {
                        let class = number % tiles::CLASSES;
                        let mut text = format!("tile {number} of class {class}, bit {at}: ");
                        write!(text, "{got:#x} for {wanted:#x}").expect("a string takes all");
                        text
                    });
                }
            }
        }
        tally
    }
}

/// Runs a job whose kernel the emulator executes.
fn emulate(job: &mut Job<'_>, name: &str) {
    let run = EmulatorBackend::new(0).run_unchecked(job, &mut |_| {});
    run.unwrap_or_else(|failure| panic!("{name}: {failure}"));
}

fn words_of(job: &Job<'_>) -> Vec<u32> {
    job.buffers[0].to_vec().unwrap_or_default()
}

/// Splits this many items into parts, one for each processor of the host.
fn in_parts(count: usize, of_part: impl Fn(std::ops::Range<usize>) -> Vec<u32> + Sync) -> Vec<u32> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let each = count.div_ceil(threads).max(1);
    thread::scope(|scope| {
        let of_part = &of_part;
        let starts = (0..count).step_by(each);
        let workers: Vec<_> = starts
            .map(|start| scope.spawn(move || of_part(start..(start + each).min(count))))
            .collect();
        let parts = workers
            .into_iter()
            .map(|worker| worker.join().expect("a part ends"));
        parts.collect::<Vec<_>>().concat()
    })
}

fn bits_of(words: &[u32], at: usize, bits: usize) -> u64 {
    let low = u64::from(words[at / 32]);
    match bits {
        64 => low | u64::from(words[at / 32 + 1]) << 32,
        _ => low >> (at % 32) & ((1 << bits) - 1),
    }
}

/// D of a tile, by the rules.
fn expected(form: &ProductForm, tile: &[u32]) -> Option<Vec<u32>> {
    let parts = Parts::of(form);
    let (c, rest) = tile.split_at(parts.c);
    let (a, rest) = rest.split_at(parts.a);
    let (b, rest) = rest.split_at(parts.b);
    let (metadata, flag) = rest.split_at(parts.metadata);
    let adds = flag.first().is_none_or(|flag| *flag != 0);
    let (m, n) = (form.shape.m as usize, form.shape.n as usize);
    let mut d = vec![0_u32; form.words_out()];
    for product in 0..form.results() / (m * n) {
        let right = |k, column| {
            bits_of(
                b,
                form.bit_of_b(product, k, column),
                form.elements[1].bits(),
            )
        };
        for row in 0..m {
            let left: Vec<(u64, usize)> = (0..form.kept())
                .map(|at| {
                    let bits = form.bit_of_a(product, row, at);
                    (
                        bits_of(a, bits, form.elements[0].bits()),
                        kept(form, metadata, row, at),
                    )
                })
                .collect();
            for column in 0..n {
                let pairs: Vec<_> = left.iter().map(|(x, k)| (*x, right(*k, column))).collect();
                let place = form.bit_of_sum(form.c.bits(), product, row, column);
                let c = if adds {
                    bits_of(c, place, form.c.bits())
                } else {
                    0
                };
                let result = reference::result(form, &pairs, c)?;
                let bits = form.d.bits();
                let at = form.bit_of_sum(bits, product, row, column);
                d[at / 32] |= (result << (at % 32)) as u32;
                if bits == 64 {
                    d[at / 32 + 1] = (result >> 32) as u32;
                }
            }
        }
    }
    Some(d)
}

/// The k of an element that a row of A has.
fn kept(form: &ProductForm, metadata: &[u32], row: usize, at: usize) -> usize {
    if form.selector.is_none() {
        return at;
    }
    let nibble = |group| {
        let (thread, nibble) = form.nibble(row, group);
        (metadata[thread] >> (4 * nibble)) as usize & 15
    };
    match form.elements[0] {
        // One of two, as the indices of its halves.
        form::Element::Tf32 => 2 * at + nibble(at) / 4 / 2,
        _ => 4 * (at / 2) + (nibble(at / 2) >> (2 * (at % 2)) & 3),
    }
}
