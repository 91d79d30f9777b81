//! The positions of a tile's elements among its words: in the registers of PTX ISA 9.7.14.5 and 9.7.14.7, or in memory.

use super::form::{Element, Group, ProductForm};

/// The parts of a tile's input, in their order, by their words.
pub(super) struct Parts {
    pub(super) c: usize,
    pub(super) a: usize,
    pub(super) b: usize,
    pub(super) metadata: usize,
    /// `wgmma` that counts in C: one word, and the rest of a line.
    pub(super) flag: usize,
}

impl Parts {
    pub(super) fn of(form: &ProductForm) -> Self {
        let (m, n) = (form.shape.m as usize, form.shape.n as usize);
        let products = form.results() / (m * n);
        let words = |elements: usize, bits: usize| products * elements * bits / 32;
        let element = form.elements[0].bits();
        let threads = form.threads();
        Self {
            c: words(m * n, form.c.bits()),
            a: words(m * form.kept(), element),
            b: words(n * form.depth(), element),
            metadata: if form.selector.is_some() { threads } else { 0 },
            flag: if form.group == Group::Warpgroup {
                32
            } else {
                0
            },
        }
    }

    /// All layouts.
    pub(super) fn words(&self) -> usize {
        self.c + self.a + self.b + self.metadata + self.flag
    }
}

impl ProductForm {
    /// Threads of the product.
    pub(super) fn threads(&self) -> usize {
        if self.group == Group::Warpgroup {
            128
        } else {
            32
        }
    }

    /// Words of D.
    pub(super) fn words_out(&self) -> usize {
        self.results() * self.d.bits() / 32
    }

    /// The bytes of a column of B in shared memory.
    pub(super) fn column_bytes(&self) -> usize {
        self.depth() * self.elements[1].bits() / 8
    }

    /// The first bit of an element of A, of the product with this number.
    pub(super) fn bit_of_a(&self, product: usize, row: usize, k: usize) -> usize {
        let bits = self.elements[0].bits();
        match self.group {
            Group::Fragments => (row * self.depth() + k) * bits,
            Group::Warpgroup if self.is_shared => in_shared(row, k * bits, 32),
            Group::Warpgroup => self.in_registers(row / 16, factor(16, bits, row % 16, k)),
            Group::Warp if self.is_quads() => {
                let along = self.opcode.contains("k4.row.");
                self.in_registers(0, quad(product, quad_factor(along, row, k)))
            }
            Group::Warp => self.in_registers(0, factor(self.shape.m as usize, bits, row, k)),
        }
    }

    /// Returns the positions of B.
    pub(super) fn bit_of_b(&self, product: usize, k: usize, column: usize) -> usize {
        let bits = self.elements[1].bits();
        match self.group {
            Group::Fragments => (column * self.depth() + k) * bits,
            Group::Warpgroup => in_shared(column, k * bits, self.column_bytes()),
            Group::Warp if self.is_quads() => {
                let opcode = self.opcode.as_str();
                let along = opcode.contains("row.col.") || opcode.contains("col.col.");
                self.in_registers(0, quad(product, quad_factor(along, column, k)))
            }
            Group::Warp => self.in_registers(0, factor(8, bits, column, k)),
        }
    }

    /// Returns the positions of C or D, with this many bits.
    pub(super) fn bit_of_sum(
        &self,
        bits: usize,
        product: usize,
        row: usize,
        column: usize,
    ) -> usize {
        match self.group {
            Group::Fragments => (row * self.shape.n as usize + column) * bits,
            Group::Warp if self.is_quads() => {
                let place = quad(product, quad_sum(bits, row, column));
                self.in_registers(0, place)
            }
            _ => {
                let (lane, register, bit) = sum(bits, row % 16, column % 8);
                let registers = if bits == 16 { 2 } else { 4 };
                let place = (lane, column / 8 * registers + register, bit);
                self.in_registers(row / 16, place)
            }
        }
    }

    fn in_registers(&self, warp: usize, (lane, register, bit): Place) -> usize {
        let width = if self.elements[0] == Element::F64 {
            64
        } else {
            32
        };
        (register * self.threads() + 32 * warp + lane) * width + bit
    }

    /// The thread and the nibble of metadata that describe a group of K of a row.
    pub(super) fn nibble(&self, row: usize, group: usize) -> (usize, usize) {
        let selector = self.selector.unwrap_or(0) as usize;
        let is_half = self.depth() * self.elements[0].bits() == 256;
        let g = row % 8;
        let upper = row % 16 / 8;
        let (t, nibble) = match (self.elements[0].bits(), is_half) {
            (8, true) => (2 * selector + upper, group),
            (8, false) => (upper + 2 * (group / 8), group % 8),
            (_, true) => (selector, group + 4 * upper),
            (_, false) => (2 * selector + group / 4, group % 4 + 4 * upper),
        };
        (row / 16 * 32 + 4 * g + t, nibble)
    }
}

/// Lane, register and the first bit in it.
type Place = (usize, usize, usize);

/// A factor of a warp, with this many rows of A or columns of B.
fn factor(lines: usize, bits: usize, line: usize, k: usize) -> Place {
    let per = (32 / bits).max(1);
    let (block, within) = (k / (4 * per), k % (4 * per));
    let register = block * (lines / 8) + line / 8;
    (line % 8 * 4 + within / per, register, within % per * bits)
}

fn sum(bits: usize, row: usize, column: usize) -> Place {
    let lane = row % 8 * 4 + column / 2;
    match bits {
        16 => (lane, row / 8, column % 2 * 16),
        _ => (lane, row / 8 * 2 + column % 2, 0),
    }
}

/// The products of eight lanes: lanes 0 to 3 and 16 to 19 have the first.
fn quad(product: usize, (lane, register, bit): Place) -> Place {
    (lane + 4 * product, register, bit)
}

fn quad_factor(along: bool, line: usize, k: usize) -> Place {
    let at = |lane: usize, element: usize| (lane, element / 2, element % 2 * 16);
    match along {
        true => at(line % 4 + line / 4 * 16, k),
        false => at(k + line / 4 * 16, line % 4),
    }
}

fn quad_sum(bits: usize, row: usize, column: usize) -> Place {
    match bits {
        16 => (row % 4 + row / 4 * 16, column / 2, column % 2 * 16),
        _ => {
            let lane = row % 2 + column / 2 % 2 * 2 + row / 4 * 16;
            (lane, column % 2 + row / 2 % 2 * 2 + column / 4 * 4, 0)
        }
    }
}

/// Without swizzle: blocks of 8 lines of 16 bytes, contiguous along K.
fn in_shared(line: usize, bit: usize, bytes: usize) -> usize {
    let byte = bit / 8;
    let at = line % 8 * 16 + line / 8 * 8 * bytes + byte / 16 * 128 + byte % 16;
    8 * at + bit % 8
}
