"""Rules in a file: a mistake is one sentence, and the old rules stay."""

import os
from pathlib import Path

import pytest

from webgraph_it.crawl.rules_file import RulesFile, RulesFileError
from webgraph_it.urls.rules import Rule

BLOCK = '[[rule]]\nsurt = "it,esempio,"\nblock = true\n'


def write(path: Path, text: str, second: int) -> None:
    path.write_text(text)
    os.utime(path, (second, second))


def test_the_rules_follow_the_file(tmp_path: Path) -> None:
    path = tmp_path / "rules.toml"
    write(path, BLOCK, 1)
    rules = RulesFile(str(path))
    assert rules.reload()
    assert rules.rules == (Rule(surt="it,esempio,", block=True),)
    assert not rules.reload()
    write(path, BLOCK.replace("block = true", "delay = 9"), 2)
    assert rules.reload()
    assert rules.rules == (Rule(surt="it,esempio,", delay=9.0),)


def test_without_a_file_there_are_no_rules() -> None:
    rules = RulesFile("")
    assert not rules.reload()
    assert rules.rules == ()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[[rule]\n", "is not TOML"),
        ("x = 1\n", "'x' is unknown; expected: [[rule]] tables"),
        ("rule = 3\n", "[[rule]] tables were expected"),
        ('[[rule]]\nsurt = "it,"\n', "rule 1: it has no effect"),
        ("", "is empty. If there shall be none, write rule = []."),
        (" \n\t\n", "is empty. If there shall be none, write rule = []."),
        ("# my rules\n", "has no rule. If there shall be none, write rule = []."),
    ],
)
def test_a_mistake_is_said_once_and_the_old_rules_stay(tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "rules.toml"
    write(path, BLOCK, 1)
    rules = RulesFile(str(path))
    rules.reload()
    write(path, text, 2)
    with pytest.raises(RulesFileError) as refused:
        rules.reload()
    assert sentence in str(refused.value)
    assert str(path) in str(refused.value)
    assert len(rules.rules) == 1
    assert not rules.reload()


def test_no_rule_is_said_with_an_empty_list(tmp_path: Path) -> None:
    path = tmp_path / "rules.toml"
    write(path, BLOCK, 1)
    rules = RulesFile(str(path))
    rules.reload()
    write(path, "# none\nrule = []\n", 2)
    assert rules.reload()
    assert rules.rules == ()
