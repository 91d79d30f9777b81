//! The figures of the pages, which are counted here or read from a recorded file.

mod runs;

use std::{collections::BTreeMap, fs, path::Path, sync::LazyLock};

use serde_json::Value;
use tests_records::plain::entry_digest;

use crate::{mutants, steps};

/// The lines before and after a block that `bless` writes.
const BEGIN: &str = "<!-- figures: ";
const END: &str = "<!-- end of figures -->\n";

/// The folder of the measurements, from that of the results; the tables of `bench`; the results of `gemm.py`.
const RECORDS: &str = "../../benches/records";
const BENCH: &str = "bench-h200.txt";
const GEMM: [&str; 2] = ["gemm-h100.json", "gemm-h200.json"];
const GEMM_FP8: &str = "gemm-fp8-h200.json";
const ATTENTION: [&str; 2] = ["attention-h100.json", "attention-h200.json"];
const ATTENTION_BACKWARD: [&str; 2] = [
    "attention-backward-h100.json",
    "attention-backward-h200.json",
];
const ATTENTION_DECODE: [&str; 2] = ["attention-decode-h200.json", "attention-decode-h100.json"];
const NORMS: [&str; 2] = ["norms-h200.json", "norms-h100.json"];
const STEPS: &str = "gemm-step-h200.json";

/// The extents of a row of attention.
const HEADS: &str = "sequences x positions x heads x heads of keys x elements";

/// Rows of the benchmark's table that the page shows.
const ROWS: &[&str] = &[
    "copy_bulk as set, 2 KiB",
    "copy_tile bf16 64x64 128B",
    "add_one_bulk as set, 4 KiB",
    "add_one_ring as set, drawn",
    "add_one_tile i32 64x64, 512 threads",
    "stencil bulk",
    "transpose 32-bit 32768x32768",
];

/// Returns the page with the current figures in its blocks.
///
/// # Errors
/// A block has no end or an unknown name, or a record cannot be read.
pub fn renewed(page: &str, folder: &Path) -> Result<String, String> {
    let mut parts = page.split(BEGIN);
    let mut now = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part.split_once(" -->\n").ok_or("a block has no name")?;
        let (_, behind) = rest
            .split_once(END)
            .ok_or(format!("the block `{name}` has no end"))?;
        let block = match name {
            "runs" => runs::table(folder)?,
            "benchmarks" => benchmarks(folder)?,
            "gemm" => beside_torch(folder, GEMM, ["M x N x K", "cuBLASLt", "gemm"])?,
            "gemm-fp8" => gemm_fp8(folder)?,
            "attention" => beside_torch(folder, ATTENTION, [HEADS, "cuDNN", "attention"])?,
            "attention-backward" => {
                let names = [HEADS, "cuDNN", "attention_backward"];
                beside_torch(folder, ATTENTION_BACKWARD, names)?
            }
            "attention-decode" => attention_decode(folder)?,
            "norms" => norms(folder)?,
            "gemm-steps" => gemm_steps(folder)?,
            _ if name.starts_with("gemm-step-") => steps::report(&name["gemm-step-".len()..])?,
            _ => return Err(format!("there are no figures `{name}`")),
        };
        now += &format!("{BEGIN}{name} -->\n{block}{END}{behind}");
    }
    Ok(now)
}

/// Numbers of three digits and more outside of the blocks, but for names and versions.
pub fn typed_by_hand(page: &str) -> Vec<String> {
    let mut parts = page.split(BEGIN);
    let mut text = parts.next().unwrap_or_default().to_owned();
    parts.for_each(|part| text += part.split_once(END).map_or("", |(_, behind)| behind));
    let words = text.split(|c: char| c.is_whitespace() || "()[]|`".contains(c));
    let is_number = |word: &&str| {
        let digits = word.trim_matches(|c: char| ".,;:%".contains(c));
        digits.len() >= 3 && digits.chars().all(|c| c.is_ascii_digit() || c == ',')
    };
    words.filter(is_number).map(str::to_owned).collect()
}

