"""Run a module with one place of ours changed, to see which test would notice.

    python -m tests.mutants webgraph_it.shards.writer 'os.fsync(fd)' '' scrapy crawl italy …

The text must occur exactly once in the module; the rest is the module to run, as after `python -m`.
"""

import runpy
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType, ModuleType
from typing import NamedTuple


class Mutant(NamedTuple):
    """A change to one module."""

    module: str
    old: str
    new: str = ""

    def command(self, *words: str) -> list[str]:
        return [sys.executable, "-m", "tests.mutants", *self, *words]


class _Finder(MetaPathFinder):
    def __init__(self, mutant: Mutant) -> None:
        self._mutant = mutant

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        spec = PathFinder.find_spec(name, path, target)
        if name != self._mutant.module or spec is None or spec.origin is None:
            return None
        spec.loader = _Loader(name, spec.origin, self._mutant)
        return spec


class _Loader(SourceFileLoader):
    def __init__(self, name: str, path: str, mutant: Mutant) -> None:
        super().__init__(name, path)
        self._mutant = mutant

    def get_code(self, fullname: str) -> CodeType:
        source = self.get_source(fullname) or ""
        assert source.count(self._mutant.old) == 1, f"{self._mutant.old!r} is not once in {fullname}"
        return compile(source.replace(self._mutant.old, self._mutant.new), self.path, "exec")


if __name__ == "__main__":
    sys.meta_path.insert(0, _Finder(Mutant(*sys.argv[1:4])))
    sys.argv = sys.argv[4:]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
