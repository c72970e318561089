"""The other spellings of a node's URL: with and without www, http and https. Pure."""

from webgraph_it.urls import key


def next_spelling(url: str, tried: int) -> str | None:
    """The spelling to try when the host of `url` does not resolve or refuses, after `tried` others; or None.

    From any of the four spellings, the next three are the other ones: www first, then the other scheme.
    A site on its own port has only one scheme.
    """
    scheme, _, rest = url.partition("://")
    authority, slash, path = rest.partition("/")
    has_port = ":" in authority
    if tried >= (1 if has_port else 3):
        return None
    bare = authority.removeprefix("www.")
    other_host = f"www.{bare}" if authority == bare else bare
    other_scheme = "https" if scheme == "http" else "http"
    changed = f"{scheme if tried in (0, 2) else other_scheme}://{other_host}{slash}{path}"
    return changed if key(changed) == key(url) else None
