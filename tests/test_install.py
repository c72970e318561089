"""What is installed is what was tested: pinned, hashed, bounded."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
PIN = re.compile(r"([A-Za-z0-9._-]+)==(\S+)")


def test_requirements_are_the_constraints_with_hashes() -> None:
    text = (ROOT / "requirements.txt").read_text()
    constraints = (ROOT / "constraints.txt").read_text()
    requirements = text.replace("\\\n", " ").splitlines()
    assert [PIN.match(line).groups() for line in requirements] == PIN.findall(constraints)
    assert all(re.search(r" --hash=sha256:[0-9a-f]{64}\b", line) for line in requirements)
    assert "//" not in text, "the address of somebody's package index"


def test_what_builds_the_package_is_bounded() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert all("<" in requirement for requirement in project["build-system"]["requires"])


def audit(tmp_path: Path, says: str, stderr: str = "", code: int = 0) -> subprocess.CompletedProcess[str]:
    """.ci/audit with a pip-audit that says this."""
    fake = tmp_path / "pip-audit"
    lines = ["import sys", f"print({says!r})", f"print({stderr!r}, file=sys.stderr)", f"sys.exit({code})"]
    fake.write_text("\n".join([f"#!{sys.executable}", *lines]))
    fake.chmod(0o755)
    return subprocess.run(
        [sys.executable, ".ci/audit", fake], cwd=ROOT, capture_output=True, text=True, timeout=60
    )


def test_an_audit_that_cannot_ask_says_so_in_one_sentence(tmp_path: Path) -> None:
    found = audit(tmp_path, "", "Traceback …\nConnectionError: no route to host", 1)
    assert (found.returncode, found.stdout, found.stderr.count("\n")) == (1, "", 1)
    assert "could not be asked (ConnectionError: no route to host); run `make audit`" in found.stderr


def test_an_audit_names_what_is_known(tmp_path: Path) -> None:
    sound = {"name": "a", "version": "1", "vulns": []}
    weak = {"name": "b", "version": "2", "vulns": [{"id": "PYSEC-1", "fix_versions": ["3"]}]}
    assert audit(tmp_path, json.dumps({"dependencies": [sound]})).returncode == 0
    found = audit(tmp_path, json.dumps({"dependencies": [sound, weak]}), code=1)
    assert found.returncode == 1
    assert found.stdout == "b 2: PYSEC-1, fixed in 3\n2 packages, 1 known vulnerabilities.\n"
