"""python -m tests.mutation: run the sample and the safety calls; exit code 1 if too much survives.

    --sample 150 --seed 17       how many sampled changes, and which
    --only fetch/connections.py  one module: all of its changes if --sample is 0
    --safety-only, --sample-only

Each change is made in a copy of the tree, so that crawls and workers that a test starts have it, too.
A test that does not end in time has noticed. Hypothesis is given few examples, and the same ones in every run
(tests/conftest.py, profile `mutants`).
"""

import argparse
import contextlib
import difflib
import os
import random
import shutil
import signal
import subprocess
import sys
import sysconfig
import time
import venv
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryDirectory
from typing import NamedTuple

from tests.mutation.mutator import changes
from tests.mutation.tables import EQUIVALENT, MODULES, SAFETY, SLOW

PROJECT = Path(__file__).parents[2]
PACKAGE = "webgraph_it"
PROCESSES = 2
LEAST_SHARE = 0.95
EXTRA_SECONDS, TIMES = 10.0, 3.0
"""A run may take so much longer than the same tests without a change."""
MOST_SECONDS, ATTEMPTS = 120.0, 3
"""Of a run without a change: some tests measure time, and the machine may be busy."""
LEFT_OUT = shutil.ignore_patterns(
    ".git", ".venv", "__pycache__", ".*_cache", ".hypothesis", "demo", "crawls", "build"
)


class Trial(NamedTuple):
    """One change of one file, and the tests that must notice."""

    path: str
    what: str
    """Empty for a sampled change."""
    source: str
    changed: str
    tests: tuple[str, ...]

    @property
    def line(self) -> int:
        return next(n for n, (a, b) in enumerate(_pairs(self.source, self.changed), 1) if a != b)

    @property
    def key(self) -> tuple[str, str, str]:
        """As in EQUIVALENT."""
        old, new = (text.splitlines()[self.line - 1].strip() for text in (self.source, self.changed))
        return self.path, old, new

    @property
    def diff(self) -> str:
        lines = difflib.unified_diff(self.source.splitlines(), self.changed.splitlines(), lineterm="", n=0)
        return "\n".join(line for line in lines if not line.startswith(("---", "+++", "@@")))


def _pairs(a: str, b: str) -> Iterable[tuple[str, str]]:
    return zip([*a.splitlines(), ""], [*b.splitlines(), "", ""], strict=False)


def main(words: list[str]) -> int:
    options = _parsed(words)
    trials = [] if options.sample_only else safety_trials(options.only)
    trials += [] if options.safety_only else sampled_trials(options.sample, options.seed, options.only)
    began = time.monotonic()
    with TemporaryDirectory(prefix="mutants-") as folder:
        trees: SimpleQueue[Tree] = SimpleQueue()
        for number in range(PROCESSES):
            trees.put(Tree(Path(folder) / str(number)))
        judge = Judge(trees)
        with ThreadPoolExecutor(PROCESSES) as pool:
            list(pool.map(judge.try_unchanged, sorted({test for trial in trials for test in trial.tests})))
            survived = list(pool.map(judge.survives, trials))
    return _report(list(zip(trials, survived, strict=True)), time.monotonic() - began)


