//! Changes inputs: texts by lines and words, others by bytes.

use crate::{Rng, Target, targets::HEADER_BYTES};

/// Numbers at limits of the code.
const NUMBERS: [&str; 34] = [
    "0",
    "1",
    "-1",
    "2",
    "3",
    "7",
    "8",
    "15",
    "16",
    "31",
    "32",
    "33",
    "63",
    "64",
    "65",
    "127",
    "128",
    "255",
    "256",
    "1023",
    "1024",
    "4095",
    "4096",
    "65535",
    "65536",
    "1048575",
    "1048576",
    "2147483647",
    "2147483648",
    "-2147483648",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "18446744073709551615",
];

/// Inputs, and the words and lines that they are made of.
#[derive(Debug)]
pub struct Pool {
    target: Target,
    inputs: Vec<Vec<u8>>,
    lines: Vec<String>,
    words: Vec<String>,
    /// Inputs that are never replaced.
    seeds: usize,
}

/// More are not kept.
const MOST: usize = 4000;
/// Longer texts are cut.
const LONGEST: usize = 1 << 16;

impl Pool {
    /// Begins with these.
    pub fn new(target: Target, inputs: Vec<Vec<u8>>, more_lines: Vec<String>) -> Self {
        let mut lines = more_lines;
        for input in &inputs {
            let text = String::from_utf8_lossy(text_of(target, input)).into_owned();
            lines.extend(text.lines().map(|line| line.trim().to_owned()));
        }
        lines.sort();
        lines.dedup();
        let mut words: Vec<String> = lines.iter().flat_map(|line| tokens(line)).collect();
        words.sort();
        words.dedup();
        let seeds = inputs.len();
        Self {
            target,
            inputs,
            lines,
            words,
            seeds,
        }
    }

    /// Returns the number of inputs.
    pub fn len(&self) -> usize {
        self.inputs.len()
    }

    /// Returns whether there is no input yet.
    pub fn is_empty(&self) -> bool {
        self.inputs.is_empty()
    }

    /// Returns one of the initial inputs.
    pub fn seed(&self, index: usize) -> Vec<u8> {
        self.inputs.get(index).cloned().unwrap_or_default()
    }

    /// Keeps an input that reached a late stage, to change it further.
    pub fn keep(&mut self, input: Vec<u8>, rng: &mut Rng) {
        if self.inputs.len() < MOST {
            self.inputs.push(input);
        } else {
            let index = self.seeds + rng.below(MOST - self.seeds);
            self.inputs[index] = input;
        }
    }

    /// A changed input.
    pub fn next(&self, rng: &mut Rng) -> Vec<u8> {
        let input = rng.pick(&self.inputs).cloned().unwrap_or_default();
        let most = rng.below(8);
        let changes = 1 + rng.below(1 + most);
        if is_binary(self.target) {
            return bytes(input, changes, rng);
        }
        let head = match self.target {
            Target::Launch => HEADER_BYTES.min(input.len()),
            _ => 0,
        };
        let mut header = input[..head].to_vec();
        for byte in &mut header {
            if rng.one_in(8) {
                *byte = rng.draw() as u8;
            }
        }
        let text = String::from_utf8_lossy(&input[head..]);
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        for _ in 0..changes {
            self.change(&mut lines, rng);
        }
        let mut text = lines.join("\n");
        if rng.one_in(40) && !text.is_empty() {
            text = String::from_utf8_lossy(&bytes(text.into_bytes(), 1, rng)).into_owned();
        }
        header.extend(text.bytes().take(LONGEST));
        header
    }

    fn change(&self, lines: &mut Vec<String>, rng: &mut Rng) {
        let at = rng.below(lines.len());
        if lines.is_empty() || rng.one_in(8) {
            lines.insert(at, rng.pick(&self.lines).cloned().unwrap_or_default());
            return;
        }
        match rng.below(14) {
            0 => drop(lines.remove(at)),
            1 => lines.insert(at, lines[at].clone()),
            2 => {
                let other = rng.below(lines.len());
                lines.swap(at, other);
            }
            3 => lines[at] = rng.pick(&self.lines).cloned().unwrap_or_default(),
            4 => {
                let from = rng.below(lines.len());
                let count = 1 + rng.below(6.min(lines.len() - from));
                let copied: Vec<String> = lines[from..from + count].to_vec();
                lines.splice(at..at, copied);
            }
            _ => self.change_line(&mut lines[at], rng),
        }
    }

