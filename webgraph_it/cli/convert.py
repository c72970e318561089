"""`webgraph-it convert`: shards → compact graph. See docs/convert.md."""

import os
import shutil
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from webgraph_it.cli.shell.compiling import compiling_is_told
from webgraph_it.cli.shell.mistakes import Failure, Mistake, is_full_disk, mistakes
from webgraph_it.cli.shell.parser import Parser
from webgraph_it.cli.shell.values import check_memory, count, day, size, words
from webgraph_it.cli.shell.verb import Verb
from webgraph_it.progress import Progress

if TYPE_CHECKING:
    from webgraph_it.convert.sources import Sources
    from webgraph_it.convert.steps import Table
    from webgraph_it.graph.bv import Parameters

CRAWLS = Path("crawls")


def add_options(parser: Parser) -> None:
    from webgraph_it.convert.steps import BY_NAME

    add = parser.add_argument
    add("jobdirs", nargs="*", type=Path, metavar="JOBDIR", help="crawl directories (the newest in crawls/)")
    add("--out", type=Path, metavar="DIR", help="folder for the graph (JOBDIR/compact)")
    add("--memory", type=size, default="2G", metavar="SIZE", help="maximum memory, such as 1.5GiB (2G)")
    add("--threads", type=count, default=os.cpu_count() or 1, metavar="N", help="threads (one per core)")
    steps = f"steps: {', '.join(BY_NAME)}"
    add("--only", type=words, default=[], metavar="STEP,…", help=f"only these, and what they need; {steps}")
    add("--skip", type=words, default=[], metavar="STEP,…", help="all but these")
    add("--from", dest="again_from", metavar="STEP", help="repeat this step and all after it")
    add(
        "--history",
        action="store_true",
        help="all nodes and arcs ever seen, with their days (JOBDIR/history)",
    )
    add(
        "--as-of",
        type=day,
        metavar="DAY",
        help="the graph of that day (UTC), such as 2026-11-17 (JOBDIR/as-of-DAY)",
    )
    add("--check", action="store_true", help="verify a finished graph against its checksums and the shards")
    thesis = parser.add_argument_group("the thesis' files, instead of JOBDIR").add_argument
    thesis("--urls", type=Path, metavar="FILE", help="list of URLs, or of key TAB url")
    thesis("--graph16", type=Path, metavar="DIR", help="folder of .g16 files")
    thesis("--graph4", type=Path, metavar="FILE", help="also write the g4 file here")
    cluster = parser.add_argument_group("what cluster compact made, instead of JOBDIR").add_argument
    cluster("--ids", type=Path, metavar="DIR", help="folder of ids and arcs in Parquet")
    bv = parser.add_argument_group("BV compression").add_argument
    bv("--window", type=count, default=7, metavar="N", help="how many nodes back a list may copy from (7)")
    bv("--max-ref", type=count, default=3, metavar="N", help="longest chain of references, -1: unlimited (3)")
    bv("--min-interval", type=count, default=4, metavar="N", help="shortest interval, 0: none (4)")
    bv("--zeta", type=count, default=3, metavar="K", help="k of the residuals' code (3)")


def run(options: Namespace) -> int:
    from webgraph_it.convert.sources import ConvertError
    from webgraph_it.files.received import InputError
    from webgraph_it.graph import GraphError
    from webgraph_it.shards.formats import ShardError

    progress = Progress()
    with (
        mistakes(ConvertError, ShardError, GraphError, InputError),
        _full_disk(),
        compiling_is_told(progress),
    ):
        return _convert(options, progress)


def _convert(options: Namespace, progress: Progress) -> int:
    from webgraph_it.convert.check import check
    from webgraph_it.convert.job import Job
    from webgraph_it.convert.sources import ConvertError
    from webgraph_it.convert.steps import choose, run_steps

    if options.threads < 1:
        raise Mistake(f"--threads is {options.threads}; expected 1 or more.")
    check_memory(options.memory)
    sources, out = _sources_and_out(options, progress)
    sources, table = _when(options, sources)
    if options.check:
        print(check(out, sources, options.memory, options.threads, progress))
        return 0
    job = Job(out, sources, options.memory, options.threads, _parameters(options), progress)
    wanted = choose(options.only, options.skip, table)
    job.open()
    try:
        run_steps(job, wanted, options.again_from, table)
    except ConvertError:
        job.forget()
        raise
    finally:
        job.close()
    if options.graph4:
        _copy_g4(out, options.graph4)
    print(out)
    return 0


