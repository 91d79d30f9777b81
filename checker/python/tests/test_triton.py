"""Kernels of Triton's, compiled without a GPU and run on arrays."""

from pathlib import Path

import numpy as np
import pytest

triton = pytest.importorskip("triton", reason="Triton is not installed")

import triton_kernels as kernels
from tma_emulator import CheckError, TensorDescriptor, check_triton

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


def numbers(*shape, dtype=np.float32):
    return np.random.default_rng(len(shape)).standard_normal(shape, np.float32).astype(dtype)


@pytest.mark.parametrize("n", [1, 1000, 1024])
def test_add(n):
    x, y, out = numbers(n), numbers(n, 1)[:, 0].copy(), np.full(n + 8, 5, np.float32)
    grid = lambda by_name: triton.cdiv(by_name["n"], by_name["BLOCK"])
    result = check_triton(kernels.add, grid, x, y, out, n, BLOCK=256, seeds=range(3))
    np.testing.assert_array_equal(out[:n], x + y)
    np.testing.assert_array_equal(out[n:], 5)
    assert result.findings == [] and len(result.runs) == 3


def test_a_mask_that_is_one_too_wide_is_reported_with_its_line():
    x, y, out = numbers(1000), numbers(1000), np.zeros(1000, np.float32)
    with pytest.raises(CheckError, match=r"error\[out-of-bounds\]") as error:
        check_triton(kernels.add_one_too_many, 4, x, y, out, 1000, BLOCK=256)
    [finding] = error.value.result.findings
    assert finding.here.source == (str(SOURCE), line_of("# the bug"))
    assert finding.here.instruction in error.value.result.ptx.splitlines()[finding.here.line - 1]
    assert f"  --> {SOURCE}:{line_of('# the bug')}" in str(error.value)
    assert "`out`, 4000 bytes" in str(error.value)


def test_a_race_between_programs_is_reported_with_its_line():
    x, out = np.ones(1000, np.float32), np.zeros(1, np.float32)
    result = check_triton(kernels.total_without_atomics, 4, x, out, 1000, BLOCK=256, check=False)
    assert {finding.kind for finding in result.errors} == {"data-race"}
    race = result.errors[0]
    assert {race.here.source, race.there.source} == {(str(SOURCE), line_of("# the race"))}


def test_softmax_of_rows_of_an_odd_length():
    x = numbers(37, 304)[:, :299]
    out = np.full((37, 320), 5, np.float32)
    check_triton(
        kernels.softmax, 37, x, out, x.strides[0] // 4, out.strides[0] // 4, 299, BLOCK=512, num_warps=2
    )
    e = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    np.testing.assert_allclose(out[:, :299], e / e.sum(axis=1, keepdims=True), rtol=1e-5)
    np.testing.assert_array_equal(out[:, 299:], 5)


def product(a, b):
    return a.astype(np.float64) @ b.astype(np.float64)


BLOCKS = {"BM": 64, "BN": 32, "BK": 32}
GRID = (2, 3)


def factors(m, n, k, dtype=np.float16):
    return numbers(m, k, dtype=dtype), numbers(k, n, dtype=dtype), np.full((m, n), 5, np.float32)


@pytest.mark.parametrize(("m", "n", "k"), [(128, 96, 64), (101, 71, 93)])
def test_matmul_on_tensor_cores(m, n, k):
    a, b, c = factors(m, n, k)
    result = check_triton(kernels.matmul, GRID, a, b, c, m, n, k, **BLOCKS)
    assert "wgmma.mma_async" in result.ptx
    np.testing.assert_allclose(c, product(a, b), rtol=1e-4, atol=1e-4)


