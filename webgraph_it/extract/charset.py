"""Bytes → text for everything that is not HTML: BOM, HTTP header, strict UTF-8, else windows-1252.

Total: unknown labels are ignored, and no byte raises. Labels mean what they mean on the web (`iso-8859-1` is
windows-1252, `gb2312` is gb18030). Only labels of Python's own codecs are looked up: for any other, Python
would search its path for a module of that name, and remember the label for ever.
"""

import codecs
import encodings
from encodings.aliases import aliases
from functools import cache
from pkgutil import iter_modules

_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_WEB_MEANING = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "tis-620": "cp874",
    "big5": "big5hkscs",
    "utf-16": "utf-16-le",
}


def decoded(body: bytes, declared: str | None, also: str | None = None) -> str:
    """The text of `body`. `also` is the document's own label, used if the header has none."""
    for bom, encoding in _BOMS:
        if body.startswith(bom):
            return body[len(bom) :].decode(encoding, "replace")
    for label in (declared, also):
        if encoding := _codec(label):
            return body.decode(encoding, "replace")
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError as error:
        cut = error.reason == "unexpected end of data" and not body[: error.start].isascii()
        return body.decode("utf-8" if cut else "cp1252", "replace")


def _codec(label: str | None) -> str:
    """Python's name for a web encoding; empty if there is none."""
    return known_codecs().get(_spelling(label), "") if label and len(label) <= _LONGEST_LABEL else ""


def _spelling(label: str) -> str:
    return encodings.normalize_encoding(label.strip()).lower()


_LONGEST_LABEL = 40
_NOT_OF_THE_WEB = frozenset(
    ("utf-7", "idna", "punycode", "unicode_escape", "raw_unicode_escape", "undefined", "mbcs")
)


@cache
def known_codecs() -> dict[str, str]:
    """Every label that Python knows → its codec's name. Loads all codecs once, in 80 ms."""
    names = (
        {module.name for module in iter_modules(encodings.__path__)} | aliases.keys() | set(aliases.values())
    )
    known: dict[str, str] = {}
    for label in sorted(names):
        try:
            found = codecs.lookup(label)
        except LookupError:  # a codec of another operating system
            continue
        name = _WEB_MEANING.get(found.name, found.name)
        if found._is_text_encoding and name not in _NOT_OF_THE_WEB:
            known[_spelling(label)] = known[_spelling(found.name)] = name
    return known
