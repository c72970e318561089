"""Style sheets, scripts and plain text: no hyperlinks of the graph, though full of URLs."""

import json
from collections.abc import Sequence


def css(links: Sequence[str], title: str, seed: int) -> bytes:
    """A style sheet: the first link is imported, the others are backgrounds, quoted in each of three ways."""
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
    """A script that would open its links; with an odd seed, as minified on one line."""
    lines = [f"var titolo={json.dumps(title)};", "var pagine=[];"]
    lines += [f"pagine.push({json.dumps(link)});" for link in links]
    lines += ["function vai(n){window.location.href=pagine[n];}"]
    return (("" if seed % 2 else "\n").join(lines) + "\n").encode()


def text(links: Sequence[str], title: str, seed: int) -> bytes:
    """Plain UTF-8 text, its URLs standing as words; line ends of Unix or of Windows."""
    lines = [title, "", *(f"{number}. {link}" for number, link in enumerate(links, 1)), ""]
    return ("\r\n" if seed % 2 else "\n").join(lines).encode()
