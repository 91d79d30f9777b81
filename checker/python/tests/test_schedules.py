"""Every schedule of a launch, and one of them again."""

import numpy as np
import pytest
from ptx import DRAW, SCALE
from tma_emulator import CheckError, Launch, LaunchError, emulate, emulate_all


def draw(threads=64, **options):
    following = np.zeros(1, np.uint32)
    return emulate(DRAW, "draw", 1, threads, [following], **options), following[0]


def test_a_launch_is_proved():
    result, drawn = draw(32, all_schedules=True)
    assert (result.verdict, result.schedules, result.schedule, drawn) == ("proved", 1, None, 1)
    assert str(result) == "proved: 1 schedule"
    assert result.proofs[0].verdict == "proved" and result.proofs[0].why is None


def test_a_failing_schedule_has_a_name_that_repeats_it():
    draw()
    with pytest.raises(CheckError, match="= story: how it comes to this") as error:
        draw(all_schedules=True)
    found = error.value.result
    assert (found.verdict, found.schedules) == ("findings", 2)
    name = found.schedule
    assert f"  = again: pass schedule='{name}'" in str(error.value)
    with pytest.raises(CheckError, match=f"= schedule: {name}"):
        draw(schedule=name)
    result, drawn = draw(schedule=name.rsplit(":", 1)[0] + ":usual")
    assert (result.verdict, drawn) == ("clean", 2)
    with pytest.raises(LaunchError, match="is of another PTX"):
        emulate(SCALE, "scale", 1, 1, [np.ones(1, np.float32), np.float32(2)], schedule=name)
    with pytest.raises(ValueError, match="a schedule must be a name"):
        draw(schedule="7")


def test_a_search_that_is_not_finished_is_an_error():
    with pytest.raises(CheckError, match="not finished: launch 0: the bound of 1 schedule is reached"):
        draw(all_schedules=True, bound=1)
    result, _ = draw(all_schedules=True, bound=1, check=False)
    assert result.verdict == "not finished" and not result.is_clean


def test_each_launch_has_an_answer():
    following = np.zeros(1, np.uint32)
    launches = [Launch(DRAW, "draw", 1, 32, [following])] * 2
    result = emulate_all(launches, all_schedules=True)
    assert [proof.verdict for proof in result.proofs] == ["proved", "proved"]
    assert following[0] == 2


def test_options_that_exclude_each_other():
    with pytest.raises(ValueError, match="seeds and all_schedules exclude each other"):
        draw(seeds=range(2), all_schedules=True)
    with pytest.raises(ValueError, match="bound=3 has no effect"):
        draw(bound=3)
