"""Who asks: the token file, sessions, and slow answers to wrong guesses."""

import asyncio
import time
from pathlib import Path

import pytest

from tests.console.watched import OPERATOR, READER, token_file
from webgraph_it.console import tokens
from webgraph_it.console.address import ConsoleError
from webgraph_it.console.server import check
from webgraph_it.console.tokens import Gate, Role, Tokens, read_tokens

BOTH = Tokens(READER, OPERATOR)


def test_the_file_is_read(tmp_path: Path) -> None:
    assert read_tokens(token_file(tmp_path)) == BOTH


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o666])
def test_a_file_that_others_may_read_is_refused(tmp_path: Path, mode: int) -> None:
    path = token_file(tmp_path)
    path.chmod(mode)
    with pytest.raises(ConsoleError, match=r"expected: a file of yours that nobody else may read.*chmod 600"):
        read_tokens(path)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "reader = 1\noperator = 2",
        f'reader = "{READER}"',
        f'reader = "{READER}"\noperator = "short"',
        f'reader = "{READER}"\noperator = "{READER}"',
        f'reader = "{READER}"\noperator = "{OPERATOR}"\nroot = "{OPERATOR}x"',
        "no toml",
    ],
)
def test_a_file_without_two_tokens_is_refused(tmp_path: Path, text: str) -> None:
    path = token_file(tmp_path)
    path.write_text(text)
    with pytest.raises(ConsoleError, match=r"^CONSOLE_TOKENS: .*expected: "):
        read_tokens(path)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConsoleError, match=r"cannot be read"):
        read_tokens(tmp_path / "none")


def test_an_address_that_others_can_reach_needs_tokens() -> None:
    with pytest.raises(ConsoleError, match=r"which others can reach, and there are no tokens"):
        check("0.0.0.0:6060", "")


def test_roles() -> None:
    assert [BOTH.role(token) for token in (READER, OPERATOR, "", "ö")] == [
        *(Role.READER, Role.OPERATOR, Role.NOBODY, Role.NOBODY),
    ]


def test_wrong_tokens_are_answered_one_after_the_other_and_right_ones_at_once() -> None:
    async def seconds() -> tuple[float, float]:
        gate, began = Gate(BOTH, wrong_seconds=0.1), time.monotonic()
        guesses = [asyncio.create_task(gate.role("x" * 30, None)) for _ in range(3)]
        await asyncio.sleep(0)
        assert await gate.role(OPERATOR, None) is Role.OPERATOR
        right = time.monotonic() - began
        assert await asyncio.gather(*guesses) == [Role.NOBODY] * 3
        return right, time.monotonic() - began

    right, wrong = asyncio.run(seconds())
    assert right < 0.1
    assert wrong >= 0.3


def test_sessions_are_bounded_and_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "MAX_SESSIONS", 2)
    gate = Gate(BOTH)
    names = [gate.new_session(Role.READER) for _ in range(3)]
    gate.end_session(names[2])

    async def roles() -> list[Role]:
        return [await gate.role(None, name) for name in (*names, None)]

    assert asyncio.run(roles()) == [Role.NOBODY, Role.READER, Role.NOBODY, Role.NOBODY]
