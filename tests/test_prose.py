"""README.md, CONTRIBUTING.md and docs/ wrap at 100 characters and use no phrase that reads as translated."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[1]
PAGES = [PROJECT / "README.md", PROJECT / "CONTRIBUTING.md", *sorted((PROJECT / "docs").glob("*.md"))]

MAX_LINE = 100
GENERATED = ("commands.md",)
"""Its lines are those of `--help`."""

BANNED = {
    r"\bgo(?:es)? on\b": "resume, continue",
    r"\bso many\b": "this many, at least this many",
    r"(?<!there )\b(?:is|are) no (?:arc|domain|link|node|number|page|part|shard|truth|URL)s?\b": "is not a",
    r"\bby no means\b": "not",
    r"\bgreets?\b": "first contact",
    r"\bfeels? a\b": "is blocked by",
    r"\bthe most that\b": "the maximum",
    r"\banew\b": "again",
}
"""Phrase, and what to say instead (STYLE.md, Prose)."""


def prose(page: Path) -> Iterator[tuple[int, str]]:
    """The lines of a page that are neither code, nor a table, nor a picture."""
    fenced = False
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced and not line.startswith(("|", "    ", "![")):
            yield number, line


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_prose_wraps_at_100_characters(page: Path) -> None:
    """A single word, such as a command in backquotes, may be longer."""
    if page.name not in GENERATED:
        assert [
            f"{page.name}:{number}"
            for number, line in prose(page)
            if len(line) > MAX_LINE and not re.fullmatch(r"\s*(?:[-*] |\d+\. )?(?:`[^`]*`\S*|\S+)", line)
        ] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_phrase_reads_as_translated(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    text = re.sub(r"^```.*?^```|`[^`\n]*`|^    [^\n]*$", "", text, flags=re.MULTILINE | re.DOTALL)
    text = " ".join(text.split())
    found = {
        f"{text[max(hit.start() - 30, 0) : hit.end() + 30]!r}: say {instead}"
        for phrase, instead in BANNED.items()
        for hit in re.finditer(phrase, text, re.IGNORECASE)
    }
    assert found == set()


MAX_NUMBERS = 3
SPECIFICATIONS = ("formats.md", "node-identity.md")
"""Byte by byte: their numbers are the text."""
NOT_A_NUMBER = re.compile(
    r"`[^`]*`|\[[^\]]*\]\([^)]*\)|^\s*\d+\. |\b[A-Za-z][\w-]*\d+\w*|\d+(?:\.\d+){3}\S*|1e-\d+"
)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_paragraph_has_few_numbers(page: Path) -> None:
    """More of them belong in a table, with their conditions."""
    paragraphs: list[str] = []
    last = -1
    for number, line in prose(page):
        if number != last + 1 or not line.strip() or re.match(r"\s*(?:[-*]|\d+\.) ", line):
            paragraphs.append("")
        paragraphs[-1] += f"{NOT_A_NUMBER.sub('', line)} "
        last = number
    if page.name not in (*SPECIFICATIONS, *GENERATED):
        found = [text for text in paragraphs if len(re.findall(r"(?<![\w.,])\d", text)) > MAX_NUMBERS]
        assert found == []
