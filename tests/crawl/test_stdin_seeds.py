import os
import pty
import subprocess
from pathlib import Path

from tests.crawl.crawling import PROJECT, crawl_command, differences, resume
from webgraph_it.simweb import SimWeb


def test_a_crawl_takes_its_seeds_from_standard_input_and_resumes_without_them(tmp_path: Path) -> None:
    with SimWeb(hosts=6, pages=40, seed=5, only=["plain"]) as web:
        seeds = Path(next(word for word in crawl_command(web, tmp_path) if word.startswith("SEEDS="))[6:])
        jobdir, temporary = tmp_path / "crawl", tmp_path / "temporary"
        temporary.mkdir()
        ended = subprocess.run(
            crawl_command(web, jobdir, SEEDS="-"),
            cwd=PROJECT,
            env={**os.environ, "TMPDIR": str(temporary)},
            input=seeds.read_bytes(),
            capture_output=True,
            timeout=120,
        )
        assert ended.returncode == 0, ended.stderr[-3000:]
        assert differences(web, jobdir) == []
        assert (jobdir / "seeds" / "000001.txt").read_bytes() == seeds.read_bytes()
        assert [path.name for path in temporary.glob("webgraph_it-seeds-*")] == []
        resume(jobdir)
        assert [path.name for path in (jobdir / "seeds").iterdir()] == ["000001.txt"]


def test_seeds_are_not_waited_for_on_a_terminal(tmp_path: Path) -> None:
    with SimWeb(hosts=2, pages=4, seed=5, only=["plain"]) as web:
        controller, terminal = pty.openpty()
        try:
            ended = subprocess.run(
                crawl_command(web, tmp_path / "crawl", SEEDS="-"),
                cwd=PROJECT,
                stdin=terminal,
                capture_output=True,
                text=True,
                timeout=60,
            )
        finally:
            os.close(controller)
            os.close(terminal)
    assert ended.returncode == 2
    assert "SEEDS is -, but nothing is piped into standard input" in ended.stderr
    assert not (tmp_path / "crawl").exists()