def _parsed(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation")
    parser.add_argument("--sample", type=int, default=150)
    parser.add_argument("--seed", type=int, default=17)
    parser.add_argument("--only", default="")
    parser.add_argument("--safety-only", action="store_true")
    parser.add_argument("--sample-only", action="store_true")
    return parser.parse_args(words)


# -- what is tried --------------------------------------------------------------------------------------------


def safety_trials(only: str = "") -> list[Trial]:
    """Every row of SAFETY; each names a text that is in its module once."""
    trials = []
    for what, (module, old, new), tests in SAFETY:
        path = f"{module.replace('.', '/').removeprefix(PACKAGE + '/')}.py"
        source = (PROJECT / PACKAGE / path).read_text()
        if source.count(old) != 1:
            raise SystemExit(
                f"{path} holds {old!r} {source.count(old)} times, expected once: correct tables.py."
            )
        if only in path:
            trials.append(Trial(path, what, source, source.replace(old, new), tests))
    return trials


def sampled_trials(sample: int, seed: int, only: str = "") -> list[Trial]:
    """Changes of all modules, as many of each: in turn, until there are enough; 0 is all.

    A module's sample changes only with its own code.
    """
    wanted = []
    for path, tests in MODULES.items():
        row = _all_of(path, tests)
        random.Random(f"{seed} {path}").shuffle(row)
        if only in path:
            wanted.append([trial for trial in row if trial.key not in EQUIVALENT])
    found = [
        row[turn] for turn in range(max(map(len, wanted), default=0)) for row in wanted if turn < len(row)
    ]
    return found[: sample or None]


def _all_of(path: str, extra: tuple[str, ...]) -> list[Trial]:
    source = (PROJECT / PACKAGE / path).read_text()
    folder, _, name = path.rpartition("/")
    mirror = f"tests/{folder}/test_{name}"
    tests = (*([mirror] if (PROJECT / mirror).exists() else []), *extra)
    return [Trial(path, "", source, change.applied(source), tests) for change in changes(source)]


# -- the runs -------------------------------------------------------------------------------------------------


class Tree:
    """A copy of the project with an environment of its own, where one file is changed at a time."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._tick = time.time()
        shutil.copytree(PROJECT, root, ignore=LEFT_OUT)
        venv.create(root / ".venv", symlinks=True)
        packages = [path for path in sys.path if path.endswith("site-packages")]
        lines = [str(root), *(f"import site; site.addsitedir({path!r})" for path in packages)]
        there = sysconfig.get_path("purelib", "venv", {"base": str(root / ".venv")})
        Path(there, "copy.pth").write_text("\n".join(lines) + "\n")

    def run(self, tests: Iterable[str], seconds: float) -> bool:
        """Whether all pass in time."""
        python = str(self._root / ".venv" / "bin" / "python")
        options = ["-x", "-q", "--no-header", "-p", "no:cacheprovider", "--hypothesis-profile", "mutants"]
        options += [f"--deselect={test}" for test in SLOW]
        run = subprocess.Popen(
            [python, "-m", "pytest", *options, *tests],
            cwd=self._root,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            return run.wait(seconds) == 0
        except subprocess.TimeoutExpired:
            return False
        finally:
            with contextlib.suppress(ProcessLookupError):  # and whatever the tests have started
                os.killpg(run.pid, signal.SIGKILL)
            run.wait()

    def write(self, path: str, text: str) -> None:
        """A file of the package, with a time of its own: Python compares only seconds and lengths."""
        file = self._root / PACKAGE / path
        file.write_text(text)
        self._tick += 2
        os.utime(file, (self._tick, self._tick))


class Judge:
    """Runs the tests of one trial at a time on each tree."""

    def __init__(self, trees: "SimpleQueue[Tree]") -> None:
        self._trees = trees
        self._seconds: dict[str, float] = {}
        """How long each test takes without any change; none that fails then."""

    def try_unchanged(self, test: str) -> None:
        """A test that fails without any change judges nothing."""
        with self._tree() as tree:
            for _ in range(ATTEMPTS):
                began = time.monotonic()
                if tree.run([test], MOST_SECONDS):
                    self._seconds[test] = time.monotonic() - began
                    return
        print(f"\n{test}: fails without any change.", flush=True)

    def survives(self, trial: Trial) -> bool:
        """Whether its tests pass in spite of the change."""
        survives = True
        tests = [test for test in trial.tests if test in self._seconds]
        if tests:
            with self._tree() as tree:
                tree.write(trial.path, trial.changed)
                survives = tree.run(tests, EXTRA_SECONDS + TIMES * sum(self._seconds[test] for test in tests))
                tree.write(trial.path, trial.source)
        if survives:
            print(f"\n{PACKAGE}/{trial.path}:{trial.line}: survives {trial.what}\n{trial.diff}", flush=True)
        return survives

    @contextlib.contextmanager
    def _tree(self) -> Iterator[Tree]:
        tree = self._trees.get()
        try:
            yield tree
        finally:
            self._trees.put(tree)


def _report(results: list[tuple[Trial, bool]], seconds: float) -> int:
    safety = [survives for trial, survives in results if trial.what]
    sample = [survives for trial, survives in results if not trial.what]
    share = sample.count(False) / len(sample) if sample else 1.0
    print(f"\nsafety calls: killed {safety.count(False)} of {len(safety)}")
    print(f"sampled: killed {sample.count(False)} of {len(sample)} ({share:.0%}), {seconds / 60:.1f} minutes")
    return 1 if any(safety) or share < LEAST_SHARE else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
