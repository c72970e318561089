"""Who asks: two tokens in a file of the owner's, sessions of browsers, and slow answers to wrong guesses.

reader = "…"          # may look
operator = "…"        # may change things
"""

import asyncio
import hmac
import os
import secrets
import stat
import tomllib
from collections import OrderedDict
from enum import IntEnum
from pathlib import Path
from typing import NamedTuple

from webgraph_it.console.address import ConsoleError
from webgraph_it.files.regular import open_regular

MIN_TOKEN_LENGTH = 20
MAX_FILE_BYTES = 10_000
MAX_SESSIONS = 1_000
WRONG_SECONDS = 1.0
"""How long the answer to a wrong token takes. Such answers are given one after the other."""
EXAMPLE = 'reader = "…" and operator = "…", such as `python -c \'import secrets; print(secrets.token_hex())\'` prints'


class Role(IntEnum):
    """What somebody may do; more includes less."""

    NOBODY = 0
    READER = 1
    OPERATOR = 2


class Tokens(NamedTuple):
    """As in the file."""

    reader: str
    operator: str

    def role(self, token: str) -> Role:
        """In a time that does not tell how much of the token is right."""
        given = token.encode()
        is_operator = hmac.compare_digest(given, self.operator.encode())
        is_reader = hmac.compare_digest(given, self.reader.encode())
        return Role.OPERATOR if is_operator else Role.READER if is_reader else Role.NOBODY


def read_tokens(path: Path) -> Tokens:
    """ConsoleError says in one sentence what is wrong with the file."""
    try:
        with open_regular(path) as file:
            found = os.fstat(file.fileno())
            text = file.read(MAX_FILE_BYTES).decode()
    except (OSError, ValueError) as error:
        raise ConsoleError(
            f"CONSOLE_TOKENS: {path} cannot be read ({error}); expected: a file with {EXAMPLE}"
        ) from None
    mode = stat.S_IMODE(found.st_mode)
    if mode & 0o077 or found.st_uid != os.geteuid():
        raise ConsoleError(
            f"CONSOLE_TOKENS: {path} has mode {mode:04o} and belongs to user {found.st_uid}; expected: a file of "
            f"yours that nobody else may read. Change it with chmod 600 {path}"
        )
    return _tokens_of(path, text)


def _tokens_of(path: Path, text: str) -> Tokens:
    try:
        said = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConsoleError(f"CONSOLE_TOKENS: {path} is not TOML ({error}); expected: {EXAMPLE}") from None
    values = [said.get(name) for name in Tokens._fields]
    reader, operator = values
    if not all(
        isinstance(value, str) and len(value) >= MIN_TOKEN_LENGTH and value.isascii() and value.isprintable()
        for value in values
    ) or set(said) != set(Tokens._fields):
        raise ConsoleError(
            f"CONSOLE_TOKENS: {path} has not the two tokens; "
            f"expected: {EXAMPLE}, each of {MIN_TOKEN_LENGTH} characters or more"
        )
    if reader == operator:
        raise ConsoleError(
            f"CONSOLE_TOKENS: both tokens in {path} are the same; expected: two different ones"
        )
    return Tokens(str(reader), str(operator))


class Gate:
    """`tokens` None: whoever reaches a loopback address is an operator."""

    def __init__(self, tokens: Tokens | None, wrong_seconds: float = WRONG_SECONDS) -> None:
        self._tokens = tokens
        self._wrong_seconds = wrong_seconds
        self._sessions: OrderedDict[str, Role] = OrderedDict()
        self._turn = asyncio.Lock()

    @property
    def is_open(self) -> bool:
        return self._tokens is None

    async def role(self, token: str | None, session: str | None) -> Role:
        """Of a request, by its bearer token or else its cookie. A wrong token is answered slowly."""
        if self._tokens is None:
            return Role.OPERATOR
        if token is None:
            return self._sessions.get(session or "", Role.NOBODY)
        role = self._tokens.role(token)
        if role is Role.NOBODY:
            async with self._turn:
                await asyncio.sleep(self._wrong_seconds)
        return role

    def new_session(self, role: Role) -> str:
        """A name for a browser's cookie: neither a token nor derived from one. The oldest are forgotten."""
        session = secrets.token_urlsafe(32)
        self._sessions[session] = role
        while len(self._sessions) > MAX_SESSIONS:
            self._sessions.popitem(last=False)
        return session

    def end_session(self, session: str | None) -> None:
        self._sessions.pop(session or "", None)
