"""Every command says which version it is."""

import subprocess
import sys

import pytest

from webgraph_it import __version__


@pytest.mark.parametrize("command", ["convert", "analyse", "plan", "simweb", "repair", "demo"])
def test_a_command_says_its_version(command: str) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", f"webgraph_it.{command}", "--version"],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert ended.stdout == f"webgraph_it {__version__}\n"
