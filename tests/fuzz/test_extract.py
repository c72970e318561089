"""A minute of coverage-guided fuzzing, starting from sound documents."""

import subprocess
import sys
from pathlib import Path

import pytest

from webgraph_it.extract.table import READERS, canonical
from webgraph_it.simweb.documents import KINDS, render


@pytest.mark.slow
def test_a_minute_of_fuzzing_finds_nothing(tmp_path: Path) -> None:
    pytest.importorskip("atheris", reason="atheris is not installed: pip install atheris")
    types = sorted(READERS)
    for kind in KINDS:
        for seed in range(6):
            content_type, body = render(kind, ["http://a.it/x"], "Titolo", seed)
            number = types.index(canonical(content_type.partition(";")[0]))
            (tmp_path / f"{kind}-{seed}").write_bytes(bytes([number]) + body)
    command = [
        sys.executable,
        "-m",
        "tests.fuzz.extract",
        "-max_total_time=60",
        "-max_len=20000",
        str(tmp_path),
    ]
    fuzzing = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert fuzzing.returncode == 0, fuzzing.stderr[-3000:]
