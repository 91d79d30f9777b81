//! The report as text: a table for each kind of access, with the lines that lose most.

use std::fmt::{self, Display, Formatter};

use super::{
    ByPtxas, CopyCounts, FlightCounts, GlobalCounts, Line, Occupancy, PerformanceReport,
    ProductCounts, SharedCounts, counts::Counts,
};

/// Most lines of a table that are shown on their own.
const SHOWN: usize = 20;

/// Counts of one kind, as a table shows them.
trait Row: Counts {
    /// Name of the table, with the metrics of Nsight Compute that count the same.
    const TITLE: &'static str;
    const HEAD: &'static [&'static str];

    fn cells(&self) -> Vec<String>;

    /// Returns the lost part of the whole.
    fn lost(&self) -> (u64, u64);

    /// Returns the advice for a line that loses something.
    fn help(&self) -> &'static str;
}

impl Row for SharedCounts {
    const TITLE: &'static str = "shared memory: wavefronts of requests (ncu: memory_l1_wavefronts_shared, \
                                 memory_l1_wavefronts_shared_ideal)";
    const HEAD: &'static [&'static str] = &["requests", "wavefronts", "ideal", "lost", "conflicts"];

    fn cells(&self) -> Vec<String> {
        let conflicts = match self.ways {
            0 | 1 => "-".to_owned(),
            ways => format!("{ways}-way"),
        };
        vec![
            self.requests.to_string(),
            self.wavefronts.to_string(),
            self.ideal.to_string(),
            percent(Row::lost(self)),
            conflicts,
        ]
    }

    fn lost(&self) -> (u64, u64) {
        (SharedCounts::lost(self), self.wavefronts)
    }

    fn help(&self) -> &'static str {
        "lanes need different words of one bank: give tiles of tensor copies a 128-byte swizzle (`Swizzle128`, \
         rows of 128 bytes), or pad the rows of other tiles by 16 bytes"
    }
}

impl Row for GlobalCounts {
    const TITLE: &'static str = "global memory: sectors of requests (ncu: memory_l2_theoretical_sectors_global, \
                                 memory_l1_tag_requests_global for lines)";
    const HEAD: &'static [&'static str] = &["requests", "sectors", "ideal", "lost", "lines"];

    fn cells(&self) -> Vec<String> {
        vec![
            self.requests.to_string(),
            self.sectors.to_string(),
            self.ideal.to_string(),
            percent(Row::lost(self)),
            self.lines.to_string(),
        ]
    }

    fn lost(&self) -> (u64, u64) {
        (GlobalCounts::lost(self), self.sectors)
    }

    fn help(&self) -> &'static str {
        "a warp fetches sectors of 32 bytes for few of their bytes: let neighbouring lanes access neighbouring elements \
         from a multiple of 32 bytes on, or load the tile by a tensor copy"
    }
}

impl Row for CopyCounts {
    const TITLE: &'static str = "bulk and tensor copies: bytes of sectors beside bytes of the box inside of the tensor \
                                 (ncu: lts__t_sectors_op_read.sum, lts__t_sectors_op_write.sum)";
    const HEAD: &'static [&'static str] = &[
        "copies",
        "box",
        "inside",
        "sectors",
        "lost",
        "row",
        "promotion",
    ];

    fn cells(&self) -> Vec<String> {
        let or_none = |bytes: u64| match bytes {
            0 => "-".to_owned(),
            bytes => bytes.to_string(),
        };
        vec![
            self.copies.to_string(),
            self.box_bytes.to_string(),
            self.inside_bytes.to_string(),
            self.sector_bytes.to_string(),
            percent(Row::lost(self)),
            or_none(self.row_bytes),
            or_none(self.promotion_bytes),
        ]
    }

    /// Counts the bytes of sectors that no box has, and those of boxes outside of the tensor.
    fn lost(&self) -> (u64, u64) {
        let lost = self.lost_bytes() + self.outside_bytes();
        (lost, lost + self.inside_bytes)
    }

    fn help(&self) -> &'static str {
        if self.lost_bytes() >= self.outside_bytes() {
            "rows of the box do not fill sectors of 32 bytes: start boxes at multiples of 32 bytes, and make their rows \
             a multiple of 32 bytes long"
        } else {
            "boxes extend beyond the tensor: choose a box that divides the tensor, or dimensions in an order in which \
             it does"
        }
    }
}

