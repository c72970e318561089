import pytest

from webgraph_it.cli.shell.mistakes import Mistake
from webgraph_it.cli.shell.parser import Parser, did_you_mean, in_words


@pytest.mark.parametrize(
    ("message", "sentence"),
    [
        ("the following arguments are required: DIR", "DIR is missing; see webgraph-it x --help"),
        ("argument --out: expected one argument", "--out needs a value; see webgraph-it x --help"),
        (
            "argument --to: invalid choice: 'a' (choose from 'b', 'c')",
            "--to is 'a'; expected one of 'b', 'c'",
        ),
        ("argument --memory: 'y' is not a size", "--memory: 'y' is not a size"),
        ("something else", "something else"),
    ],
)
def test_what_argparse_says_becomes_a_sentence(message: str, sentence: str) -> None:
    assert in_words(message, "webgraph-it x") == sentence


def test_a_misspelt_option_is_named_before_what_it_makes_missing() -> None:
    parser = Parser("webgraph-it x", "")
    parser.add_argument("graph")
    parser.add_argument("--output")
    with pytest.raises(Mistake, match="has no option --outptu; did you mean --output"):
        parser.parse_args(["--outptu=5"])


def test_what_follows_two_dashes_is_not_ours() -> None:
    parser = Parser("webgraph-it x", "")
    parser.add_argument("rest", nargs="*")
    assert parser.parse_args(["--", "--anything"]).rest == ["--anything"]


def test_options_are_not_abbreviated() -> None:
    parser = Parser("webgraph-it x", "")
    parser.add_argument("--output")
    with pytest.raises(Mistake, match="did you mean --output"):
        parser.parse_args(["--outpu", "x"])


def test_nothing_is_guessed_from_afar() -> None:
    assert did_you_mean("xyzzy", ["convert", "plan"]) == ""
