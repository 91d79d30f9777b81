"""Compiles kernels of Numba's tests to PTX for an H100, without a GPU: `numba_tests.py TESTS FOLDER`.

Taken are those that a test compiles by `cuda.jit("SIGNATURE")(FUNCTION)`, where the function is one of the file: what
they take is the tests' word.
"""

import ast
import sys
from pathlib import Path

from numba import cuda


def pairs(source: str):
    """Functions by name, each with a signature used by a test."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Call(
                func=ast.Call(func=ast.Attribute(attr="jit"), args=[ast.Constant(value=str(signature))], keywords=[]),
                args=[ast.Name(id=function)],
            ):
                yield function, signature


def functions_of(file: Path) -> dict:
    """The names of a file, without its tests and their helpers."""
    tree = ast.parse(file.read_text())
    tree.body = [
        node
        for node in tree.body
        if not isinstance(node, ast.ClassDef) and "testing" not in (getattr(node, "module", None) or "")
    ]
    names = {"__name__": file.stem}
    exec(compile(tree, file, "exec"), names)
    return names


def main() -> None:
    tests, folder = map(Path, sys.argv[1:])
    for file in sorted(tests.glob("test_*.py")):
        kernels = sorted(set(pairs(file.read_text())))
        if not kernels:
            continue
        try:
            names = functions_of(file)
        except (ImportError, NameError) as error:
            # The file needs a definition that only one of its tests has.
            print(f"{file.stem}: {error}")
            continue
        for number, (function, signature) in enumerate(kernels):
            if function not in names:
                continue
            name = f"{file.stem}-{number}-{function}"
            try:
                ptx, _ = cuda.compile_ptx(names[function], signature, cc=(9, 0))
            except Exception as error:
                print(f"{name}: {type(error).__name__}: {error}".splitlines()[0])
                continue
            if ".extern .func" in ptx:
                print(f"{name}: it is linked with functions that are compiled apart")
                continue
            (folder / f"{name}.ptx").write_text(ptx)


if __name__ == "__main__":
    main()
