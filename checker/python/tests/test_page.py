"""The programs of the page `docs/python.md`, and their documented output."""

import fnmatch
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "python.md").read_text()
BLOCKS = re.compile(r"^```python\n# (\S+)\n(.*?)^```\n\n^```text\n\$ (.*?)\n(.*?)^```", re.DOTALL | re.MULTILINE)
PROGRAMS = [match.groups() for match in BLOCKS.finditer(PAGE)]


def test_every_program_of_the_page_is_one():
    assert len(PROGRAMS) == PAGE.count("```python") == PAGE.count("$ p") > 0


@pytest.mark.parametrize(("name", "text", "command", "output"), PROGRAMS, ids=[program[0] for program in PROGRAMS])
def test_a_program_prints_what_the_page_says(name, text, command, output, tmp_path, monkeypatch):
    if "import triton" in text:
        pytest.importorskip("triton", reason="Triton is not installed")
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / "triton"))
    monkeypatch.setenv("TRITON_DEFAULT_FP_FUSION", "1")
    monkeypatch.setenv("COLUMNS", "200")
    # Its first line is that comment.
    (tmp_path / name).write_text(f"# {name}\n{text}")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    program, *arguments = command.split()
    words = [sys.executable, *(["-m", "pytest"] if program == "pytest" else []), *arguments]
    ran = subprocess.run(words, cwd=tmp_path, text=True, capture_output=True)
    printed = iter(ran.stdout.splitlines())
    for line in output.splitlines():
        if line == "…":
            continue
        pattern = line.replace("[", "[[]").replace("…", "*")
        assert any(fnmatch.fnmatchcase(other, pattern) for other in printed), f"{line}\n\n{ran.stdout}{ran.stderr}"
