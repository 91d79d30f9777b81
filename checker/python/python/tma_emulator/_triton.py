"""Kernels of Triton and of Gluon."""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Iterable, Optional, Sequence, Union

import numpy as np

from tma_emulator._launch import Call, Dim3, Schedules, dim3, run
from tma_emulator._memory import region
from tma_emulator._result import Result
from tma_emulator._tensor_map import TensorMap

if TYPE_CHECKING:
    from triton.runtime.jit import JITFunction

# The emulator implements the semantics of an H100.
_TARGET = ("cuda", 90, 32)

_POINTERS = {
    "bool": "i1",
    "int8": "i8",
    "int16": "i16",
    "int32": "i32",
    "int64": "i64",
    "uint8": "u8",
    "uint16": "u16",
    "uint32": "u32",
    "uint64": "u64",
    "float16": "fp16",
    "bfloat16": "bf16",
    "float32": "fp32",
    "float64": "fp64",
    "float8_e4m3fn": "fp8e4nv",
    "float8_e5m2": "fp8e5",
}

_SCALARS = {
    "i1": np.bool_,
    "u1": np.bool_,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "u8": np.uint8,
    "u16": np.uint16,
    "u32": np.uint32,
    "u64": np.uint64,
    "fp16": np.float16,
    "fp32": np.float32,
    "fp64": np.float64,
}

_SWIZZLES = ("none", "32b", "64b", "128b")


@dataclass(frozen=True)
class TensorDescriptor:
    """A tensor descriptor of an array, as those of `triton.tools.tensor_descriptor` and of Gluon are of a tensor.

    Lengths are in elements and outermost first, as Triton has them.
    """

    base: np.ndarray
    """The tensor."""
    block_shape: Sequence[int]
    """The block that the kernel loads or stores by one call."""
    padding: str = "zero"
    """The value of elements outside of the tensor: `"zero"` or `"nan"`."""
    layout: Any = None
    """For a kernel of Gluon's, the layout of the block in shared memory, a `NVMMASharedLayout`."""
    round_f32_to_tf32: bool = False
    """For a kernel of Gluon's, round elements of `float32` to `tf32` as they are loaded."""


def check_triton(
    kernel: JITFunction,
    grid: Union[Dim3, Callable[[dict[str, Any]], Dim3]],
    *args: Any,
    seeds: Optional[Iterable[int]] = None,
    all_schedules: Optional[bool] = None,
    bound: Optional[int] = None,
    schedule: Optional[str] = None,
    check: bool = True,
    strict: bool = False,
    suppress: Iterable[tuple[str, str]] = (),
    max_steps: Optional[int] = None,
    **kwargs: Any,
) -> Result:
    """Compiles one of Triton's or Gluon's kernels for an H100 and runs it as `emulate` does, without a GPU.

    `check_triton(kernel, grid, *args, **kwargs)` stands for `kernel[grid](*args, **kwargs)`, with NumPy arrays in place of
    tensors, `TensorDescriptor` in place of Triton's, and options such as `num_warps` among `kwargs`. Kernels are
    specialised to their arguments as Triton does it.

    :param kernel: a function with `@triton.jit` or `@gluon.jit`.
    :param grid: programs in the grid, or a function of the arguments by name that gives them.
    :raises CheckError: the checker found something worse than a warning; the arrays are as the kernel left them.

    `seeds`, `all_schedules`, `bound`, `schedule`, `check`, `strict`, `suppress` and `max_steps` are those of `emulate`.
    """
    __tracebackhide__ = True
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import make_backend

    if not isinstance(kernel, triton.runtime.jit.JITFunction):
        raise TypeError(_no_kernel(kernel))
    target = GPUTarget(*_TARGET)
    values, options = _bind(kernel, args, kwargs, vars(make_backend(target).parse_options({})))
    signature, constants, attributes = _specialise(kernel, values)
    source = _source(kernel)(kernel, signature, constants, attributes)
    compiled = triton.compile(source, target=target, options=options)
    metadata = compiled.metadata

    x, y, z = dim3("grid", grid(values) if callable(grid) else grid)
    num_ctas = getattr(metadata, "num_ctas", 1)
    parameters: dict[str, Any] = {}
    descriptions = iter(getattr(metadata, "tensordesc_meta", None) or ())
    for name, ty in signature.items():
        if ty == "constexpr":
            continue
        value = values[name]
        if isinstance(value, TensorDescriptor):
            parameters.update(_descriptor(name, value, next(descriptions)))
        else:
            parameters[name] = value if isinstance(value, np.ndarray) else _SCALARS[ty](value)
    programs = x * y * z * num_ctas
    for scratch in ("global_scratch", "profile_scratch"):
        # Versions of Triton differ in which ones a kernel takes.
        if hasattr(metadata, f"{scratch}_size"):
            size = getattr(metadata, f"{scratch}_size") * programs
            parameters[scratch] = np.full(size, 0xFF, np.uint8) if size else None
    call = Call(
        f"{kernel.__name__}.ptx",
        _without_lines_of_assembly(compiled.asm["ptx"]),
        metadata.name,
        (x * num_ctas, y, z),
        (metadata.num_warps * 32, 1, 1),
        parameters,
        metadata.shared,
        (num_ctas, 1, 1) if num_ctas > 1 else None,
        getattr(metadata, "launch_cooperative_grid", False),
    )
    schedules = Schedules(seeds, all_schedules, bound, schedule)
    return run([call], schedules, check=check, strict=strict, suppress=suppress, max_steps=max_steps)


