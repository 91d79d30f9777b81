"""The checker's findings as objects, exceptions and warnings."""

import re
import signal
import threading
import time

import numpy as np
import pytest
from ptx import COUNT, ENDLESS, EXAMPLES, SAME, SCALE
from tma_emulator import CheckError, CheckWarning, TensorMap, emulate

NEGATE = (EXAMPLES / "negate_tile.ptx").read_text()
# As its source without the proxy fence.
UNFENCED = NEGATE.replace("fence.proxy.async.shared::cta;", "")


def negate(text, **options):
    matrix = np.ones((20, 104), np.float32)
    tiles = TensorMap(matrix[:, :100], (32, 8))
    return emulate(text, "negate_tile", (4, 3), 128, [tiles], **options)


def test_the_kernel_has_the_fence_and_the_other_has_not():
    assert UNFENCED != NEGATE
    assert negate(NEGATE, seeds=range(4)).findings == []


def test_a_finding_has_what_its_report_says():
    [finding] = negate(UNFENCED, check=False).findings
    assert (finding.kind, finding.severity, finding.is_error) == ("missing-proxy-fence", "error", True)
    assert finding.title == "a copy touches bytes that were written by ordinary stores, with no proxy fence between"
    assert finding.entry == "negate_tile"
    assert finding.error_name is None and finding.count > 1
    here, there = finding.here, finding.there
    assert here.source == ("negate_tile.cu", 35)
    assert [line for _, line in here.inlined][-1] == 35 and len(here.inlined) == 2
    assert here.file == "negate_tile.ptx" and here.function == "negate_tile"
    assert UNFENCED.splitlines()[here.line - 1][here.column - 1 :].lstrip("@%p0123456789 ").startswith(here.instruction)
    assert here.instruction == "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group"
    assert len(here.block) == len(here.thread) == 3 and here.thread == (0, 0, 0)
    assert here.what.startswith("issues a copy that reads")
    assert there.source == ("negate_tile.cu", 29) and there.instruction == "st.shared.f32"
    assert there.inlined == []
    report = str(finding)
    assert report == finding.message
    for part in (finding.title, finding.rule, finding.help, str(here), str(there), f"found {finding.count} times"):
        assert part in report
    assert repr(finding) == f"<error missing-proxy-fence at negate_tile.ptx:{here.line}:{here.column} (negate_tile.cu:35)>"
    assert re.fullmatch(r"<`st.shared.f32` at negate_tile.ptx:.*>", repr(there))


def test_errors_are_raised_with_the_report():
    with pytest.raises(CheckError) as error:
        negate(UNFENCED)
    assert str(error.value) == str(error.value.result.findings[0])
    assert error.value.result.errors == error.value.result.findings


def test_memory_is_as_the_kernel_left_it_when_an_error_is_raised():
    numbers = np.ones(4, np.float32)
    with pytest.raises(CheckError, match=r"error\[out-of-bounds\]"):
        emulate(SCALE, "scale", (1, 1, 1), 36, [numbers, np.float32(2)])
    to = np.zeros(1, np.uint32)
    with pytest.raises(CheckError, match=r"error\[data-race\]"):
        emulate(COUNT, "count", 2, 1, [to])
    assert to[0] in (1, 2)


def test_what_ends_a_kernel_has_the_driver_s_name():
    result = emulate(SCALE, "scale", 1, 8, [np.ones(4, np.float32), np.float32(2)], check=False)
    [finding] = result.findings
    assert finding.error_name == "CUDA_ERROR_ILLEGAL_ADDRESS"
    assert result.steps is None and not result.is_clean


def test_seeds_are_schedules_of_the_same_memory():
    to = np.full(1, 5, np.uint32)
    result = emulate(COUNT, "count", 3, 1, [to], seeds=range(10, 14), check=False)
    assert [run.seed for run in result.runs] == [10, 11, 12, 13]
    assert 6 <= to[0] <= 8
    assert all(run.findings and run.steps == 3 * 5 for run in result.runs)
    assert result.steps == 15
    # A finding of several seeds is one: the store races with the load, and with the store.
    assert len(result.findings) == 2 < sum(len(run.findings) for run in result.runs)
    assert str(result).endswith("  = seeds: 10, 11, 12, 13, of 4")
    assert result.runs[0].findings[0].is_like(result.runs[1].findings[0])
    many = emulate(COUNT, "count", 3, 1, [to], seeds=range(10), check=False)
    assert str(many).endswith("  = seeds: 0, 1, 2, 3, 4, 5, 6, 7 and 2 more, of 10")


def test_a_seed_gives_the_same_result_again():
    def outcome(seed):
        to = np.zeros(1, np.uint32)
        return to[0], emulate(COUNT, "count", 8, 32, [to], seeds=[seed], check=False).findings

    assert outcome(7) == outcome(7)
    with pytest.raises(ValueError, match="seeds must not be empty"):
        emulate(COUNT, "count", 1, 1, [np.zeros(1, np.uint32)], seeds=[])


def test_warnings_are_warnings():
    to = np.zeros(1, np.uint32)
    with pytest.warns(CheckWarning, match=r"warning\[same-value-race\]") as seen:
        result = emulate(SAME, "same", 2, 1, [to])
    assert result.is_clean and result.warnings == result.findings != []
    assert seen[0].filename == __file__
    assert result.findings[0].severity == "warning" and not result.findings[0].is_error


def test_strict_says_what_is_a_mistake_by_the_letter():
    to = np.zeros(1, np.uint32)
    assert emulate(SAME, "same", 1, 32, [to]).findings == []
    strict = emulate(SAME, "same", 1, 32, [to], strict=True, check=False)
    assert [finding.kind for finding in strict.findings] == ["same-value-race"]


def test_accepted_findings_are_left_out():
    to = np.zeros(1, np.uint32)
    accepted = [("same-value-race", "sa*")]
    assert emulate(SAME, "same", 2, 1, [to], suppress=accepted).findings == []
    with pytest.warns(CheckWarning):
        emulate(SAME, "same", 2, 1, [to], suppress=[("same-value-race", "other")])
    with pytest.raises(ValueError, match="unknown kind of finding \"same-value-rice\".*`same-value-race`"):
        emulate(SAME, "same", 2, 1, [to], suppress=[("same-value-rice", "same")])


def test_a_kernel_that_does_not_end():
    result = emulate(ENDLESS, "endless", 1, 1, max_steps=1000, check=False)
    assert [finding.kind for finding in result.findings] == ["endless"]


@pytest.fixture
def default_sigint():
    """Programs that a script starts in the background ignore the signal."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("default_sigint")
def test_ctrl_c_ends_a_kernel():
    def interrupt():
        time.sleep(0.3)
        signal.raise_signal(signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        emulate(ENDLESS, "endless", 1, 1)
    thread.join()
    assert time.monotonic() - start < 10
    # Others run as before.
    to = np.zeros(1, np.uint32)
    emulate(COUNT, "count", 1, 1, [to])
    assert to[0] == 1


def test_other_threads_run_meanwhile():
    ticks, done = [], threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.005)

    thread = threading.Thread(target=tick)
    thread.start()
    start = time.monotonic()
    emulate(ENDLESS, "endless", 1, 32, max_steps=2_000_000_000, check=False)
    end = time.monotonic()
    done.set()
    thread.join()
    assert end - start > 0.1, "the kernel is too short to see it"
    assert sum(start < at < end for at in ticks) >= (end - start) / 0.1
