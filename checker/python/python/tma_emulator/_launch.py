"""Launches from Python's values."""

from __future__ import annotations

import sys
import warnings
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any, Callable, Iterable, Mapping, Optional, Sequence, Union

import numpy as np

from tma_emulator._memory import Memory, check_array
from tma_emulator._native import Job, Proof, Run
from tma_emulator._result import CheckError, CheckWarning, Result
from tma_emulator._tensor_map import TensorMap

Dim3 = Union[int, Sequence[int]]

default_seeds: tuple[int, ...] = (0,)
"""The schedules of calls that name none. The pytest plugin sets it."""

default_all_schedules = False
"""Whether calls that name no schedules run all of them. The pytest plugin sets it."""

default_schedule: Optional[str] = None
"""The schedule of calls that name none. The pytest plugin sets it."""

observers: list[Callable[[Result], None]] = []
"""Each of them gets every result."""


def emulate(
    ptx: Union[str, PathLike[str]],
    entry: str,
    grid: Dim3,
    block: Dim3,
    args: Sequence[Any] = (),
    *,
    shared: int = 0,
    cluster: Optional[Dim3] = None,
    cooperative: bool = False,
    variables: Optional[Mapping[str, np.ndarray]] = None,
    seeds: Optional[Iterable[int]] = None,
    all_schedules: Optional[bool] = None,
    bound: Optional[int] = None,
    schedule: Optional[str] = None,
    check: bool = True,
    strict: bool = False,
    suppress: Iterable[tuple[str, str]] = (),
    max_steps: Optional[int] = None,
) -> Result:
    """Runs a kernel of a PTX text on the CPU, with the semantics of an H100, under the checker.

    Arrays are memory: the kernel gets the address of their first element, and changes them in place. What lies between
    the first and the last element is there, too, and arrays that overlap do so for the kernel.

    :param ptx: the PTX, or the path of a file with it as a `pathlib.Path`.
    :param entry: the name of the kernel in the PTX.
    :param grid: blocks in the grid, innermost dimension first: up to three numbers, or one.
    :param block: threads in a block, likewise.
    :param args: an argument for each parameter: NumPy arrays; scalars of NumPy, such as `numpy.int32(5)`, by value;
        `TensorMap`; `bytes` of a struct; `None`, the null pointer.
    :param shared: dynamic shared memory of a block, in bytes.
    :param cluster: blocks in a cluster, where the kernel does not say so itself.
    :param cooperative: all blocks run at once, so that they can wait for each other.
    :param variables: contents of `__device__` and `__constant__` variables by their names in PTX; the arrays are
        changed, too.
    :param seeds: the schedules, such as `range(8)`; 0 unless given. Each begins with the same memory, and what the first
        leaves stays.
    :param all_schedules: run every schedule that can have another result, up to the first with an error, in place of
        seeds. What the first leaves stays.
    :param bound: the schedules of a launch after which the search ends as not finished, which is an error; 10,000 unless
        given.
    :param schedule: the name of a schedule that failed, which is repeated.
    :param check: raise `CheckError` for errors and warn by `CheckWarning` of the rest; otherwise findings are in the
        result alone.
    :param strict: report violations without effect in practice, too.
    :param suppress: pairs of a kind and a function whose findings are accepted, as in `("same-value-race", "softmax*")`.
    :param max_steps: instructions, counted for each thread, after which the kernel counts as endless.
    :raises CheckError: the checker found something worse than a warning; the arrays are as the kernel left them.
    :raises LaunchError: the launch cannot be made; nothing was run.
    :raises UnsupportedError: the kernel has instructions that the emulator lacks; nothing was run.
    """
    __tracebackhide__ = True
    launch = Launch(ptx, entry, grid, block, args, shared, cluster, cooperative, variables)
    schedules = Schedules(seeds, all_schedules, bound, schedule)
    return run([_call(launch, "")], schedules, check=check, strict=strict, suppress=suppress, max_steps=max_steps)


@dataclass(frozen=True)
class Launch:
    """A launch for `emulate_all`; its fields are the arguments of `emulate` of the same names."""

    ptx: Union[str, PathLike[str]]
    entry: str
    grid: Dim3
    block: Dim3
    args: Sequence[Any] = ()
    shared: int = 0
    cluster: Optional[Dim3] = None
    cooperative: bool = False
    variables: Optional[Mapping[str, np.ndarray]] = None


