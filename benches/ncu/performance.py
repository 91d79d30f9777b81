"""Compares the counts of the emulator's performance report with the counters of Nsight Compute.

Runs kernels by the program `run` on the emulator, with `TMA_PERFORMANCE`, and on the GPU under `ncu`. Prints the counts
of each launch side by side. A line ends with `equal`, or with the ratio of the GPU's count to the emulator's. ptxas may
merge or split accesses, `wmma` and spilled registers are not counted, and the L2 counters include all other traffic."""

import argparse
import csv
import io
import os
import re
import subprocess
import sys
import tempfile

SHARED, GLOBAL, COPIES = "shared memory", "global memory", "bulk and tensor copies"
# The name of a line, the emulator's count, and the metrics whose sum should be the same.
COUNTS = [
    ("shared wavefronts", lambda of: of(SHARED, "wavefronts"), ["memory_l1_wavefronts_shared"]),
    ("  ideal", lambda of: of(SHARED, "ideal"), ["memory_l1_wavefronts_shared_ideal"]),
    ("global sectors", lambda of: of(GLOBAL, "sectors"), ["memory_l2_theoretical_sectors_global"]),
    ("  ideal", lambda of: of(GLOBAL, "ideal"), ["memory_l2_theoretical_sectors_global_ideal"]),
    ("  lines", lambda of: of(GLOBAL, "lines"), ["memory_l1_tag_requests_global"]),
    (
        "L2 sectors",
        lambda of: of(GLOBAL, "sectors") + of(COPIES, "sectors") // 32,
        ["lts__t_sectors_op_read.sum", "lts__t_sectors_op_write.sum", "lts__t_sectors_op_red.sum", "lts__t_sectors_op_atom.sum"],
    ),
]


def emulated(program, kernel, environment):
    """The launches of a kernel on the emulator: for each its entry, and the sums of its tables."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "counts.txt")
        command = program + [kernel, "--device", "emulator"]
        done = subprocess.run(command, env={**environment, "TMA_PERFORMANCE": path}, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"error: {' '.join(command)} failed:\n{done.stdout}{done.stderr}")
        with open(path) as file:
            return list(launches(file.read()))


def launches(text):
    for launch in re.split(r"^(?=`[^`]+`: performance)", text, flags=re.M)[1:]:
        entry = launch.split("`")[1]
        tables = {}
        for table in launch.rstrip("\n").split("\n\n")[1:]:
            title, head, *rows = table.strip("\n").split("\n")
            rows = [row for row in rows if not row.startswith("  = ")]
            # The last row is the only one, or the sum of all.
            cells = zip(re.split(r"\s{2,}", head.strip()), re.split(r"\s{2,}", rows[-1].strip()))
            tables[title.split(":")[0]] = dict(cells)
        yield entry, lambda table, column, tables=tables: int(tables.get(table, {}).get(column, 0))


def profiled(ncu, program, kernel, environment, log):
    """The launches of a kernel under Nsight Compute: for each its entry, and its metrics."""
    metrics = sorted({metric for *_, metrics in COUNTS for metric in metrics})
    command = [ncu, "--page", "raw", "--csv", "--metrics", ",".join(metrics)] + program + [kernel, "--device", "gpu"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if log:
        with open(f"{log}-{kernel}.csv", "w") as file:
            file.write(done.stdout + done.stderr)
    lines = [line for line in done.stdout.splitlines() if line.startswith('"')]
    if len(lines) < 3:
        sys.exit(f"error: ncu profiled no kernels: {' '.join(command)}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    _, *rows = csv.DictReader(io.StringIO("\n".join(lines)))
    return [(row["Kernel Name"].split("(")[0], row) for row in rows]


def number(cell):
    try:
        return float(cell.replace(",", ""))
    except (AttributeError, ValueError):
        return None


def compare(kernel, ours, theirs):
    """Prints the counts of both; returns whether all shared and global ones are equal."""
    if [entry for entry, _ in ours] != [entry for entry, _ in theirs]:
        names = [", ".join(entry for entry, _ in launches) for launches in (ours, theirs)]
        print(f"{kernel}: other launches: {names[0]} on the emulator, {names[1]} on the GPU\n")
        return False
    is_equal = True
    for (entry, count), (_, metrics) in zip(ours, theirs):
        print(f"{entry:<34} {'emulator':>12} {'ncu':>12}")
        for name, of, sources in COUNTS:
            values = [number(metrics.get(source)) for source in sources]
            own = of(count)
            if None in values:
                print(f"  {name:<32} {own:>12} {'-':>12}  no metric {', '.join(sources)}")
                continue
            other = sum(values)
            verdict = "equal" if own == other else f"{other / own:.3f}" if own else "only on the GPU"
            is_equal &= own == other or name == "L2 sectors"
            print(f"  {name:<32} {own:>12} {other:>12.0f}  {verdict}")
        print()
    return is_equal


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", required=True, help="the program `run`")
    parser.add_argument("--ptx", required=True, help="the kernels' PTX for this GPU, such as kernels/sm_90a.ptx")
    parser.add_argument("--kernels", nargs="*", help="kernels, as `run --list` names them; all of them by default")
    parser.add_argument("--ncu", default="ncu")
    parser.add_argument("--log", help="write ncu's output to files with this prefix")
    arguments = parser.parse_args()
    program = [arguments.run, "--module", arguments.ptx]
    environment = dict(os.environ)
    kernels = arguments.kernels
    if not kernels:
        listed = subprocess.run([arguments.run, "--list"], check=True, capture_output=True, text=True).stdout
        kernels = [line.split()[0] for line in listed.splitlines()]
    different = [
        kernel
        for kernel in kernels
        if not compare(
            kernel,
            emulated(program, kernel, environment),
            profiled(arguments.ncu, program, kernel, environment, arguments.log),
        )
    ]
    print(f"{len(kernels) - len(different)} equal, {len(different)} different: {' '.join(different) or '-'}")


if __name__ == "__main__":
    main()
