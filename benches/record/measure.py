"""The time of a program under `tma record` as a multiple of that without, for the table in docs/record.md.

    nvcc -O2 -gencode arch=compute_90a,code=[sm_90a,compute_90a] program.cu -o program
    python3 measure.py --tma PATH --program ./program

Each row is the median of the runs; runs with and without take turns. Archives are removed after each run.
"""

import argparse
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

# Launches, flags of `tma record`, and arguments of the program.
STEP = ["--kernel", "step"]
CASES = [
    ("1", [], [0, 1, 1]),
    ("300", [], [1, 300, 1]),
    ("6", [], [12, 6, 1]),
    ("6", [], [46, 6, 1]),
    ("6", [], [185, 6, 1]),
    ("6", [], [600, 6, 1]),
    ("6, without other work", STEP, [12, 6, 0]),
    ("6, without other work", STEP, [46, 6, 0]),
    ("6, without other work", STEP, [185, 6, 0]),
    ("6, without other work", STEP, [600, 6, 0]),
    ("3 of 3000, by `--launches`", ["--launches", "1000..1003"], [10, 3000, 100]),
    ("none of 30,000, by `--kernel`", ["--kernel", "other"], [0, 30000, 30000]),
]


def timed(command):
    start = time.perf_counter()
    run = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    return time.perf_counter() - start, run


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tma", default="tma")
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--times", action="store_true", help="show the output of `tma record --times`")
    parser.add_argument("--only", type=int, action="append", help="MiB of the cases that are measured")
    flags = parser.parse_args()
    print("| launches | archives together | without | with | times |\n| ---: | ---: | ---: | ---: | ---: |")
    for name, record, arguments in CASES:
        if flags.only and arguments[0] not in flags.only:
            continue
        command = [flags.program.resolve(), *arguments]
        plain, recorded, size, said = [], [], 0, ""
        for _ in range(flags.runs):
            seconds, without = timed(command)
            plain.append(seconds)
            folder = pathlib.Path(tempfile.mkdtemp(dir="."))
            show = ["--times"] if flags.times else []
            seconds, run = timed([flags.tma, "record", *show, *record, "--out", folder, *command])
            recorded.append(seconds)
            size = sum(file.stat().st_size for file in folder.iterdir())
            shutil.rmtree(folder)
            said = run.stderr
            if (run.stdout, run.returncode) != (without.stdout, without.returncode):
                sys.exit(f"{arguments}: another result: {without} {run}")
        medians = [statistics.median(seconds) for seconds in (plain, recorded)]
        columns = [name, f"{size / 2**20:.0f} MiB", *(f"{median:.3f} s" for median in medians)]
        print("| " + " | ".join([*columns, f"{medians[1] / medians[0]:.2f}"]) + " |", flush=True)
        if flags.times:
            print("\n".join(f"    {line}" for line in said.splitlines()), flush=True)


if __name__ == "__main__":
    main()
