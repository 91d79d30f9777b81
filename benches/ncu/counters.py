"""Runs rows of `bench`, and `deform_attn`, under Nsight Compute, and prints a line for each kernel:
how busy it keeps what could limit it, and what its warps wait for."""

import argparse
import csv
import io
import re
import subprocess
import sys

ROWS = [
    "stencil",
    "histogram",
    "conv_im2col",
    "multicast_tile",
    "hwc_tile",
    "transpose",
    "add_one_tile_ring i32 32x64",
    "prefetch",
    "persistent_tiles",
    "copy_tile bf16",
    "gemm_mma bf16 4096",
]
KERNELS = (
    "stencil_.*|histogram.*|conv_im2col.*|multicast_tiles?|hwc_tile_lanes|transpose.*|"
    "add_one_tile_ring_.*|prefetch_.*|persistent_tiles_.*|copy_tile.*|gemm_mma.*"
)
SECTIONS = [
    "SpeedOfLight",
    "ComputeWorkloadAnalysis",
    "MemoryWorkloadAnalysis",
    "MemoryWorkloadAnalysis_Tables",
    "SchedulerStats",
    "WarpStateStats",
    "InstructionStats",
    "Occupancy",
    "LaunchStats",
]
# The name in the table, and alternative metrics, of which the first available one is used.
COLUMNS = {
    "us": ["gpu__time_duration.sum"],
    "memory %": [
        "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
        "dram__throughput.avg.pct_of_peak_sustained_elapsed",
    ],
    "L2 %": ["lts__t_throughput.avg.pct_of_peak_sustained_elapsed", "lts__throughput.avg.pct_of_peak_sustained_elapsed"],
    "L1 %": ["l1tex__throughput.avg.pct_of_peak_sustained_active", "l1tex__throughput.avg.pct_of_peak_sustained_elapsed"],
    "shared wavefronts": [
        "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
        "smsp__l1tex_data_pipe_lsu_wavefronts_mem_shared.sum",
    ],
    "issue %": [
        "smsp__issue_active.avg.pct_of_peak_sustained_active",
        "sm__inst_issued.avg.pct_of_peak_sustained_active",
        "smsp__issues_active.avg.pct_of_peak_sustained_active",
    ],
    "instructions": ["smsp__inst_executed.sum", "sm__inst_executed.sum"],
    "warps %": ["sm__warps_active.avg.pct_of_peak_sustained_active"],
}
STALL = re.compile(r"smsp__average_warps?_(?:latency_)?issue_stalled_(\w+?)(?:_per_issue_active)?\.ratio")


def number(cell):
    try:
        return float(cell.replace(",", ""))
    except (AttributeError, ValueError):
        return None


def profile(ncu, selection, program, log):
    """The kernels that were profiled, each as a dictionary of its metrics; their units are under None."""
    command = [ncu, "--clock-control", "none", "--cache-control", "none", "--page", "raw", "--csv"]
    for section in SECTIONS:
        command += ["--section", section]
    command += selection + program
    done = subprocess.run(command, capture_output=True, text=True)
    if log:
        with open(log, "w") as file:
            file.write(done.stdout + done.stderr)
    lines = done.stdout.splitlines()
    first = next((index for index, line in enumerate(lines) if line.startswith('"ID"')), None)
    if first is None:
        sys.exit(f"error: ncu profiled no kernels: {' '.join(command)}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    rows = [line for line in lines[first:] if line.startswith('"')]
    return list(csv.DictReader(io.StringIO("\n".join(rows))))


def line(name, kernel, units):
    """The cells of a kernel."""
    cells = [name]
    for column, metrics in COLUMNS.items():
        metric = next((metric for metric in metrics if number(kernel.get(metric)) is not None), None)
        if metric is None:
            cells.append("-")
            continue
        value = number(kernel[metric])
        if column == "us":
            value *= {"ns": 1e-3, "nsecond": 1e-3, "ms": 1e3, "msecond": 1e3}.get(units.get(metric), 1)
        cells.append(f"{value:.1f}" if column == "us" or "%" in column else f"{value:.0f}")
    stalls = {}
    for metric, cell in kernel.items():
        found = STALL.fullmatch(metric or "")
        if found and number(cell) is not None and not found[1].endswith("not_issued"):
            stalls[found[1]] = number(cell)
    total = sum(stalls.values()) or 1
    worst = sorted(stalls.items(), key=lambda stall: -stall[1])[:3]
    cells.append(", ".join(f"{name} {100 * value / total:.0f} %" for name, value in worst))
    return cells


def show(head, rows):
    table = [[head, *COLUMNS, "warps wait for, share of their time"], *rows]
    widths = [max(len(row[index]) for row in table) for index in range(len(table[0]))]
    for row in table:
        first, *others, last = row
        cells = [cell.rjust(width) for cell, width in zip(others, widths[1:-1])]
        print("  ".join([first.ljust(widths[0]), *cells, last]))
    print()


def seconds(kernel, units):
    return float(line("", kernel, units)[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bench", help="the program `bench`")
    parser.add_argument("--deform-attn", help="the program `deform_attn`")
    parser.add_argument("--deform-kernels", default="gather|resident_2|pairs", help="its kernels, without the prefix `deform_attn_`")
    parser.add_argument("--rows", nargs="*", default=ROWS, help="rows of `bench`")
    parser.add_argument("--kernels", default=KERNELS, help="a pattern of the entries of these rows")
    parser.add_argument("--ncu", default="ncu")
    parser.add_argument("--log", help="write ncu's output to files with this prefix")
    arguments = parser.parse_args()
    log = lambda name: arguments.log and f"{arguments.log}-{name}.csv"
    if arguments.bench:
        # The first launch of each entry is the check's, of the Rust kernel.
        selection = ["--kernel-id", f"::regex:^({arguments.kernels})$:1"]
        program = [arguments.bench, *arguments.rows, "--runs", "1", "--force"]
        units, *kernels = profile(arguments.ncu, selection, program, log("bench"))
        show("kernel", [line(kernel["Kernel Name"], kernel, units) for kernel in kernels])
    if arguments.deform_attn:
        for queries in ["1000", "20522"]:
            selection = ["--kernel-name", f"regex:^deform_attn_({arguments.deform_kernels})$"]
            program = [arguments.deform_attn, "--queries", queries, "--runs", "1", "--launches", "1", "--force"]
            units, *kernels = profile(arguments.ncu, selection, program, log(f"deform-attn-{queries}"))
            # Each entry has the same number of launches with uniform locations as with local ones, which follow.
            rows = []
            for name in dict.fromkeys(kernel["Kernel Name"] for kernel in kernels):
                launches = [kernel for kernel in kernels if kernel["Kernel Name"] == name]
                half = len(launches) // 2
                for locations, launches in ("uniform", launches[:half]), ("local", launches[half:]):
                    best = min(launches, key=lambda kernel: seconds(kernel, units))
                    rows.append(line(f"{name} {locations}", best, units))
            show(f"{queries} queries, fastest launch", rows)


if __name__ == "__main__":
    main()