/// The digest of each kernel's PTX for `sm_90a`.
static DIGESTS: LazyLock<BTreeMap<String, String>> = LazyLock::new(|| {
    let Ok(module) = mutants::module() else {
        return BTreeMap::new();
    };
    let digest = |entry: &ptx::Function| {
        let digest = entry_digest(module, entry.name.as_str())?;
        Some((entry.name.to_string(), digest.to_string()))
    };
    module.entries().filter_map(digest).collect()
});

/// Reads the tables that `bench` wrote.
fn benchmarks(folder: &Path) -> Result<String, String> {
    let path = folder.join(RECORDS).join(BENCH);
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let device = text.lines().next().ok_or("the record has no first line")?;
    let mut page = format!("{device}:\n\n");
    page += "| kernel | GB/s | of the limit | of nvcc's time | of the driver's copy | |\n";
    page += "| --- | ---: | ---: | ---: | ---: | --- |\n";
    for row in ROWS {
        let time = |name| cell(&text, "kernel", row, name);
        let (kernel, rate, limit) = (time("kernel")?, time("GB/s")?, time("of limit")?);
        let (of_cuda, of_ref) = (time("of cuda")?, time("of ref")?);
        let ran = cell(&text, "launch", row, "digest of the PTX")?;
        let today = DIGESTS.get(cell(&text, "launch", row, "entry")?);
        let of_earlier = match today.is_some_and(|today| today == ran) {
            true => "",
            false => "recorded for an earlier kernel",
        };
        page +=
            &format!("| `{kernel}` | {rate} | {limit} | {of_cuda} | {of_ref} | {of_earlier} |\n");
    }
    Ok(page)
}

/// The first line of a table and the rows, from the results that a script wrote.
fn torch_record(folder: &Path, file: &str) -> Result<(String, Vec<Value>), String> {
    let path = folder.join(RECORDS).join(file);
    let at = |error: String| format!("{}: {error}", path.display());
    let text = fs::read_to_string(&path).map_err(|error| at(error.to_string()))?;
    let record: Value = serde_json::from_str(&text).map_err(|error| at(error.to_string()))?;
    let text = |name: &str| record[name].as_str().ok_or(at(format!("no `{name}`")));
    let (device, torch, date) = (text("device")?, text("torch")?, text("date")?);
    let driver = record["driver"].as_str();
    let driver = driver.map_or(String::new(), |driver| format!(" driver {driver},"));
    let rows = record["rows"].as_array().ok_or(at("no rows".into()))?;
    Ok((
        format!("{device},{driver} PyTorch {torch}, {date}:\n\n"),
        rows.clone(),
    ))
}

fn number(value: &Value) -> Result<f64, String> {
    value.as_f64().ok_or(format!("`{value}` is not a number"))
}

/// The extents of a row of results.
fn size(row: &Value) -> Result<String, String> {
    extents(row, "size")
}

fn extents(row: &Value, name: &str) -> Result<String, String> {
    let size = row[name].as_array().ok_or("a row has no size")?;
    let size = size.iter().map(|extent| Ok(number(extent)?.to_string()));
    Ok(size.collect::<Result<Vec<_>, String>>()?.join(" x "))
}

/// The rows of two records, and a line that says which columns are the second record's.
fn torch_records(
    folder: &Path,
    files: [&str; 2],
    columns: &str,
) -> Result<(String, Vec<[Value; 2]>), String> {
    let [first, second] = files.map(|file| torch_record(folder, file));
    let ((first, rows), (second, others)) = (first?, second?);
    let is_same = |[a, b]: &[Value; 2]| {
        let names = ["size", "causal", "queries", "kernel", "type"];
        names.iter().all(|name| a[name] == b[name])
    };
    let is_as_long = rows.len() == others.len();
    let of_both = rows.into_iter().zip(others);
    let pairs: Vec<_> = of_both.map(|(first, second)| [first, second]).collect();
    if !is_as_long || !pairs.iter().all(is_same) {
        return Err(format!("{} differ in their rows", files.join(" and ")));
    }
    let head = first.replace(":\n\n", &format!("; {columns}: {second}"));
    Ok((head, pairs))
}

