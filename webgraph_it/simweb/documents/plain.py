"""Style sheets, scripts and plain text: they contain many URLs, but none is a hyperlink of the graph."""

import json
from collections.abc import Sequence


def css(links: Sequence[str], title: str, seed: int) -> bytes:
    """A style sheet. The first link is imported, the others are backgrounds, quoted in each of three ways."""
    rules = [f"/* {title.replace('*/', '')} */"]
    for number, link in enumerate(links):
        target = _css_url(link, (seed + number) % 3)
        rules.append(f"@import {target};" if number == 0 else f".voce-{number} {{ background: {target} }}")
    return "\n".join([*rules, "body { margin: 0 }", ""]).encode()


def _css_url(link: str, quoting: int) -> str:
    mark = ("'", '"', "")[quoting]
    return f"url({mark}{''.join(_css_escape(character) for character in link)}{mark})"


def _css_escape(character: str) -> str:
    return f"\\{character}" if character in "\\'\"() " else character


def js(links: Sequence[str], title: str, seed: int) -> bytes:
    """A script that would open its links. With an odd seed it is minified to one line."""
    lines = [f"var titolo={json.dumps(title)};", "var pagine=[];"]
    lines += [f"pagine.push({json.dumps(link)});" for link in links]
    lines += ["function vai(n){window.location.href=pagine[n];}"]
    return (("" if seed % 2 else "\n").join(lines) + "\n").encode()


def text(links: Sequence[str], title: str, seed: int) -> bytes:
    """Plain UTF-8 text with URLs as words, and Unix or Windows line ends."""
    lines = [title, "", *(f"{number}. {link}" for number, link in enumerate(links, 1)), ""]
    return ("\r\n" if seed % 2 else "\n").join(lines).encode()
