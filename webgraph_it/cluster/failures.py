"""What a computation on Spark says when it fails: the sentence of the worker that met the fault, or a short reason."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from webgraph_it.shards.formats import ShardError

FAULT = re.compile(rf"^(?:[\w.]+\.)?{ShardError.__name__}: (.+?)(?: SQLSTATE: \w+)?$", re.MULTILINE)
"""The last line of a worker's traceback."""
CAUSE = re.compile(r"^\s*(?:Caused by|:|Error:|Exception in thread \S+)[: ]\s*(\S.*)$", re.MULTILINE)
"""What Java and spark-submit call a reason."""
PYTHON_CAUSE = re.compile(
    r"^((?!org\.|java\.|scala\.|py4j\.)[A-Za-z_][\w.]*(?:Error|Exception)(?:: .+)?)$", re.MULTILINE
)
NO_VM = "Error occurred during initialization of VM\n"
LONGEST = 300


class ClusterError(Exception):
    """What cannot be done, in one sentence."""


class ClusterFailure(Exception):
    """A correct command that Spark could not carry out, in one sentence."""


@contextmanager
def in_one_sentence(log: Path) -> Iterator[None]:
    """Inside the block, what Spark raises becomes ShardError or ClusterFailure. All of it is appended to the log."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError) as error:
        text = str(error)
        with log.open("a") as file:
            file.write(f"\n{text}\n")
        if fault := fault_in(text):
            raise ShardError(fault) from None
        raise ClusterFailure(
            f"Spark could not finish: {reason_in(text)}. See {log}, and the logs of the executors."
        ) from None


def fault_in(text: str) -> str | None:
    """The sentence of a ShardError that a worker raised."""
    found = FAULT.search(text)
    return found[1].strip() if found else None


def reason_in(text: str) -> str:
    """What a worker's Python raised, or the last cause that Java names, or the first line."""
    text = text.replace(NO_VM, "Error: ")
    causes = PYTHON_CAUSE.findall(text) or CAUSE.findall(text)
    lines = text.strip().splitlines() or ["no reason is given"]
    reason = (causes[-1] if causes else lines[0]).strip().rstrip(". ")
    return reason if len(reason) <= LONGEST else f"{reason[:LONGEST]}…"
