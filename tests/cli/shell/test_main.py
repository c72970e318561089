"""How the command ends: an exit code, and at most one sentence on standard error."""

import os
import signal
import subprocess
import sys
import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from tests.convert.crawls import write_crawl
from webgraph_it import __version__
from webgraph_it.cli import main
from webgraph_it.cli.shell import verbs
from webgraph_it.cli.shell.mistakes import Failure, Mistake
from webgraph_it.cli.shell.verb import Verb

PROJECT = Path(__file__).parents[3]
COMMAND = [sys.executable, "-m", "webgraph_it"]
OLD_ENTRIES = ["convert", "analyse", "plan", "simweb", "repair", "demo"]


def ended(*command: str, timeout: float = 60) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, timeout=timeout, check=False)


def test_the_script_of_the_project_is_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    scripts = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]["scripts"]
    entry = EntryPoint("webgraph-it", scripts["webgraph-it"], "console_scripts").load()
    assert entry(["--version"]) == 0
    assert capsys.readouterr().out == f"webgraph_it {__version__}\n"


@pytest.mark.parametrize("verb", OLD_ENTRIES)
def test_an_old_entry_is_the_same_verb(verb: str) -> None:
    old, new = ended(sys.executable, "-m", f"webgraph_it.{verb}", "--help"), ended(*COMMAND, verb, "--help")
    assert old.stdout == new.stdout
    assert old.stdout.startswith(f"usage: webgraph-it {verb} ")
    assert (old.returncode, new.returncode) == (0, 0)


@pytest.mark.parametrize("arguments", [["--help"], ["plan"], ["plan", "--help"], ["convrt"]])
def test_start_up_imports_neither_numba_nor_scrapy(arguments: list[str]) -> None:
    program = (
        "import sys; from webgraph_it.cli import main\n"
        "try: main(sys.argv[1:])\n"
        "except SystemExit: pass\n"
        "print(sorted({'numba', 'scrapy', 'twisted', 'pyarrow', 'numpy'} & set(sys.modules)))"
    )
    said = ended(sys.executable, "-c", program, *arguments)
    assert said.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["convrt"], "There is no verb 'convrt'; did you mean convert?"),
        (["xyzzy"], "There is no verb 'xyzzy'; webgraph-it --help lists them."),
        (
            ["analyse", "--ouput", "x"],
            "webgraph-it analyse has no option --ouput; did you mean --output?",
        ),
        (["analyse"], "GRAPH_DIR is missing; see webgraph-it analyse --help."),
        (["plan", "7"], "7 was not expected; see webgraph-it plan --help."),
        (["plan", "--chart", "/nowhere/x.html"], "/nowhere/x.html: No such file or directory."),
        (["plan", "--growth", "5"], "--growth needs 2 values; see webgraph-it plan --help."),
    ],
)
def test_a_mistake_is_one_sentence_and_code_2(arguments: list[str], sentence: str) -> None:
    said = ended(*COMMAND, *arguments)
    assert (said.returncode, said.stderr) == (2, f"{sentence}\n")


def test_no_verb_is_a_mistake_that_names_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert all(name in said for name in verbs.names())


def fails(error: BaseException, interrupted: str = "") -> Verb:
    def run(options: object) -> int:
        raise error

    return Verb("plan", "", (), lambda parser: None, run, interrupted)


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (Mistake("it is wrong"), 2, "it is wrong.\n"),
        (Failure("two\nlines"), 1, "two lines.\n"),
        (OSError(28, "No space left on device", "x"), 1, "The disk is full: make room and give"),
        (OSError(5, "Input/output error", "x"), 1, "x: Input/output error.\n"),
        (PermissionError(13, "Permission denied", "x"), 2, "x: Permission denied.\n"),
        (KeyboardInterrupt(), 130, ""),
        (BrokenPipeError(), 141, ""),
    ],
    ids=["mistake", "failure", "disk", "io", "path", "ctrl-c", "pipe"],
)
def test_every_ending_has_its_code(
    error: BaseException,
    code: int,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(verbs, "load", lambda name: fails(error))
    assert main(["plan"]) == code
    heard = capsys.readouterr().err
    assert heard.startswith(said)
    assert heard.count("\n") == bool(said)


def test_ctrl_c_says_what_the_verb_wants_to_be_known(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(verbs, "load", lambda name: fails(KeyboardInterrupt(), "The same command resumes."))
    assert main(["plan"]) == 130
    assert capsys.readouterr().err == "The same command resumes.\n"


def test_ctrl_c_in_a_conversion_leaves_no_traceback(tmp_path: Path) -> None:
    """A signal in the middle of a step."""
    crawl = write_crawl(tmp_path / "crawl")
    program = (
        "import os, signal, sys; from webgraph_it.cli import main; import webgraph_it.convert.steps as steps\n"
        "steps.write_bv = lambda *given: os.kill(os.getpid(), signal.SIGINT)\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "sys.exit(main(['convert', sys.argv[1]]))"
    )
    said = ended(sys.executable, "-c", program, str(crawl), timeout=200)
    assert said.returncode == 130
    assert "Traceback" not in said.stderr
    assert said.stderr.endswith("Interrupted: the same command resumes after the last finished step.\n")


@pytest.mark.parametrize("arguments", [["plan"], ["plan", "--help"], ["--help"]])
def test_a_reader_who_leaves_is_no_error(arguments: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "wb") as nobody:
        command = [*COMMAND, *arguments]
        process = subprocess.Popen(
            command,
            cwd=PROJECT,
            stdout=nobody,
            stderr=subprocess.PIPE,
            preexec_fn=lambda: signal.signal(signal.SIGPIPE, signal.SIG_IGN),
        )
    _, said = process.communicate(timeout=60)
    assert (process.returncode, said) == (141, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_under_the_output_is_one_sentence() -> None:
    with open("/dev/full", "wb") as full:
        said = subprocess.run(
            [*COMMAND, "plan"], cwd=PROJECT, stdout=full, stderr=subprocess.PIPE, timeout=60
        )
    assert said.returncode == 1
    assert said.stderr == b"The disk is full: make room and give the same command again.\n"


def test_closed_output_is_no_error() -> None:
    for arguments in ("plan", "plan --help"):
        line = f"exec {sys.executable} -m webgraph_it {arguments} >&-"
        said = ended("sh", "-c", line)
        assert "Traceback" not in said.stderr
        assert said.returncode == 0
