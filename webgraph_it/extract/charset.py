"""Bytes → text for everything that is not HTML: BOM, HTTP header, strict UTF-8, else windows-1252.

Total: unknown labels are as good as none, and no byte raises. Labels mean what they mean on the web
(`iso-8859-1` is windows-1252, `gb2312` is gb18030).
"""

import codecs

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
    """The text of `body`. `also` is what the document says of itself, heard when the header says nothing."""
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
    """Python's name of a web encoding; empty when there is none."""
    try:
        found = codecs.lookup(label.strip()) if label else None
    except (LookupError, ValueError, UnicodeError):
        return ""
    if found is None or not found._is_text_encoding:
        return ""
    name = _WEB_MEANING.get(found.name, found.name)
    return "" if name in _NOT_OF_THE_WEB else name


_NOT_OF_THE_WEB = frozenset(
    ("utf-7", "idna", "punycode", "unicode_escape", "raw_unicode_escape", "undefined", "mbcs")
)
