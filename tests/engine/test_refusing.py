"""A mistake on the command line is one sentence on stderr, and exit code 2."""

from argparse import ArgumentParser, Namespace

import pytest
from scrapy.exceptions import UsageError

from tests.defaults import project_settings
from webgraph_it.engine.refusing import Refusing, refuse


class Command(Refusing):
    def short_desc(self) -> str:
        return "for a test"

    def run(self, args: list[str], opts: Namespace) -> None: ...


def command() -> tuple[Command, ArgumentParser]:
    made = Command()
    made.settings = project_settings()
    parser = ArgumentParser(conflict_handler="resolve")
    made.add_options(parser)
    return made, parser


def test_a_refusal_is_the_sentence_alone(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        refuse("JOBDIR is empty.")
    assert ended.value.code == 2
    assert capsys.readouterr() == ("", "JOBDIR is empty.\n")


def test_an_unknown_option_is_refused_without_the_usage_text(capsys: pytest.CaptureFixture[str]) -> None:
    _, parser = command()
    with pytest.raises(SystemExit) as ended:
        parser.parse_args(["--nonsense"])
    assert ended.value.code == 2
    assert capsys.readouterr().err == "unrecognized arguments: --nonsense\n"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("HOST_DELAY", "has no value; expected: -s NAME=VALUE."),
        ("=3", "has no value; expected: -s NAME=VALUE."),
        ("ITEM_PIPELINES=mine.Part", "expected: a JSON object"),
        ("ITEM_PIPELINES=[1]", "expected: a JSON object"),
    ],
)
def test_what_scrapy_would_not_understand_is_refused(given: str, words: str) -> None:
    made, parser = command()
    with pytest.raises(UsageError, match=words) as refused:
        made.process_options([], parser.parse_args(["-s", given]))
    assert refused.value.print_help is False


@pytest.mark.parametrize(
    ("given", "name", "value"),
    [("HOST_DELAY=", "HOST_DELAY", ""), ("A=b=c", "A", "b=c"), ("ITEM_PIPELINES={}", "ITEM_PIPELINES", {})],
)
def test_what_is_given_reaches_the_settings(given: str, name: str, value: object) -> None:
    made, parser = command()
    made.process_options([], parser.parse_args(["-s", given]))
    assert made.settings is not None
    found = made.settings[name]
    assert (dict(found) if isinstance(value, dict) else found) == value
