//! The parts of a state as text.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Write},
    path::Path,
};

use tma_cli::emulate::{
    ElementType, Emulation,
    steps::{Register, State, Tile, TileRow},
};
use tma_launch::suggestion;

use super::tables::{left, right};

/// Bytes of a row of shared memory.
const ROW_BYTES: usize = 32;
/// The most bytes that are shown without a tile.
const MOST_BYTES: usize = 4096;
/// Lanes of a register that are shown in the list of all.
const SHOWN_LANES: usize = 8;

/// Shows the step, its line of PTX and its line of the source.
pub(super) fn place(
    state: &State,
    (at, count): (usize, usize),
    emulation: &Emulation,
    out: &mut impl Write,
) -> io::Result<()> {
    let launches: Vec<_> = emulation.file().launches().collect();
    let entry = launches.get(state.launch).map_or("", |it| &it.entry);
    let does = match state.resumes {
        true => "waits in",
        false => "is about to execute",
    };
    let location = &state.location;
    writeln!(
        out,
        "step {} of {count}: launch {}, `{entry}`: warp {} of block {}, {}, {does} `{}`",
        at + 1,
        state.launch,
        state.warp,
        state.block,
        lanes(state.lanes),
        state.opcode
    )?;
    let mut sources = emulation.sources().iter();
    let module = sources.find(|source| source.name() == location.file);
    let text = module.and_then(|source| source.text().lines().nth(location.line.checked_sub(1)?));
    let ptx = format!("{}:{}:{}", location.file, location.line, location.column);
    line(&ptx, text, out)?;
    if let Some((file, number)) = &state.source {
        // Compilers name files from the folder in which they ran, which often has the PTX, too.
        let folder = Path::new(&location.file).parent();
        let beside = folder.map(|folder| folder.join(file));
        let paths = [Some(file.into()), beside].into_iter().flatten();
        let text = paths
            .flat_map(|path| line_of(&path, *number as usize))
            .next();
        line(&format!("{file}:{number}"), text.as_deref(), out)?;
    }
    match location.chain() {
        Some(chain) => writeln!(out, "      {chain}"),
        None => Ok(()),
    }
}

fn line(place: &str, text: Option<&str>, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "  --> {place}")?;
    match text.map(str::trim) {
        Some(text) if !text.is_empty() => writeln!(out, "      {text}"),
        _ => Ok(()),
    }
}

/// Returns a line of a source, if its file is a regular one on this machine.
fn line_of(path: &Path, number: usize) -> Option<String> {
    // A pipe would block.
    if !path.metadata().ok()?.is_file() {
        return None;
    }
    let lines = BufReader::new(File::open(path).ok()?).lines();
    lines.map_while(Result::ok).nth(number.checked_sub(1)?)
}

/// Describes a mask of lanes, as `lanes 0-3, 8`.
fn lanes(mask: u32) -> String {
    let is_in = |lane: &u32| mask & (1 << lane) != 0;
    let starts = (0..32).filter(|lane| is_in(lane) && (*lane == 0 || !is_in(&(lane - 1))));
    let ranges = starts.map(|first| match (first..32).take_while(is_in).last() {
        Some(last) if last > first => format!("{first}-{last}"),
        _ => first.to_string(),
    });
    let ranges: Vec<String> = ranges.collect();
    match mask {
        u32::MAX => "all lanes".to_owned(),
        _ => format!("lanes {}", ranges.join(", ")),
    }
}

pub(super) fn warps(state: &State, out: &mut impl Write) -> io::Result<()> {
    let mut rows = vec![["warp", "line", "lanes and state"].map(str::to_owned)];
    for (number, groups) in state.warps.iter().enumerate() {
        if groups.is_empty() {
            rows.push([number.to_string(), String::new(), "ended".to_owned()]);
        }
        for at in groups {
            let does = match &at.pause {
                Some(pause) => format!("{}, waits {pause}", lanes(at.lanes)),
                None => format!("{}, can run", lanes(at.lanes)),
            };
            rows.push([number.to_string(), at.line.to_string(), does]);
        }
    }
    writeln!(out, "{}", left(&rows))
}

/// Shows all registers, or one in all lanes.
pub(super) fn registers(state: &State, name: Option<&str>, out: &mut impl Write) -> io::Result<()> {
    let Some(name) = name else {
        let row = |register: &Register| {
            [
                register.name.clone(),
                register.ty.clone(),
                first_lanes(register),
            ]
        };
        let rows: Vec<_> = state.registers.iter().map(row).collect();
        return match rows.is_empty() {
            true => writeln!(out, "the warp has no registers"),
            false => writeln!(out, "{}", left(&rows)),
        };
    };
    let Some(register) = state.registers.iter().find(|it| it.name == name) else {
        let near = suggestion(name, state.registers.iter().map(|it| it.name.as_str()));
        return writeln!(out, "error: the warp has no register `{name}`: {near}");
    };
    for (number, bits) in register.lanes.iter().enumerate() {
        writeln!(out, "lane {number:2}  {}", value(&register.ty, *bits))?;
    }
    Ok(())
}

fn first_lanes(register: &Register) -> String {
    let [first, ..] = register.lanes;
    if register.lanes.iter().all(|bits| *bits == first) {
        return format!("{} in all lanes", value(&register.ty, first));
    }
    let shown = register.lanes.iter().take(SHOWN_LANES);
    let shown: Vec<String> = shown.map(|bits| value(&register.ty, *bits)).collect();
    format!("{} …", shown.join(" "))
}