/// Returns the table of a kernel beside the vendor's on two devices, with the names of the sizes, the library and the kernel.
fn beside_torch(
    folder: &Path,
    files: [&str; 2],
    [sizes, vendor, kernel]: [&str; 3],
) -> Result<String, String> {
    let (mut page, rows) = torch_records(folder, files, "the last three columns")?;
    let columns = format!("{vendor} | `{kernel}` | ratio");
    page += &format!(
        "| {sizes} | {columns} | {columns} |\n| --- |{}\n",
        " ---: |".repeat(6)
    );
    for row in &rows {
        let causal = match row[0]["causal"] == Value::Bool(true) {
            true => ", causal",
            false => "",
        };
        page += &format!("| {}{causal} |", size(&row[0])?);
        for row in row {
            let rate = |name: &str| number(&row["tflops"][name.to_lowercase()]);
            let (theirs, ours, ratio) = (rate(vendor)?, rate(kernel)?, number(&row["ratio"])?);
            page += &format!(" {theirs:.0} | {ours:.0} | {ratio:.3} |");
        }
        page.push('\n');
    }
    Ok(page)
}

/// Returns the products with scales, and those of experts' rows, for which cuBLASLt has no call.
fn gemm_fp8(folder: &Path) -> Result<String, String> {
    let (mut page, rows) = torch_record(folder, GEMM_FP8)?;
    page += "| M x N x K | cuBLASLt, one scale | cuBLASLt, these scales | DeepGEMM | `gemm_fp8` | of cuBLASLt | of DeepGEMM |\n\
             | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n";
    let (of_experts, of_one): (Vec<&Value>, Vec<&Value>) =
        rows.iter().partition(|row| row["grouped"].is_array());
    let rate = |row: &Value, name: &str| number(&row["tflops"][name]);
    for row in of_one {
        let names = ["cublaslt_one_scale", "cublaslt", "deep_gemm", "gemm_fp8"];
        let [one_scale, cublaslt, deep_gemm, ours] = names.map(|name| rate(row, name));
        let (one_scale, cublaslt, deep_gemm, ours) = (one_scale?, cublaslt?, deep_gemm?, ours?);
        let (size, of_cublaslt, of_deep_gemm) = (size(row)?, ours / cublaslt, ours / deep_gemm);
        page += &format!(
            "| {size} | {one_scale:.0} | {cublaslt:.0} | {deep_gemm:.0} | {ours:.0} | {of_cublaslt:.3} | \
             {of_deep_gemm:.3} |\n"
        );
    }
    page += "\n| experts x rows of each x N x K | DeepGEMM | `gemm_fp8_contiguous` | of DeepGEMM |\n\
             | --- | ---: | ---: | ---: |\n";
    for row in of_experts {
        let (theirs, ours) = (rate(row, "deep_gemm")?, rate(row, "gemm_fp8")?);
        let (size, ratio) = (extents(row, "grouped")?, ours / theirs);
        page += &format!("| {size} | {theirs:.0} | {ours:.0} | {ratio:.3} |\n");
    }
    Ok(page)
}

/// Returns the steps to a product, beside cuBLAS.
fn gemm_steps(folder: &Path) -> Result<String, String> {
    let (mut page, rows) = torch_record(folder, STEPS)?;
    page += "| step | TFLOP/s | of cuBLAS |\n| --- | ---: | ---: |\n";
    for row in &rows {
        let step = row["step"].as_str().ok_or("a row has no step")?;
        let (rate, ratio) = (number(&row["tflops"])?, number(&row["ratio"])?);
        page += &format!("| {step} | {rate:.1} | {ratio:.3} |\n");
    }
    Ok(page)
}

