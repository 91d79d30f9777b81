"""Compiles the kernel of `triton_softmax.ptx`, without a GPU: `python triton_softmax.py > triton_softmax.ptx`, Triton 3.9."""

import re

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def softmax(x, out, n, BLOCK: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, BLOCK)
    v = tl.load(x + row * n + i, i < n, other=-float("inf"))
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(out + row * n + i, e / tl.sum(e, axis=0), i < n)


source = ASTSource(
    softmax,
    {"x": "*fp32", "out": "*fp32", "n": "i32", "BLOCK": "constexpr"},
    {"BLOCK": 256},
)
compiled = triton.compile(source, target=GPUTarget("cuda", 90, 32))
text = compiled.asm["ptx"]
# Debug sections name the folders of the machine.
text = text[: text.index("\t.section")] if "\t.section" in text else text
text = re.sub(r'(\.file\s+\d+ ").*/(triton/|triton_softmax)', r"\1\2", text)
print(text, end="")
