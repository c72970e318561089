"""The command: it serves until Ctrl-C, writes what it is asked to, and refuses in one sentence."""

import re
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.crawl.crawling import PROJECT
from tests.verbs import simweb as main
from webgraph_it.simweb.crawl_settings import parse

FREE = ["--http-port=0", "--https-port=0", "--dns-port=0"]


def test_every_option_is_documented(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    options = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", capsys.readouterr().out)) - {"--help", "--version"}
    text = (PROJECT / "docs/simweb.md").read_text()
    assert [option for option in sorted(options) if not re.search(rf"{option}(?![\w-])", text)] == []


def test_it_says_when_it_is_ready_and_stops_on_ctrl_c(tmp_path: Path) -> None:
    files = [f"--{name}={tmp_path / name}" for name in ("truth", "hits", "settings", "seeds")]
    command = [sys.executable, "-m", "webgraph_it.simweb", "--hosts=5", "--pages=20", *FREE, *files]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        said = [next(process.stdout)]
        while not said[-1].startswith("simweb is ready"):
            said.append(next(process.stdout))
        process.send_signal(signal.SIGINT)
        assert process.wait(10) == 0
    assert said[-1].startswith("simweb is ready: 5 hosts, 20 pages; HTTP ")
    written = (tmp_path / "settings").read_text()
    assert [line.strip() for line in said[1:-1]] == written.splitlines()
    settings = parse(written)
    assert set(settings) >= {"SEEDS", "DNS_SERVERS", "PORT_MAP", "ALLOWED_PRIVATE_NETWORKS"}
    assert Path(settings["SEEDS"]).read_text().splitlines()[0].startswith("http")
    assert {path.name for path in (tmp_path / "truth").iterdir()} == {"nodes.tsv", "arcs.tsv", "bounds.tsv"}
    assert (tmp_path / "hits").exists()


@pytest.mark.skipif(not shutil.which("xargs"), reason="xargs is not installed")
def test_xargs_reads_the_settings(tmp_path: Path) -> None:
    path = tmp_path / "settings"
    path.write_text("-s 'PORT_MAP={\"80\": 8080}'\n-s 'HOST_DELAY=0'\n")
    read = subprocess.run(["xargs", "-a", path, "printf", "%s|"], capture_output=True, text=True, check=True)
    assert read.stdout == '-s|PORT_MAP={"80": 8080}|-s|HOST_DELAY=0|'


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--only=pippo"], "unknown habit 'pippo'; known are: plain, relative, "),
        (["--habit=pippo=0.1"], "unknown habit 'pippo'"),
        (["--habit=gzip"], "habit 'gzip' is not NAME=SHARE"),
        (["--habit=gzip=2"], "the share of habit 'gzip' is 2.0"),
        (["--hosts=10", "--pages=5"], "pages is 5, fewer than the 10 hosts"),
        (["--hosts=0"], "hosts is 0"),
        (["--hosts=molti"], "--hosts: 'molti' is not a whole number."),
        (["--degree=0"], "degree is 0"),
        (["--page-bytes=1"], "page bytes is 1"),
        (["--latency=0"], "latency is 0"),
        (["--latency-spread=-1"], "latency spread is -1"),
        (["--size-exponent=-1"], "size exponent is -1"),
        (["--addresses=99999"], "addresses is 99999"),
        (["--http-port=99999"], "'99999' is not a port"),
        (["--topology=/niente"], "topology /niente cannot be read: No such file or directory"),
        (["--hits=/niente/hits"], "/niente/hits: No such file or directory"),
        (["--ciao"], "webgraph-it simweb has no option --ciao; see webgraph-it simweb --help"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_wrong_argument_gets_one_sentence(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert code_of([*FREE, *arguments]) == 2
    said = capsys.readouterr().err
    assert words in said
    assert said.count("\n") == 1


def code_of(arguments: list[str]) -> object:
    """The command's exit code, however it ends."""
    try:
        return main(arguments)
    except SystemExit as ended:
        return ended.code


@pytest.mark.parametrize("name", ["http", "https", "dns"])
def test_a_busy_port_gets_one_sentence(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    address = "127.0.0.1" if name == "dns" else "127.1.0.1"
    with socket.create_server((address, 0)) as busy:
        port = busy.getsockname()[1]
        assert code_of([*FREE, "--hosts=1", "--pages=1", f"--{name}-port={port}"]) == 2
    assert capsys.readouterr().err == (
        f"port {port} for {name.upper()} is busy; choose another one, or 0 for any free port.\n"
    )


def test_more_pages_than_the_topology_has_get_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "graph").write_text("2\n1\n0\n")
    assert code_of([*FREE, "--hosts=1", "--pages=3", f"--topology={tmp_path / 'graph'}"]) == 2
    assert "pages is 3, more than the 2 nodes" in capsys.readouterr().err
