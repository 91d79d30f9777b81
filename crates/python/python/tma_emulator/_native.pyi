from typing import Optional, Sequence, final

__all__ = ["Finding", "Job", "LaunchError", "Map", "Run", "Site", "UnsupportedError"]

class LaunchError(ValueError):
    """A launch that cannot be made: nothing was run, and no array has changed."""

class UnsupportedError(LaunchError):
    """The kernel needs instructions that the emulator does not have: the text names all of them."""

@final
class Finding:
    """One thing that is wrong with a kernel. `str()` of it is the whole report."""

    __hash__ = None  # type: ignore[assignment]
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    @property
    def kind(self) -> str:
        """The kind's name, such as `"data-race"`."""
    @property
    def severity(self) -> str:
        """`"error"` or `"warning"`."""
    @property
    def is_error(self) -> bool:
        """Whether it is worse than a warning."""
    @property
    def title(self) -> str:
        """What is wrong, in one sentence."""
    @property
    def message(self) -> str:
        """The whole report."""
    @property
    def entry(self) -> str:
        """The kernel's name in PTX."""
    @property
    def here(self) -> Optional[Site]:
        """Where it showed; `None` where no single instruction is to blame."""
    @property
    def there(self) -> Optional[Site]:
        """The other of two locations. Where nothing orders the two, either may come first."""
    @property
    def notes(self) -> list[str]:
        """The state that explains it, a line each."""
    @property
    def count(self) -> int:
        """How often it was found, at these two locations."""
    @property
    def rule(self) -> str:
        """The sections of the PTX ISA that say so."""
    @property
    def help(self) -> str:
        """The usual fix."""
    @property
    def error_name(self) -> Optional[str]:
        """The driver's name for what ended the kernel, if this did."""
    def is_like(self, other: Finding) -> bool:
        """Whether another one is of the same kind at the same instructions, perhaps of another seed."""

@final
class Site:
    """An instruction, who executed it, and what it did."""

    __hash__ = None  # type: ignore[assignment]
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    @property
    def file(self) -> str:
        """The name of the PTX text."""
    @property
    def line(self) -> int:
        """Line of the PTX, from 1."""
    @property
    def column(self) -> int:
        """Column of the PTX, from 1."""
    @property
    def source(self) -> Optional[tuple[str, int]]:
        """File and line of the source that the PTX names, such as a Python file of Triton's."""
    @property
    def inlined(self) -> list[tuple[str, int]]:
        """File and line of an inlined function, then those of the calls that it was inlined by, innermost first."""
    @property
    def function(self) -> str:
        """The name in PTX of the function that the instruction stands in."""
    @property
    def instruction(self) -> str:
        """The opcode."""
    @property
    def block(self) -> tuple[int, int, int]:
        """The block's index, innermost dimension first."""
    @property
    def thread(self) -> tuple[int, int, int]:
        """The thread's index in its block, innermost dimension first."""
    @property
    def what(self) -> str:
        """The action, as `writes 4 bytes at shared address 0x410`."""

@final
class Run:
    """The outcome of one schedule."""

    @property
    def seed(self) -> int:
        """The seed of the schedule."""
    @property
    def findings(self) -> list[Finding]:
        """What was found, in the order in which it was."""
    @property
    def steps(self) -> Optional[int]:
        """Instructions, each counted once for each thread; `None` where the kernel did not end."""
    @property
    def printed(self) -> str:
        """What the kernel printed."""

@final
class Map:
    def __new__(
        cls,
        data_type: str,
        dims: Sequence[int],
        strides_bytes: Sequence[int],
        box_dims: Sequence[int],
        element_strides: Optional[Sequence[int]],
        options: Sequence[str],
    ) -> Map: ...
    def check(self, offset_bytes: int) -> None: ...
    @property
    def box_bytes(self) -> int: ...

@final
class Job:
    def __new__(cls, name: str, text: str, entry: str, grid: Sequence[int], block: Sequence[int]) -> Job: ...
    def cluster(self, cluster: Sequence[int], non_portable: bool) -> None: ...
    def shared_bytes(self, shared_bytes: int) -> None: ...
    def cooperative(self) -> None: ...
    def buffer(self, name: str, bytes: bytes) -> int: ...
    def variable(self, name: str, bytes: bytes) -> int: ...
    def pointer(self, index: int, offset_bytes: int) -> None: ...
    def address(self, address: int) -> None: ...
    def tensor_map(self, map: Map, index: int, offset_bytes: int) -> None: ...
    def value(self, type_name: str, bytes: bytes) -> None: ...
    def suppress(self, accepted: Sequence[tuple[str, str]]) -> None: ...
    def run(self, seeds: Sequence[int], max_steps: Optional[int], strict: bool) -> list[Run]: ...
    def bytes(self, index: int) -> bytes: ...