/// Returns a register's value as the page shows it.
fn value(ty: &str, bits: u64) -> String {
    match ty {
        "pred" => (bits != 0).to_string(),
        "f32" => ElementType::F32.text(&(bits as u32).to_le_bytes()),
        "f64" => ElementType::F64.text(&bits.to_le_bytes()),
        _ if bits < 1 << 20 => bits.to_string(),
        _ => format!("{bits:#x}"),
    }
}

/// Shows the boxes of tensor copies as tiles; without any, or if a type is given, elements in the order of their addresses.
pub(super) fn shared(
    state: &State,
    ty: Option<ElementType>,
    out: &mut impl Write,
) -> io::Result<()> {
    if ty.is_none() && !state.tiles.is_empty() {
        return state.tiles.iter().try_for_each(|it| tile(it, out));
    }
    if state.shared.is_empty() {
        return writeln!(out, "block {} has no shared memory", state.block);
    }
    let ty = ty.unwrap_or(ElementType::U32);
    let shown = &state.shared[..state.shared.len().min(MOST_BYTES)];
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut before: Option<&[u8]> = None;
    for (number, bytes) in shown.chunks(ROW_BYTES).enumerate() {
        let is_same = before.replace(bytes) == Some(bytes);
        if !is_same {
            let address = state.shared_start + (ROW_BYTES * number) as u64;
            let mut row = vec![format!("{address:#x}")];
            row.extend(bytes.chunks_exact(ty.bytes()).map(|it| ty.text(it)));
            rows.push(row);
        } else if rows.last().is_some_and(|row| row.len() > 1) {
            rows.push(vec!["*".to_owned()]);
        }
    }
    writeln!(
        out,
        "shared memory of block {} as {}; `*` repeats the row before",
        state.block,
        ty.name()
    )?;
    writeln!(out, "{}", right(&rows))?;
    match state.shared.len() - shown.len() {
        0 => Ok(()),
        more => writeln!(out, "and {more} more bytes"),
    }
}

/// Shows a tile: a line for each row, and in it each piece after the number of its place.
fn tile(tile: &Tile, out: &mut impl Write) -> io::Result<()> {
    let extents: Vec<String> = tile.extents.iter().map(u32::to_string).collect();
    writeln!(
        out,
        "tile at {:#x}: {} x {}, swizzle {}; before each piece of {} bytes its place",
        tile.address,
        tile.ty,
        extents.join(" x "),
        tile.swizzle,
        tile.piece_bytes
    )?;
    let row = |(number, row): (usize, &TileRow)| {
        let mut cells = vec![format!("row {number}"), format!("{:#x}", row.address)];
        for piece in &row.pieces {
            cells.push(format!("[{}]", piece.place));
            cells.extend(piece.values.iter().cloned());
        }
        cells
    };
    let rows: Vec<_> = tile.rows.iter().enumerate().map(row).collect();
    writeln!(out, "{}", right(&rows))?;
    match tile.row_count - tile.rows.len() as u64 {
        0 => Ok(()),
        more => writeln!(out, "and {more} more rows"),
    }
}

pub(super) fn barriers(state: &State, out: &mut impl Write) -> io::Result<()> {
    if state.mbarriers.is_empty() {
        return writeln!(out, "there are no mbarriers");
    }
    let heading = [
        "mbarrier",
        "block",
        "phase",
        "arrivals missing",
        "bytes missing",
    ];
    let mut rows = vec![heading.map(str::to_owned)];
    rows.extend(state.mbarriers.iter().map(|it| {
        [
            it.name.trim_start_matches("mbarrier ").to_owned(),
            it.block.to_string(),
            it.phase.to_string(),
            format!("{} of {}", it.pending, it.expected),
            it.pending_bytes.to_string(),
        ]
    }));
    writeln!(out, "{}", left(&rows))
}

pub(super) fn copies(state: &State, out: &mut impl Write) -> io::Result<()> {
    if state.copies.is_empty() {
        return writeln!(out, "no copies are in flight");
    }
    let heading = [
        "copy of line",
        "block",
        "thread",
        "bytes to read",
        "bytes to write",
        "to",
    ];
    let mut rows = vec![heading.map(str::to_owned)];
    rows.extend(state.copies.iter().map(|it| {
        [
            it.line.to_string(),
            it.block.to_string(),
            it.thread.to_string(),
            it.unread_bytes.to_string(),
            it.unwritten_bytes.to_string(),
            it.to.clone().unwrap_or_default(),
        ]
    }));
    writeln!(out, "{}", left(&rows))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_are_ranges() {
        assert_eq!(lanes(u32::MAX), "all lanes");
        assert_eq!(lanes(1), "lanes 0");
        assert_eq!(lanes(0x8000_010f), "lanes 0-3, 8, 31");
    }

    #[test]
    fn values_have_the_form_of_their_type() {
        assert_eq!(value("pred", 1), "true");
        assert_eq!(value("f32", 0x3fc0_0000), "1.5");
        assert_eq!(value("f32", 1), "1e-45");
        assert_eq!(value("f64", 0x4000_0000_0000_0000), "2");
        assert_eq!(value("b32", 7), "7");
        assert_eq!(value("b64", 1 << 40), "0x10000000000");
    }
}
