"""Which component of the user's could not be made when the crawl began."""

from traceback import walk_tb

from scrapy.utils.misc import build_from_crawler
from scrapy.utils.python import global_object_name


def unbuilt_component(error: BaseException) -> str:
    """The path of the user's class whose constructor raised `error`; empty if it was one of ours, or none."""
    made = [
        frame.f_locals.get("objcls")
        for frame, _ in walk_tb(error.__traceback__)
        if frame.f_code is build_from_crawler.__code__
    ]
    name = global_object_name(made[-1]) if made and isinstance(made[-1], type) else ""
    return "" if name.startswith(("webgraph_it.", "scrapy.")) else name


def words_for(component: str, error: BaseException) -> str:
    """`error` with the line that raised it."""
    *_, (frame, line) = walk_tb(error.__traceback__)
    return (
        f"The crawl did not begin: {component} cannot be made: {error!r} ({frame.f_code.co_filename}, line {line}). "
        "Correct it, or leave it out."
    )