impl Row for ProductCounts {
    const TITLE: &'static str =
        "products: waits of warpgroups for the group of `wgmma` that they have just closed";
    const HEAD: &'static [&'static str] = &["waits", "at once", "lost"];

    fn cells(&self) -> Vec<String> {
        vec![
            self.waits.to_string(),
            self.at_once.to_string(),
            percent(Row::lost(self)),
        ]
    }

    fn lost(&self) -> (u64, u64) {
        (self.at_once, self.waits)
    }

    fn help(&self) -> &'static str {
        "the tensor cores idle until the next group is issued: keep one group in flight (`wgmma.wait_group 1`), and \
         release the stage of the group before"
    }
}

impl Row for FlightCounts {
    const TITLE: &'static str =
        "bytes in flight: bulk loads that a block has issued and not waited for";
    const HEAD: &'static [&'static str] = &[
        "a block",
        "blocks",
        "a multiprocessor",
        "H100 needs",
        "H200 needs",
    ];

    fn cells(&self) -> Vec<String> {
        vec![
            self.block_bytes.to_string(),
            self.resident_blocks.to_string(),
            self.multiprocessor_bytes().to_string(),
            Self::H100_BYTES.to_string(),
            Self::H200_BYTES.to_string(),
        ]
    }

    fn lost(&self) -> (u64, u64) {
        let needed = Self::H100_BYTES;
        (needed.saturating_sub(self.multiprocessor_bytes()), needed)
    }

    fn help(&self) -> &'static str {
        "a kernel that is limited by memory needs more bytes in flight to hide its latency: more stages, larger chunks, \
         or more blocks on a multiprocessor"
    }
}

fn percent((part, whole): (u64, u64)) -> String {
    match whole {
        0 => "0.0 %".to_owned(),
        _ => format!("{:.1} %", 100.0 * part as f64 / whole as f64),
    }
}

impl Display for PerformanceReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("performance, counted in this run and not measured:\n")?;
        table(&self.shared, f)?;
        table(&self.global, f)?;
        table(&self.copies, f)?;
        promotions(&self.copies, f)?;
        table(&self.products, f)?;
        table(&self.flights, f)?;
        stages(&self.flights, f)?;
        occupancy(&self.occupancy, f)
    }
}

/// Writes the lines that lose something, the sum of the others, and the sum of all.
fn table<T: Row>(lines: &[Line<T>], f: &mut Formatter<'_>) -> fmt::Result {
    if lines.is_empty() {
        return Ok(());
    }
    let loses = |line: &&Line<T>| line.counts.lost().0 > 0;
    let shown = lines.iter().filter(loses).count().min(SHOWN);
    let (shown, others) = lines.split_at(if lines.len() == 1 { 1 } else { shown });
    let mut rows: Vec<(Vec<String>, String)> = Vec::new();
    let head = T::HEAD.iter().map(|cell| (*cell).to_owned()).collect();
    rows.push((head, "line".to_owned()));
    let cells = |line: &Line<T>| (line.counts.cells(), place(line));
    rows.extend(shown.iter().map(cells));
    match others {
        [] => {}
        [other] => rows.push(cells(other)),
        _ if shown.is_empty() => {}
        _ => rows.push((sum(others).cells(), format!("{} others", others.len()))),
    }
    if lines.len() > 1 {
        rows.push((sum(lines).cells(), format!("all {} lines", lines.len())));
    }
    write_rows(T::TITLE, &rows, f)?;
    let mut helps: Vec<&str> = Vec::new();
    for line in shown.iter().filter(loses) {
        if !helps.contains(&line.counts.help()) {
            helps.push(line.counts.help());
        }
    }
    helps
        .iter()
        .try_for_each(|help| writeln!(f, "  = help: {help}"))
}

/// Writes a table, whose first row is its head, with columns aligned at their right.
fn write_rows(title: &str, rows: &[(Vec<String>, String)], f: &mut Formatter<'_>) -> fmt::Result {
    writeln!(f, "\n{title}")?;
    for (row, place) in rows {
        for (column, cell) in row.iter().enumerate() {
            let cells = rows.iter().map(|(row, _)| row[column].len());
            write!(f, "  {cell:>width$}", width = cells.max().unwrap_or(0))?;
        }
        writeln!(f, "  {place}")?;
    }
    Ok(())
}