def emulate_all(
    launches: Iterable[Launch],
    *,
    seeds: Optional[Iterable[int]] = None,
    all_schedules: Optional[bool] = None,
    bound: Optional[int] = None,
    schedule: Optional[str] = None,
    check: bool = True,
    strict: bool = False,
    suppress: Iterable[tuple[str, str]] = (),
    max_steps: Optional[int] = None,
) -> Result:
    """Runs launches one after the other, as `emulate` runs one, in the same memory.

    Kernels may come from several PTX texts, each of which is a module; launches with the same text share its module.
    Variables of a module and the heap of `malloc` live until the last launch is over. The `variables` of a launch are
    those of its module, as they are before the first launch and after the last, so each is given once.

    :param launches: the launches, in their order.
    :raises CheckError: the checker found something worse than a warning; the arrays are as the kernels left them.
    :raises LaunchError: a launch cannot be made; nothing was run.
    :raises UnsupportedError: a kernel has instructions that the emulator lacks; nothing was run.
    """
    __tracebackhide__ = True
    calls = [_call(launch, f"launches[{index}].") for index, launch in enumerate(launches)]
    if not calls:
        raise ValueError("launches must not be empty: pass launches=[Launch(ptx, entry, grid, block, args)]")
    schedules = Schedules(seeds, all_schedules, bound, schedule)
    return run(calls, schedules, check=check, strict=strict, suppress=suppress, max_steps=max_steps)


@dataclass(frozen=True)
class Call:
    """A launch with all names that reports have."""

    name: str
    ptx: str
    entry: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    args: Mapping[str, Any]
    shared: int = 0
    cluster: Optional[tuple[int, int, int]] = None
    cooperative: bool = False
    variables: Mapping[str, np.ndarray] = field(default_factory=dict)


def _call(launch: Launch, prefix: str) -> Call:
    """`prefix` precedes the names of arguments."""
    name, text = _read(launch.ptx, launch.entry)
    return Call(
        name,
        text,
        launch.entry,
        dim3(f"{prefix}grid", launch.grid),
        dim3(f"{prefix}block", launch.block),
        {f"{prefix}args[{index}]": arg for index, arg in enumerate(launch.args)},
        launch.shared,
        None if launch.cluster is None else dim3(f"{prefix}cluster", launch.cluster),
        launch.cooperative,
        launch.variables or {},
    )


@dataclass(frozen=True)
class Schedules:
    """The schedules that a call names, by the parameters of `emulate`."""

    seeds: Optional[Iterable[int]]
    all_schedules: Optional[bool]
    bound: Optional[int]
    schedule: Optional[str]

    def run(self, job: Job, max_steps: Optional[int], strict: bool) -> tuple[list[Run], list[Proof]]:
        given = [name for name in ("seeds", "all_schedules", "schedule") if getattr(self, name) not in (None, False)]
        if len(given) > 1:
            raise ValueError(f"{' and '.join(given)} exclude each other: pass one of them")
        if self.schedule is not None:
            return [job.run_schedule(self.schedule, max_steps, strict)], []
        # A test may call other kernels, too.
        if default_schedule is not None and not given and job.has_schedule(default_schedule):
            return [job.run_schedule(default_schedule, max_steps, strict)], []
        every = default_all_schedules if self.all_schedules is None and not given else self.all_schedules
        if every:
            run, proofs = job.run_all_schedules(self.bound, max_steps, strict)
            return [run], proofs
        if self.bound is not None:
            raise ValueError(f"bound={self.bound} has no effect without all_schedules=True")
        seeds = list(default_seeds if self.seeds is None else self.seeds)
        if not seeds:
            raise ValueError("seeds must not be empty: use seeds=range(8) for eight schedules")
        return job.run(seeds, max_steps, strict), []


