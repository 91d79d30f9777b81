//! The settings that were measured: a file for each device, which `bench --tune` writes.

use std::{
    fmt::{self, Display, Formatter},
    sync::LazyLock,
};

use super::{Setting, Streaming};

/// The files, one for each device.
const FILES: &[&str] = &[
    include_str!("nvidia-h100-80gb-hbm3.txt"),
    include_str!("nvidia-h200.txt"),
];

/// The heads of the columns.
const HEAD: [&str; 9] = [
    "kernel",
    "element",
    "chunk_bytes",
    "tiles",
    "stages",
    "blocks",
    "threads",
    "GB/s",
    "of_copy",
];

/// The fastest setting of each kernel on a device.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// The device's name, as the driver reports it.
    pub device: String,
    /// The versions of CUDA and of the driver.
    pub driver: String,
    /// The day of the measurement, as in `2025-12-24`.
    pub date: String,
    /// The rate of the driver's copy of the same bytes, in GB/s.
    pub copy_gb_s: f64,
    /// A row for each kernel and type of elements.
    pub rows: Vec<Row>,
}

/// A kernel's fastest setting.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The kernel, as its file is called.
    pub kernel: String,
    /// The name of the type of the elements.
    pub element: String,
    /// The launch settings.
    pub setting: Setting,
    /// The bytes that it moved, in GB/s.
    pub gb_s: f64,
    /// The rate as a share of the driver's copy in the same rounds.
    pub of_copy: f64,
}

impl Table {
    /// Returns the table of the device of this name.
    pub fn of(device: &str) -> Option<&'static Self> {
        static TABLES: LazyLock<Vec<Table>> = LazyLock::new(|| {
            let tables = FILES.iter().map(|text| Table::parse(text));
            tables.filter_map(Result::ok).collect()
        });
        TABLES.iter().find(|table| table.device == device)
    }

    /// Returns the setting of a kernel: for tiles of its elements and bytes, or else for other elements in tiles of
    /// the same bytes.
    pub fn setting(&self, kernel: Streaming) -> Option<Setting> {
        let of_kernel = |row: &&Row| {
            let fits = |tile: super::Tile| tile.bytes == row.setting.chunk_bytes;
            row.kernel == kernel.kernel() && kernel.tile().is_none_or(fits)
        };
        let element = kernel.element().name();
        let mut rows = self.rows.iter().filter(of_kernel);
        let first = rows.clone().next();
        rows.find(|row| row.element == element)
            .or(first)
            .map(|row| row.setting)
    }

    /// Parses the text of `Display`.
    ///
    /// # Errors
    /// The line that is wrong, and the expected form.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut table = Self::default();
        for (index, line) in text.lines().enumerate() {
            let fail = |why: &str| format!("line {}: {why}: {line}", index + 1);
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') || line.starts_with(HEAD[0]) {
                continue;
            }
            if let Some((key, value)) = line.split_once(": ") {
                let value = value.trim();
                match key {
                    "device" => table.device = value.to_owned(),
                    "driver" => table.driver = value.to_owned(),
                    "date" => table.date = value.to_owned(),
                    "copy" => {
                        table.copy_gb_s = value.parse().map_err(|_| fail("`copy` takes GB/s"))?;
                    }
                    _ => return Err(fail("expected device, driver, date or copy")),
                }
                continue;
            }
            let row = Row::parse(line);
            table.rows.push(row.map_err(|why| fail(&why))?);
        }
        Ok(table)
    }
}

impl Row {
    fn parse(line: &str) -> Result<Self, String> {
        let cells: Vec<&str> = line.split_whitespace().collect();
        let Ok(cells) = <[&str; HEAD.len()]>::try_from(cells) else {
            return Err(format!("a row has {} columns", HEAD.len()));
        };
        let [kernel, element, ..] = cells;
        let wrong = |column: usize| format!("`{}` takes a number", HEAD[column]);
        let number = |column: usize| cells[column].parse::<u32>().map_err(|_| wrong(column));
        let rate = |column: usize| cells[column].parse::<f64>().map_err(|_| wrong(column));
        Ok(Self {
            kernel: kernel.to_owned(),
            element: element.to_owned(),
            setting: Setting {
                chunk_bytes: number(2)?,
                tiles: number(3)?,
                stages: number(4)?,
                blocks: (cells[5] != "-").then(|| number(5)).transpose()?,
                threads: number(6)?,
            },
            gb_s: rate(7)?,
            of_copy: rate(8)?,
        })
    }