    /// Returns a word of the same kind: a register for a register, a type for a type.
    fn like(&self, word: &str, rng: &mut Rng) -> String {
        let letters = |word: &str| {
            let end = word.find(|c: char| !c.is_ascii_alphabetic());
            word[..end.unwrap_or(word.len())].to_owned()
        };
        let stem = letters(word);
        for _ in 0..64 {
            if let Some(other) = rng.pick(&self.words)
                && other != word
                && (letters(other) == stem || rng.one_in(64) && is_word(other))
            {
                return other.clone();
            }
        }
        word.to_owned()
    }

    fn change_line(&self, line: &mut String, rng: &mut Rng) {
        let mut words = tokens(line);
        let at = rng.below(words.len());
        if words.is_empty() {
            return;
        }
        match rng.below(8) {
            0 => drop(words.remove(at)),
            1 => words.insert(at, words[at].clone()),
            2 => {
                let other = rng.below(words.len());
                words.swap(at, other);
            }
            3 => words.insert(at, rng.pick(&self.words).cloned().unwrap_or_default()),
            4 => words[at] = rng.pick(&self.words).cloned().unwrap_or_default(),
            // Mostly changes that keep the form of the text: the limits are in the numbers.
            _ => {
                let all: Vec<usize> = (0..words.len()).filter(|i| is_word(&words[*i])).collect();
                let Some(at) = rng.pick(&all).copied() else {
                    return;
                };
                words[at] = match is_number(&words[at]) && rng.one_in(2) {
                    true => (*rng.pick(&NUMBERS).unwrap_or(&"0")).to_owned(),
                    false => self.like(&words[at], rng),
                };
            }
        }
        *line = words.concat();
    }
}

/// Returns whether inputs are changed byte by byte.
fn is_binary(target: Target) -> bool {
    matches!(
        target,
        Target::TensorMap | Target::Protocol | Target::FatBinary | Target::Driver
    )
}

fn is_word(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphanumeric() || c == '_')
}

fn is_number(token: &str) -> bool {
    token.starts_with(|c: char| c.is_ascii_digit())
}

fn text_of(target: Target, input: &[u8]) -> &[u8] {
    match target {
        Target::Launch => input.get(HEADER_BYTES..).unwrap_or(&[]),
        Target::TensorMap | Target::Protocol | Target::FatBinary | Target::Driver => &[],
        Target::Ptx | Target::LaunchFile | Target::Archive | Target::Flags => input,
    }
}

/// Splits into words and the text between them.
fn tokens(line: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let mut last_is_word = false;
    for c in line.chars() {
        let is_word = c.is_alphanumeric() || c == '_' || c == '$';
        match all.last_mut() {
            Some(word) if is_word && last_is_word => word.push(c),
            _ => all.push(c.to_string()),
        }
        last_is_word = is_word;
    }
    all
}

fn bytes(mut input: Vec<u8>, changes: usize, rng: &mut Rng) -> Vec<u8> {
    for _ in 0..changes {
        let at = rng.below(input.len());
        if input.is_empty() {
            return input;
        }
        match rng.below(5) {
            0 => input[at] = rng.draw() as u8,
            1 => input[at] ^= 1 << rng.below(8),
            2 => input[at] = *rng.pick(&[0, 1, 0x7f, 0x80, 0xff]).unwrap_or(&0),
            3 => {
                let value = rng.draw().to_le_bytes();
                let count = (1 << rng.below(4)).min(input.len() - at);
                input[at..at + count].copy_from_slice(&value[..count]);
            }
            _ => input[at] = input[at].wrapping_add(1 + rng.below(16) as u8),
        }
    }
    input
}