/// Returns attention to pages beside cuDNN's and PyTorch's flash attention, with the copy, and its share of the copy on a
/// second device.
fn attention_decode(folder: &Path) -> Result<String, String> {
    let (mut page, rows) = torch_records(folder, ATTENTION_DECODE, "the last two columns")?;
    page += "| sequences x keys x heads x heads of keys x keys of a page | queries | copy | cuDNN | cuDNN, packed | cuDNN, pages | \
             flash, packed | `attention_decode` | of the copy | `attention_decode_fp8` | of the copy | H100, of the copy | \
             H100, `fp8` |\n";
    page += &format!("| --- |{}\n", " ---: |".repeat(12));
    for [row, also] in &rows {
        page += &format!("| {} | {} |", size(row)?, number(&row["queries"])?);
        let names = [
            "copy",
            "cudnn",
            "cudnn_packed",
            "cudnn_paged",
            "flash_packed",
            "attention_decode",
        ];
        for name in names {
            page += &format!(" {:.0} |", number(&row["gb_per_s"][name])?);
        }
        page += &format!(
            " {:.3} | {:.0} | {:.3} | {:.3} | {:.3} |\n",
            number(&row["of_copy"])?,
            number(&row["gb_per_s"]["attention_decode_fp8"])?,
            number(&row["fp8_of_copy"])?,
            number(&also["of_copy"])?,
            number(&also["fp8_of_copy"])?
        );
    }
    Ok(page)
}

/// Returns the kernels over rows, with the copy and PyTorch's, compiled if it was, and their share of the copy on a second
/// device.
fn norms(folder: &Path) -> Result<String, String> {
    let (mut page, rows) = torch_records(folder, NORMS, "the last column")?;
    page += "| kernel | rows x elements | copy | PyTorch | compiled | kernel | of the copy | H100, of the copy |\n";
    page += "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n";
    for [row, also] in &rows {
        let name = row["kernel"].as_str().ok_or("a row has no kernel")?;
        let ty = row["type"].as_str().ok_or("a row has no type")?;
        let rate = |name: &str| number(&row["gb_per_s"][name]);
        let compiled = rate("compiled").map_or(String::new(), |rate| format!("{rate:.0}"));
        let (copy, eager, ours) = (rate("clone")?, rate("eager")?, rate(name)?);
        page += &format!(
            "| `{name}` | {} {ty} | {copy:.0} | {eager:.0} | {compiled} | {ours:.0} | {:.3} | {:.3} |\n",
            size(row)?,
            ours / copy,
            number(&also["ratio"]["clone"])?
        );
    }
    Ok(page)
}

/// Returns a cell of the table whose first column has this name, in the row with this beginning.
fn cell<'a>(text: &'a str, table: &str, row: &str, column: &str) -> Result<&'a str, String> {
    let mut lines = text.lines();
    let head = lines.find(|line| line.starts_with(&format!("{table} ")));
    let head = cells(head.ok_or(format!("there is no table `{table}`"))?);
    let line = lines.find(|line| line.starts_with(row));
    let cells = cells(line.ok_or(format!("the table has no row `{row}`"))?);
    let at = head.iter().position(|cell| *cell == column);
    let cell = at.and_then(|at| cells.get(at).copied());
    cell.ok_or(format!("the row `{row}` has no `{column}`"))
}

/// The cells of a line, which two spaces part.
fn cells(line: &str) -> Vec<&str> {
    let cells = line.split("  ").map(str::trim);
    cells.filter(|cell| !cell.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_outside_of_blocks_are_found() {
        let page =
            format!("On 1,348 of 12\n{BEGIN}runs -->\n| 5000 |\n{END}(2040) cases of `9000`.\n");
        assert_eq!(typed_by_hand(&page), ["1,348", "2040", "9000"]);
        assert!(
            renewed(
                "<!-- figures: none -->\n<!-- end of figures -->\n",
                Path::new(".")
            )
            .is_err()
        );
    }
}
