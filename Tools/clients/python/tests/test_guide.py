"""The code of Docs/Guides/python.md prints what the page says, and passes mypy."""

import contextlib
import io
import os
import pathlib
import re
import subprocess
import sys
from typing import Any

import pytest

from conftest import PACKAGE, Service

PAGE = (PACKAGE / "Docs" / "Guides" / "python.md").read_text()
#: Each block of code, with the block of its output if there is one.
BLOCKS = re.findall(r"^```python\n(.*?)^```\n(?:\n```\n(.*?)^```\n)?", PAGE, re.MULTILINE | re.DOTALL)


def test_the_code_prints_the_output_on_the_page(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MUNIMENT_ADDRESS", service.address)
    monkeypatch.setenv("MUNIMENT_TOKEN", service.token)
    names: dict[str, Any] = {"__name__": "guide"}
    assert len(BLOCKS) > 10
    for code, output in BLOCKS:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(code, names)
        assert printed.getvalue() == output, code


def test_the_code_passes_mypy(tmp_path: pathlib.Path) -> None:
    (tmp_path / "guide.py").write_text("\n".join(code for code, _ in BLOCKS))
    package = str(pathlib.Path(sys.modules["muniment"].__file__ or "").parents[1])
    result = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "guide.py"],
        cwd=tmp_path, env={**os.environ, "MYPYPATH": package}, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout
