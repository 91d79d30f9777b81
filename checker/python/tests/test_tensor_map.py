"""Tensor maps of arrays."""

import numpy as np
import pytest
from ptx import EXAMPLES
from tma_emulator import LaunchError, TensorMap, emulate

NEGATE = EXAMPLES / "negate_tile.ptx"


def test_a_map_of_a_padded_array():
    matrix = np.random.default_rng(1).standard_normal((20, 104), np.float32)
    before = matrix.copy()
    tiles = TensorMap(matrix[:, :100], (32, 8))
    assert tiles.box_bytes == 32 * 8 * 4
    emulate(NEGATE, "negate_tile", (4, 3), 128, [tiles])
    np.testing.assert_array_equal(matrix[:, :100], -before[:, :100])
    np.testing.assert_array_equal(matrix[:, 100:], before[:, 100:])


def test_a_map_away_from_the_origin():
    matrix = np.random.default_rng(2).standard_normal((20, 104), np.float32)
    before = matrix.copy()
    inner = matrix[3:18, 8:96]
    emulate(NEGATE, "negate_tile", (3, 2), 128, [TensorMap(inner, (32, 8))])
    expected = before.copy()
    expected[3:18, 8:96] *= -1
    np.testing.assert_array_equal(matrix, expected)


def test_what_is_given_takes_the_place_of_the_array_s():
    memory = np.random.default_rng(3).standard_normal(104 * 20, np.float32)
    before = memory.copy()
    tiles = TensorMap(memory, (32, 8), dims=(100, 20), strides_bytes=(416,), data_type="f32")
    emulate(NEGATE, "negate_tile", (4, 3), 128, [tiles])
    negated = before.reshape(20, 104).copy()
    negated[:, :100] *= -1
    np.testing.assert_array_equal(memory, negated.reshape(-1))


@pytest.mark.parametrize(
    ("shape", "box", "options", "says"),
    [
        ((8, 64), (33, 8), {}, r"box_dims\[0\] = 33: row of 132 bytes must be a multiple of 16; use 36"),
        ((8, 64), (32,), {}, "box_dims has 1 value: must be 2, one for each dimension"),
        ((8, 64), (512, 8), {}, r"box_dims\[0\] = 512"),
        ((8, 66), (32, 8), {}, r"strides_bytes\[0\] = 264: must be a multiple of 16 bytes; use 272"),
        ((8, 64), (64, 8), {"swizzle": "128b"}, "swizzle"),
        ((8, 64), (32, 8), {"swizzle": "127b"}, 'swizzle = "127b" is unknown: .*`128b`'),
        ((8, 64), (32, 8), {"data_type": "f31"}, 'data_type = "f31"'),
        ((8, 64), (32, 8), {"oob_fill": "ones"}, 'oob_fill = "ones"'),
    ],
)
def test_every_rule_that_is_broken_is_said(shape, box, options, says):
    with pytest.raises(ValueError, match=says):
        TensorMap(np.zeros(shape, np.float32), box, **options)


def test_arrays_that_no_map_has():
    wide = np.zeros((8, 64), np.float32)
    with pytest.raises(ValueError, match="is 8 bytes but must be the element size, 4 bytes"):
        TensorMap(wide[:, ::2], (32, 8))
    with pytest.raises(ValueError, match="strides must not be negative"):
        TensorMap(wide[::-1], (32, 8))
    with pytest.raises(ValueError, match="complex64 is not an element type of tensor maps"):
        TensorMap(wide.astype(np.complex64), (32, 8))
    with pytest.raises(TypeError, match="a NumPy array, not list"):
        TensorMap([1], (32,))
    with pytest.raises(ValueError, match="address = 0x[0-9a-f]*4: must be a multiple of 16"):
        TensorMap(wide[:, 1:], (32, 8), dims=(32, 8), strides_bytes=(256,))


def test_a_tensor_that_is_longer_than_its_array_is_refused():
    tiles = TensorMap(np.zeros((8, 64), np.float32), (32, 8), dims=(64, 9), strides_bytes=(256,))
    with pytest.raises(LaunchError, match="tensor-span.*buffer `args\\[0\\]` has 2048 bytes"):
        emulate(NEGATE, "negate_tile", (2, 1), 128, [tiles])


def test_a_map_for_a_parameter_that_is_none():
    tiles = TensorMap(np.zeros((8, 64), np.float32), (32, 8))
    with pytest.raises(LaunchError, match="tensor-map-parameter"):
        emulate(EXAMPLES / "add_one.ptx", "add_one", 1, 128, [tiles])
