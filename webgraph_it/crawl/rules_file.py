"""RULES_FILE: rules in TOML, in force while the crawl runs, and read again when the file changes.

    [[rule]]
    surt = "it,esempio,"
    block = true

A mistake is one sentence, and the old rules stay in force. A file that says nothing is a mistake: an editor that saves
in place shows it for a moment. `rule = []` says that there is no rule.
"""

import json
import tomllib
from hashlib import md5
from typing import Any

from webgraph_it.files.regular import InputError
from webgraph_it.files.watched import WatchedFile
from webgraph_it.urls.rules import Rule, RuleError, rules_of

SETTING = "RULES_FILE"
META = "rules-file"
"""Among the frontier's records: the checksum of the rules that have shaped the graph so far."""
SHAPING = ("block", "accept", "max_pages", "max_depth")
MAX_NOTED = 100
IF_NONE = "If there shall be none, write rule = []."


class RulesFileError(ValueError):
    """What is wrong with the file, in one sentence."""


class RulesFile:
    """`rules` are those of the last version of the file that was right."""

    def __init__(self, path: str) -> None:
        self._file = WatchedFile(path, SETTING)
        self.rules: tuple[Rule, ...] = ()

    def checksum(self) -> bytes | None:
        """Of the rules that decide which nodes are fetched; None if there is none."""
        shaping = self._shaping()
        return md5(json.dumps(shaping).encode()).hexdigest().encode() if shaping else None

    def noted(self) -> Any:
        """Those rules, as crawl.json keeps them; of very many, only how many."""
        shaping = self._shaping()
        return shaping if len(shaping) <= MAX_NOTED else {"rules": len(shaping)}

    def _shaping(self) -> list[dict[str, Any]]:
        written = (rule.written() for rule in self.rules)
        return [rule for rule in written if not rule.keys().isdisjoint(SHAPING)]

    def reload(self) -> bool:
        """True: the rules are others now. RulesFileError, once for each version: the old ones stay."""
        try:
            text = self._file.changed(if_empty=IF_NONE)
            if text is None:
                return False
            tables = tomllib.loads(text)
            _refuse_others(tables)
            if "rule" not in tables:  # perhaps an editor is about to write it
                raise RulesFileError(f"{SETTING}: {self._file.path} has no rule. {IF_NONE}")
            self.rules = rules_of(tables["rule"]).rules
        except InputError as error:
            raise RulesFileError(str(error)) from None
        except tomllib.TOMLDecodeError as error:
            raise RulesFileError(f"{SETTING}: {self._file.path} is not TOML ({error}).") from None
        except RuleError as error:
            raise RulesFileError(f"{SETTING}: {self._file.path}: {error}.") from None
        return True


def _refuse_others(tables: dict[str, object]) -> None:
    for name in tables:
        if name != "rule":
            raise RuleError(f"{name!r} is unknown; expected: [[rule]] tables")
