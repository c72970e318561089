"""What looks like a link and gives no arc. A crawler that follows one finds a node that is not in the truth."""

from collections.abc import Callable

from webgraph_it.simweb.pages import Link


def _decoy(markup: str) -> Link:
    return Link(markup, None)


def _comments(number: int) -> list[Link]:
    return [_decoy(f'<!-- <a href="/nascosto/commento-{number}.html">vecchio</a> -->')]


def _scripts(number: int) -> list[Link]:
    return [
        _decoy(f"<script>document.write('<a href=\"/nascosto/script-{number}.html\">x<\\/a>');</script>"),
        _decoy(f"<span onclick=\"location='/nascosto/clic-{number}.html'\">qui</span>"),
    ]


def _embeds(number: int) -> list[Link]:
    name = f"/nascosto/incluso-{number}"
    return [
        _decoy(f'<img src="{name}.php" srcset="{name}-2.php 2x" alt="">'),
        _decoy(f'<script src="{name}.js"></script><link rel="stylesheet" href="{name}.css">'),
        _decoy(
            f'<link rel="icon" href="{name}.php?icona=1"><link rel="preload" href="{name}.txt" as="fetch">'
        ),
        _decoy(f'<form action="{name}-cerca.php"><input name="q"></form>'),
        _decoy(f'<object data="{name}-oggetto.html"></object>'),
    ]


def _out_of_scope(number: int) -> list[Link]:
    return [
        _decoy(f'<a href="http://www.example.com/pagina-{number}.html">estero</a>'),
        _decoy(f'<a href="https://sito.it.example.org/{number}">non in .it</a>'),
        _decoy(f'<a href="http://posta.esempio.it:25/{number}">una porta della posta</a>'),
        _decoy('<a href="mailto:info@example.com">scrivici</a> <a href="javascript:void(0)">apri</a>'),
        _decoy('<a href="ftp://ftp.example.com/file.txt">ftp</a> <a href="tel:+39049000000">tel</a>'),
    ]


_EXTENSIONS = (
    "jpg",
    "GIF",
    "png",
    "mp3",
    "avi",
    "ppt",
    "zip",
    "webp",
    "mp4",
    "woff2",
    "svg",
    "tar.gz",
    "exe",
)


def _media(number: int) -> list[Link]:
    extension = _EXTENSIONS[number % len(_EXTENSIONS)]
    return [
        _decoy(f'<a href="/media/file-{number}.{extension}">scarica</a>'),
        _decoy(f'<a href="/media/foto-{number}.JPEG?grande=1">foto</a>'),
    ]


DECOYS: dict[str, Callable[[int], list[Link]]] = {
    "comments": _comments,
    "scripts": _scripts,
    "embeds": _embeds,
    "out-of-scope": _out_of_scope,
    "media": _media,
}