def _sources_and_out(options: Namespace, progress: Progress) -> "tuple[Sources, Path]":
    from webgraph_it.convert.sources import from_crawls, from_files, from_ids, newest_crawl

    if options.ids:
        if options.jobdirs or options.urls or options.graph16 or options.check:
            raise Mistake("--ids stands alone: no JOBDIR, --urls, --graph16 or --check.")
        return from_ids(options.ids), options.out or options.ids / "compact"
    if options.urls or options.graph16:
        if not (options.urls and options.graph16 and (options.out or options.graph4)) or options.jobdirs:
            raise Mistake("The thesis' files need --urls, --graph16 and --out (or --graph4), and no JOBDIR.")
        out = options.out or options.graph4.with_suffix(".compact")
        return from_files(options.urls, options.graph16), out
    jobdirs = options.jobdirs or [newest_crawl(CRAWLS)]
    if not options.jobdirs:
        progress.note(f"no crawl directory was given: using the newest, {jobdirs[0]}")
    if len(jobdirs) > 1 and not options.out:
        raise Mistake(f"{len(jobdirs)} crawl directories become one graph: give its folder with --out.")
    out = options.out or jobdirs[0] / _folder(options)
    if any(out.resolve() == Path(jobdir).resolve() for jobdir in jobdirs):
        raise Mistake(f"{out} is the crawl directory itself: give another folder with --out.")
    return from_crawls(jobdirs), out


def _when(options: Namespace, sources: "Sources") -> "tuple[Sources, Table]":
    """The sources with the time that is meant, and the steps that this takes."""
    from webgraph_it.convert import through_time
    from webgraph_it.convert.steps import STEPS

    if options.history and options.as_of:
        raise Mistake("--history is all days, and --as-of is one day: give one of them.")
    if options.check and (options.history or options.as_of):
        raise Mistake(
            "--check compares a graph with all of its crawl: give it without --history and --as-of."
        )
    if options.as_of:
        return through_time.as_of(sources, options.as_of), through_time.DAY
    if options.history:
        return through_time.history(sources), through_time.HISTORY
    return sources, STEPS


def _folder(options: Namespace) -> str:
    if options.as_of:
        return f"as-of-{options.as_of}"
    return "history" if options.history else "compact"


def _parameters(options: Namespace) -> "Parameters":
    from webgraph_it.graph.bv import UNLIMITED, Parameters

    if options.window < 0 or options.min_interval < 0 or options.zeta < 1:
        raise Mistake("--window and --min-interval must be 0 or more, --zeta must be 1 or more.")
    if options.max_ref < -1:
        raise Mistake(f"--max-ref is {options.max_ref}; expected 0 or more, or -1 for unlimited.")
    max_ref = options.max_ref if options.max_ref >= 0 else UNLIMITED
    return Parameters(options.window, max_ref, options.min_interval, options.zeta)


def _copy_g4(out: Path, to: Path) -> None:
    from webgraph_it.files.own import SHARED_MODE, whole_file

    with (out / "graph.g4").open("rb") as made, whole_file(to, SHARED_MODE) as file:
        shutil.copyfileobj(made, file)


@contextmanager
def _full_disk() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if not is_full_disk(error):
            raise
        raise Failure(
            "The disk is full. No file under a final name is incomplete. "
            "Make room and give the same command: it resumes after the last finished step."
        ) from error


VERB = Verb(
    name="convert",
    summary="Turn crawl directories into a compact graph: ids instead of digests.",
    examples=(
        "webgraph-it convert crawls/italy-1 --out italy",
        "webgraph-it convert crawls/italy-1 --history --out italy-history",
        "webgraph-it convert crawls/italy-1 --as-of 2099-12-31 --out italy-then",
    ),
    add_options=add_options,
    run=run,
    interrupted="Interrupted: the same command resumes after the last finished step.",
)