def test_matmul_of_bfloat16():
    ml_dtypes = pytest.importorskip("ml_dtypes", reason="ml_dtypes is not installed")
    a, b, c = factors(101, 71, 93, ml_dtypes.bfloat16)
    check_triton(kernels.matmul, GRID, a, b, c, 101, 71, 93, **BLOCKS)
    np.testing.assert_allclose(c, product(a, b), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(("m", "n", "k"), [(128, 96, 64), (101, 72, 88)])
def test_matmul_of_descriptors_from_the_host(m, n, k):
    a, b, c = factors(m, n, k)
    blocks = [(64, 32), (32, 32), (64, 32)]
    a_map, b_map, c_map = (TensorDescriptor(*pair) for pair in zip((a, b, c), blocks))
    result = check_triton(kernels.matmul_of_descriptors, GRID, a_map, b_map, c_map, k, **BLOCKS, seeds=range(2))
    np.testing.assert_allclose(c, product(a, b), rtol=1e-4, atol=1e-4)
    assert result.findings == [] and "cp.async.bulk.tensor.2d." in result.ptx


@pytest.mark.parametrize(("m", "n", "k"), [(101, 72, 88)])
def test_matmul_of_descriptors_from_the_kernel(m, n, k):
    a, b, c = factors(m, n, k)
    result = check_triton(kernels.matmul_of_own_descriptors, GRID, a, b, c, m, n, k, **BLOCKS)
    np.testing.assert_allclose(c, product(a, b), rtol=1e-4, atol=1e-4)
    assert result.findings == [] and "tensormap.replace" in result.ptx


@pytest.mark.parametrize("whole", [1, 5, 16, np.int32(-3)])
def test_scalars_are_those_of_triton(whole):
    out = np.zeros(6, np.int64)
    check_triton(kernels.scalars, 1, out, whole, 1 << 40, 2.5, True, None, CHOICE=9)
    np.testing.assert_array_equal(out, [whole, 1 << 40, 10, 1, 9, 77])


@pytest.mark.parametrize("first", [0, 1, 4])
def test_views_are_as_aligned_as_in_their_array(first):
    x, out = numbers(264), np.zeros(264, np.float32)
    n = 256
    view = x[first : first + n]
    check_triton(kernels.add, 1, view, view, out, n, BLOCK=256)
    np.testing.assert_array_equal(out[:n], 2 * view)


def test_a_scan_in_shared_memory():
    x, out = np.arange(512, dtype=np.int32), np.zeros(512, np.int32)
    result = check_triton(kernels.cumulative, 1, x, out, BLOCK=512, num_warps=8, seeds=range(4))
    np.testing.assert_array_equal(out, np.cumsum(x))
    assert result.is_clean


def test_what_cannot_be_run_is_said():
    x = np.zeros(4, np.float32)
    with pytest.raises(TypeError, match="add has no parameter 'num_warp', and Triton has no such option"):
        check_triton(kernels.add, 1, x, x, x, 4, BLOCK=4, num_warp=4)
    with pytest.raises(TypeError, match="missing a required argument: 'BLOCK'"):
        check_triton(kernels.add, 1, x, x, x, 4)
    with pytest.raises(TypeError, match="it lacks @triton.jit"):
        check_triton(kernels.add.fn, 1, x, x, x, 4, BLOCK=4)
    tuned = triton.autotune([triton.Config({"BLOCK": 4})], key=["n"])
    with pytest.raises(TypeError, match="pass `kernel.fn`"):
        # The constructor looks for the driver.
        tuner = object.__new__(triton.runtime.autotuner.Autotuner)
        tuner.configs = tuned
        check_triton(tuner, 1, x, x, x, 4)
    with pytest.raises(TypeError, match="argument x is list: a NumPy array, a TensorDescriptor, a number or None"):
        check_triton(kernels.add, 1, [1.0], x, x, 4, BLOCK=4)
    with pytest.raises(TypeError, match="argument x has elements of complex64"):
        check_triton(kernels.add, 1, x.astype(np.complex64), x, x, 4, BLOCK=4)
    with pytest.raises(ValueError, match=r"strides_bytes\[0\] = 284: must be a multiple of 16"):
        odd = np.zeros((64, 71), np.float32)
        check_triton(
            kernels.matmul_of_descriptors,
            1,
            *(TensorDescriptor(array, shape) for array, shape in zip((odd,) * 3, [(64, 32), (32, 32), (64, 32)])),
            64,
            **BLOCKS,
        )


def test_attention_of_an_odd_length():
    length, width = 101, 64
    q, k, v = numbers(3, length, width, dtype=np.float16)
    out = np.full((length, width), 5, np.float32)
    check_triton(kernels.attention, 2, q, k, v, out, length, 0.125, D=width, BM=64, BN=32)
    score = product(q, k.T) * 0.125
    weight = np.exp(score - score.max(axis=1, keepdims=True))
    weight /= weight.sum(axis=1, keepdims=True)
    # Weights are rounded to f16.
    np.testing.assert_allclose(out, weight @ v.astype(np.float64), atol=2e-3)


def test_a_cluster_of_two_blocks():
    a, b, c = factors(200, 72, 88)
    result = check_triton(kernels.matmul_of_own_descriptors, GRID, a, b, c, 200, 72, 88, BM=128, BN=32, BK=32, num_ctas=2)
    np.testing.assert_allclose(c, product(a, b), rtol=1e-4, atol=1e-4)
    assert result.findings == [] and "barrier.cluster" in result.ptx


def test_atomics():
    x, out = np.random.default_rng(0).integers(0, 10, 1000, np.int32), np.zeros(10, np.int32)
    assert check_triton(kernels.histogram, 4, x, out, 1000, BLOCK=256, seeds=range(2)).findings == []
    np.testing.assert_array_equal(out, np.bincount(x, minlength=10))


def test_an_assertion_is_reported_with_its_line():
    with pytest.raises(CheckError, match="assertion `too large` failed") as error:
        check_triton(kernels.asserts, 1, np.arange(8, dtype=np.int32), 8, BLOCK=8, num_warps=1, debug=True)
    [finding] = error.value.result.findings
    assert finding.here.source == (str(SOURCE), line_of("# the assertion"))