def _without_lines_of_assembly(ptx: str) -> str:
    """Removes LLVM's line directives in inline assembly, which count lines as if they were the source's."""
    blocks = r"// begin inline asm\n.*?// end inline asm"
    return re.sub(blocks, lambda block: re.sub(r"(?m)^\s*\.loc\s.*$", "", block[0]), ptx, flags=re.DOTALL)


def _is_gluon(kernel: JITFunction) -> bool:
    # Early versions of Triton have no Gluon.
    return bool(getattr(kernel, "is_gluon", lambda: False)())


def _source(kernel: JITFunction) -> Any:
    """Triton's class for the source of a kernel."""
    if _is_gluon(kernel):
        from triton.experimental.gluon._runtime import GluonASTSource

        return GluonASTSource
    from triton.compiler import ASTSource

    return ASTSource


def _no_kernel(kernel: Any) -> str:
    if hasattr(kernel, "configs") or hasattr(kernel, "values"):
        return (
            "the kernel chooses its own constants (`triton.autotune` or `triton.heuristics`): pass `kernel.fn`, "
            "and the constants and options of one configuration"
        )
    if type(kernel).__name__ == "InterpretedFunction":
        return "TRITON_INTERPRET must not be set, since it disables compilation"
    return f"{kernel!r} is not a Triton kernel: it lacks @triton.jit or @gluon.jit"