def run(
    calls: Sequence[Call],
    schedules: Schedules,
    *,
    check: bool,
    strict: bool,
    suppress: Iterable[tuple[str, str]],
    max_steps: Optional[int],
) -> Result:
    """Runs launches for a caller whose own caller is the user."""
    __tracebackhide__ = True
    job = Job()
    job.suppress(list(suppress))
    memory = Memory(_arrays(calls))
    memory.upload(job)
    modules: dict[str, int] = {}
    held: dict[tuple[int, str], tuple[int, np.ndarray]] = {}
    for call in calls:
        if call.ptx not in modules:
            # Reports tell two texts of the same name apart.
            is_known = call.name in (other.name for other in calls if other.ptx in modules)
            name = f"{call.name} of module {len(modules)}" if is_known else call.name
            modules[call.ptx] = job.module(name, call.ptx)
        module = modules[call.ptx]
        job.launch(module, call.entry, call.grid, call.block)
        job.shared_bytes(call.shared)
        if call.cluster is not None:
            job.cluster(call.cluster)
        if call.cooperative:
            job.cooperative()
        for name, arg in call.args.items():
            _argument(job, memory, name, arg)
        for name, array in call.variables.items():
            if (module, name) in held:
                raise ValueError(f"variables[{name!r}] is set by two launches of the same module: set it once")
            held[module, name] = _variable(job, module, name, array), array
    runs, proofs = schedules.run(job, max_steps, strict)
    result = Result(tuple(runs), calls[0].ptx, tuple(proofs))
    memory.download(job)
    for index, array in held.values():
        array[...] = np.frombuffer(job.bytes(index), array.dtype).reshape(array.shape)
    sys.stdout.write(result.printed)
    for observer in observers:
        observer(result)
    if check:
        for finding in result.warnings:
            warnings.warn(str(finding), CheckWarning, stacklevel=3)
        if not result.is_clean:
            raise CheckError(result)
    return result


def dim3(what: str, given: Dim3) -> tuple[int, int, int]:
    """Three numbers, innermost dimension first."""
    numbers = (given,) if isinstance(given, (int, np.integer)) else tuple(given)
    if not 1 <= len(numbers) <= 3 or not all(isinstance(number, (int, np.integer)) for number in numbers):
        raise TypeError(f"{what} = {given!r}: must be one to three whole numbers, innermost dimension first")
    if not all(0 <= number < 1 << 32 for number in numbers):
        raise ValueError(f"{what} = {given!r}: dimensions must be from 0 to 4294967295")
    x, y, z = (*(int(number) for number in numbers), 1, 1)[:3]
    return x, y, z


def _read(ptx: Union[str, PathLike[str]], entry: str) -> tuple[str, str]:
    """A name for the text in reports, and the text."""
    if isinstance(ptx, str):
        if "\n" not in ptx and not ptx.lstrip().startswith("."):
            raise ValueError(f"{ptx!r} is not PTX: pass the path of a file as pathlib.Path({ptx!r})")
        return f"{entry}.ptx", ptx
    return str(ptx), Path(ptx).read_text(encoding="utf-8")


def _variable(job: Job, module: int, name: str, array: np.ndarray) -> int:
    if not isinstance(array, np.ndarray):
        raise TypeError(f"variables[{name!r}] must be a NumPy array, not {type(array).__name__}")
    check_array(f"variables[{name!r}]", array)
    return job.variable(module, name, array.tobytes())


def _arrays(calls: Sequence[Call]) -> dict[str, np.ndarray]:
    """The arrays of all launches by their names."""
    arrays = {}
    for call in calls:
        for name, arg in call.args.items():
            array = arg.array if isinstance(arg, TensorMap) else arg
            if isinstance(array, np.ndarray):
                check_array(name, array)
                arrays[name] = array
    return arrays


def _argument(job: Job, memory: Memory, name: str, arg: Any) -> None:
    """Adds the next argument of the last launch."""
    if isinstance(arg, np.ndarray):
        job.pointer(*memory.find(arg))
    elif isinstance(arg, TensorMap):
        job.tensor_map(arg._map, *memory.find(arg.array))
    elif isinstance(arg, np.generic):
        job.value(_TYPES.get(arg.dtype.name, "struct"), arg.tobytes())
    elif isinstance(arg, bytes):
        job.value("struct", arg)
    elif arg is None:
        job.address(0)
    else:
        raise TypeError(_no_argument(name, arg))


# The types of Rust's scalars; others are passed by their bits.
_TYPES = {
    "bool": "u8",
    "int8": "i8",
    "uint8": "u8",
    "int16": "i16",
    "uint16": "u16",
    "int32": "i32",
    "uint32": "u32",
    "int64": "i64",
    "uint64": "u64",
    "float16": "u16",
    "bfloat16": "u16",
    "float32": "f32",
    "float64": "f64",
}


def _no_argument(name: str, arg: Any) -> str:
    if isinstance(arg, (bool, int, float)):
        scalar = "bool_" if isinstance(arg, bool) else "int32" if isinstance(arg, int) else "float32"
        return f"{name} is {arg!r}, but a Python number has no size: pass numpy.{scalar}({arg!r}), or of another type"
    if hasattr(arg, "numpy"):
        return f"{name} is {type(arg).__name__}: pass {name}.numpy(), which shares its memory"
    return f"{name} is {type(arg).__name__}; an argument must be a NumPy array, a NumPy scalar, a TensorMap, bytes or None"
