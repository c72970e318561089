"""The connection to Spark, for the time of a command.

Guarantees: what Java and Spark print goes to a file, which is kept only after a failure and is named then. A mistake is
said before Spark is started, or in one sentence after it.
"""

import logging
import os
import re
import shutil
import signal
import socket
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import mkstemp
from threading import Timer
from typing import TYPE_CHECKING

from webgraph_it.cluster.failures import ClusterError, ClusterFailure, in_one_sentence, reason_in

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NO_JAVA = "Spark needs Java 17 or 21, which is not installed here: apt install openjdk-17-jre-headless."
MISSING = "Spark is not installed here: pip install 'webgraph_it[spark]'. It also needs Java 17 or 21."
LOCAL = r"local(\[(\*|[1-9]\d*)(,[1-9]\d*)?\])?"
STANDALONE = r"spark://(?P<addresses>[^\s/,]+:\d+(?:,[^\s/,]+:\d+)*)"
MASTER = re.compile(rf"{LOCAL}|{STANDALONE}|yarn|k8s://\S+")
ANSWER_SECONDS = 5.0
PATIENCE_SECONDS = 30.0
EXECUTOR_MEMORY = "1g"
"""Spark's default."""

Tell = Callable[[str], None]


@contextmanager
def session(master: str, settings: Mapping[str, str], tell: Tell) -> "Iterator[SparkSession]":
    """A Spark session. ShardError, ClusterError or ClusterFailure if it does not start or a worker meets a fault."""
    _check(master)
    with _log_file() as log, _quiet_python(), in_one_sentence(log):
        spark = _started(master, settings, log)
        # Spark's own handler talks to Java from within the signal, and is heard in the middle of another call
        handler = signal.signal(signal.SIGINT, signal.default_int_handler)
        memory = spark.conf.get("spark.executor.memory", EXECUTOR_MEMORY)
        sentence = alone(master, memory)
        try:
            with told_if_alone(lambda: _executors(spark), lambda: tell(sentence), PATIENCE_SECONDS):
                yield spark
        finally:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            with suppress(Exception):  # after an interrupted call, or with Java gone
                spark.stop()
            signal.signal(signal.SIGINT, handler)


def _check(master: str) -> None:
    """Refuse what can be known before Java is started."""
    if not (found := MASTER.fullmatch(master)):
        raise ClusterError(f"--master is {master}; expected: local[2], spark://host:7077, yarn, or k8s://…")
    try:
        import pyspark  # noqa: F401
    except ImportError:
        raise ClusterError(MISSING) from None
    home = os.environ.get("JAVA_HOME")
    if home and not Path(home, "bin/java").exists():
        raise ClusterError(
            f"JAVA_HOME is {home}, which has no bin/java; expected: the folder of Java 17 or 21. Correct it, or "
            "unset it if java is in PATH."
        )
    if not home and not shutil.which("java"):
        raise ClusterError(NO_JAVA)
    if addresses := found["addresses"]:
        refuse_silent(addresses.split(","))


def refuse_silent(addresses: list[str]) -> None:
    """ClusterError if nobody accepts a connection at any of these. Spark itself would try for a minute."""
    reasons = []
    for address in addresses:
        host, _, port = address.rpartition(":")
        try:
            socket.create_connection((host.strip("[]"), int(port)), ANSWER_SECONDS).close()
        except OSError as error:
            reasons.append(f"{address}: {(error.strerror or str(error)).lower()}")
        except (OverflowError, UnicodeError):
            reasons.append(f"{address}: not an address")
        else:
            return
    raise ClusterError(
        f"No Spark master answers at {', '.join(reasons)}. Start it, or give another --master."
    )


def alone(master: str, memory: str) -> str:
    return (
        f"No worker has taken the work for {PATIENCE_SECONDS:.0f} s: {master} has no worker with {memory} of memory "
        "and a core free. Still waiting. Start workers, or lower spark.executor.memory with --set."
    )


@contextmanager
def told_if_alone(executors: Callable[[], int], tell: Callable[[], None], seconds: float) -> Iterator[None]:
    """Inside the block, tell once if there is no executor after so many seconds."""

    def look() -> None:
        with suppress(Exception):  # Spark has just stopped
            if executors() == 0:
                tell()

    timer = Timer(seconds, look)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _executors(spark: "SparkSession") -> int:
    """In a local Spark, the driver is one."""
    context = spark.sparkContext
    if context.master.startswith("local"):
        return 1
    members: int = context._jsc.sc().getExecutorMemoryStatus().size()
    return members - 1


def _started(master: str, settings: Mapping[str, str], log: Path) -> "SparkSession":
    """Start Spark. The workers use the same Python as this process."""
    from py4j.protocol import Py4JError
    from pyspark import SparkConf, SparkContext
    from pyspark.errors import PySparkException
    from pyspark.java_gateway import launch_gateway
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    defaults = {
        "spark.sql.adaptive.enabled": "true",
        "spark.sql.adaptive.skewJoin.enabled": "true",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "8192",
        "spark.sql.session.timeZone": "UTC",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
    }
    if master.startswith("local"):
        defaults |= {
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.ui.enabled": "false",
        }
    conf = (
        SparkConf().setMaster(master).setAppName("webgraph_it").setAll([*(defaults | {**settings}).items()])
    )
    try:
        with log.open("ab") as said:
            gateway = launch_gateway(conf, {"stdout": said, "stderr": said})
        SparkContext(conf=conf, gateway=gateway)
        spark: SparkSession = SparkSession.builder.getOrCreate()
    except (PySparkException, Py4JError) as error:
        never = "JAVA_GATEWAY_EXITED" in str(error)  # then Java has said why, and Python knows nothing
        text = log.read_text(errors="replace") if never else str(error)
        raise ClusterError(
            f"Spark does not start with --master {master}: {reason_in(text)}. Look at "
            f"{' and '.join(['--master', *(f'--set {name}={value}' for name, value in settings.items())])}."
        ) from None
    return spark


@contextmanager
def _log_file() -> Iterator[Path]:
    """A file for what Java says. It is kept only if Spark fails."""
    number, name = mkstemp(prefix="webgraph_it-spark-", suffix=".log")
    os.close(number)
    try:
        yield Path(name)
    except ClusterFailure:
        raise
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    Path(name).unlink(missing_ok=True)


@contextmanager
def _quiet_python() -> Iterator[None]:
    """py4j logs every interrupted call with its traceback. What matters is raised as well."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)
