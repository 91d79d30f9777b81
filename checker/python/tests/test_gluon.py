"""Kernels of Gluon's, compiled without a GPU and run on arrays."""

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("triton.experimental.gluon", reason="Triton with Gluon is not installed")

import gluon_kernels as kernels
from tma_emulator import CheckError, TensorDescriptor, check_triton
from triton.experimental.gluon import language as gl

SOURCE = Path(kernels.__file__)


def line_of(text):
    """The number of the line of the kernels that ends so."""
    lines = SOURCE.read_text().splitlines()
    return 1 + next(index for index, line in enumerate(lines) if line.endswith(text))


@pytest.fixture(autouse=True)
def cache(tmp_path_factory, monkeypatch):
    # Compiles again, without the user's cache.
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path_factory.getbasetemp() / "triton"))
    monkeypatch.setenv("TRITON_DEFAULT_FP_FUSION", "1")


def add_one(waits, **options):
    x, out = np.arange(1000, dtype=np.float32), np.zeros(1000, np.float32)
    result = check_triton(
        kernels.add_one_of_copies, 2, x, out, 1000, BLOCK=512, WAITS=waits, num_warps=4, seeds=range(4), **options
    )
    return x, out, result


def test_a_kernel_of_gluons_is_run():
    x, out, result = add_one(True)
    np.testing.assert_array_equal(out, x + 1)
    assert result.findings == [] and len(result.runs) == 4


def test_a_missing_wait_is_reported_with_both_lines():
    with pytest.raises(CheckError, match=r"error\[read-before-completion\]") as error:
        add_one(False)
    [finding] = error.value.result.errors
    lines = {finding.here.source, finding.there.source}
    assert lines == {(str(SOURCE), line_of("# the copy")), (str(SOURCE), line_of("# the read"))}
    assert "seeds: 0, 1, 2, 3, of 4" in str(error.value)


def tiles(waits, dtype=np.float16, **options):
    x = np.arange(100 * 96).reshape(100, 96).astype(dtype) % 1024
    out = np.zeros_like(x)
    layout = gl.NVMMASharedLayout.get_default_for([64, 32], gl.float16 if dtype == np.float16 else gl.float32)
    x_tiles, out_tiles = (TensorDescriptor(array, [64, 32], layout=layout, **options) for array in (x, out))
    result = check_triton(
        kernels.double_tiles, (2, 3), x_tiles, out_tiles, BM=64, BN=32, WAITS=waits, num_warps=4, check=False
    )
    return x, out, result


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_tiles_come_by_descriptors(dtype):
    x, out, result = tiles(True, dtype)
    np.testing.assert_array_equal(out, x * 2)
    assert result.findings == []


def test_a_tile_that_nothing_waits_for_is_reported():
    _, _, result = tiles(False)
    assert "read-before-completion" in {finding.kind for finding in result.errors}


def test_numbers_are_rounded_to_tf32_on_the_way():
    # Eleven bits of a fraction: the last one is lost.
    x = np.full((64, 32), 1 + 2**-11, np.float32)
    out = np.zeros_like(x)
    layout = gl.NVMMASharedLayout.get_default_for([64, 32], gl.float32)
    x_tiles = TensorDescriptor(x, [64, 32], layout=layout, round_f32_to_tf32=True)
    out_tiles = TensorDescriptor(out, [64, 32], layout=layout)
    check_triton(kernels.double_tiles, 1, x_tiles, out_tiles, BM=64, BN=32, WAITS=True, num_warps=4)
    assert set(out.flat) <= {2.0, 2.0 * (1 + 2**-10)}


def test_a_descriptor_without_a_layout_is_refused():
    x = np.zeros((64, 32), np.float16)
    bare = TensorDescriptor(x, [64, 32])
    with pytest.raises(TypeError, match="argument x has no layout"):
        check_triton(kernels.double_tiles, 1, bare, bare, BM=64, BN=32, WAITS=True)