def _bind(
    kernel: JITFunction, args: tuple[Any, ...], kwargs: dict[str, Any], known: dict[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The arguments by name, and the options."""
    __tracebackhide__ = True
    own = {name: value for name, value in kwargs.items() if name in kernel.arg_names}
    options = {name: value for name, value in kwargs.items() if name not in kernel.arg_names}
    for name in options:
        if name not in known:
            raise TypeError(f"{kernel.__name__} has no parameter {name!r}, and Triton has no such option")
    bound = inspect.signature(kernel.fn).bind(*args, **own)
    bound.apply_defaults()
    return dict(bound.arguments), options


def _specialise(
    kernel: JITFunction, bound: dict[str, Any]
) -> tuple[dict[str, str], dict[tuple[int], Any], dict[tuple[int], Any]]:
    """Returns the types, constants and attributes of a kernel for these arguments, as Triton determines them."""
    __tracebackhide__ = True
    signature: dict[str, str] = {}
    constants: dict[tuple[int], Any] = {}
    attributes: dict[tuple[int], Any] = {}
    for index, parameter in enumerate(kernel.params):
        name, value = parameter.name, bound[parameter.name]
        if isinstance(value, np.generic):
            value = bound[name] = value.item()
        specialises = not parameter.do_not_specialize
        is_one = type(value) is int and value == 1 and specialises and not parameter.annotation_type
        if parameter.is_constexpr or value is None or is_one:
            signature[name] = "constexpr"
            constants[(index,)] = value
            continue
        if isinstance(value, TensorDescriptor):
            _check_layout(kernel, name, value)
        signature[name] = parameter.annotation_type or _type(name, value)
        if specialises and not parameter.do_not_specialize_on_alignment and _is_divisible(value):
            attributes[(index,)] = [["tt.divisibility", 16]]
    return signature, constants, attributes


def _check_layout(kernel: JITFunction, name: str, value: TensorDescriptor) -> None:
    """Refuses a descriptor for the other of the two languages."""
    __tracebackhide__ = True
    if _is_gluon(kernel) and value.layout is None:
        raise TypeError(f"argument {name} has no layout, but {kernel.__name__} is a Gluon kernel: pass `layout`")
    if not _is_gluon(kernel) and (value.layout is not None or value.round_f32_to_tf32):
        raise TypeError(
            f"argument {name} has a layout or `round_f32_to_tf32`, but {kernel.__name__} is not a Gluon kernel: "
            "leave them out"
        )


def _is_divisible(value: Any) -> bool:
    """Returns whether an address or a number is a multiple of 16."""
    if isinstance(value, np.ndarray):
        return (value.ctypes.data - region(value)[0]) % 16 == 0
    return type(value) is int and value % 16 == 0


def _type(name: str, value: Any) -> str:
    """Triton's name for the type of an argument."""
    if isinstance(value, np.ndarray):
        return f"*{_element(name, value)}"
    if isinstance(value, TensorDescriptor):
        element = _element(name, value.base)
        if value.layout is not None:
            block = ",".join(map(str, value.block_shape))
            return f"tensordesc<{element}[{block}],{value.layout!r}>"
        block = ", ".join(map(str, value.block_shape))
        return f"tensordesc<{element}[{block}]>"
    if isinstance(value, bool):
        return "u1"
    if isinstance(value, int):
        if -(1 << 31) <= value < 1 << 31:
            return "i32"
        return "i64" if -(1 << 63) <= value < 1 << 63 else "u64"
    if isinstance(value, float):
        return "fp32"
    raise TypeError(
        f"argument {name} is {type(value).__name__}: must be a NumPy array, a TensorDescriptor, a number or None"
    )


def _element(name: str, array: np.ndarray) -> str:
    ty = _POINTERS.get(array.dtype.name)
    if ty is None:
        raise TypeError(f"argument {name} has elements of {array.dtype}, for which Triton has no type")
    return ty


def _descriptor(name: str, descriptor: TensorDescriptor, description: dict[str, Any]) -> dict[str, Any]:
    """The parameters that a tensor descriptor becomes."""
    array = descriptor.base
    tensor_map = TensorMap(
        array,
        tuple(reversed(description["block_size"])),
        data_type="tf32" if descriptor.round_f32_to_tf32 else None,
        swizzle=_SWIZZLES[description["swizzle"]],
        l2_promotion="128b",
        oob_fill="nan" if descriptor.padding == "nan" else "zeros",
    )
    parameters: dict[str, Any] = {name: tensor_map}
    for dim, length in enumerate(array.shape):
        parameters[f"{name}.shape[{dim}]"] = np.int32(length)
    for dim, stride in enumerate(array.strides):
        parameters[f"{name}.strides[{dim}]"] = np.int64(stride // array.itemsize)
    return parameters
