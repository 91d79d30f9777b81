"""Runs CUDA kernels on NumPy arrays without a GPU, and reports what is wrong with them.

`emulate` runs a kernel of a PTX text, `emulate_all` several, `check_triton` one of Triton's. While they run, a checker looks for races, missing
fences, wrong byte counts and accesses out of bounds, whether they show in the result or not.
"""

from tma_emulator._launch import Launch, emulate, emulate_all
from tma_emulator._native import Finding, LaunchError, Proof, Run, Site, UnsupportedError
from tma_emulator._result import CheckError, CheckWarning, Result
from tma_emulator._tensor_map import TensorMap
from tma_emulator._triton import TensorDescriptor, check_triton

__all__ = [
    "CheckError",
    "CheckWarning",
    "Finding",
    "Launch",
    "LaunchError",
    "Proof",
    "Result",
    "Run",
    "Site",
    "TensorDescriptor",
    "TensorMap",
    "UnsupportedError",
    "check_triton",
    "emulate",
    "emulate_all",
]

# So that messages name them as users do.
for _name in __all__:
    globals()[_name].__module__ = __name__
