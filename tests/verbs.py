"""The verbs of `webgraph-it`, called in this process: arguments in, exit code out."""

from collections.abc import Sequence

from webgraph_it.cli import main


def convert(arguments: Sequence[str]) -> int:
    return main(["convert", *arguments])


def analyse(arguments: Sequence[str]) -> int:
    return main(["analyse", *arguments])


def plan(arguments: Sequence[str]) -> int:
    return main(["plan", *arguments])


def simweb(arguments: Sequence[str]) -> int:
    return main(["simweb", *arguments])


def demo(arguments: Sequence[str]) -> int:
    return main(["demo", *arguments])