/// Writes the resident blocks of each kernel, with the limits that allow no more.
fn occupancy(all: &[Occupancy], f: &mut Formatter<'_>) -> fmt::Result {
    let head = [
        "threads",
        "shared memory",
        "registers",
        "barriers",
        "blocks",
        "warps",
        "limited by",
    ];
    let head = head.map(str::to_owned).to_vec();
    let mut rows = vec![(head, "kernel".to_owned())];
    rows.extend(all.iter().map(|it| {
        let by_ptxas = |number: fn(&ByPtxas) -> u32| match &it.by_ptxas {
            Some(it) => number(it).to_string(),
            None => "-".to_owned(),
        };
        let cells = vec![
            it.threads.to_string(),
            it.shared_bytes.to_string(),
            by_ptxas(|it| it.registers),
            by_ptxas(|it| it.barriers),
            it.blocks().to_string(),
            it.warps().to_string(),
            it.limits().join(", "),
        ];
        (cells, format!("`{}`", it.kernel))
    }));
    write_rows(
        "occupancy: blocks on a multiprocessor, and their warps of 64",
        &rows,
        f,
    )?;
    for it in all.iter().filter(|it| it.blocks() == 0) {
        writeln!(
            f,
            "  = note: a GPU cannot launch `{}` with {} threads: a multiprocessor has too few {} for one block; use fewer \
             threads, or fewer registers: `.maxntid` declares the threads to ptxas, and `.maxnreg` limits the registers",
            it.kernel,
            it.threads,
            it.limits().join(", "),
        )?;
    }
    Ok(())
}

fn sum<T: Row>(lines: &[Line<T>]) -> T {
    let mut sum = T::default();
    lines.iter().for_each(|line| sum.add(&line.counts));
    sum
}

/// Names boxes with rows shorter than the unit of their L2 promotion.
fn promotions(copies: &[Line<CopyCounts>], f: &mut Formatter<'_>) -> fmt::Result {
    let is_short = |line: &&Line<CopyCounts>| {
        let counts = &line.counts;
        !counts.stores && counts.row_bytes > 0 && counts.row_bytes < counts.promotion_bytes
    };
    for line in copies.iter().filter(is_short) {
        let CopyCounts {
            row_bytes,
            promotion_bytes,
            inside_bytes,
            promoted_bytes,
            ..
        } = line.counts;
        writeln!(
            f,
            "  = note: {}: with rows of {row_bytes} bytes and an L2 promotion of {promotion_bytes}, the L2 cache fetches \
             up to {promoted_bytes} bytes for {inside_bytes}, unless other boxes use the rest; for boxes at random \
             places no promotion is faster",
            place(line)
        )?;
    }
    Ok(())
}

/// Names pipelines with stages that are never used at once: all are filled, or one is read and the others are filled.
fn stages(flights: &[Line<FlightCounts>], f: &mut Formatter<'_>) -> fmt::Result {
    let is_short = |line: &&Line<FlightCounts>| line.counts.filled + 1 < line.counts.stages;
    for line in flights.iter().filter(is_short) {
        let FlightCounts { stages, filled, .. } = line.counts;
        writeln!(
            f,
            "  = note: `{}` has {stages} stages, and loads for at most {filled} of them were in flight at once: issue \
             the loads of all stages before the first wait, and refill a stage as soon as its readers have released it",
            line.kernel
        )?;
    }
    Ok(())
}

/// Returns the source and PTX lines with the opcode.
fn place<T>(line: &Line<T>) -> String {
    let more = match line.instructions {
        0 | 1 => String::new(),
        count => format!(" and {} more", count - 1),
    };
    let location = &line.location;
    // The file's name is enough beside the line of the source.
    let file = location.file.rsplit(['/', '\\']).next();
    let ptx = format!("{}:{}{more}", file.unwrap_or_default(), location.line);
    let place = match &location.source {
        Some((file, number)) => format!("{file}:{number} ({ptx})"),
        None => ptx,
    };
    format!("{place} `{}` in `{}`", line.opcode, line.kernel)
}
