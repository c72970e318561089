"""A worker can do nothing but extract: no file, no socket, no process; and it extracts as well as without a sandbox."""

import asyncio
import os
import re
import struct
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.defaults import link_policy, worker_pool
from webgraph_it.extract import KINDS, Document, Extraction, process, sandbox
from webgraph_it.extract.charset import known_codecs
from webgraph_it.extract.extraction import extract_and_digest
from webgraph_it.extract.worker import policy_fields
from webgraph_it.simweb import documents

ROOT = Path(__file__).parents[2]
EVERYTHING = link_policy(KINDS, plain_text=True)
LINKS = [f"http://www.sito{number}.it/è/p.html?x=1&y={number}" for number in range(5)]

ATTEMPTS = {
    "open a file": "open('/etc/passwd')",
    "make a file": "open('/tmp/sandbox-was-here', 'w')",
    "list a directory": "os.listdir('/')",
    "remove a file": "os.unlink('/tmp/sandbox-is-not-here')",
    "make a TCP socket": "socket.socket()",
    "make a Unix socket": "socket.socket(socket.AF_UNIX)",
    "make a pair of sockets": "socket.socketpair()",
    "fork": "os.fork() or os._exit(0)",
    "execute": "os.execv('/bin/true', ['true'])",
    "start a thread": "threading.Thread(target=int).start()",
    "signal its parent": "os.kill(os.getppid(), 0)",
    "ask for another limit": "resource.setrlimit(resource.RLIMIT_CORE, (0, 0))",
    "import a module": "import wave",
}


def inside(code: str, measures: str = "sandbox.enter()") -> str:
    """What a process prints that enters the sandbox first."""
    program = "import os, resource, socket, threading\nfrom webgraph_it.extract import sandbox\n"
    run = subprocess.run(
        [sys.executable, "-c", f"{program}{measures}\n{textwrap.dedent(code)}"],
        cwd=ROOT, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    return run.stdout


@pytest.fixture(scope="module")
def everything_in_force() -> None:
    found = inside("print(*in_force)", "in_force = sandbox.enter()").split()
    if found != list(sandbox.MEASURES):
        pytest.skip(f"this kernel offers {found} only")


@pytest.mark.usefixtures("everything_in_force")
def test_nothing_can_be_done_in_it_but_compute() -> None:
    code = "".join(
        f"try:\n    {attempt}\n    print({name!r})\nexcept (OSError, RuntimeError, ImportError, ValueError): pass\n"
        for name, attempt in ATTEMPTS.items()
    )
    assert inside(code + "print(sum(range(10)))") == "45\n"
    assert not Path("/tmp/sandbox-was-here").exists()


@pytest.mark.parametrize(
    ("measure", "attempt"),
    [
        ("limits", "open('/dev/null').close(); [os.dup(0) for _ in range(20)]"),
        ("landlock", "open('/etc/passwd')"),
        ("landlock", "os.listdir('/')"),
        ("seccomp", "open('/etc/passwd')"),
        ("seccomp", "os.fork() or os._exit(0)"),
    ],
)
@pytest.mark.usefixtures("everything_in_force")
def test_each_measure_holds_alone(measure: str, attempt: str) -> None:
    alone = f"sandbox.MEASURES['no_new_privs']()\nassert sandbox.MEASURES[{measure!r}]()"
    caught = f"try: {attempt}\nexcept OSError as error: print(error.errno)"
    assert inside(caught, alone).strip() in ("1", "13", "24")


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_the_filter_allows_what_is_in_the_table_and_nothing_else(machine: str) -> None:
    """The kernel's rules for such programs, followed by hand."""
    column = ("x86_64", "aarch64").index(machine)
    allowed = {numbers[column] for numbers in sandbox.ALLOWED.values()}
    architecture = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
    for number in (*range(600), 0x40000000, 0x40000001, 0xFFFFFFFF):
        verdict = followed(sandbox.program(machine), architecture[machine], number)
        assert verdict == (ALLOW if number in allowed else FAIL), number
    assert followed(sandbox.program(machine), 0x40000003, 0) == KILL, "32-bit calls have other numbers"


def test_a_machine_that_is_not_known_has_no_filter() -> None:
    assert sandbox.program("riscv64") == b""


ALLOW, FAIL, KILL = 0x7FFF0000, 0x00050001, 0x80000000


def followed(program: bytes, architecture: int, number: int) -> int:
    steps = list(struct.iter_unpack("=HBBI", program))
    at, loaded = 0, 0
    while True:
        code, if_equal, if_not, value = steps[at]
        if code == 0x06:
            return value
        if code == 0x20:
            loaded = {0: number, 4: architecture}[value]
        at += 1 + ((if_equal if loaded == value else if_not) if code == 0x15 else 0)


def documents_of_all_kinds() -> list[Document]:
    found = []
    for kind in documents.KINDS:
        for seed in range(6):
            content_type, body = documents.render(kind, LINKS, "Titolo", seed)
            found.append(Document(body, "http://www.base.it/", content_type.partition(";")[0]))
    page = "<a href='/è?q=è'>x</a>"
    for label in known_codecs():
        found += [
            Document(page.encode("utf-8"), "http://a.it/", media_type, label)
            for media_type in ("text/html", "text/plain", "application/xml", "application/xhtml+xml")
        ]
        meta = f"<meta charset={label}>".encode()
        found.append(Document(meta + page.encode("utf-8"), "http://a.it/", "text/html"))
    return found


def test_inside_every_document_is_read_as_outside() -> None:
    """Modules that a reader imports when it first needs them must be there before the doors are closed."""

    async def crawl(found: list[Document]) -> tuple[list[Extraction], int]:
        async with worker_pool(EVERYTHING, 1, cpu_seconds=20) as pool:
            return await asyncio.gather(*map(pool.extract, found)), pool.replaced

    asked = documents_of_all_kinds()
    extractions, replaced = asyncio.run(crawl(asked))
    assert replaced == 0
    wrong = [
        document
        for document, found in zip(asked, extractions, strict=True)
        if found != extract_and_digest(document, EVERYTHING)
    ]
    assert wrong == []


def test_what_is_in_force_is_said_once(caplog: pytest.LogCaptureFixture) -> None:
    async def crawl() -> tuple[str, ...] | None:
        async with worker_pool(EVERYTHING, 2) as pool:
            await asyncio.gather(*(pool.extract(Document(b"x", "http://a.it/")) for _ in range(40)))
            return pool.measures

    caplog.set_level("INFO")
    measures = asyncio.run(crawl())
    said = [record.getMessage() for record in caplog.records if "run with" in record.getMessage()]
    assert measures
    assert len(said) == 1
    assert all(measure in said[0] for measure in measures)


def test_a_worker_inherits_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "x")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(("", "relative", "/absolute")))
    monkeypatch.setenv("PYTHONSTARTUP", "/tmp/x.py")
    environment = process._environment()
    assert environment["PYTHONPATH"] == f"{ROOT}{os.pathsep}/absolute"
    assert environment.keys() <= {"PYTHONPATH", *process._KEPT_VARIABLES}


