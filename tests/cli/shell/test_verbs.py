"""Which verbs there are. A new verb is a new file and nothing else."""

from pathlib import Path

import pytest

import webgraph_it.cli
from webgraph_it.cli.shell.mistakes import Mistake
from webgraph_it.cli.shell.verbs import load, meant, names, overview, parser_of

HELLO = """
from webgraph_it.cli.shell.verb import Verb

def run(options):
    print(f"Hello, {options.name}")
    return 3

VERB = Verb("hello world", "Greet.", ("webgraph-it hello world Anna",), lambda parser: parser.add_argument("name"), run)
"""


def test_a_new_verb_is_one_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "hello_world.py").write_text(HELLO)
    monkeypatch.setattr(webgraph_it.cli, "__path__", [*webgraph_it.cli.__path__, str(tmp_path)])
    assert webgraph_it.cli.main(["hello", "world", "Anna"]) == 3
    assert capsys.readouterr().out == "Hello, Anna\n"
    assert "hello world      Greet." in overview()
    assert webgraph_it.cli.main(["hello"]) == 2
    assert "did you mean hello world?" in capsys.readouterr().err


@pytest.mark.parametrize("name", names())
def test_a_verb_is_called_as_its_file(name: str) -> None:
    verb = load(name)
    assert verb.name == name
    assert verb.summary
    assert "\n" not in verb.summary
    assert verb.examples
    assert all(line.startswith(f"webgraph-it {name} ") for line in verb.examples)


@pytest.mark.parametrize("name", names())
def test_help_ends_with_the_examples(name: str) -> None:
    text = parser_of(load(name)).format_help()
    assert text.endswith("".join(f"  {line}\n" for line in load(name).examples))


@pytest.mark.parametrize(
    ("given", "verb"),
    [
        (["convert", "a"], ("convert", ["a"])),
        (["convert", "export", "a"], ("export", ["a"])),
        (["simweb", "serve", "--keep"], ("simweb", ["--keep"])),
        (["simweb"], ("simweb", [])),
        (["simweb", "compare", "a"], ("simweb compare", ["a"])),
        (["analyse", "compare"], ("analyse compare", [])),
    ],
)
def test_the_longest_verb_counts(given: list[str], verb: tuple[str, list[str]]) -> None:
    assert meant(given) == verb


def test_an_option_is_no_verb() -> None:
    with pytest.raises(Mistake, match="has no option --ciao"):
        meant(["--ciao"])