    fn cells(&self) -> [String; HEAD.len()] {
        let Setting {
            chunk_bytes,
            tiles,
            stages,
            blocks,
            threads,
        } = self.setting;
        [
            self.kernel.clone(),
            self.element.clone(),
            chunk_bytes.to_string(),
            tiles.to_string(),
            stages.to_string(),
            blocks.map_or_else(|| "-".to_owned(), |blocks| blocks.to_string()),
            threads.to_string(),
            format!("{:.0}", self.gb_s),
            format!("{:.3}", self.of_copy),
        ]
    }
}

/// The file.
impl Display for Table {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "# The fastest setting of each kernel, written by `bench --tune`. A block moves `tiles` tiles side by side at once, and"
        )?;
        writeln!(
            f,
            "# ends after them if it has one stage. `blocks` is the number of blocks per multiprocessor; a dash means the most that fit."
        )?;
        writeln!(f, "device: {}\ndriver: {}", self.device, self.driver)?;
        writeln!(f, "date: {}\ncopy: {:.0}\n", self.date, self.copy_gb_s)?;
        let head = HEAD.map(str::to_owned);
        let rows: Vec<_> = [head]
            .into_iter()
            .chain(self.rows.iter().map(Row::cells))
            .collect();
        let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
        for row in &rows {
            let cells = row.iter().enumerate();
            let cells =
                cells.map(|(column, cell)| format!("{cell:<width$}", width = width(column)));
            let line = cells.collect::<Vec<_>>().join("  ");
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use tensor_map::DataType;
    use tma_launch::DeviceDescription;

    use super::{super::Tile, *};

    fn row(kernel: &str, element: &str, chunk_bytes: u32, blocks: Option<u32>) -> Row {
        Row {
            kernel: kernel.to_owned(),
            element: element.to_owned(),
            setting: Setting {
                chunk_bytes,
                tiles: 1 + chunk_bytes % 3,
                stages: if blocks.is_some() { 3 } else { 1 },
                blocks,
                threads: 64,
            },
            gb_s: 1234.0,
            of_copy: 0.987,
        }
    }

    fn table() -> Table {
        Table {
            device: "NVIDIA H200".to_owned(),
            driver: "CUDA 13.0, 580.159.04".to_owned(),
            date: "2026-11-24".to_owned(),
            copy_gb_s: 4273.0,
            rows: vec![
                row("copy_bulk", "u8", 2048, None),
                row("copy_tile", "bf16", 8192, Some(2)),
                row("copy_tile", "i32", 8192, Some(5)),
                row("copy_tile", "i32", 16384, Some(7)),
            ],
        }
    }

    #[test]
    fn a_table_is_read_as_it_was_written() {
        assert_eq!(Table::parse(&table().to_string()), Ok(table()));
    }

    #[test]
    fn what_is_no_row_is_refused_with_its_line() {
        let error = Table::parse("device: a\ncopy_bulk u8 1 2").unwrap_err();
        assert_eq!(error, "line 2: a row has 9 columns: copy_bulk u8 1 2");
        let error = Table::parse("copy_bulk u8 8k 1 2 1 32 9 1").unwrap_err();
        assert!(error.contains("`chunk_bytes` takes a number"), "{error}");
        assert!(Table::parse("colour: red").is_err());
    }

    #[test]
    fn a_tile_has_the_setting_of_its_bytes_and_if_there_is_one_of_its_elements() {
        let blocks = |element, bytes| {
            let setting = table().setting(Streaming::CopyTile(Tile { element, bytes }));
            setting.map(|setting| setting.blocks)
        };
        assert_eq!(blocks(DataType::Bf16, 8192), Some(Some(2)));
        assert_eq!(blocks(DataType::I32, 8192), Some(Some(5)));
        assert_eq!(blocks(DataType::F16, 8192), Some(Some(2)));
        assert_eq!(blocks(DataType::F16, 16384), Some(Some(7)));
        assert_eq!(blocks(DataType::I32, 4096), None);
        assert_eq!(table().setting(Streaming::CopyBulk).unwrap().blocks, None);
        assert_eq!(table().setting(Streaming::AddOneRing), None);
    }

    #[test]
    fn the_files_are_of_both_hoppers() {
        let names = FILES.iter().map(|text| Table::parse(text).unwrap().device);
        let hoppers = [DeviceDescription::h100(), DeviceDescription::h200()];
        assert!(names.eq(hoppers.iter().map(|device| device.name.clone())));
        for device in hoppers {
            assert_eq!(Table::of(&device.name).unwrap().device, device.name);
        }
    }
}