CRAWL = """
import asyncio
from webgraph_it.extract import Document, link_policy
from webgraph_it.extract.workers import WorkerPool
async def main():
    policy = link_policy(["a"], [], embedded=False, plain_text=False)
    async with WorkerPool(policy, 1, cpu_seconds=2.0, memory_bytes=300_000_000) as pool:
        print(len((await pool.extract(Document(b"<a href=/b>", "http://a.it/", "text/html"))).links))
asyncio.run(main())
"""


def test_modules_in_the_working_directory_are_not_executed(tmp_path: Path) -> None:
    for module in ("zipfile", "encodings_", "lzma", "json", "resource", "sitecustomize"):
        (tmp_path / f"{module}.py").write_text(f"open({str(tmp_path / 'executed')!r}, 'a').write({module!r})")
    run = subprocess.run(
        [sys.executable, "-P", "-c", CRAWL],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert run.stdout == "1\n", run.stderr
    assert not (tmp_path / "executed").exists()


@pytest.mark.usefixtures("everything_in_force")
def test_a_running_worker_has_given_everything_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the kernel says of the process itself, not what it says of itself."""
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "x")
    options = {"policy": policy_fields(EVERYTHING), "cpu_seconds": 2.0, "memory_bytes": 300_000_000}
    channel, worker = process.spawn(options)
    with channel:
        channel.settimeout(30)
        assert channel.recv(1000), "it is ready"
        about = Path(f"/proc/{worker.pid}")
        status = dict(line.split(":\t", 1) for line in (about / "status").read_text().splitlines())
        limits = (about / "limits").read_text()
        environment = (about / "environ").read_bytes()
        words = (about / "cmdline").read_bytes().split(b"\0")
        folder = (about / "cwd").readlink()
    assert worker.wait(30) == 0
    assert (status["NoNewPrivs"], status["Seccomp"]) == ("1", "2")
    for name, most in (("open files", 16), ("file size", 0), ("processes", 0), ("core file size", 0)):
        assert re.search(rf"^Max {name} +{most} +{most} ", limits, re.MULTILINE), limits
    assert b"AWS_SECRET" not in environment
    assert b"-P" in words
    assert folder == Path("/")
