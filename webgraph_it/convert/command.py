"""The command line of convert: arguments in, one sentence out for whatever is wrong (exit code 2)."""

import argparse
import errno
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from webgraph_it import __version__
from webgraph_it.convert.check import check
from webgraph_it.convert.export import add_export_arguments, export
from webgraph_it.convert.job import Job
from webgraph_it.convert.progress import Progress
from webgraph_it.convert.sources import ConvertError, Sources, from_crawls, from_files, newest_crawl
from webgraph_it.convert.steps import BY_NAME, choose, run_steps
from webgraph_it.files.own import sync
from webgraph_it.files.received import InputError
from webgraph_it.graph.bv import UNLIMITED, Parameters
from webgraph_it.graph.webgraph import GraphError
from webgraph_it.shards.formats import ShardError
from webgraph_it.units import size_bytes

CRAWLS = Path("crawls")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    options = (
        _export_parser().parse_args(words[1:]) if words[:1] == ["export"] else _parser().parse_args(words)
    )
    try:
        return int(options.run(options))
    except (ConvertError, ShardError, GraphError, InputError) as error:
        return _fail(str(error))
    except KeyboardInterrupt:
        print("\ninterrupted: the same command resumes after the last finished step", file=sys.stderr)
        return 130
    except OSError as error:
        if error.errno == errno.ENOSPC:
            return _fail(
                "the disk is full: no file under its final name is incomplete. "
                "Make room and give the same command: it resumes after the last finished step."
            )
        return _fail(f"{error.filename}: {error.strerror}." if error.filename else f"{error}.")


def memory_size(text: str) -> int:
    """`512M`, `2G`, `1.5 GiB` → bytes."""
    try:
        return size_bytes(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a size; write for instance 512M or 2G") from None


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m webgraph_it.convert",
        description="Turn crawl directories into a compact graph: ids instead of digests.",
        epilog="Also: python -m webgraph_it.convert export --help",
    )
    parser.set_defaults(run=_convert)
    parser.add_argument("--version", action="version", version=f"webgraph_it {__version__}")
    parser.add_argument(
        "jobdirs",
        nargs="*",
        type=Path,
        metavar="JOBDIR",
        help="crawl directories; none: the newest in crawls/",
    )
    parser.add_argument("--out", type=Path, help="where the graph goes (default: JOBDIR/compact)")
    parser.add_argument(
        "--memory", type=memory_size, default="2G", help="how much may be used, such as 1.5GiB (default: 2G)"
    )
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1, help="default: one per core")
    steps = f"steps: {', '.join(BY_NAME)}"
    parser.add_argument(
        "--only", type=_list, default=[], metavar="STEP,…", help=f"only these, and what they need; {steps}"
    )
    parser.add_argument("--skip", type=_list, default=[], metavar="STEP,…", help="all but these")
    parser.add_argument(
        "--from", dest="again_from", metavar="STEP", help="do this step and all after it again"
    )
    parser.add_argument(
        "--check", action="store_true", help="verify a finished graph against its checksums and the shards"
    )
    thesis = parser.add_argument_group("the thesis' way, instead of JOBDIR")
    thesis.add_argument("--urls", type=Path, metavar="FILE", help="list of URLs, or of key TAB url")
    thesis.add_argument("--graph16", type=Path, metavar="DIR", help="folder of .g16 files")
    thesis.add_argument("--graph4", type=Path, metavar="FILE", help="also put the g4 file here")
    bv = parser.add_argument_group("BV compression")
    bv.add_argument("--window", type=int, default=7, help="how many nodes back a list may copy from (7)")
    bv.add_argument("--max-ref", type=int, default=3, help="longest chain of references, -1: unlimited (3)")
    bv.add_argument("--min-interval", type=int, default=4, help="shortest interval, 0: none (4)")
    bv.add_argument("--zeta", type=int, default=3, help="k of the residuals' code (3)")
    return parser


def _export_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m webgraph_it.convert export", description="Write a graph for other tools."
    )
    parser.set_defaults(run=export)
    add_export_arguments(parser)
    return parser


def _list(text: str) -> list[str]:
    return [word for word in text.split(",") if word]


def _convert(options: argparse.Namespace) -> int:
    progress = Progress()
    sources, out = _sources_and_out(options, progress)
    if options.check:
        print(check(out, sources, options.memory, options.threads, progress))
        return 0
    job = Job(out, sources, options.memory, max(options.threads, 1), _parameters(options), progress)
    wanted = choose(options.only, options.skip)
    job.open()
    try:
        run_steps(job, wanted, options.again_from)
    finally:
        job.close()
    if options.graph4:
        _copy_g4(out, options.graph4)
    print(out)
    return 0


def _sources_and_out(options: argparse.Namespace, progress: Progress) -> tuple[Sources, Path]:
    if options.urls or options.graph16:
        if not (options.urls and options.graph16 and (options.out or options.graph4)) or options.jobdirs:
            raise ConvertError(
                "the thesis' way needs --urls, --graph16 and --out (or --graph4), and no JOBDIR."
            )
        return from_files(options.urls, options.graph16), options.out or options.graph4.with_suffix(
            ".compact"
        )
    jobdirs = options.jobdirs or [newest_crawl(CRAWLS)]
    if not options.jobdirs:
        progress.note(f"no crawl directory was given: taking the newest, {jobdirs[0]}")
    if len(jobdirs) > 1 and not options.out:
        raise ConvertError(
            f"{len(jobdirs)} crawl directories become one graph: say where it goes with --out."
        )
    out = options.out or jobdirs[0] / "compact"
    if any(out.resolve() == Path(jobdir).resolve() for jobdir in jobdirs):
        raise ConvertError(
            f"{out} is the crawl directory itself: give the graph a folder of its own with --out."
        )
    return from_crawls(jobdirs), out


def _parameters(options: argparse.Namespace) -> Parameters:
    if options.window < 0 or options.min_interval < 0 or options.zeta < 1:
        raise ConvertError("--window and --min-interval are 0 or more, --zeta is 1 or more.")
    most = options.max_ref if options.max_ref >= 0 else UNLIMITED
    return Parameters(options.window, most, options.min_interval, options.zeta)


def _copy_g4(out: Path, to: Path) -> None:
    temporary = to.with_name(f"{to.name}.new")
    try:
        shutil.copyfile(out / "graph.g4", temporary)
        sync(temporary)
        temporary.rename(to)
        sync(to.parent)
    finally:
        temporary.unlink(missing_ok=True)


def _fail(sentence: str) -> int:
    print(f"convert: {sentence}", file=sys.stderr)
    return 2
